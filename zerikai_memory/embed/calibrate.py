"""Measure an unknown model's cut for "nothing relevant" on the index itself.

Questions that no code base answers are compared with every entity. Their nearest distances tell how near a model puts
what has nothing to do with each other in an index of this size; the cut lets few of them through.
"""

from __future__ import annotations

import numpy as np

from zerikai_memory.embed.base import Embedder, EmbeddingMatrix

# Share of the off-topic questions whose nearest entity is within the cut.
LET_THROUGH = 0.05
OFF_TOPIC = ("what is a good recipe for tomato soup",)


def calibrated_cut(embedder: Embedder, vectors: EmbeddingMatrix) -> float | None:
    """Squared L2 distance that LET_THROUGH of the off-topic questions reach; None for an index without vectors.

    `vectors` is float32 [entities, dimensions]. Raises EmbeddingError.
    """
    known = vectors[vectors.any(axis=1)]
    if not len(known):
        return None
    questions = embedder.encode(OFF_TOPIC)
    nearest = 2.0 - 2.0 * (known @ questions.T).max(axis=0)
    return float(np.quantile(nearest, LET_THROUGH))
