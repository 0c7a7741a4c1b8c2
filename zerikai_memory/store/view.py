"""A workspace's entities as arrays in memory, for ranking: loaded once per process and generation."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.store.embedding_notes import CUT_KEY, cut_of
from zerikai_memory.store.index import WorkspaceIndex

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ViewFile:
    """A file that has entities; `partial` as the scan found it."""

    path: str
    language: str
    sha256: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True, eq=False)
class IndexView:
    """Entities in row order; arrays are aligned: position i is one entity everywhere.

    `vectors` is float32 [entities, dimensions], `file_vectors` [files, dimensions]; a row is all zero where no vector
    of the current embedding is stored. `file_of[i]` is a position in `files`; `first_lines` begin with the decorators.
    `relevance_cut` is the distance above which nothing is relevant, as a scan measured it with this embedding.
    """

    generation: int
    incomplete: bool
    embedding: str
    rowids: NDArray[np.int64]
    ids: tuple[str, ...]
    names: tuple[str, ...]
    qualified_names: tuple[str, ...]
    types: tuple[str, ...]
    file_of: NDArray[np.int64]
    start_lines: NDArray[np.int64]
    end_lines: NDArray[np.int64]
    first_lines: NDArray[np.int64]
    files: tuple[ViewFile, ...]
    vectors: Matrix
    file_vectors: Matrix
    relevance_cut: float | None

    def __len__(self) -> int:
        return len(self.ids)


class ViewCache:
    """The newest view of one index; reloads when another thread or process has committed a change."""

    def __init__(self, index: WorkspaceIndex) -> None:
        self._index = index
        self._mutex = threading.Lock()
        self._view: IndexView | None = None
        self._inode: int | None = None

    def get(self) -> IndexView:
        """The view of the current generation."""
        with self._mutex:
            generation, incomplete = self._index.state()
            inode = self._index.path.stat().st_ino
            view = self._view
            if view is None or view.generation != generation or self._inode != inode or view.incomplete != incomplete:
                view = self._view = load_view(self._index)
                self._inode = inode
            return view


def load_view(index: WorkspaceIndex) -> IndexView:
    """Read everything that ranking needs in one transaction."""
    with index.database.read() as connection:
        meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
        file_rows = connection.execute(
            "SELECT id, path, language, sha256, size, mtime_ns, embedding, vector FROM files"
            " WHERE skip_reason IS NULL ORDER BY id"
        ).fetchall()
        rows = connection.execute(
            "SELECT e.rowid, e.id, e.name, e.qualified_name, e.entity_type, e.file, e.start_line, e.end_line, v.vector,"
            " coalesce(e.decorator_start_line, e.start_line)"
            " FROM entities e JOIN vectors v ON v.entity = e.rowid ORDER BY e.rowid"
        ).fetchall()
    with index.database.decoding():
        return _view(meta, file_rows, rows)


def _view(meta: dict[str, str], file_rows: list[Any], rows: list[Any]) -> IndexView:
    embedding = meta["embedding"]
    cut = cut_of(meta.get(CUT_KEY, ""))
    position = {row[0]: i for i, row in enumerate(file_rows)}
    current = [row[6] == embedding for row in file_rows]
    file_of = np.fromiter((position[row[5]] for row in rows), np.int64, len(rows))
    columns = list(zip(*(row[1:5] for row in rows), strict=True)) or [(), (), (), ()]
    return IndexView(
        generation=int(meta["generation"]),
        incomplete=bool(meta["incomplete"]),
        embedding=embedding,
        rowids=np.fromiter((row[0] for row in rows), np.int64, len(rows)),
        ids=columns[0],
        names=columns[1],
        qualified_names=columns[2],
        types=columns[3],
        file_of=file_of,
        start_lines=np.fromiter((row[6] for row in rows), np.int64, len(rows)),
        end_lines=np.fromiter((row[7] for row in rows), np.int64, len(rows)),
        first_lines=np.fromiter((row[9] for row in rows), np.int64, len(rows)),
        files=tuple(ViewFile(*row[1:6]) for row in file_rows),
        vectors=_matrix([row[8] if current[f] else b"" for row, f in zip(rows, file_of, strict=True)]),
        file_vectors=_matrix([row[7] if ok else b"" for row, ok in zip(file_rows, current, strict=True)]),
        relevance_cut=cut.value if cut and cut.fingerprint == embedding else None,
    )


def pack_vector(vector: NDArray[np.float32]) -> bytes:
    """A vector as stored: little-endian float16, half the size for a distance error below 0.001."""
    return vector.astype("<f2").tobytes()


def _matrix(blobs: list[bytes]) -> Matrix:
    """float32 [len(blobs), dimensions]; an empty or odd blob becomes a row of zeros."""
    size = max((len(blob) for blob in blobs), default=0)
    empty = bytes(size)
    joined = b"".join(blob if len(blob) == size else empty for blob in blobs)
    return np.frombuffer(joined, "<f2").astype(np.float32).reshape(len(blobs), size // 2)
