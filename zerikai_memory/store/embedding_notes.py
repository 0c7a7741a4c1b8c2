"""What an index notes of the embedding beside the vectors: their length, and the cut for "nothing relevant"."""

from __future__ import annotations

from dataclasses import dataclass

from zerikai_memory.store.index import WorkspaceIndex

# Of the index's bookkeeping values. The number goes up when something else is measured: no old cut is taken for one.
CUT_KEY = "relevance_cut_2"


def noted_dimensions(index: WorkspaceIndex, fingerprint: str) -> int | None:
    """Length of the vectors of this embedding that the index holds; None when it holds none."""
    if not index.exists():
        return None
    with index.database.read() as connection, index.database.decoding():
        row = connection.execute(
            "SELECT length(vector) FROM files WHERE embedding = ? AND length(vector) > 0 LIMIT 1", (fingerprint,)
        ).fetchone()
    return None if row is None else int(row[0]) // 2


def forget_vectors(index: WorkspaceIndex) -> None:
    """Let no file's vectors count as current any more: the next scan embeds all of them again."""
    with index.database.write() as connection:
        connection.execute("UPDATE files SET embedding = ''")
        connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")


@dataclass(frozen=True, slots=True)
class Cut:
    """The distance above which nothing is relevant, as measured with this embedding over so many entities."""

    value: float
    entities: int
    fingerprint: str


def noted_cut(index: WorkspaceIndex) -> Cut | None:
    """The cut that was noted last; None when there is none."""
    return cut_of(index.meta(CUT_KEY))


def note_cut(index: WorkspaceIndex, cut: Cut | None) -> None:
    """Note a cut, or that none is known; a question reads it with the vectors."""
    text = "" if cut is None else f"{cut.value:.4f} {cut.entities} {cut.fingerprint}"
    with index.database.write() as connection:
        changed = connection.execute(
            "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
            " WHERE value != excluded.value",
            (CUT_KEY, text),
        ).rowcount
        if changed:  # whoever keeps the vectors in memory keeps the cut with them
            connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")


def cut_of(text: str) -> Cut | None:
    """The cut that a noted text stands for."""
    value, _, rest = text.partition(" ")
    entities, _, fingerprint = rest.partition(" ")
    return Cut(float(value), int(entities), fingerprint) if fingerprint else None
