"""Full-text search over entity words: BM25 by FTS5, and which words of a question an entity holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.words import match_expression, split_words
from zerikai_memory.store.words import words as search_words

# Column weights qualified name, path, signature, docstring, body: the name says most, the body least
# (bench/RESULTS.md; flat around these values).
COLUMN_WEIGHTS = (5.0, 3.0, 2.0, 2.0, 1.0)


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
