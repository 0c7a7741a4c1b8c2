"""Python type aliases without an annotation: `Style = Union[str, Color]`, `Row = dict[str, int]`, `Size = int | None`.

The language has no mark for them; what stands on the right tells, by the names that types have.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zerikai_memory.lang.text import Source

if TYPE_CHECKING:
    from tree_sitter import Node

_BUILT_IN = frozenset(
    "bool bytearray bytes complex dict float frozenset int list memoryview object range set str tuple type".split()
)
# Classes of the standard library that are in lower case and take parameters.
_GENERIC = _BUILT_IN | {"array", "defaultdict", "deque"}
_CAMEL_CASE = re.compile(r"_*[A-Z]\w*[a-z]\w*")
_TYPE_VARIABLE = re.compile(r"_*[A-Z]")
# What no parameter of a type begins with: `Default = Colours[0]` takes an item.
_ITEM = frozenset(("integer", "float", "unary_operator", "slice", "call"))
# A chain of unions and subscripts beyond this is no type that a person has written.
_DEEPEST = 64


def is_alias(value: Node, source: Source) -> bool:
    """Whether the right side of an assignment to a CamelCase name is a type expression."""
    value = _bare(value)
    if value.type in ("identifier", "attribute"):
        # In a class `Meta = Parent.Meta` and `serializer = Row` are what the framework reads, values as any other.
        return not _in_class(value) and _is_name_of_type(value, source)
    return _is_type(value, source, _DEEPEST)


def _is_type(node: Node, source: Source, deeper: int) -> bool:
    node = _bare(node)
    if deeper == 0:
        return False
    if node.type in ("none", "string"):  # of a union: the caller knows that more stands beside it
        return True
    if node.type == "subscript":
        return _is_generic(node, source, deeper)
    if node.type == "binary_operator":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        sign = node.child_by_field_name("operator")
        if left is None or right is None or sign is None or source.text(sign) != "|":
            return False
        return _is_type(left, source, deeper - 1) and _is_type(right, source, deeper - 1)
    variable = node.type == "identifier" and _TYPE_VARIABLE.fullmatch(source.text(node)) is not None
    return variable or _is_name_of_type(node, source)


def _is_generic(node: Node, source: Source, deeper: int) -> bool:
    """`Union[...]`, `list[int]`, `Row[T]`, `Row[T][int]`: a type with its parameters."""
    value, first = node.child_by_field_name("value"), node.child_by_field_name("subscript")
    if value is None or first is None or first.type in _ITEM:
        return False
    if value.type == "subscript":
        return _is_type(value, source, deeper - 1)
    return source.text(value) in _GENERIC or _is_name_of_type(value, source)


def _is_name_of_type(node: Node, source: Source) -> bool:
    """A class by its name; `Color.Red` is a value of one."""
    if node.type == "identifier":
        name = source.text(node)
        return name in _BUILT_IN or _CAMEL_CASE.fullmatch(name) is not None
    if node.type != "attribute":
        return False
    *owners, name = source.text(node).split(".")
    if not all(owner.isidentifier() and not owner.lstrip("_")[:1].isupper() for owner in owners):
        return False
    return _CAMEL_CASE.fullmatch(name) is not None or (name in _GENERIC and owners in (["builtins"], ["collections"]))


def _bare(node: Node) -> Node:
    while node.type == "parenthesized_expression" and node.named_child_count == 1 and (inner := node.named_child(0)):
        node = inner
    return node


def _in_class(node: Node) -> bool:
    at = node.parent
    while at is not None and at.type != "class_definition":
        at = at.parent
    return at is not None
