"""Whether anything found answers the question at all: "nothing relevant" is an answer, and it costs no model call."""

from __future__ import annotations

import math
from collections.abc import Mapping

# One entity must hold this share of what the question's words tell apart (inverse document frequency, by weight):
# a single common word in common is chance, the greater part of the question is not.
MIN_COVERAGE = 0.5


def is_relevant(
    *,
    best_distance: float,
    cut: float,
    frequencies: Mapping[str, int],
    holders: Mapping[str, set[int]],
    entities: int,
) -> bool:
    """Whether the best hit is near enough, or one hit holds most of the question's telling words.

    `frequencies` gives the number of entities with each question word, `holders` the shown rows that hold it.
    """
    return best_distance <= cut or coverage(frequencies, holders, entities) >= MIN_COVERAGE


def coverage(frequencies: Mapping[str, int], holders: Mapping[str, set[int]], entities: int) -> float:
    """Largest share of the question's word weight that one row holds, 0 to 1; unknown words weigh most."""
    weights = {word: math.log(1 + (entities - count + 0.5) / (count + 0.5)) for word, count in frequencies.items()}
    total = sum(weights.values())
    rows = {row for held in holders.values() for row in held}
    best = max((sum(weights[word] for word, held in holders.items() if row in held) for row in rows), default=0.0)
    return best / total if total > 0 else 0.0
