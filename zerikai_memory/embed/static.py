"""Static code-retrieval embedding: a table of sub-word vectors, numpy only, no model run time.

A text's vector is the normalised weighted sum of the rows of its distinct sub-words. Identifiers are split
at camelCase and snake_case borders. The first line of a text of several lines is its title (path and name
words) and counts TITLE_WEIGHT times; a one-line question is not affected. Figures: data/MODEL_CARD.md.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Sequence
from typing import IO

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.embed.base import EmbeddingMatrix
from zerikai_memory.embed.card import CARD_FORMAT
from zerikai_memory.embed.shipped import shipped_file

MODEL_NAME = "code_static"
# Checksum of data/code_static.npz, part of the fingerprint; a test compares it with the file.
TABLE_SHA256 = "140f0ee5a0c338ea10f3601f6b6f5740671c7ce3d4308bd14d297e10b012eb51"
DIMENSIONS = 256
# For retrieve/relevance.py in a middle-sized project, where no scan has measured the project's own.
RELEVANCE_CUT = 1.76

# Part of the model: the table was trained with this splitter, this title weight and these bounds.
WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
TITLE_WEIGHT = 2.0
MAX_SUBWORDS = 256
MAX_WORD_LENGTH = 40


class StaticTable:
    """Encoder over one table file; questions and cards go through the same function. Thread-safe."""

    def __init__(self, file: str | IO[bytes]) -> None:
        with np.load(file, allow_pickle=False) as arrays:
            words = arrays["words"].tobytes().decode("utf-8").split("\n")
            table = arrays["table"].astype(np.float32)
            table *= arrays["scale"].astype(np.float32)[:, None]
        self._row = {word: i for i, word in enumerate(words)}
        self._table: NDArray[np.float32] = table
        self.word_rows = functools.lru_cache(100_000)(self._split)

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self._table.shape[1])

    def encode(self, texts: Sequence[str]) -> EmbeddingMatrix:
        """float32 [len(texts), dimensions], rows of unit length, or zero when no word is known."""
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for i, text in enumerate(texts):
            if subwords := self.subwords(text):
                # One small product per text: faster here than one gather for the batch and a segmented sum.
                vectors[i] = np.fromiter(subwords.values(), np.float32) @ self._table[list(subwords)]
        unit: EmbeddingMatrix = vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + np.float32(1e-12))
        return unit

    def subwords(self, text: str) -> dict[int, float]:
        """{table row: weight} of the distinct sub-words of a text, in order of appearance."""
        found: dict[int, float] = {}
        title, newline, rest = text.partition("\n")
        parts = ((title, TITLE_WEIGHT), (rest, 1.0)) if newline else ((text, 1.0),)
        for part, weight in parts:
            for match in WORD.finditer(part):
                for row in self.word_rows(match.group()):
                    found.setdefault(row, weight)
                if len(found) >= MAX_SUBWORDS:
                    return found
        return found

    def _split(self, word: str) -> tuple[int, ...]:
        """Rows of one word, case ignored: its own, or the longest matching pieces from the left."""
        word = word.lower()
        if word in self._row:
            return (self._row[word],)
        pieces: list[int] = []
        start = 0
        while start < len(word) <= MAX_WORD_LENGTH:
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                row = self._row.get(mark + word[start:end])
                if row is not None:
                    pieces.append(row)
                    start = end
                    break
            else:
                return ()
        return tuple(pieces)


class StaticEmbedder:
    """The shipped table as an Embedder; the file is read on the first `encode` and once per process."""

    @property
    def fingerprint(self) -> str:
        """Model name, checksum of its table and version of the card text."""
        return f"{MODEL_NAME}:{TABLE_SHA256[:16]}:card{CARD_FORMAT}"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return DIMENSIONS

    @property
    def relevance_cut(self) -> float:
        """Cut for "nothing relevant" where no scan has measured the index's own."""
        return RELEVANCE_CUT

    def encode(self, texts: Sequence[str]) -> EmbeddingMatrix:
        """float32 [len(texts), 256], rows of unit length, or zero when no word is known. Raises EmbeddingError."""
        return _shipped_table().encode(texts)


_load_lock = threading.Lock()
_loaded: StaticTable | None = None


def _shipped_table() -> StaticTable:
    """The table of the package; threads that ask at the same time wait for one load. Raises EmbeddingError."""
    global _loaded
    with _load_lock:
        if _loaded is None:
            with shipped_file("zerikai_memory.embed", f"{MODEL_NAME}.npz") as file:
                _loaded = StaticTable(file)
        return _loaded
