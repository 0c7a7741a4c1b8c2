"""What the decorators and kinds of Python definitions say about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zerikai_memory.codemap.python_file import Binding
from zerikai_memory.model import CodeEntity, EntityType

_PROPERTY = frozenset({"property", "cached_property", "classproperty", "abstractproperty", "reify", "hybrid_property"})


def is_property(entity: CodeEntity | None) -> bool:
    """Whether reading this method's name calls it."""
    return entity is not None and decorated(entity, _PROPERTY)


def decorated(entity: CodeEntity, names: Iterable[str]) -> bool:
    """Whether one of the decorators has one of these last names."""
    return any(text.partition("(")[0].strip().rpartition(".")[2] in names for text in entity.decorators)


def is_class(entity: CodeEntity) -> bool:
    """Whether a definition is a class."""
    return entity.entity_type is EntityType.CLASS


def implementation(definitions: Sequence[Binding]) -> Binding:
    """The last definition that is no overload and no setter of a property."""
    for binding in reversed(definitions):
        assert binding.entity is not None
        if not decorated(binding.entity, {"overload", "setter", "deleter"}):
            return binding
    return definitions[-1]
