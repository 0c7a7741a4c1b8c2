"""What the words of a question say for each entity: BM25 by its own words and, where these meet little, by those meant.

A question in everyday words may share none with the code it asks for (retrieve/concepts.py). The less of it its best
entities by words hold, the more the words of code for it count, beside its own and in its vector.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from zerikai_memory.embed.base import Embedder, EmbeddingMatrix
from zerikai_memory.retrieve.concepts import Meaning
from zerikai_memory.retrieve.prepared import Prepared
from zerikai_memory.retrieve.query import Query
from zerikai_memory.retrieve.rank import Floats
from zerikai_memory.retrieve.relevance import coverage
from zerikai_memory.retrieve.scope import Scope

# Best entities by words that tell how much of the question the project says itself, and the share of it from which on
# nothing else is looked up. Of 205 questions that share no word with their file .4 finds 159, .5 166, .6 166 and always
# as many; of 537 about entities, which share some, nothing meant finds .583 among five, .4 .574, .5 .570, .6 .564.
COVERED_BY = 5
MEANT_BELOW = 0.5
# A word that is meant beside one that is asked: .5 and 2 find 162 and 166 of the first, .574 and .559 of the others.
MEANT_WEIGHT = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Wording:
    """`lexical` [n] is BM25 or 0; `meaning` counts by `share`, 0 where the question's own words say enough."""

    lexical: Floats
    meaning: Meaning
    share: float


def wording_of(prepared: Prepared, query: Query, scope: Scope, pool: int) -> Wording:
    """Look up the words of a question, of each kind the `pool` best entities."""
    # The best of all may all lie outside of a narrow scope, unless it is what holds the words.
    narrow = scope.allowed is not None and (query.filters or query.phrases or not query.looked_up)
    limit = len(prepared.view) if narrow else pool
    found = prepared.lexicon.scores(query.words, limit)
    share, meaning = 0.0, Meaning()
    if not (query.looked_up or query.identifiers or query.frames):
        covered = _coverage(prepared, query, [row for row, _ in found[:COVERED_BY]])
        share = max(0.0, 1 - covered / MEANT_BELOW)
    if share > 0 and (meaning := prepared.concepts.meaning(query.plain, query.terms)).words:
        meant = prepared.lexicon.scores(meaning.words, limit)
        found += [(row, MEANT_WEIGHT * share * value) for row, value in meant]
    scores = np.zeros(len(prepared.view))
    for row, value in found:
        if (i := prepared.position.get(row)) is not None:
            scores[i] += value
    return Wording(scores, meaning, share if meaning.words else 0.0)


def _coverage(prepared: Prepared, query: Query, rows: Sequence[int]) -> float:
    frequencies = prepared.lexicon.frequencies(query.terms)
    return coverage(frequencies, prepared.lexicon.holders(rows, query.terms), len(prepared.view))


def meant_vectors(
    embedder: Embedder, texts: Sequence[str], meanings: Sequence[Meaning], *shares: float
) -> list[EmbeddingMatrix]:
    """For each share [n, d] unit vectors of questions, so near to the words of code for them; zero when none is known.

    Raises EmbeddingError.
    """
    if not any(shares):
        return [embedder.encode(texts)] * len(shares)
    meant = [" ".join(meaning.words) or text for text, meaning in zip(texts, meanings, strict=True)]
    if len(texts) == 1:
        # Somebody waits for it: a text alone is what a model server gets little time for (embed/remote.py).
        vectors = np.vstack([embedder.encode(texts), embedder.encode(meant)])
    else:
        vectors = embedder.encode([*texts, *meant])
    return [_unit(vectors[: len(texts)] + np.float32(share) * vectors[len(texts) :]) for share in shares]


def _unit(vectors: EmbeddingMatrix) -> EmbeddingMatrix:
    unit: EmbeddingMatrix = vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + np.float32(1e-12))
    return unit
