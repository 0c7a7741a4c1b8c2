"""Whether anything found answers the question at all: "nothing relevant" is an answer, and it costs no model call.

Two things make a question relevant: one entity holds most of its telling words, or what is found is near in meaning. A
distance alone tells a question in other words from one about something else only badly. What helps is whether the
project knows the words, and whether they are known to mean something in software: of "how do I poach salmon" neither.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping

# One entity must hold this share of what the question's words tell apart (inverse document frequency, by weight):
# a single common word in common is chance, the greater part of the question is not.
MIN_COVERAGE = 0.5
# Squared L2 that the cut comes nearer when the project holds no word of the question, and when none of these led to
# what software does either (retrieve/concepts.py). At 96 % of off-topic questions refused, 0 and 0 keep 72 % of 205
# questions in other words, .5 and .6 90 %, these 96 %, .5 and 1 91 % (bench/offtopic.py, bench/paraphrases.py).
UNKNOWN_WEIGHT = 0.7
NOT_UNDERSTOOD_WEIGHT = 0.7


def coverage(frequencies: Mapping[str, int], holders: Mapping[str, set[int]], entities: int) -> float:
    """Largest share of the question's word weight that one row holds, 0 to 1; unknown words weigh most."""
    weights = {word: _weight(count, entities) for word, count in frequencies.items()}
    total = sum(weights.values())
    rows = {row for held in holders.values() for row in held}
    best = max((sum(weights[word] for word, held in holders.items() if row in held) for row in rows), default=0.0)
    return best / total if total > 0 else 0.0


def strangeness(frequencies: Mapping[str, int], understood: Container[str], entities: int) -> float:
    """Squared L2 that the words of a question add to the distance, more the less they have to do with the project.

    `frequencies` {word: number of entities that hold it}, `understood` the words that lead to what software does.
    """
    weights = {word: _weight(count, entities) for word, count in frequencies.items()}
    total = sum(weights.values())
    if total <= 0:
        return UNKNOWN_WEIGHT + NOT_UNDERSTOOD_WEIGHT
    unknown = {word: weights[word] for word, count in frequencies.items() if not count}
    strange = sum(weight for word, weight in unknown.items() if word not in understood)
    return (UNKNOWN_WEIGHT * sum(unknown.values()) + NOT_UNDERSTOOD_WEIGHT * strange) / total


def _weight(count: int, entities: int) -> float:
    return math.log(1 + (entities - count + 0.5) / (count + 0.5))
