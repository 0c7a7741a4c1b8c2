"""Full-text search over entity words: BM25, and which words of a question an entity holds.

FTS5 answers the first question to a state of an index; from the second on it is worth having the words in memory,
where a thread brings them meanwhile. Both give the same.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence

import numpy as np

from zerikai_memory.errors import ZerikaiError
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.postings import COLUMN_WEIGHTS, Floats, Ints, Postings, load_postings, written_words
from zerikai_memory.store.words import asked_words, match_expression, split_words
from zerikai_memory.store.words import words as search_words

# Up to here the words take less than 150 MB of memory, and less than the vectors.
IN_MEMORY_UP_TO = 200_000
WORTH_IT_FROM = 2

_LOG = logging.getLogger(__name__)


class Lexicon:
    """The full text of one state of an index; thread-safe."""

    def __init__(self, index: WorkspaceIndex, generation: int, entities: int) -> None:
        self._index = index
        self._generation = generation
        self._mutex = threading.Lock()
        self._fits = entities <= IN_MEMORY_UP_TO
        self._left = WORTH_IT_FROM if self._fits else 0
        self._postings: Postings | None = None
        self._thread: threading.Thread | None = None

    def note_question(self) -> None:
        """Count a question; the second one has the words brought into memory."""
        with self._mutex:
            if self._left:
                self._left -= 1
                if not self._left:
                    self._thread = self._index.read_beside(self.load)

    def load(self) -> None:
        """Bring the words into memory; where that fails FTS5 goes on answering."""
        try:
            self._postings = load_postings(self._index, self._generation)
        except (ZerikaiError, OSError) as error:
            _LOG.warning("the words of %s stay on disk: %s", self._index.path.name, error)

    @property
    def in_memory(self) -> bool:
        """Whether the words are in memory."""
        return self._postings is not None

    def wait(self) -> None:
        """Until the words are in memory, if a thread is bringing them there."""
        with self._mutex:
            thread = self._thread
        if thread is not None:
            thread.join()

    def scores(self, words: Iterable[str], limit: int) -> list[tuple[int, float]]:
        """(entity row, BM25) of the best `limit` entities that hold any of the words; larger is better."""
        words = list(words)
        postings = self._postings
        spans = postings.spans(asked_words(words, prefixes=True)) if postings else None
        if postings is None or spans is None:
            return lexical_scores(self._index, words, limit)
        values = postings.scores(spans)
        found = best(values, limit)
        return list(zip(postings.rowids[found].tolist(), values[found].tolist(), strict=True))

    def holders(self, rows: Sequence[int], words: Iterable[str]) -> dict[str, set[int]]:
        """{word: those of `rows` that hold it}, by the same stemming as the search."""
        words = list(dict.fromkeys(words))
        postings = self._postings
        spans = postings.spans(asked_words(words)) if postings else None
        if postings is None or spans is None:
            return words_in_rows(self._index, rows, words)
        return dict(zip(words, postings.among(spans, rows), strict=True))

    def frequencies(self, words: Iterable[str]) -> dict[str, int]:
        """{word: number of entities that hold it}."""
        words = list(dict.fromkeys(words))
        postings = self._postings
        spans = postings.spans(asked_words(words)) if postings else None
        if postings is None or spans is None:
            return document_frequencies(self._index, words)
        return {word: postings.frequency(span) for word, span in zip(words, spans, strict=True)}

    def stems(self) -> frozenset[str]:
        """Every stem that an entity holds."""
        postings = self._postings
        return frozenset(postings.terms) if postings else index_stems(self._index)

    def written(self) -> set[str]:
        """Every word as the entities have it, no stem; none where there are too many to be held, or none to be read."""
        try:
            return written_words(self._index) if self._fits else set()
        except (ZerikaiError, OSError) as error:
            _LOG.warning("the words of %s cannot be read: %s", self._index.path.name, error)
            return set()


def best(values: Floats, limit: int) -> Ints:
    """Positions of the `limit` largest values above 0, the largest first; ties in order."""
    places = np.flatnonzero(values > 0)
    if len(places) > limit:
        least = np.partition(values[places], -limit)[-limit]
        places = places[values[places] >= least]
    order: Ints = places[np.argsort(-values[places], kind="stable")][:limit]
    return order


def lexical_scores(index: WorkspaceIndex, words: Iterable[str], limit: int) -> list[tuple[int, float]]:
    """(entity row, BM25) of the best `limit` entities that hold any of the words; larger is better."""
    expression = match_expression(words, prefixes=True)
    if expression is None:
        return []
    weights = ", ".join(str(weight) for weight in COLUMN_WEIGHTS)
    with index.database.read() as connection:
        rows = connection.execute(
            f"SELECT rowid, -bm25(entity_words, {weights}) AS score FROM entity_words WHERE entity_words MATCH ?"
            " ORDER BY score DESC, rowid LIMIT ?",
            (expression, limit),
        ).fetchall()
    return [(row[0], row[1]) for row in rows]


def rows_with_phrase(index: WorkspaceIndex, phrase: str, *, in_path: bool = True) -> list[int]:
    """Entity rows that hold the words of `phrase` one after the other, in any casing style.

    Without `in_path` the paths that all entities of a file share do not count.
    """
    # An identifier of the text stands in the index in parts and joined, as indexing gives it; a phrase of plain words
    # may begin or end inside one.
    forms = {" ".join(search_words(phrase)), " ".join(split_words(phrase))} - {""}
    if not forms:
        return []
    expression = " OR ".join('"' + form.replace('"', '""') + '"' for form in forms)
    if not in_path:
        expression = f"- path : ({expression})"
    with index.database.read() as connection:
        rows = connection.execute("SELECT rowid FROM entity_words WHERE entity_words MATCH ?", (expression,)).fetchall()
    return [row[0] for row in rows]


def words_in_rows(index: WorkspaceIndex, rows: Sequence[int], words: Iterable[str]) -> dict[str, set[int]]:
    """{word: those of `rows` that hold it}, by the same stemming as the search."""
    marks = ",".join("?" * len(rows))
    found: dict[str, set[int]] = {}
    with index.database.read() as connection:
        for word in words:
            expression = match_expression([word])
            hits = connection.execute(
                f"SELECT rowid FROM entity_words WHERE entity_words MATCH ? AND rowid IN ({marks})",
                (expression, *rows),
            ).fetchall()
            found[word] = {row[0] for row in hits}
    return found


def document_frequencies(index: WorkspaceIndex, words: Iterable[str]) -> dict[str, int]:
    """{word: number of entities that hold it}."""
    found: dict[str, int] = {}
    with index.database.read() as connection:
        for word in words:
            row = connection.execute(
                "SELECT count(*) FROM entity_words WHERE entity_words MATCH ?", (match_expression([word]),)
            ).fetchone()
            found[word] = row[0]
    return found


def index_stems(index: WorkspaceIndex) -> frozenset[str]:
    """Every stem that an entity of an index holds; takes 40 ms for 26,000."""
    with index.database.read() as connection:
        limited = connection.execute("PRAGMA query_only").fetchone()[0]
        # A table of the connection alone, on no disk; yet a connection to a read-only file refuses even that.
        connection.execute("PRAGMA query_only=OFF")
        try:
            connection.execute(
                "CREATE VIRTUAL TABLE IF NOT EXISTS temp.stems USING fts5vocab(main, entity_words, 'row')"
            )
        finally:
            connection.execute(f"PRAGMA query_only={limited}")
        return frozenset(row[0] for row in connection.execute("SELECT term FROM temp.stems"))
