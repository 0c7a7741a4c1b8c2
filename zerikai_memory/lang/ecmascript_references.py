"""JavaScript and TypeScript mentions: calls, elements, imports, re-exports, require, patches of a prototype."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from zerikai_memory.lang.spec import Match, Mention
from zerikai_memory.lang.text import Source
from zerikai_memory.model import ReferenceKind

if TYPE_CHECKING:
    from tree_sitter import Node

_DOTTED = re.compile(r"[\w$#.]+")
_LAST = re.compile(r"[\w$#]+$")


def refer(match: Match, source: Source) -> Iterable[Mention]:
    """Mentions of one `@reference` match."""
    kind = match.label.partition(".")[2]
    if kind in ("call", "element"):
        return _call(match.node, kind == "element", source)
    if kind == "require":
        module = source.text(match.node)[1:-1]
        return (Mention(ReferenceKind.IMPORT, "*", module, match.node.start_byte),)
    if kind == "patch":
        return _patch(match, source)
    return _imports(match, source)


def _call(node: Node, element: bool, source: Source) -> Iterable[Mention]:
    text = source.text(node).replace("?.", ".")
    found = _LAST.search(text)
    # A lower-case element is HTML, and require is an import.
    if found is None or (element and not text[:1].isupper()) or text == "require":
        return ()
    name = found.group()
    target = text if len(text) <= 100 and _DOTTED.fullmatch(text) else name
    return (Mention(ReferenceKind.CALL, name, target, node.start_byte),)


def _imports(match: Match, source: Source) -> Iterable[Mention]:
    module_node = match.first("source")
    if module_node is None:
        return
    module = source.text(module_node)[1:-1]
    clauses = [child for child in match.node.named_children if child.type in ("import_clause", "export_clause")]
    names = [name for clause in clauses for name in clause.named_children]
    if not names:
        yield Mention(ReferenceKind.IMPORT, "*", module, match.node.start_byte)
    for name in names:
        if name.type == "identifier":
            yield Mention(ReferenceKind.IMPORT, "default", module, name.start_byte)
        elif name.type == "namespace_import":
            yield Mention(ReferenceKind.IMPORT, "*", module, name.start_byte)
        for specifier in name.named_children if name.type == "named_imports" else [name]:
            imported = specifier.child_by_field_name("name")
            if imported is not None:
                yield Mention(ReferenceKind.IMPORT, source.text(imported), module, specifier.start_byte)


def _patch(match: Match, source: Source) -> Iterable[Mention]:
    """`Class.prototype.method = fn` and `Class.method = fn` with a function named elsewhere."""
    value = match.first("value")
    owner, _, name = source.text(match.node).rpartition(".")
    owner = owner.removesuffix(".prototype")
    if value is None or not owner[:1].isupper() or not _DOTTED.fullmatch(owner):
        return
    yield Mention(ReferenceKind.PATCH, name, f"{owner}.{name} = {source.text(value)}", match.node.start_byte)
