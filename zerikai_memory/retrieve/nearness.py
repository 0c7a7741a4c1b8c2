"""How far the entities of a view are from a question, whichever index found the nearest."""

from __future__ import annotations

import numpy as np

from zerikai_memory.retrieve.rank import Floats, Ints, smallest
from zerikai_memory.store.vectors import ExactVectorIndex, Nearest, Vector, distances_around
from zerikai_memory.store.view import IndexView

# Up to here all distances are computed (milliseconds) even where another index found the nearest.
DISTANCES_UP_TO = 200_000


def distances_of(view: IndexView, query: Vector, nearest: Nearest, others: Ints) -> Vector:
    """Squared L2 of all entities; where another index found the nearest of many, real ones for them and `others`."""
    if nearest.positions is None:
        return ExactVectorIndex(view).distances(query)
    return distances_around(view, query, np.union1d(nearest.positions, others), DISTANCES_UP_TO)


def nearest_first(nearest: Nearest, distances: Floats, most: int) -> Ints:
    """Positions of the nearest entities, at most so many."""
    if nearest.positions is None:
        return smallest(distances, most)
    # By real distance and then by row, as the exact index orders them: ties fall alike whoever answers. What is short
    # of the number are entities without a vector, which the other index does not name.
    found = np.sort(nearest.positions)
    if len(found) < most:
        rest = np.setdiff1d(smallest(distances, 2 * most), found)
        found = np.sort(np.concatenate((found, rest)))
    order: Ints = found[np.argsort(distances[found], kind="stable")][:most]
    return order
