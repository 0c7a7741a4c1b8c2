from .cart import Cart, total as sum_up
from .db import *

__all__ = ["Cart", "sum_up", "Store"]
