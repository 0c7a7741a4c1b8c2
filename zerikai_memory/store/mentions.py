"""Which names stand in the texts of how many entities: what is mentioned anywhere is perhaps used."""

from __future__ import annotations

from collections.abc import Sequence

from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.words import words

# Enough to tell a name that stands only in its own definition from one that stands elsewhere too.
ENOUGH = 2


def entities_mentioning(index: WorkspaceIndex, names: Sequence[str]) -> list[int]:
    """For each name, how many entities hold it in signature, docstring or body, counted up to ENOUGH.

    Names are compared as the full text has them: without case and underscores, so a count may be too high, never too
    low. A name without any word counts as ENOUGH.
    """
    counts: dict[str, int] = {}
    with index.database.read() as connection:
        for name in dict.fromkeys(names):
            said = list(words(name))
            counts[name] = ENOUGH
            if said:  # the joined word comes last
                rows = connection.execute(
                    "SELECT rowid FROM entity_words WHERE entity_words MATCH ? LIMIT ?",
                    (f'{{signature docstring body}}: "{said[-1]}"', ENOUGH),
                ).fetchall()
                counts[name] = len(rows)
    return [counts[name] for name in names]


def files_mentioning(index: WorkspaceIndex, name: str, most: int = 200) -> list[str]:
    """Paths of files in whose entities a name stands, compared as above; none for a name without any word."""
    said = list(words(name))
    if not said:
        return []
    sql = (
        "SELECT DISTINCT files.path FROM entity_words JOIN entities ON entities.rowid = entity_words.rowid"
        " JOIN files ON files.id = entities.file WHERE entity_words MATCH ? LIMIT ?"
    )
    with index.database.read() as connection:
        rows = connection.execute(sql, (f'{{signature docstring body}}: "{said[-1]}"', most)).fetchall()
    return [row[0] for row in rows]
