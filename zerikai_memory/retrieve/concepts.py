"""What a question in everyday words means: who asks to shrink the reply before it goes out means compress, response.

A question may share no word with the code that answers it. scripts/concepts/concepts.txt says of thousands of things
that software does how plain people call them and which words sources use; data/concepts.npz is made from it. The
things that a question is about are found by its words and by its vector, as entities are, and their words of code are
looked up beside the question's own.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.embed.shipped import shipped_file
from zerikai_memory.embed.static import StaticEmbedder
from zerikai_memory.retrieve.rank import Floats, fuse, smallest
from zerikai_memory.store.stemmer import Stemmer
from zerikai_memory.store.words import STOP_WORDS

# So many things at once: a question has a subject and an object, and the nearest is not always the one that is meant.
CONCEPTS = 8
# Words of code that the things give together, those of the best first; 16 and 40 find a little less.
WORDS = 24
# A thing's words stand in the order of what they tell: the next tells this much less.
DECAY = 0.1
K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Meaning:
    """Words of code for a question, most telling first, and the words of the question that led to them."""

    words: tuple[str, ...] = ()
    understood: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class ConceptTable:
    """`codes` [n] are the words of code of each concept, `vectors` [n, d] what it is about as a unit vector.

    Concepts that are described with the stem `terms[t]` stand from `starts[t]` to `starts[t + 1]` in `holders`, and how
    often in `counts`; `norms` [n] is what BM25 takes from a concept for the length of its descriptions.
    """

    codes: Sequence[tuple[str, ...]]
    leading: Sequence[tuple[str, ...]]
    vectors: NDArray[np.float32]
    terms: dict[str, int]
    starts: NDArray[np.int32]
    holders: NDArray[np.uint16]
    counts: NDArray[np.uint8]
    norms: Floats

    def present(self, known: Container[str]) -> NDArray[np.bool_]:
        """[n] whether a project that knows these stems may have each concept: half of the words that tell it most."""
        return np.array([2 * sum(stem in known for stem in stems) >= len(stems) for stems in self.leading])

    def scores(self, vector: NDArray[np.float32], stems: Iterable[str]) -> NDArray[np.float32]:
        """[n] how much each concept is what a question is about, by its vector of the static table and by its stems."""
        return fuse(self._bm25(stems), (self.vectors @ vector).astype(np.float64)).astype(np.float32)

    def meaning(self, scores: NDArray[np.float32], stems: Mapping[str, str]) -> Meaning:
        """What is meant by a question whose words are {word: its stem}."""
        order = smallest(-scores, CONCEPTS + 1)
        # What the next best has is what anything has.
        weights = scores[order[:-1]] - scores[order[-1]]
        found = order[:-1][weights > 0]
        held = {stem for stem in stems.values() if stem in self.terms and np.isin(found, self._held(stem)[0]).any()}
        return Meaning(self._words(found, weights), frozenset(word for word, stem in stems.items() if stem in held))

    def _words(self, found: NDArray[np.int64], weights: NDArray[np.float32]) -> tuple[str, ...]:
        telling: dict[str, float] = {}
        for concept, weight in zip(found.tolist(), weights.tolist(), strict=False):
            for place, word in enumerate(self.codes[concept]):
                telling[word] = telling.get(word, 0.0) + weight / (1 + DECAY * place)
        return tuple(sorted(telling, key=lambda word: -telling[word])[:WORDS])

    def _bm25(self, stems: Iterable[str]) -> Floats:
        total = np.zeros(len(self.codes))
        for stem in stems:
            holders, counts = self._held(stem)
            weight = math.log(1 + (len(self.codes) - len(holders) + 0.5) / (len(holders) + 0.5))
            total[holders] += weight * counts * (K1 + 1) / (counts + self.norms[holders])
        return total

    def _held(self, stem: str) -> tuple[NDArray[np.uint16], Floats]:
        at = self.terms[stem]
        held = slice(int(self.starts[at]), int(self.starts[at + 1]))
        return self.holders[held], self.counts[held].astype(np.float64)


class ProjectConcepts:
    """The concepts that one state of a project may have; `stems` gives what it knows, when a question needs it."""

    def __init__(self, stems: Callable[[], Container[str]]) -> None:
        self._stems = stems

    @functools.cached_property
    def _present(self) -> NDArray[np.bool_]:
        return _shipped().present(self._stems())

    def meaning(self, text: str, words: Sequence[str]) -> Meaning:
        """What a question means, given as a text and as its words without the joined identifiers.

        Raises EmbeddingError when the shipped table cannot be read.
        """
        content = [word for word in words if word not in STOP_WORDS]
        if not content:
            return Meaning()
        # A word that the tokenizer takes apart is no word of the descriptions.
        stems = {word: each[0] for word, each in zip(content, _stemmer().stems(content), strict=True) if len(each) == 1}
        described = tuple(stem for stem in dict.fromkeys(stems.values()) if stem in _shipped().terms)
        if not described or 2 * len(described) < len(stems):
            return Meaning()  # words that no description has lead anywhere, as those of another language do
        # Of several lines the table would take the first for a title.
        return _shipped().meaning(_scores(" ".join(text.split()), described) * self._present, stems)


# The questions that calibrate.py asks of every project are among them.
@functools.lru_cache(maxsize=256)
def _scores(text: str, stems: tuple[str, ...]) -> NDArray[np.float32]:
    return _shipped().scores(StaticEmbedder().encode([text])[0], stems)


def load_concepts(file: str | IO[bytes]) -> ConceptTable:
    """The table that scripts/concepts/compile.py wrote."""
    with np.load(file, allow_pickle=False) as arrays:
        vectors = arrays["vectors"].astype(np.float32)
        vectors *= arrays["scale"].astype(np.float32)[:, None]
        lengths = arrays["lengths"].astype(np.float64)
        return ConceptTable(
            codes=[tuple(line.split()) for line in arrays["codes"].tobytes().decode().split("\n")],
            leading=[tuple(line.split()) for line in arrays["leading"].tobytes().decode().split("\n")],
            vectors=vectors,
            terms={term: at for at, term in enumerate(arrays["terms"].tobytes().decode().split("\n"))},
            starts=arrays["starts"],
            holders=arrays["holders"],
            counts=arrays["counts"],
            norms=K1 * (1 - B + B * lengths / lengths.mean()),
        )


_load_lock = threading.Lock()
_loaded: ConceptTable | None = None


def _shipped() -> ConceptTable:
    """The table of the package; threads that ask at the same time wait for one load."""
    global _loaded
    with _load_lock:
        if _loaded is None:
            with shipped_file("zerikai_memory.retrieve", "concepts.npz") as file:
                _loaded = load_concepts(file)
        return _loaded


@functools.cache
def _stemmer() -> Stemmer:
    return Stemmer()
