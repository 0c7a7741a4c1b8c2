"""Vector search behind one protocol, so that the index that answers can be exchanged.

`VectorIndex` is what a question needs, `MirrorIndex` what keeping a derived index up to SQLite needs besides.
`ExactVectorIndex` computes every distance over the vectors that SQLite holds: always right, in every process, whatever
the state of a derived index. Distances are squared L2 of unit vectors (2 - 2 cosine), as Chroma's "l2" space has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.errors import StoreError
from zerikai_memory.store.view import IndexView, Matrix

Vector = NDArray[np.float32]

# Rows from which the median distance is estimated: its error is about half a percent of the ranks.
MEDIAN_SAMPLE = 10_000


class MirrorError(StoreError):
    """A derived index failed or is damaged; the exact one answers instead."""


class VectorIndex(Protocol):
    """Nearest entities of one workspace."""

    def search(self, query: Vector, k: int) -> tuple[tuple[str, ...], Vector]:
        """(entity ids, squared L2 distances), nearest first, at most `k`."""

    def count(self) -> int:
        """Entities that have a vector."""


@dataclass(frozen=True, slots=True, eq=False)
class MirrorRecord:
    """One entity as a mirror holds it: text, a fixed set of flat values, and its vector.

    `digest` changes whenever anything of it does. `known` is false for an entity no word of which the embedding
    knows: it has no place among the vectors, and the mirror keeps it where no question comes.
    """

    entity_id: str
    document: str
    metadata: dict[str, str | int | bool]
    vector: Vector
    known: bool
    digest: bytes


class MirrorIndex(VectorIndex, Protocol):
    """A derived index of the same vectors, which can be thrown away and made again from SQLite."""

    def upsert(self, records: Sequence[MirrorRecord]) -> None:
        """Write records whole, whether they are there or not."""

    def delete(self, ids: Sequence[str]) -> None:
        """Remove records; ids that are not there are no error."""

    def verify(self, samples: Sequence[MirrorRecord], expected: int) -> str | None:
        """What is wrong: another number of records than `expected`, or samples that their own vector does not find."""

    def rebuild(self) -> None:
        """Throw the records away and begin with an empty index."""

    def drop(self) -> None:
        """Remove the index."""


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """`positions` in the view of the nearest entities by the mirror, None: compute exactly; `warning` says why."""

    positions: NDArray[np.int64] | None
    warning: str = ""


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


def distances_around(view: IndexView, query: Vector, near: NDArray[np.int64], exact_up_to: int) -> Vector:
    """Squared L2 distance of every entity of the view, real ones for `near`, which another index found.

    Up to `exact_up_to` entities all are real. In larger views the rest stands at the median of a sample: ranking
    takes nothing from an entity at the median or beyond.
    """
    if len(view) <= exact_up_to:
        return squared_distances(view.vectors, query)
    sample = view.vectors[:: max(1, len(view) // MEDIAN_SAMPLE)]
    distances = np.full(len(view), np.median(squared_distances(sample, query)), np.float32)
    distances[near] = squared_distances(view.vectors[near], query)
    return distances
