"""Sketch of a set of entities: small enough to keep with every brief, and tells what share has changed since.

The k smallest hashes of a set are a uniform sample of it, and of two such samples the share of the union that both
hold is an unbiased estimate of their similarity (k minimum values: Beyer et al., "On synopses for distinct-value
estimation under multiset operations", SIGMOD 2007).
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

# Standard error of a share of .3: 1.4 points, in 8 kB.
SIZE = 1024


@dataclass(frozen=True, slots=True)
class Sketch:
    """`count` distinct members, and the up to 1,024 smallest of their 64-bit hashes, ascending."""

    count: int
    smallest: tuple[int, ...]

    def to_bytes(self) -> bytes:
        """Little-endian 64-bit words: the count, then the hashes."""
        return np.array([self.count, *self.smallest], dtype="<u8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Sketch:
        """Raises ValueError for what `to_bytes` did not write."""
        words = np.frombuffer(data, dtype="<u8").tolist()
        if not words or len(words) - 1 != min(words[0], SIZE):
            raise ValueError(f"a sketch of {len(data)} bytes")
        return cls(words[0], tuple(words[1:]))


def sketch_of(members: Iterable[str]) -> Sketch:
    """The sketch of a set of texts; a text that comes twice counts once."""
    hashes = {
        int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()) for text in members
    }
    return Sketch(len(hashes), tuple(heapq.nsmallest(SIZE, hashes)))


def changed_share(old: Sketch, new: Sketch) -> float:
    """Share of the larger set that the other one does not hold, 0 to 1; exact for sets of up to 1,024 members."""
    larger = max(old.count, new.count)
    if not larger:
        return 0.0
    union = sorted({*old.smallest, *new.smallest})[:SIZE]
    both = len(set(old.smallest) & set(new.smallest) & set(union)) / len(union)
    common = both * (old.count + new.count) / (1 + both)
    return min(1.0, max(0.0, 1 - common / larger))
