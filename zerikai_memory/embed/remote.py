"""An embedder whose vectors come from a model server (Ollama, OpenAI-compatible): batches, checks, unit length."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from zerikai_memory.embed.base import EmbeddingMatrix, VectorSource
from zerikai_memory.embed.card import CARD_FORMAT
from zerikai_memory.errors import EmbeddingError, TooLongError
from zerikai_memory.redact import mask_secrets

# Texts of one request: servers batch them, and a cancelled scan waits for one request at most.
BATCH = 64
# A batch may have to load the model first; a question must not wait so long, words answer it at once.
BATCH_DEADLINE_S = 120.0
QUESTION_DEADLINE_S = 10.0
# After a question in vain the server is left alone for so long, so that the next ones do not wait either.
PAUSE_S = 30.0
# About 512 sub-words of code, the window of the smaller models; the title and the signature stand in front.
MAX_CHARS = 1_500
# A text that even so is too long is cut by half, down to this.
MIN_CHARS = 150


class RemoteEmbedder:
    """Vectors of a `VectorSource`, checked: as many as texts, of one length, finite, not zero; made unit length.

    Secrets are masked before a text is sent. The number of dimensions is that of the first reply.
    """

    # Of a model we do not know: a scan measures it.
    relevance_cut = None

    def __init__(self, source: VectorSource, clock: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._clock = clock
        self._mutex = threading.Lock()
        self._dimensions: int | None = None
        self._paused: tuple[float, EmbeddingError] | None = None

    @property
    def fingerprint(self) -> str:
        """Name of the model and its server, and version of the card text; nothing is asked for it."""
        return f"{self._source.name}:card{CARD_FORMAT}"

    @property
    def dimensions(self) -> int:
        """Length of a vector, asked for where no reply has told it yet. Raises EmbeddingError."""
        if self._dimensions is None:
            self._fetch(["dimensions"], BATCH_DEADLINE_S)
        assert self._dimensions is not None
        return self._dimensions

    def encode(self, texts: Sequence[str]) -> EmbeddingMatrix:
        """float32 [len(texts), dimensions], rows of unit length, zero for a blank text. Raises EmbeddingError."""
        if len(texts) == 1 and texts[0].strip():
            return self._question(texts[0])
        rows = [i for i, text in enumerate(texts) if text.strip()]
        parts = [
            self._fetch([texts[i] for i in rows[start : start + BATCH]], BATCH_DEADLINE_S)
            for start in range(0, len(rows), BATCH)
        ]
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        if parts:
            vectors[rows] = np.vstack(parts)
        return vectors

    def _question(self, text: str) -> EmbeddingMatrix:
        """The vector of one text; where the server has just failed it is not asked again."""
        with self._mutex:
            paused = self._paused
        if paused is not None and self._clock() < paused[0]:
            raise paused[1]
        try:
            return self._fetch([text], QUESTION_DEADLINE_S)
        except EmbeddingError as error:
            with self._mutex:
                self._paused = (self._clock() + PAUSE_S, error)
            raise

    def _fetch(self, texts: Sequence[str], deadline_s: float) -> EmbeddingMatrix:
        end = self._clock() + deadline_s
        return self._fitting([mask_secrets(text)[:MAX_CHARS] for text in texts], end)

    def _fitting(self, texts: Sequence[str], end: float) -> EmbeddingMatrix:
        """Vectors of the texts; which of them is too long is found by halves, and only that one is cut."""
        try:
            return self._checked(self._source.vectors(texts, max(end - self._clock(), 0.1)), len(texts))
        except TooLongError:
            if len(texts) > 1:
                middle = len(texts) // 2
                return np.vstack((self._fitting(texts[:middle], end), self._fitting(texts[middle:], end)))
            if len(texts[0]) <= MIN_CHARS:
                raise
            return self._fitting([texts[0][: len(texts[0]) // 2]], end)

    def _checked(self, reply: Sequence[Sequence[float]], expected: int) -> EmbeddingMatrix:
        name = self._source.name
        if len(reply) != expected:
            raise EmbeddingError(f"{name} gave {len(reply)} vectors for {expected} texts")
        lengths = {len(vector) for vector in reply}
        known = self._dimensions or len(reply[0])
        if lengths != {known} or not known:
            raise EmbeddingError(f"{name} gave vectors of {sorted(lengths)} numbers, expected {known or 'some'}")
        try:
            matrix = np.array(reply, np.float64)
        except (TypeError, ValueError) as error:
            raise EmbeddingError(f"{name} gave something that is no number") from error
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise EmbeddingError(f"{name} gave a vector without direction (zero, NaN or infinite)")
        self._dimensions = known
        unit: EmbeddingMatrix = (matrix / norms).astype(np.float32)
        return unit
