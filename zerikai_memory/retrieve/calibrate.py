"""Measure the cut for "nothing relevant" of an embedding, of any, on the index itself.

Questions that hardly any project answers (data/off_topic.txt) are compared with every entity and file. How near they
come tells how near this model puts what has nothing to do with each other, in an index of this size and vocabulary; the
cut lets few of them through. bench/offtopic.py measures it on others.
"""

from __future__ import annotations

import importlib.resources
from functools import partial

import numpy as np

from zerikai_memory.embed.base import Embedder, EmbeddingMatrix
from zerikai_memory.retrieve.query import understand
from zerikai_memory.retrieve.relevance import UNKNOWN_WEIGHT, known_frequencies, unknown_share
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import document_frequencies
from zerikai_memory.store.view import IndexView

# Share of these questions that may pass. Of others (bench/offtopic.py) .03 refuses 97 % and keeps 100 %, .04 96 %; of
# questions in other words .03 refuses 26 of 120, .04 13 (static).
LET_THROUGH = 0.04
# In a small index all off-topic questions are as far as can be, without a bound one would pass: nothing in common in
# meaning (2 is orthogonal) and half of the words unknown is too far wherever.
MOST = 2.0


def calibrated_cut(index: WorkspaceIndex, view: IndexView, embedder: Embedder) -> float | None:
    """The cut that LET_THROUGH of the off-topic questions would pass; None for an index without vectors.

    Raises EmbeddingError.
    """
    if not view.vectors.any():
        return None
    questions = off_topic_questions()
    vectors = embedder.encode(questions)
    distances = (_nearest(view.vectors, vectors) + _nearest(view.file_vectors, vectors)) / 2
    counts = partial(document_frequencies, index)
    unknown = [
        unknown_share(known_frequencies(counts, understand(question).terms), len(view)) for question in questions
    ]
    measured = float(np.quantile(distances + UNKNOWN_WEIGHT * np.array(unknown), LET_THROUGH))
    return min(measured, MOST)


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
