"""An embedding without a model: every text gets a direction from the hashes of its words."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from zerikai_memory.store.words import words


class FakeEmbedder:
    relevance_cut = 1.4

    def __init__(self, name: str = "A", dimensions: int = 64) -> None:
        self.fingerprint = f"fake-{name}:{dimensions}"
        self.dimensions = dimensions
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.encoded += texts
        matrix = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(matrix, texts, strict=True):
            for word in words(text):
                digest = hashlib.sha256(f"{self.fingerprint} {word}".encode()).digest()
                row[digest[0] % self.dimensions] += 1 if digest[1] % 2 else -1
        return matrix / (np.linalg.norm(matrix, axis=1, keepdims=True) + 1e-12)
