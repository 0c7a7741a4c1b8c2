"""Names of the language itself whose effect on what an expression is goes without saying."""

from __future__ import annotations

import builtins

BUILTINS = frozenset(dir(builtins))
# What these give depends on their arguments, which a normal form leaves out.
OPAQUE = frozenset(
    "getattr next type vars max min sum globals locals __import__ cast copy deepcopy partial import_module reduce "
    "iter reversed sorted list tuple set dict frozenset zip map filter enumerate eval object super property".split()
)
# A function under one of these gives what it yields to `with`.
CONTEXT = frozenset({"contextmanager", "asynccontextmanager"})
CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})
