"""Evidence that a record answers a question though most of the question's words are not in it: rare words in common.

Asked when no record passes by coverage: words that no record has say nothing of those that one has.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from zerikai_memory.memory.kin import kin_of
from zerikai_memory.retrieve.names import stem
from zerikai_memory.store.words import STOP_WORDS

# In a smaller store a word that one record holds is no rarer than in this one.
LEAST_RECORDS = 50
# What a word is worth in a record that holds another form of it, or one that means nearly the same.
RELATED_WEIGHT = 0.6
# A word that a single record of the store holds is worth a little under 1; two that few hold are enough. Questions of
# the recall sets about other projects stay below, or beyond the distance.
ENOUGH, PER_WORD_MORE, MANY_WORDS = 1.3, 0.05, 8
# One rare word alone wants a vector this near (squared L2); more of them, one that is not quite elsewhere.
ENOUGH_OF_ONE, NEAR_FOR_ONE, FARTHEST = 0.7, 1.3, 1.72
# Or so much of what the record says stands in the question.
RECORD_SHARE, RECORD_WORDS = 0.5, 2
# Beside the best evidence, what is shown has this share of it.
BESIDE = 0.75
# Another form of a word: `estonia`, `estonian`.
FORM_LENGTH, FORM_MORE = 6, 3
# Words in common that a record on anything may have.
EMPTY_WORDS = STOP_WORDS | frozenset(
    "after all always another because before both during each every everything first instead last next never no none "
    "nothing only other own run running runs same second show shows since third until while within without yet".split()
)


@dataclass(frozen=True, slots=True)
class Rarity:
    """How many of `total` records hold each word."""

    total: int
    holding: Mapping[str, int]

    def of(self, word: str) -> float:
        """From 0, a word of every record, to nearly 1."""
        total = max(self.total, LEAST_RECORDS)
        return max(0.0, math.log((total + 1) / (max(self.holding.get(word, 1), 1) + 0.5)) / math.log(total + 1))


@dataclass(frozen=True, slots=True)
class Shared:
    """Words in common, as the record spells them: those of the question itself, and those related to one of it.

    `share` is how much of the record's own words they are.
    """

    same: tuple[str, ...]
    related: tuple[str, ...]
    share: float

    def mass(self, rarity: Rarity) -> float:
        """What they are worth together."""
        return sum(map(rarity.of, self.same)) + RELATED_WEIGHT * sum(map(rarity.of, self.related))


def shared(asked: Iterable[str], held: Sequence[str], said: Sequence[str], pairs: Iterable[str] = ()) -> Shared:
    """What a question's words have in common with those that a record holds, and with what of them it `said` itself.

    `pairs` are words side by side in the question as one; a record that writes them so (`seatmap`) has both.
    """
    spelled = {stem(word): word for word in held if word not in EMPTY_WORDS}
    wanted = {stem(word) for word in asked if word not in EMPTY_WORDS}
    same = wanted & spelled.keys()
    related = {}
    for word in wanted - same:
        akin = sorted((kin_of(word) & spelled.keys()) | _forms(word, spelled))
        if akin:
            related[akin[0]] = spelled[akin[0]]
    compounds = [spelled[stem(pair)] for pair in pairs if stem(pair) in spelled.keys() - same]
    own = {stem(word) for word in said if word not in EMPTY_WORDS}
    return Shared(
        (*(spelled[word] for word in sorted(same)), *compounds, *compounds),
        tuple(related[word] for word in sorted(related.keys() - same)),
        len(own & same) / len(own) if own else 0.0,
    )


def enough(found: Shared, mass: float, distance: float, asked_words: int) -> bool:
    """Whether words in common are evidence that a record answers, at its squared L2 distance."""
    if distance > FARTHEST:
        return False
    least = ENOUGH + PER_WORD_MORE * max(0, asked_words - MANY_WORDS)
    if mass >= least or (found.share >= RECORD_SHARE and len(found.same) >= RECORD_WORDS):
        return True
    return bool(found.same) and mass >= ENOUGH_OF_ONE and distance <= NEAR_FOR_ONE


def _forms(word: str, spelled: Mapping[str, str]) -> set[str]:
    """Held words that are longer or shorter forms of one."""
    return {
        other
        for other in spelled
        if min(len(word), len(other)) >= FORM_LENGTH
        and abs(len(word) - len(other)) <= FORM_MORE
        and (word.startswith(other) or other.startswith(word))
    }
