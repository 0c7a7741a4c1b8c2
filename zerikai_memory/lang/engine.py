"""Parsing with tree-sitter: one query pass over a source gives drafts and mentions at any depth.

The only module that imports tree_sitter and its grammars, on first use. Languages and queries are cached per
process, parsers per thread. A query also matches below ERROR nodes, so what is whole in a broken file is found.
"""

from __future__ import annotations

import importlib
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from zerikai_memory.lang.spec import Draft, Grammar, LanguageSpec, Match, Mention, Region
from zerikai_memory.lang.text import Source
from zerikai_memory.lang.todo import todo_notes

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Query, Tree

CHUNK = 1 << 12  # bytes per read of the source; query predicates read through it too: 64 KB made HTML 4x slower
MAX_ERROR_WIDTH = 20_000  # children of one ERROR node; a query takes 0.2 s there and 4 s at 100,000
_thread = threading.local()
_lock = threading.Lock()


class ParseTimeout(Exception):
    """Parsing one file took longer than its deadline."""


@dataclass(slots=True)
class Reading:
    """What one parse of a source gave, in no particular order; `broken` when the tree has errors."""

    drafts: list[Draft]
    mentions: list[Mention]
    module_doc: str | None
    broken: bool
    tree: Tree
    regions: list[Region] = field(default_factory=list)


def read(spec: LanguageSpec, source: Source, deadline: float) -> Reading:
    """Parse `source` and query it; `deadline` is a `time.monotonic()` value. Raises ParseTimeout."""
    data = spec.disguise(source.data)
    tree = parse(spec.grammar, data, deadline)
    if tree.root_node.has_error:
        spec, tree = _best(spec, tree, data, deadline)
    return _query_tree(spec, tree, source)


def _best(spec: LanguageSpec, tree: Tree, data: bytes, deadline: float) -> tuple[LanguageSpec, Tree]:
    """The reading with the fewest errors: as it is, mended, or with the fallback language."""
    others: list[tuple[LanguageSpec, bytes]] = []
    if spec.mend is not None and (mended := spec.mend(data)) != data:
        others.append((spec, mended))
    if spec.fallback is not None:
        others.append((spec.fallback, data))
    best, fewest = (spec, tree), error_bytes(tree) if others else 0
    for other, text in others:
        candidate = parse(other.grammar, text, deadline)
        errors = error_bytes(candidate)
        if errors < fewest:
            best, fewest = (other, candidate), errors
    return best


def parse(grammar: Grammar, data: bytes, deadline: float) -> Tree:
    """Syntax tree of UTF-8 bytes. Raises ParseTimeout."""
    parser = _parser(grammar)
    late = False

    def check(offset: int, has_error: bool) -> bool:
        nonlocal late
        late = time.monotonic() > deadline
        return late

    try:
        # The progress callback works only with a source that is itself a callback.
        tree = parser.parse(lambda offset, point: data[offset : offset + CHUNK], progress_callback=check)
    except ValueError:
        parser.reset()
        if late:
            raise ParseTimeout from None
        raise
    if tree is None:
        raise ParseTimeout
    return tree


def _query_tree(spec: LanguageSpec, tree: Tree, source: Source) -> Reading:
    root = tree.root_node
    source.clear_notes()
    definitions: dict[int, Match] = {}
    references: list[Match] = []
    # In the order of the query file: there the first pattern that gives a node its kind wins.
    found = [] if _too_wide(root) else _matches(_query(spec.grammar, spec.queries), root)
    for _, captures in sorted(found, key=itemgetter(0)):
        for label, nodes in captures.items():
            if label.startswith("definition") or label.startswith("scope"):
                _add(definitions, label, nodes[0], captures)
                break
            if label.startswith("reference"):
                references.append(Match(label, nodes[0], captures))
                break
            if label.startswith("mark"):
                source.marks.setdefault(label[5:], []).append(nodes[0].byte_range)
                break
            if label.startswith("word"):
                source.words.setdefault(label[5:], set()).add(source.text(nodes[0]))
                break
    for ranges in source.marks.values():
        ranges.sort()
    drafts = list(todo_notes(root, source))
    for match in definitions.values():
        if match.label != "definition" and (draft := spec.describe(match, source)) is not None:
            draft.scope_only = draft.scope_only or match.label.startswith("scope")
            drafts.append(draft)
    mentions: list[Mention] = []
    for match in references:
        for item in spec.refer(match, source):
            if isinstance(item, Draft):
                drafts.append(item)
            else:
                mentions.append(item)
    for draft in drafts:
        draft.spec = spec
    return Reading(
        drafts=drafts,
        mentions=mentions,
        module_doc=spec.module_doc(root, source),
        broken=root.has_error,
        tree=tree,
        regions=list(spec.regions(root, source)),
    )


def _add(definitions: dict[int, Match], label: str, node: Node, captures: dict[str, list[Node]]) -> None:
    """Merge a match into the definition of the same node; the first kind that was captured stays."""
    match = definitions.get(node.id)
    if match is None:
        definitions[node.id] = Match(label, node, captures)
        return
    if match.label == "definition":
        match.label = label
    for name, nodes in captures.items():
        known = match.captures.setdefault(name, [])
        if known is not nodes:
            known.extend(node for node in nodes if node not in known)


def error_ranges(tree: Tree) -> list[tuple[int, int]]:
    """Byte ranges of ERROR nodes and (empty) of missing tokens."""
    if _too_wide(tree.root_node):
        return [tree.root_node.byte_range]
    found = _matches(_error_query(tree.language), tree.root_node)
    return sorted(node.byte_range for _, captures in found for nodes in captures.values() for node in nodes)


def error_bytes(tree: Tree) -> int:
    """How badly a grammar fits: bytes inside ERROR nodes, a missing token counted as one."""
    return sum(max(1, end - start) for start, end in error_ranges(tree))


def _matches(query: Query, root: Node) -> list[tuple[int, dict[str, list[Node]]]]:
    from tree_sitter import QueryCursor

    # No progress_callback here: with tree-sitter 0.26 it crashes the process.
    return QueryCursor(query).matches(root)


def _too_wide(root: Node) -> bool:
    """Whether an ERROR node has so many children that a query, quadratic in them, would take seconds."""
    stack = [root] if root.has_error else []
    while stack:
        node = stack.pop()
        if node.is_error and node.child_count > MAX_ERROR_WIDTH:
            return True
        stack.extend(child for child in node.children if child.has_error)
    return False


def _parser(grammar: Grammar) -> Parser:
    parsers: dict[Grammar, Parser] | None = getattr(_thread, "parsers", None)
    if parsers is None:
        parsers = _thread.parsers = {}
    if grammar not in parsers:
        from tree_sitter import Parser

        parsers[grammar] = Parser(_language(grammar))
    return parsers[grammar]


def _language(grammar: Grammar) -> Language:
    with _lock:  # two threads that start together must not build the same thing twice
        return _load_language(grammar)


def _query(grammar: Grammar, names: tuple[str, ...]) -> Query:
    language = _language(grammar)
    with _lock:
        return _load_query(language, names)


@cache
def _load_language(grammar: Grammar) -> Language:
    from tree_sitter import Language

    pointer: Any = getattr(importlib.import_module(grammar.module), grammar.function)()
    return Language(pointer)


@cache
def _load_query(language: Language, names: tuple[str, ...]) -> Query:
    from tree_sitter import Query

    folder = resources.files("zerikai_memory.lang") / "queries"
    return Query(language, "\n".join((folder / name).read_text("utf-8") for name in names))


@cache
def _error_query(language: Language) -> Query:
    from tree_sitter import Query

    return Query(language, "(ERROR) @error (MISSING) @error")
