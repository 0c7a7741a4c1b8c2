"""What a JavaScript expression is: the function, class or object inside casts, wrappers and assignments; its target."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zerikai_memory.lang.spec import THIS
from zerikai_memory.lang.text import Source, fold

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTION_TYPES = frozenset(("arrow_function", "function_expression", "generator_function"))
_PEEL = frozenset(
    ("parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression", "type_assertion")
)
# Calls whose result is the function that they are given, named by the variable.
_COMPONENT_WRAPPERS = re.compile(r"^(?:memo|forwardRef|lazy|observer|connect|inject|styled|with[A-Z]\w*)$")
_FUNCTION_WRAPPERS = re.compile(
    r"^(?:useCallback|useEvent|debounce|throttle|memoize|memoizeOne|once|asyncHandler|catchAsync|cache|curry)$"
)
EXPORTS = re.compile(r"^(?:module\.)?exports(?:\.|$)")
_WORD = re.compile(r"[#\w$]+")


def peel(node: Node | None) -> Node | None:
    """The value inside brackets, type casts and chained assignments."""
    for _ in range(20):
        if node is None:
            break
        if node.type == "assignment_expression":
            node = node.child_by_field_name("right")
        elif node.type in _PEEL and node.named_child_count:
            node = node.named_child(node.named_child_count - 1 if node.type == "type_assertion" else 0)
        else:
            return node
    return None


def wrapped(call: Node, name: str, source: Source) -> Node | None:
    """The function inside `memo(...)`, `forwardRef(...)`, `connect(...)(...)`, `useCallback(...)`; else None."""
    for _ in range(5):
        if call.type != "call_expression":
            return None
        callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if callee is None or arguments is None or not arguments.named_child_count:
            return None
        while callee.type == "call_expression" and (deeper := callee.child_by_field_name("function")) is not None:
            callee = deeper
        words = _WORD.findall(source.text(callee))
        rule = _COMPONENT_WRAPPERS if name[:1].isupper() else _FUNCTION_WRAPPERS
        if not words or not rule.match(words[-1]):
            return None
        first = peel(arguments.named_child(0))
        if first is None:
            return None
        if first.type in FUNCTION_TYPES:
            return first
        call = first
    return None


def object_argument(call: Node | None) -> Node | None:
    """The first argument of a call that is written as an object, or None."""
    arguments = call.child_by_field_name("arguments") if call is not None else None
    if arguments is None:
        return None
    return next((child for child in arguments.named_children if child.type == "object"), None)


def has_functions(node: Node) -> bool:
    """Whether an object has a method or a member bound to a function."""
    for child in node.named_children:
        if child.type == "method_definition":
            return True
        if child.type == "pair":
            value = peel(child.child_by_field_name("value"))
            if value is not None and value.type in FUNCTION_TYPES:
                return True
    return False


def is_argument(pair: Node) -> bool:
    """Whether the object of a pair is written as an argument of a call that no variable keeps: a callback."""
    node: Node | None = pair
    for _ in range(10):
        node = node.parent if node is not None else None
        if node is None:
            return False
        if node.type == "arguments":
            call = node.parent
            holder = call.parent if call is not None else None
            return holder is None or holder.type not in (
                "variable_declarator",
                "export_statement",
                "assignment_expression",
            )
        if node.type not in ("object", "pair", *_PEEL):
            return False
    return False


def subscript(node: Node, source: Source) -> str:
    """`object["key"]` as `object.key`; empty when the key is not a constant."""
    target, index = node.child_by_field_name("object"), node.child_by_field_name("index")
    if target is None or index is None:
        return ""
    key = source.text(index)
    if index.type == "string":
        return f"{source.text(target)}.{key[1:-1]}"
    return f"{source.text(target)}.[{key}]" if key.startswith("Symbol.") else ""


def split_target(target: str) -> tuple[str | None, str]:
    """Owner and name of an assignment's left side; exports have no owner, `this` is its class or function."""
    if match := EXPORTS.match(target):
        owner, _, name = target[match.end() :].rpartition(".")
        return owner or None, name or "default"
    owner, dot, name = target.replace("?.", ".").rpartition(".")
    if not dot:
        return None, target
    if name == "prototype":
        return owner, name
    owner = owner.removesuffix(".prototype")
    return (THIS, name) if owner in ("this", "self", "that", "_this") else (owner, name)


def member_name(node: Node, source: Source) -> str:
    """Name of a class or object member: quotes dropped, `#` and computed brackets kept."""
    text = source.text(node)
    return text[1:-1] if node.type == "string" else fold(text)
