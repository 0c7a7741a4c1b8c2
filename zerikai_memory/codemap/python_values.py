"""What a Python expression may be, as far as reading tells; and the links of its normal form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from zerikai_memory.codemap.python_modules import Place

# An entity of the project: the path of its file and its id.
Ref = tuple[str, str]
# So many alternatives of one expression are followed.
MAX_VALUES = 8
_LINK = re.compile(r"\.?\w+|\(\)|\[\]")


class Kind(Enum):
    """What a value is."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    INSTANCE = "instance"
    SUPER = "super"  # `ref` is the class whose bases answer, `this` the class of the object
    MANY = "many"  # an iterable of `items`
    CONTEXT = "context"  # what gives `items` to `with`
    EXTERNAL = "external"
    MISSING = "missing"  # imported from a module of the project that does not define it
    UNKNOWN = "unknown"  # only its `origin` is known


@dataclass(frozen=True, slots=True)
class Value:
    """One alternative. `origin` is the constant, property or function that a name or attribute led to.

    `this` is the class of the object that a method was taken from; `name` the dotted name of something external.
    """

    kind: Kind
    ref: Ref | None = None
    place: Place | None = None
    this: Ref | None = None
    items: tuple[Value, ...] = ()
    origin: Ref | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """Alternatives of one expression; `sure` when there are no others, `bound` when the name is known at all."""

    items: tuple[Value, ...] = ()
    sure: bool = True
    bound: bool = True

    def __iter__(self) -> Iterator[Value]:
        return iter(self.items)

    def __bool__(self) -> bool:
        return bool(self.items)

    def of(self, origin: Ref) -> Values:
        """The same, found under the name of entity `origin`."""
        if not self.items:
            return Values((Value(Kind.UNKNOWN, origin=origin),), self.sure)
        return Values(tuple(replace(value, origin=origin) for value in self.items), self.sure)


NOTHING = Values()
UNKNOWN = Values(sure=False)
UNBOUND = Values(sure=False, bound=False)


def either(found: Iterable[Values]) -> Values:
    """The alternatives of all; what leads out of the project counts only when nothing leads into it."""
    items: dict[Value, None] = {}
    sure = True
    for values in found:
        items |= dict.fromkeys(values.items)
        sure = sure and values.sure
    kept = tuple(items)[:MAX_VALUES]
    return Values(kept, sure and len(items) <= MAX_VALUES)


def external(name: str) -> Values:
    """Something that leads out of the project."""
    return Values((Value(Kind.EXTERNAL, name=name),))


def alternatives(form: str) -> list[list[str]]:
    """`a.b()|c[]` -> [["a", ".b", "()"], ["c", "[]"]]; a form that holds a `?` gives an empty list for that part."""
    return [[] if "?" in part else _LINK.findall(part) for part in form.split("|")]
