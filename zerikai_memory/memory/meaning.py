"""Records that mean what a question means though they share hardly a word with it: "get the former build back".

retrieve/concepts.py tells which words of code everyday words lead to; the vector of a question with these is nearer to
the record meant than that of the question alone. Asked only where words find nothing, or something far by vector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from zerikai_memory.embed.base import Embedder
from zerikai_memory.memory.recall import FAR, Candidate
from zerikai_memory.model_notes import Note
from zerikai_memory.retrieve.concepts import Meaning, ProjectConcepts
from zerikai_memory.retrieve.query import Query
from zerikai_memory.retrieve.wording import meant_vectors
from zerikai_memory.store.vectors import Vector, squared_distances

# The words of code beside the question's own in its vector: of 40 hard questions the right record is nearest of all for
# 19 with none, 26 with .3, 28 with .5, 31 with 1 and 1.5.
MEANT_SHARE = 1.0
# Squared L2 to the vector meant at which a record answers, where each word that is strange to the records and to
# software adds its share, and that the record says the words of code itself, more than any other, counts so much. Of 42
# questions that words do not answer 1.04 and .29 answer 10, 1.17 and .2 14, and 2 of 612 off-topic ones; of 286 about
# another project 4 and 8.
CUT, STRANGE_WEIGHT, SAID = 1.04, 1.2, 0.29
# Beside the nearest, what is about as near.
BESIDE_DISTANCE = 0.1
# What answers by words though its own vector is this far may have them by chance: a record that is so much nearer by
# meaning comes first. Of 192 questions .3 puts 6 right and none wrong, .2 7 and 1.
FAR_BY_VECTOR, MUCH_NEARER = 1.3, 0.3


class _AnyWord:
    """A ledger is small, and speaks of more than its words say: no concept is out of question."""

    def __contains__(self, word: object) -> bool:
        return True


_CONCEPTS = ProjectConcepts(_AnyWord)


@dataclass(frozen=True, slots=True, eq=False)
class Meant:
    """The unit vector of a question with what it means, the share of its words that are strange, and which says it."""

    vector: Vector
    strange: float
    said_by: str | None

    def distance(self, one: Candidate) -> float:
        """Squared L2 of a record."""
        return float(squared_distances(one.vector[np.newaxis], self.vector)[0])

    def answered_by(self, one: Candidate) -> bool:
        """Whether a record is near enough to answer, given with its distance to what is meant."""
        return self._far(one) <= CUT + (SAID if one.note.id == self.said_by else 0.0)

    def undecided(self, one: Candidate) -> bool:
        """Whether it depends on what the record says."""
        return CUT < self._far(one) <= CUT + SAID

    def _far(self, one: Candidate) -> float:
        return one.distance + STRANGE_WEIGHT * self.strange


def meaning_of(query: Query) -> Meaning:
    """The words of code for a question, none when its words lead to nothing that software does."""
    return _CONCEPTS.meaning(query.text, query.terms)


def meant_vector(query: Query, meaning: Meaning, embedder: Embedder) -> Vector:
    """The unit vector of a question with its words of code; raises EmbeddingError."""
    vector: Vector = meant_vectors(embedder, [query.text], [meaning], MEANT_SHARE)[0][0]
    return vector


def strangeness(meaning: Meaning, holding: Mapping[str, int]) -> float:
    """The share of a question's words that no record holds and that lead to nothing; `holding` {word: its records}."""
    strange = sum(1 for word, records in holding.items() if not records and word not in meaning.understood)
    return strange / len(holding) if holding else 1.0


def answering(meant: Meant, near: Sequence[Candidate]) -> list[Note]:
    """Those of the records near to what is meant, nearest first, that answer."""
    passed = [one for one in near if meant.answered_by(one)]
    return [one.note for one in passed if one.distance <= passed[0].distance + BESIDE_DISTANCE]


def much_nearer(meant: Meant, near: Sequence[Candidate], first: Candidate) -> list[Note]:
    """The record that answers by meaning where the first by words has them by chance, else none."""
    return [one for one in answering(meant, near)[:1] if near[0].distance + MUCH_NEARER <= meant.distance(first)]


def named(near: Sequence[Candidate], by_words: Sequence[Note]) -> list[Note]:
    """What may be named where nothing answers: the nearest by meaning beside the nearest by words, then the next."""
    by_meaning = [one.note for one in near if one.distance <= FAR]
    return list({note.id: note for note in (*by_meaning[:1], *by_words, *by_meaning[1:])}.values())
