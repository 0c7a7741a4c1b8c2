"""What a chain of JavaScript leads to: an entity, an instance of one, a list of them, a module, or the outside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from zerikai_memory.model import CodeEntity, EntityType

UNKNOWN = "?"
CLASSES = (EntityType.CLASS, EntityType.COMPONENT)
TYPES = (EntityType.CLASS, EntityType.INTERFACE, EntityType.TYPE)
MADE = (*CLASSES, EntityType.INTERFACE, EntityType.FUNCTION, EntityType.TYPE)
FUNCTIONS = (EntityType.FUNCTION, EntityType.METHOD, EntityType.COMPONENT)
_WRAPPED = re.compile(r"^(Promise|Array)(?:\.?<)(.*)>$")
_TYPE_NAME = re.compile(r"^[A-Za-z_$][\w$.]*(?:\[\])*$")


@dataclass(frozen=True, slots=True)
class Value:
    """What a chain leads to.

    kind: `entity` (itself), `instance` (of the class or interface `entity`), `object` (`name` in `path`, without an
    entity of its own), `module` (the file `path`), `outside` (another package), `missing` (given out by the file
    `path`, but not found in there), `list` (of instances of `entity`, `depth` levels), `method` (`name` of a list).
    `likely`: a custom, not a rule, led here.
    """

    kind: str
    path: str = ""
    entity: CodeEntity | None = None
    name: str = ""
    likely: bool = False
    depth: int = 0


OUTSIDE = Value("outside")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chain is read: file, line, and the definition around it."""

    path: str
    line: int
    home: CodeEntity | None = None


def element(value: Value) -> Value | None:
    """An element of a list."""
    if value.kind != "list":
        return OUTSIDE if value.kind == "outside" else None
    if value.depth > 1:
        return replace(value, depth=value.depth - 1)
    return replace(value, kind="instance", name=value.entity.qualified_name if value.entity else "", depth=0)


def valued(entities: Sequence[CodeEntity], path: str) -> Value:
    """The definition that the declarations of one name stand for, itself."""
    entity = implementation(entities)
    return Value("entity", path, entity, entity.qualified_name)


def implementation(entities: Iterable[CodeEntity]) -> CodeEntity:
    """Of several declarations of one name: a class before an interface, of overloads the last, which has the body."""
    found = list(entities)
    values = [e for e in found if e.entity_type not in (EntityType.INTERFACE, EntityType.TYPE)]
    return (values or found)[-1]


def documented(entity: CodeEntity, tag: str) -> str:
    """The chain of a type that a doc comment gives: `@param {Foo[]} x`, `@returns {Promise<Foo>}`; `?` without."""
    found = re.search(tag, entity.docstring or "")
    text = found[1].strip().strip("?!=") if found is not None else ""
    if wrapped := _WRAPPED.match(text):
        text = wrapped[2] + ("[]" if wrapped[1] == "Array" else "")
    return f"<{text}>" if _TYPE_NAME.match(text) else UNKNOWN


def is_arrow(entity: CodeEntity) -> bool:
    """Whether a member is an arrow function, whose `this` is that around it (`m: () =>`, `m = () =>`)."""
    return bool(re.match(r"[^(]*?[:=]\s*(?:async\s*)?[(\w<]", entity.signature)) and "function" not in entity.signature


def is_class(entity: CodeEntity) -> bool:
    """Whether a class or component is written as a class."""
    by_word = entity.entity_type is EntityType.COMPONENT and "class" in entity.signature.split()
    return entity.entity_type is EntityType.CLASS or by_word
