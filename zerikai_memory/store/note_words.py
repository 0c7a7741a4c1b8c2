"""Which words of a text are asked of the full-text index of records: in a large store not those that many hold."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Sequence

from zerikai_memory.store.words import match_expression

# Records that a full-text query may score: a word that every tenth record holds costs more than it tells.
SCORED_ROWS = 12_000
# A word of so few records is worth scoring all of them.
RARE_ROWS = 1_000


def telling_words(connection: sqlite3.Connection, words: Iterable[str], most_rows: int | None = None) -> list[str]:
    """The rarest of the words, as many as a query can score in time: about `most_rows` records hold them."""
    most = SCORED_ROWS if most_rows is None else most_rows
    distinct = list(dict.fromkeys(words))
    if _few_records(connection):
        return distinct
    counts = _counts(connection, distinct)
    kept: list[str] = []
    rows = 0
    for word in sorted(counts, key=lambda word: counts[word]):
        if kept and rows + counts[word] > most:
            break
        rows += counts[word]
        kept.append(word)
    return kept


def telling_expression(connection: sqlite3.Connection, words: Iterable[str]) -> str | None:
    """An FTS5 expression for any of the telling words, None for none."""
    return match_expression(telling_words(connection, words))


def alike_expression(connection: sqlite3.Connection, words: Iterable[str]) -> str | None:
    """An FTS5 expression for records that could say the same: any of the rare words, or two of the rarest others.

    In a small store any of the words; None for none.
    """
    distinct = list(dict.fromkeys(words))
    if _few_records(connection):
        return match_expression(distinct)
    counts = _counts(connection, distinct)
    rare = [word for word in counts if counts[word] <= RARE_ROWS]
    others = sorted((word for word in counts if counts[word] > RARE_ROWS), key=lambda word: counts[word])[:3]
    pairs = [f"({match_expression([a])} AND {match_expression([b])})" for a, b in itertools.combinations(others, 2)]
    alone = match_expression(rare + ([] if pairs else others))
    return " OR ".join(([alone] if alone else []) + pairs) or None


def _few_records(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT coalesce(max(seq), 0) FROM notes").fetchone()[0] <= SCORED_ROWS)


def _counts(connection: sqlite3.Connection, words: Sequence[str]) -> dict[str, int]:
    """How many records hold each word, without those that none does."""
    counts = {
        word: connection.execute(
            "SELECT count(*) FROM notes_fts WHERE notes_fts MATCH ?", (match_expression([word]),)
        ).fetchone()[0]
        for word in words
    }
    return {word: count for word, count in counts.items() if count}
