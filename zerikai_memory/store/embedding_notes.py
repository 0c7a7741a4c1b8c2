"""What an index notes of the embedding beside the vectors: their length, and the cut for "nothing relevant"."""

from __future__ import annotations

from zerikai_memory.store.index import WorkspaceIndex


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


def note_cut(index: WorkspaceIndex, cut: float | None) -> None:
    """Note the cut of the embedding that the index was made with; None: it is not known."""
    text = "" if cut is None else f"{cut:.4f}"
    if index.meta("relevance_cut") == text:
        return
    with index.database.write() as connection:
        connection.execute(
            "INSERT INTO meta VALUES ('relevance_cut', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (text,),
        )
