"""Whether anything found answers the question at all: "nothing relevant" is an answer, and it costs no model call.

Two things make a question relevant: one entity holds most of its telling words, or what is found is near in meaning. A
distance alone tells a question in other words from one about something else only badly. What helps is whether the
project knows the words: of "how do I poach salmon" most stand nowhere in it, neither as asked nor as code says it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from zerikai_memory.retrieve.everyday import code_words_of

# One entity must hold this share of what the question's words tell apart (inverse document frequency, by weight):
# a single common word in common is chance, the greater part of the question is not.
MIN_COVERAGE = 0.5
# Squared L2 that the cut comes nearer when the project knows no word of the question. At 96 % of off-topic questions
# refused, 0 keeps 28 to 42 % of questions in other words, .5 keeps 71 to 78 %, .7 keeps 78 to 89 % (static, minilm).
UNKNOWN_WEIGHT = 0.7


def is_relevant(
    *,
    distance: float,
    cut: float,
    unknown: float,
    frequencies: Mapping[str, int],
    holders: Mapping[str, set[int]],
    entities: int,
) -> bool:
    """Whether what was found is near enough, or one hit holds most of the question's telling words.

    `distance` is the mean of the best hit's and the nearest file's squared L2, `unknown` the share of the question that
    the project does not know, `frequencies` the number of entities with each question word, `holders` the shown rows
    that hold it.
    """
    near = distance <= cut - UNKNOWN_WEIGHT * unknown
    return near or coverage(frequencies, holders, entities) >= MIN_COVERAGE


def coverage(frequencies: Mapping[str, int], holders: Mapping[str, set[int]], entities: int) -> float:
    """Largest share of the question's word weight that one row holds, 0 to 1; unknown words weigh most."""
    weights = {word: _weight(count, entities) for word, count in frequencies.items()}
    total = sum(weights.values())
    rows = {row for held in holders.values() for row in held}
    best = max((sum(weights[word] for word, held in holders.items() if row in held) for row in rows), default=0.0)
    return best / total if total > 0 else 0.0


def known_frequencies(
    frequencies: Callable[[Iterable[str]], Mapping[str, int]], words: Iterable[str]
) -> dict[str, tuple[int, int]]:
    """{word: (entities with it, entities with the commonest of the words of code for it)}.

    `frequencies` tells how many entities hold each of some words.
    """
    return {
        word: (count, 0 if count else max(frequencies(code_words_of(word)).values(), default=0))
        for word, count in frequencies(words).items()
    }


def unknown_share(frequencies: Mapping[str, tuple[int, int]], entities: int) -> float:
    """Share of the question's word weight that stands nowhere, as asked or as code says it; 1 without words."""
    weights = {word: _weight(count, entities) for word, (count, _) in frequencies.items()}
    total = sum(weights.values())
    if total <= 0:
        return 1.0
    return sum(weights[word] for word, counts in frequencies.items() if not any(counts)) / total


def _weight(count: int, entities: int) -> float:
    return math.log(1 + (entities - count + 0.5) / (count + 0.5))
