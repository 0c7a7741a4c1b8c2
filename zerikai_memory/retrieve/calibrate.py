"""Measure the cut for "nothing relevant" of an embedding, of any, on the index itself.

Questions that hardly any project answers (data/off_topic.txt) are compared with every entity and file. How near they
come tells how near this model puts what has nothing to do with each other, in an index of this size and vocabulary; the
cut lets few of them through. bench/offtopic.py measures it on others.
"""

from __future__ import annotations

import importlib.resources

import numpy as np

from zerikai_memory.embed.base import Embedder, EmbeddingMatrix
from zerikai_memory.errors import EmbeddingError
from zerikai_memory.retrieve.concepts import ProjectConcepts
from zerikai_memory.retrieve.query import understand
from zerikai_memory.retrieve.relevance import strangeness
from zerikai_memory.retrieve.wording import meant_vectors
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import document_frequencies, index_stems
from zerikai_memory.store.view import IndexView

# Share of these questions that may pass: of others (bench/offtopic.py) 3.5 % do, of those the project answers all, of
# 223 questions in other words 90 %. .03 and .08 refuse and keep in proportion.
LET_THROUGH = 0.035
# In a small index all off-topic questions are as far as can be, without a bound one would pass: little in common in
# meaning (2 is orthogonal) and half of the words unknown and not understood is too far wherever.
MOST = 2.3


def calibrated_cut(index: WorkspaceIndex, view: IndexView, embedder: Embedder) -> float | None:
    """The cut that LET_THROUGH of the off-topic questions would pass; None for an index without vectors.

    Raises EmbeddingError.
    """
    if not view.vectors.any():
        return None
    asked = [understand(question) for question in off_topic_questions()]
    concepts = ProjectConcepts(lambda: index_stems(index))
    meanings = [concepts.meaning(query.plain, query.terms) for query in asked]
    vectors = meant_vectors(embedder, [query.plain for query in asked], meanings, 1.0)[0]
    if vectors.shape[1] != view.vectors.shape[1]:
        raise EmbeddingError(
            f"the embedding model gives vectors of {vectors.shape[1]} numbers now, the index holds "
            f"{view.vectors.shape[1]}; a scan that finds a changed file embeds all of them again"
        )
    distances = (_nearest(view.vectors, vectors) + _nearest(view.file_vectors, vectors)) / 2
    strange = [
        strangeness(document_frequencies(index, query.terms), meaning.understood, len(view))
        for query, meaning in zip(asked, meanings, strict=True)
    ]
    return min(float(np.quantile(distances + np.array(strange), LET_THROUGH)), MOST)


def off_topic_questions() -> list[str]:
    """The built-in questions, one a line."""
    file = importlib.resources.files("zerikai_memory.retrieve").joinpath("data", "off_topic.txt")
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _nearest(matrix: EmbeddingMatrix, questions: EmbeddingMatrix) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Squared L2 distance of each question's nearest row; rows without a vector are no neighbours."""
    known = matrix[matrix.any(axis=1)]
    if not len(known):
        return np.full(len(questions), 2.0)
    nearest: np.ndarray[tuple[int], np.dtype[np.float64]] = 2.0 - 2.0 * (known @ questions.T).max(axis=0)
    return nearest
