"""Vector search behind one protocol, so that the index that answers can be exchanged.

`ExactVectorIndex` computes every distance over the vectors that SQLite holds: always right, in every process, whatever
the state of a derived index. Distances are squared L2 of unit vectors (2 - 2 cosine), as Chroma's "l2" space has them.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.store.view import IndexView, Matrix

Vector = NDArray[np.float32]


class VectorIndex(Protocol):
    """Nearest entities of one workspace."""

    def search(self, query: Vector, k: int) -> tuple[tuple[str, ...], Vector]:
        """(entity ids, squared L2 distances), nearest first, at most `k`."""

    def count(self) -> int:
        """Entities that have a vector."""


class ExactVectorIndex:
    """All distances by one matrix product over a loaded view."""

    def __init__(self, view: IndexView) -> None:
        self._view = view

    def distances(self, query: Vector) -> Vector:
        """Squared L2 distance of every entity of the view, in its order; 2.0 where there is no vector."""
        return squared_distances(self._view.vectors, query)

    def search(self, query: Vector, k: int) -> tuple[tuple[str, ...], Vector]:
        """(entity ids, distances), nearest first; ties in row order."""
        have = np.flatnonzero(self._view.vectors.any(axis=1)) if len(self._view) else np.empty(0, np.int64)
        distances = self.distances(query)[have] if len(have) else np.empty(0, np.float32)
        order = np.argsort(distances, kind="stable")[:k]
        return tuple(self._view.ids[i] for i in have[order]), distances[order]

    def count(self) -> int:
        """Entities that have a vector."""
        return int(self._view.vectors.any(axis=1).sum()) if len(self._view) else 0


def squared_distances(matrix: Matrix, query: Vector) -> Vector:
    """2 - 2 dot product, per row; rows or queries without direction are orthogonal to everything."""
    if matrix.shape[1] != query.shape[0]:
        return np.full(matrix.shape[0], 2.0, np.float32)
    distances: Vector = np.maximum(2.0 - 2.0 * (matrix @ query), 0.0).astype(np.float32)
    return distances
