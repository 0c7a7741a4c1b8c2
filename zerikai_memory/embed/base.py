"""What an embedding back end is, whatever makes its vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

EmbeddingMatrix = NDArray[np.float32]


class Embedder(Protocol):
    """Text to unit vectors; one instance per process, thread-safe."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the same text would get another vector: model, file checksum, card format."""

    @property
    def dimensions(self) -> int:
        """Length of a vector; a model server is asked for it. Raises EmbeddingError."""

    @property
    def relevance_cut(self) -> float | None:
        """Cut for "nothing relevant" where no scan has measured the index's own; None: unknown."""

    def encode(self, texts: Sequence[str]) -> EmbeddingMatrix:
        """float32 [len(texts), dimensions], rows of unit length, or zero when nothing of the text is known.

        Raises EmbeddingError when the model cannot be used now.
        """


class VectorSource(Protocol):
    """A model server that gives vectors; thread-safe."""

    @property
    def name(self) -> str:
        """Kind, model and, where it matters, address; without any key."""

    def vectors(self, texts: Sequence[str], deadline_s: float) -> Sequence[Sequence[float]]:
        """One vector per text as the server gave them. Raises EmbeddingError, TooLongError for a text it refuses."""
