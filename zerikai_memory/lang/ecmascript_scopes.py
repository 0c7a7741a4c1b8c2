"""What local names of JavaScript and TypeScript stand for, and what a module gives out: BIND and EXPORT mentions."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from zerikai_memory.lang.ecmascript_chains import UNKNOWN, chain, quoted, type_chain
from zerikai_memory.lang.ecmascript_values import FUNCTION_TYPES, peel, wrapped
from zerikai_memory.lang.spec import Match, Mention
from zerikai_memory.lang.text import Source
from zerikai_memory.model import ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

LABELS = frozenset("variable parameters loop local field given assigned return type read again".split())
DEFINED = "def"
EMPTY = "?empty"  # a variable that is declared without a value, or with none
_CALLBACKS = 6  # arguments that are looked at for functions, and parameters of those
_EXPORTS = re.compile(r"(?:exports\s*=\s*)?module\.exports\s*=|exports\s*=\s*module")
_MAX_READ = 100  # bytes of a name that is read
_NOTHING = frozenset({"null", "undefined", "true", "false", "number", "string", "template_string", "void 0"})
_DECLARED = frozenset({"function_declaration", "generator_function_declaration", "class_declaration"})
_CLASSES = frozenset({"class", "abstract_class_declaration", *_DECLARED})
_DEPTH = 20  # levels of a pattern `{ a: { b: [c] } }`
_MEMBERS = 200  # members of an object that are looked at


def bind(match: Match, source: Source) -> Iterable[Mention]:
    """Mentions of one match of `ecmascript_scopes.scm` or `typescript_scopes.scm`."""
    node = match.node
    kind = match.label.partition(".")[2]
    if kind == "variable":
        return _variable(node, source)
    if kind == "parameters":
        return _parameters(node, source)
    if kind == "loop":
        return _loop(node, source)
    if kind == "read":
        return _read(node, source)
    if kind == "again":
        return _again(match, source)
    if kind == "return":
        return _returned(match, source)
    if kind == "type":
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        text = type_chain(value, source)
        return (
            ()
            if name is None or text == UNKNOWN
            else (Mention(ReferenceKind.BIND, f"type {source.text(name)}", text, node.start_byte),)
        )
    if kind == "local":
        name = node.child_by_field_name("name")
        span = _scope(node.start_byte, source, "block")
        return () if name is None else (_bound(source.text(name), DEFINED, node.start_byte, span),)
    if kind == "field":
        return _field(match, source)
    return _given(node, source) if kind == "given" else _assigned(match, source)


def _variable(node: Node, source: Source) -> Iterator[Mention]:
    name, statement = node.child_by_field_name("name"), node.parent
    if name is None or statement is None:
        return
    variable = statement.type == "variable_declaration"
    span = _scope(node.start_byte, source, "function" if variable else "block")
    value = node.child_by_field_name("value")
    text = _value(node.child_by_field_name("type"), value, source)
    if text == UNKNOWN and (value is None or value.type in ("null", "undefined")):
        text = EMPTY
    inner = peel(value)
    at_top = span == (0, len(source.data))
    if name.type == "identifier" and inner is not None:
        own = source.text(name)
        if value is not None and value.type == "assignment_expression" and _EXPORTS.match(source.text(value)[:60]):
            yield _export("=", own, name.start_byte)  # `const app = module.exports = {}`
        if inner.type in FUNCTION_TYPES or inner.type in _CLASSES or wrapped(inner, own, source) is not None:
            # At the top of the file its entity alone says it.
            if not at_top:
                yield _bound(own, DEFINED, node.start_byte, span)
            return
        if inner.type == "object":
            if own in source.words.get("head", ()):
                yield from _members(own, inner, span, source)
                yield _bound(own, DEFINED, node.start_byte, span)
            return
    if at_top and text.startswith('"') and text.endswith('"'):
        return  # a module that a file requires is on record as an alias; a member of one is not
    yield from _patterns(name, text, span, source, at_top and not text.startswith(UNKNOWN))


def _read(node: Node, source: Source) -> Iterator[Mention]:
    """A name of the file's top or its imports, a member of `this` or of `require("m")` that is used by name."""
    if node.end_byte - node.start_byte > _MAX_READ:
        return
    text = chain(node, source) if node.type == "member_expression" else source.text(node)
    head = text.partition(".")[0]
    own = head in source.words.get("outer", ()) or text.startswith('"')
    if own or (head == "this" and node.type == "member_expression"):
        yield Mention(ReferenceKind.BIND, "", f"<{text}>" if node.type == "type_identifier" else text, node.start_byte)


def _again(match: Match, source: Source) -> Iterator[Mention]:
    """`x = value` of a variable that is declared elsewhere, as `= x`."""
    name = source.text(match.node)
    if name in source.words.get("head", ()) and name != "exports":
        text = chain(match.first("value"), source)
        yield Mention(ReferenceKind.BIND, f"= {name}", text, match.node.start_byte)


def _loop(left: Node, source: Source) -> Iterator[Mention]:
    """The variable of `for (const x of list)`."""
    statement = left.parent
    text = UNKNOWN
    if statement is not None and any(child.type == "of" for child in statement.children):
        text = _element(statement.child_by_field_name("right"), source)
    yield from _patterns(left, text, _scope(left.start_byte, source, "block"), source)


def _element(node: Node | None, source: Source) -> str:
    text = chain(node, source)
    return UNKNOWN if text.startswith(UNKNOWN) else f"{text}[]"


def _returned(match: Match, source: Source) -> Iterator[Mention]:
    """What a function returns, by its annotation and by each `return`; the members of an object as `return.member`."""
    node, value = match.node, match.first("value")
    if value is None:
        return
    if node.type == "return_statement":
        span = _scope(node.start_byte, source, "function")
    elif value.type == "statement_block":
        return
    else:
        span = node.byte_range
    if match.first("annotated") is not None:
        text = type_chain(value, source)
        if text != UNKNOWN:
            yield Mention(ReferenceKind.BIND, "return:", text, value.start_byte, span)
        return
    inner = peel(value)
    if inner is None or inner.type in _NOTHING or span == (0, len(source.data)):
        return
    if inner.type == "object":
        yield from _members("return", inner, span, source)
        yield Mention(ReferenceKind.BIND, "return", "{}", value.start_byte, span)
    elif inner.type not in FUNCTION_TYPES:
        yield Mention(ReferenceKind.BIND, "return", chain(inner, source), value.start_byte, span)


def _members(owner: str, node: Node, span: tuple[int, int], source: Source) -> Iterator[Mention]:
    """`{ a, b: x.y }` as `owner.a` and `owner.b`; functions written there are entities."""
    for part in node.named_children[:_MEMBERS]:
        name, value = part, part
        if part.type == "pair":
            key, held = part.child_by_field_name("key"), peel(part.child_by_field_name("value"))
            if key is None or held is None or held.type in FUNCTION_TYPES:
                continue
            name, value = key, held
        elif part.type != "shorthand_property_identifier":
            continue
        text = source.text(part) if name is value else chain(value, source)
        if not text.startswith(UNKNOWN):
            yield _bound(f"{owner}.{source.text(name)}", text, part.start_byte, span)


def _parameters(node: Node, source: Source) -> Iterator[Mention]:
    function = node.parent
    if function is None or function.type not in (*FUNCTION_TYPES, *_DECLARED, "method_definition", "catch_clause"):
        return
    span = function.byte_range
    giver = _giver(function, source)
    if node.type == "formal_parameters":
        yield from _callbacks(node, source)
    for index, part in enumerate(node.named_children if node.type == "formal_parameters" else [node]):
        pattern = part.child_by_field_name("pattern") or part.child_by_field_name("left") or part
        value = part.child_by_field_name("value") or part.child_by_field_name("right")
        text = _value(part.child_by_field_name("type"), value, source)
        if giver and text == UNKNOWN and index < _CALLBACKS:
            text = f"{giver}{index})"
        yield from _patterns(pattern, text, span, source)
        if (
            text != UNKNOWN
            and pattern.type == "identifier"
            and any(child.type in ("accessibility_modifier", "readonly") for child in part.children)
        ):
            yield Mention(ReferenceKind.BIND, f"this.{source.text(pattern)}", text, part.start_byte)


def _giver(function: Node, source: Source) -> str:
    """`f(i,` for a function that is argument i of a call of `f`; nothing for all others."""
    arguments = function.parent
    if arguments is None or arguments.type != "arguments" or (call := arguments.parent) is None:
        return ""
    callee = chain(call.child_by_field_name("function") or call.child_by_field_name("constructor"), source)
    if callee.startswith(UNKNOWN):
        return ""
    place = [node.start_byte for node in arguments.named_children if node.type != "comment"].index(function.start_byte)
    return f"{callee}({place}," if place < _CALLBACKS else ""


def _callbacks(node: Node, source: Source) -> Iterator[Mention]:
    """`param (i,j)`: the type of parameter j of the function that is wanted as parameter i."""
    places = [part for part in node.named_children if part.type != "comment"]
    for i, part in enumerate(places[:_CALLBACKS]):
        annotation = part.child_by_field_name("type")
        wanted = annotation.named_child(0) if annotation is not None and annotation.named_child_count else None
        if wanted is not None and wanted.type == "parenthesized_type" and wanted.named_child_count:
            wanted = wanted.named_child(0)
        parameters = wanted.child_by_field_name("parameters") if wanted is not None else None
        if wanted is None or wanted.type != "function_type" or parameters is None:
            continue
        taken = [child for child in parameters.named_children if child.type != "comment"]
        for j, parameter in enumerate(taken[:_CALLBACKS]):
            text = type_chain(parameter.child_by_field_name("type"), source)
            if text != UNKNOWN:
                yield Mention(ReferenceKind.BIND, f"param ({i},{j})", text, part.start_byte)


def _field(match: Match, source: Source) -> Iterator[Mention]:
    """`x: Type`, `x = new Type()` of a class and `this.x = value` as `this.x`."""
    name, node = match.first("name"), match.node
    if name is None:
        return
    value = match.first("value") or node.child_by_field_name("value")
    inner = peel(value)
    if inner is not None and (inner.type in FUNCTION_TYPES or inner.type in _CLASSES):
        return
    text = _value(node.child_by_field_name("type"), value, source)
    if not text.startswith(UNKNOWN):
        yield Mention(ReferenceKind.BIND, f"this.{source.text(name)}", text, node.start_byte)


def _given(node: Node, source: Source) -> Iterator[Mention]:
    """`export { a as b } from "m"`, `export *`, `export default x`, `export = x`."""
    origin = node.child_by_field_name("source")
    module = None if origin is None else quoted(origin, source)
    value = node.child_by_field_name("value")
    if value is not None:
        yield from _exported("default", value, source)
        return
    clauses = node.named_children
    for clause in clauses:
        if clause.type == "namespace_export" and clause.named_child_count and module is not None:
            yield _export(source.text(clause.named_children[0]), module, clause.start_byte)
        for item in clause.named_children if clause.type == "export_clause" else ():
            name = item.child_by_field_name("name")
            alias = item.child_by_field_name("alias") or name
            if name is None or alias is None:
                continue
            text = source.text(name).strip("\"'")
            target = text if module is None else f"{module}.{text}"
            yield _export(source.text(alias).strip("\"'"), target, item.start_byte)
    if module is not None and not any(c.type in ("namespace_export", "export_clause") for c in clauses):
        yield _export("*", module, node.start_byte)
    declaration = node.child_by_field_name("declaration")
    if declaration is None and module is None and clauses and any(c.type == "=" for c in node.children):
        yield from _exported("=", clauses[0], source)
    if declaration is not None and any(c.type == "default" for c in node.children):
        name = declaration.child_by_field_name("name")
        if name is not None:
            yield _export("default", source.text(name), name.start_byte)


def _assigned(match: Match, source: Source) -> Iterator[Mention]:
    """`module.exports = x`, `exports.a = x`."""
    target, value = match.first("target"), match.first("value")
    if target is not None and value is not None:
        name = source.text(target).rpartition("exports")[2].removeprefix(".") or "="
        yield from _exported(name, value, source)


def _exported(name: str, value: Node, source: Source) -> Iterator[Mention]:
    inner = peel(value)
    if inner is None:
        return
    if inner.type == "object":
        prefix = "" if name == "=" else f"{name}."
        for member in _members("", inner, (0, 0), source):
            yield _export(prefix + member.name[1:], member.target, member.at)
        return
    if inner.type in FUNCTION_TYPES or inner.type in _CLASSES:
        own = inner.child_by_field_name("name")
        text = source.text(own) if own is not None else name if name not in ("=",) else "default"
    else:
        text = chain(inner, source)
    yield _export(name, text, value.start_byte)


def _value(annotation: Node | None, value: Node | None, source: Source) -> str:
    text = type_chain(annotation, source) if annotation is not None else UNKNOWN
    return chain(value, source) if annotation is None and value is not None else text


def _patterns(
    node: Node, text: str, span: tuple[int, int], source: Source, unused: bool = False, depth: int = 0
) -> Iterator[Mention]:
    """A name, or the names in a pattern, each with the part of the value that it takes.

    unused: also names that stand before no dot and no call here; another file may ask for them.
    """
    if node.type in ("identifier", "shorthand_property_identifier_pattern"):
        if (name := source.text(node)) in source.words.get("head", ()) or unused:
            yield _bound(name, text, node.start_byte, span)
        return
    if depth > _DEPTH:
        return
    for part in node.named_children if node.type in ("object_pattern", "array_pattern", "rest_pattern") else ():
        inner, key = part, part
        if part.type == "pair_pattern":
            key, inner = part.child_by_field_name("key") or part, part.child_by_field_name("value") or part
        if inner.type in ("object_assignment_pattern", "assignment_pattern"):
            inner = inner.child_by_field_name("left") or inner
            key = inner if part.type != "pair_pattern" else key
        known = node.type == "object_pattern" and text != UNKNOWN and part.type != "rest_pattern"
        taken = f"{text}.{source.text(key)}" if known and key.type != "computed_property_name" else UNKNOWN
        yield from _patterns(inner, taken, span, source, unused and taken != UNKNOWN, depth + 1)


def _bound(name: str, text: str, at: int, span: tuple[int, int]) -> Mention:
    return Mention(ReferenceKind.BIND, name, text, at, span)


def _export(name: str, text: str, at: int) -> Mention:
    return Mention(ReferenceKind.EXPORT, name, text, at)


def _scope(at: int, source: Source, kind: str) -> tuple[int, int]:
    """Byte range of the innermost block or function around `at`; the whole file when there is none.

    kind: "block" counts both, "function" functions alone.
    """
    slot = 0 if kind == "block" else 3
    if slot not in source.table:
        ranges = [*source.marks.get("function", ()), *(source.marks.get("block", ()) if slot == 0 else ())]
        ranges.sort(key=lambda r: (r[0], -r[1]))
        above: list[int] = []
        stack: list[int] = []
        for index, (start, _) in enumerate(ranges):
            while stack and ranges[stack[-1]][1] <= start:
                stack.pop()
            above.append(stack[-1] if stack else -1)
            stack.append(index)
        source.table |= {
            slot: tuple(r[0] for r in ranges),
            slot + 1: tuple(r[1] for r in ranges),
            slot + 2: tuple(above),
        }
    starts, ends, above_of = (source.table[slot + i] for i in range(3))
    # A declaration is inside what begins before it, not what begins with it.
    index = bisect_right(starts, at - 1) - 1
    while index >= 0 and ends[index] <= at:
        index = above_of[index]
    return (starts[index], ends[index]) if index >= 0 else (0, len(source.data))
