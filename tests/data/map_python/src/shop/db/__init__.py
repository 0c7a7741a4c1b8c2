from .store import *
from .store import __all__ as __all__
