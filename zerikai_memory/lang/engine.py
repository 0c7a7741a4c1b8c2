"""Parsing with tree-sitter: one query pass over a source gives drafts and mentions at any depth.

The only module that imports tree_sitter and its grammars, on first use. Languages and queries are cached per
process, parsers per thread. A query also matches below ERROR nodes, so what is whole in a broken file is found.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeVar

from zerikai_memory.errors import Cancelled
from zerikai_memory.lang.deadline import Deadline, Late
from zerikai_memory.lang.spec import Draft, Grammar, LanguageSpec, Match, Mention, Region
from zerikai_memory.lang.text import Source
from zerikai_memory.lang.todo import todo_notes

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Query, Tree

CHUNK = 1 << 12  # bytes per read of the source; query predicates read through it too: 64 KB made HTML 4x slower
# A query looks from each node for its next named sibling: this many steps through tokens in a row take 0.2 s.
MAX_TOKEN_STEPS = 400_000_000
_WIDE = 1_000  # bytes; runs of tokens in smaller nodes cannot add up to much
# Beyond 65,535 a query counts levels wrongly and takes hours (tree-sitter 0.26); no person nests so deep by far.
MAX_DEPTH = 5_000
# A query of a larger source is asked in parts of this many bytes, to look at the clock between: 0.1 s each.
QUERY_BYTES = 100_000
T = TypeVar("T")
_thread = threading.local()
_lock = threading.Lock()


@dataclass(slots=True)
class Reading:
    """What one parse of a source gave, in no particular order; `broken` when the tree has errors."""

    drafts: list[Draft]
    mentions: list[Mention]
    module_doc: str | None
    broken: bool
    tree: Tree
    regions: list[Region] = field(default_factory=list)

    def shift(self, by: int) -> None:
        """Move drafts and mentions, for a source that begins `by` bytes inside a file."""
        for draft in self.drafts:
            for mention in draft.declares:
                mention.at += by
            draft.start += by
            draft.end += by
            draft.outer_start += by
            if draft.decorator_start is not None:
                draft.decorator_start += by
        for mention in self.mentions:
            mention.at += by
            if mention.span is not None:
                mention.span = (mention.span[0] + by, mention.span[1] + by)


def read(spec: LanguageSpec, source: Source, deadline: Deadline) -> Reading:
    """Parse `source` and query it. Raises Late."""
    data = spec.disguise(source.data)
    deadline.check()
    tree = parse(spec.grammar, data, deadline)
    if tree.root_node.has_error:
        spec, tree = _best(spec, tree, data, deadline)
    return _query_tree(spec, tree, source, deadline)


def _best(spec: LanguageSpec, tree: Tree, data: bytes, deadline: Deadline) -> tuple[LanguageSpec, Tree]:
    """The reading with the fewest errors: as it is, mended, or with the fallback language."""
    others: list[tuple[LanguageSpec, bytes]] = []
    if spec.mend is not None and (mended := spec.mend(data)) != data:
        others.append((spec, mended))
    if spec.fallback is not None:
        others.append((spec.fallback, data))
    best, fewest = (spec, tree), error_bytes(tree, deadline) if others else 0
    for other, text in others:
        candidate = parse(other.grammar, text, deadline)
        errors = error_bytes(candidate, deadline)
        if errors < fewest:
            best, fewest = (other, candidate), errors
    return best


def parse(grammar: Grammar, data: bytes, deadline: Deadline) -> Tree:
    """Syntax tree of UTF-8 bytes. Raises Late."""
    parser = _parser(grammar)
    stopped: Late | Cancelled | None = None

    def check(offset: int, has_error: bool) -> bool:
        nonlocal stopped
        try:
            deadline.check()
        except (Late, Cancelled) as stop:  # an exception cannot pass through the parser
            stopped = stop
        return stopped is not None

    try:
        # The progress callback works only with a source that is itself a callback.
        tree = parser.parse(lambda offset, point: data[offset : offset + CHUNK], progress_callback=check)
    except ValueError:
        parser.reset()
        if stopped is not None:
            raise stopped from None
        raise
    if tree is None:
        raise Late
    return tree


def _query_tree(spec: LanguageSpec, tree: Tree, source: Source, deadline: Deadline) -> Reading:
    root = tree.root_node
    source.clear_notes()
    definitions: dict[int, Match] = {}
    references: list[Match] = []
    wide = _too_wide(root, deadline)
    # In the order of the query file: there the first pattern that gives a node its kind wins.
    found = [] if wide else _matches(_query(spec.grammar, spec.queries), root, deadline)
    for _, captures in sorted(found, key=itemgetter(0)):
        deadline.check()
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
    drafts = _until(deadline, todo_notes(root, source))
    for match in definitions.values():
        deadline.check()
        if match.label != "definition" and (draft := spec.describe(match, source)) is not None:
            draft.scope_only = draft.scope_only or match.label.startswith("scope")
            drafts.append(draft)
    mentions: list[Mention] = []
    for match in references:
        for item in _until(deadline, spec.refer(match, source)):
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
        broken=root.has_error or wide,
        tree=tree,
        regions=_until(deadline, spec.regions(root, source)),
    )


def _until(deadline: Deadline, items: Iterable[T]) -> list[T]:
    """All of them, while there is time."""
    kept = []
    deadline.check()
    for item in items:
        kept.append(item)
        deadline.check()
    return kept


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
            ids = {node.id for node in known}
            known.extend(node for node in nodes if node.id not in ids)


def error_ranges(tree: Tree, deadline: Deadline) -> list[tuple[int, int]]:
    """Byte ranges of ERROR nodes and (empty) of missing tokens."""
    if _too_wide(tree.root_node, deadline):
        return [tree.root_node.byte_range]
    found = _matches(_error_query(tree.language), tree.root_node, deadline)
    return sorted(node.byte_range for _, captures in found for nodes in captures.values() for node in nodes)


def error_bytes(tree: Tree, deadline: Deadline) -> int:
    """How badly a grammar fits: bytes inside ERROR nodes, a missing token counted as one."""
    return sum(max(1, end - start) for start, end in error_ranges(tree, deadline))


def _matches(query: Query, root: Node, deadline: Deadline) -> list[tuple[int, dict[str, list[Node]]]]:
    from tree_sitter import QueryCursor

    # No progress_callback here: with tree-sitter 0.26 it crashes the process.
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(MAX_DEPTH)
    if root.end_byte <= QUERY_BYTES:
        return cursor.matches(root)
    found: list[tuple[int, dict[str, list[Node]]]] = []
    known: set[tuple[int, ...]] = set()  # what lies in several parts is found whole in each
    for start in range(0, root.end_byte, QUERY_BYTES):
        deadline.check()
        cursor.set_byte_range(start, start + QUERY_BYTES)
        part = [(_identity(match), match) for match in cursor.matches(root)]
        found += [match for key, match in part if key not in known]
        known.update(key for key, _ in part)
    return found


def _identity(match: tuple[int, dict[str, list[Node]]]) -> tuple[int, ...]:
    return (match[0], *(node.id for nodes in match[1].values() for node in nodes))


def _too_wide(root: Node, deadline: Deadline) -> bool:
    """Whether so many tokens stand in a row that a query, quadratic in them, would take seconds."""
    steps = 0
    stack = [root]
    while stack:
        deadline.check()
        run = 0
        for child in stack.pop().children:
            run = 0 if child.is_named else run + 1
            steps += run
            if child.end_byte - child.start_byte > _WIDE:
                stack.append(child)
        if steps > MAX_TOKEN_STEPS:
            return True
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
