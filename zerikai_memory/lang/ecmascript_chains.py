"""A JavaScript expression as a short chain that can be followed later: `a.b`, `new A().b`, `f().b`, `"module".b`.

A chain begins with a name, `this`, `super`, `new Name()`, a type `<Name>` (`<Name[]>`: a list, set or map of it), a
module in double quotes, `{}` (the object that a function returns), or `?` (nothing is known); `[]` takes an element.
Arguments, casts, brackets and `await` are left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zerikai_memory.lang.text import Source

if TYPE_CHECKING:
    from tree_sitter import Node

UNKNOWN = "?"
_LINKS = 12  # of a chain that are followed
_REQUIRE = frozenset({"require", "jest.requireActual", "jest.requireMock", "vi.importActual", "vi.importMock"})
_MAX = 100  # characters of a chain or a name
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$#][\w$]*)*")
# Types that say no more than what they enclose.
_WRAPPERS = frozenset({"Promise", "Readonly", "Partial", "Required", "NonNullable", "Awaited", "PromiseLike"})
_INNER = frozenset({"parenthesized_expression", "non_null_expression", "await_expression", "satisfies_expression"})
_LISTS = frozenset(
    "Array ReadonlyArray Set ReadonlySet WeakSet Iterable IterableIterator Iterator Generator AsyncIterable"
    " AsyncGenerator Map ReadonlyMap WeakMap Record".split()
)
_OF_VALUES = frozenset({"Map", "ReadonlyMap", "WeakMap", "Record"})
_EMPTY_TYPES = frozenset({"undefined", "null", "void"})


def chain(node: Node | None, source: Source) -> str:
    """The chain of an expression; `?` where it begins with something else."""
    links: list[str] = []
    for _ in range(_LINKS):
        if node is None:
            break
        kind = node.type
        if kind in ("identifier", "this", "super"):
            return _joined(source.text(node), links)
        if kind == "member_expression":
            name = node.child_by_field_name("property")
            links.append("." + (source.text(name) if name is not None else UNKNOWN))
            node = node.child_by_field_name("object")
        elif kind == "call_expression":
            callee = node.child_by_field_name("function")
            if callee is not None and (module := _module(callee, node, source)):
                return _joined(module, links)
            links.append("()")
            node = callee
        elif kind == "subscript_expression":
            index = node.child_by_field_name("index")
            key = source.text(index)[1:-1] if index is not None and index.type == "string" else ""
            links.append(f".{key}" if _DOTTED.fullmatch(key) else "[]")
            node = node.child_by_field_name("object")
        elif kind == "new_expression":
            return _joined(_made(node, source), links)
        elif kind in ("as_expression", "type_assertion"):
            parts = node.named_children
            cast = type_chain(parts[-1 if kind == "as_expression" else 0], source) if len(parts) > 1 else UNKNOWN
            if cast != UNKNOWN:
                return _joined(cast, links)
            node = parts[0 if kind == "as_expression" else -1] if parts else None
        elif kind in _INNER and node.named_child_count:
            node = node.named_child(0)
        else:
            break
    return _joined(UNKNOWN, links)


def type_chain(node: Node | None, source: Source) -> str:
    """The chain `<Name>` of a type that is one name, `<Name[]>` of a list, `x` of `typeof x`; `?` for all others."""
    suffix = ""
    for _ in range(_LINKS):
        if node is None:
            break
        kind = node.type
        if kind in ("type_annotation", "parenthesized_type", "readonly_type") and node.named_child_count:
            node = node.named_child(0)
        elif kind == "union_type":
            rest = [part for part in node.named_children if source.text(part) not in _EMPTY_TYPES]
            node = rest[0] if len(rest) == 1 else None
        elif kind == "type_query" and node.named_child_count:
            return chain(node.named_child(0), source)
        elif kind == "array_type" and node.named_child_count:
            suffix += "[]"
            node = node.named_child(0)
        elif kind == "generic_type":
            name = node.child_by_field_name("name")
            arguments = node.child_by_field_name("type_arguments")
            word = source.text(name) if name is not None else ""
            if arguments is not None and (word in _WRAPPERS or word in _LISTS) and arguments.named_child_count:
                node = arguments.named_child(arguments.named_child_count - 1 if word in _OF_VALUES else 0)
                suffix += "[]" if word in _LISTS else ""
            else:
                node = name
        elif kind in ("type_identifier", "nested_type_identifier", "identifier"):
            text = "".join(source.text(node).split())
            return f"<{text}{suffix}>" if _DOTTED.fullmatch(text) and len(text) <= _MAX else UNKNOWN
        elif kind == "this_type":
            return "this"
        else:
            break
    return UNKNOWN


def _joined(head: str, links: list[str]) -> str:
    text = head + "".join(reversed(links))
    return text if len(text) <= _MAX else UNKNOWN


def _made(node: Node, source: Source) -> str:
    constructor = node.child_by_field_name("constructor")
    if constructor is None or constructor.type not in ("identifier", "member_expression"):
        return UNKNOWN
    text = "".join(source.text(constructor).split())
    return f"new {text}()" if _DOTTED.fullmatch(text) else UNKNOWN


def _module(callee: Node, call: Node, source: Source) -> str:
    """`"m"` of `require("m")` and `import("m")`."""
    short = callee.type in ("identifier", "member_expression") and callee.end_byte - callee.start_byte <= _MAX
    if callee.type != "import" and not (short and source.text(callee) in _REQUIRE):
        return ""
    arguments = call.child_by_field_name("arguments")
    first = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
    return quoted(first, source) if first is not None and first.type == "string" else UNKNOWN


def quoted(node: Node, source: Source) -> str:
    """A module's name in double quotes, from a string."""
    return f'"{source.text(node)[1:-1]}"'
