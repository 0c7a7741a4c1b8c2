"""JavaScript and TypeScript mentions: calls, elements, imports, re-exports, require, patches of a prototype."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from zerikai_memory.lang.ecmascript_calls import in_test, registered
from zerikai_memory.lang.ecmascript_chains import UNKNOWN, chain
from zerikai_memory.lang.ecmascript_scopes import LABELS, bind
from zerikai_memory.lang.registrations import CALLS
from zerikai_memory.lang.selectors import used_selectors
from zerikai_memory.lang.spec import Draft, Match, Mention
from zerikai_memory.lang.text import Source
from zerikai_memory.model import ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

_DOTTED = re.compile(r"[\w$#.]+")
_NAME = re.compile(r"[\w$#]+")
_MAX_TARGET = 100  # bytes of a dotted name


def refer(match: Match, source: Source) -> Iterable[Mention | Draft]:
    """Mentions of one `@reference` match, and the draft of what a call registers."""
    kind = match.label.partition(".")[2]
    if kind in LABELS:
        return bind(match, source)
    if kind == "selector":
        return used_selectors(match, source)
    if kind in ("call", "element"):
        return _call(match.node, kind == "element", source)
    if kind == "require":
        return _required(match.node, source)
    if kind == "patch":
        return _patch(match, source)
    if kind == "replaced":
        return _replaced(match, source)
    return _imports(match, source)


def _call(node: Node, element: bool, source: Source) -> Iterable[Mention | Draft]:
    if node.type in ("call_expression", "subscript_expression"):
        return _called_by_text(node, source)
    last = node.child_by_field_name("property")
    name = source.text(last or node)
    # The text of a long chain of calls is not even looked at: with every link it would be longer.
    text = source.text(node).replace("?.", ".") if node.end_byte - node.start_byte <= _MAX_TARGET else ""
    # A lower-case element is HTML, and require is an import.
    if not _NAME.fullmatch(name) or (element and "." not in text and not text[:1].isupper()) or text == "require":
        return ()
    target = text if _DOTTED.fullmatch(text) else chain(node, source)
    # Where the name stands: a chain of calls has many lines.
    call = Mention(ReferenceKind.CALL, name, target, node.end_byte - len(name.encode()))
    if node.type != "member_expression" or name not in CALLS:
        return (call,)
    draft = registered(node, name, source)
    if draft is None:
        return (call,)
    # What a test registers is no part of the product; that it does so is on record.
    return (call, *draft.declares) if in_test(source, node.start_byte) else (call, draft)


def _called_by_text(node: Node, source: Source) -> Iterable[Mention]:
    """`require("./m")()`, named after the file, and `x["name"]()`."""
    target = chain(node, source)
    name = target.strip('"').rpartition("." if node.type == "subscript_expression" else "/")[2]
    if target.startswith(UNKNOWN) or not _NAME.fullmatch(name := name.partition(".")[0]):
        return ()
    return (Mention(ReferenceKind.CALL, name, target, node.start_byte),)


def _required(node: Node, source: Source) -> Iterable[Mention]:
    """`const m = require("n")`, `const { a, b: c } = require("n")`, `import("n")`."""
    module = source.text(node)[1:-1]
    call = node.parent.parent if node.parent is not None else None
    holder = call.parent if call is not None else None
    if holder is not None and holder.type == "await_expression":
        holder = holder.parent
    target = holder.child_by_field_name("name") if holder is not None and holder.type == "variable_declarator" else None
    if target is None or target.type != "object_pattern":
        yield Mention(ReferenceKind.IMPORT, "*", module, node.start_byte)
        if target is not None and target.type == "identifier":
            yield Mention(ReferenceKind.ALIAS, source.text(target), module, target.start_byte)
        return
    for part in target.named_children:
        key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
        key = part if part.type == "shorthand_property_identifier_pattern" else key
        if key is None:
            continue
        yield Mention(ReferenceKind.IMPORT, source.text(key), module, key.start_byte)
        if value is not None and value.type == "identifier":
            yield Mention(ReferenceKind.ALIAS, source.text(value), f"{module}:{source.text(key)}", value.start_byte)


def _imports(match: Match, source: Source) -> Iterable[Mention]:
    module_node = match.first("source")
    if module_node is None:
        return
    module = source.text(module_node)[1:-1]
    clauses = [child for child in match.node.named_children if child.type in ("import_clause", "export_clause")]
    names = [name for clause in clauses for name in clause.named_children]
    if not names:
        yield Mention(ReferenceKind.IMPORT, "*", module, match.node.start_byte)
    if match.node.type == "import_require_clause" and match.node.named_child_count:
        local = match.node.named_children[0]
        yield Mention(ReferenceKind.ALIAS, source.text(local), module, local.start_byte)
    for name in names:
        if name.type == "identifier":
            yield Mention(ReferenceKind.IMPORT, "default", module, name.start_byte)
            yield Mention(ReferenceKind.ALIAS, source.text(name), f"{module}:default", name.start_byte)
        elif name.type == "namespace_import":
            yield Mention(ReferenceKind.IMPORT, "*", module, name.start_byte)
            if match.label == "reference.import" and name.named_children:
                yield Mention(ReferenceKind.ALIAS, source.text(name.named_children[0]), module, name.start_byte)
        for specifier in name.named_children if name.type == "named_imports" else [name]:
            imported = specifier.child_by_field_name("name")
            if imported is not None:
                yield Mention(ReferenceKind.IMPORT, source.text(imported), module, specifier.start_byte)
            alias = specifier.child_by_field_name("alias")
            if imported is not None and alias is not None and match.label == "reference.import":
                target = f"{module}:{source.text(imported)}"
                yield Mention(ReferenceKind.ALIAS, source.text(alias), target, alias.start_byte)


def _patch(match: Match, source: Source) -> Iterable[Mention]:
    """`Class.prototype.method = fn` and `Class.method = fn` with a function named elsewhere."""
    value = match.first("value")
    owner, _, name = source.text(match.node).rpartition(".")
    owner = owner.removesuffix(".prototype")
    if value is None or not owner[:1].isupper() or not _DOTTED.fullmatch(owner):
        return
    yield Mention(ReferenceKind.PATCH, name, f"{owner}.{name} = {source.text(value)}", match.node.start_byte)


def _replaced(match: Match, source: Source) -> Iterable[Mention]:
    """The `owner.name` that a test puts something else in the place of."""
    key, owner = match.first("key"), chain(match.node, source)
    name = source.text(key)[1:-1] if key is not None else ""
    if _NAME.fullmatch(name) and not owner.startswith(UNKNOWN):
        yield Mention(ReferenceKind.PATCH, name, f"{owner}.{name}", match.node.start_byte)
