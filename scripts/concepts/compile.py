#!/usr/bin/env python3
"""Make zerikai_memory/retrieve/data/concepts.npz from concepts.txt and the static table.

    scripts/concepts/compile.py [concepts.txt] [OUT.npz]

Run it again when concepts.txt or the table has changed. The same input gives the same arrays.
"""

from __future__ import annotations

import hashlib
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from zerikai_memory.embed.static import TABLE_SHA256, StaticEmbedder
from zerikai_memory.store.stemmer import Stemmer
from zerikai_memory.store.words import STOP_WORDS, split_words

HERE = Path(__file__).resolve().parent
TEXT = HERE / "concepts.txt"
SHIPPED = HERE.parents[1] / "zerikai_memory" / "retrieve" / "data" / "concepts.npz"
MARK = "|"
# The words of code that tell a concept most: without them a project has no such thing.
LEADING = 4


def main() -> int:
    """Command line."""
    text, out = (Path(argument) for argument in (sys.argv[1:] + [str(TEXT), str(SHIPPED)][len(sys.argv) - 1 :]))
    arrays = compiled(text.read_text(encoding="utf-8"))
    np.savez_compressed(out, **arrays)
    print(len(arrays["lengths"]), "concepts,", len(arrays["starts"]) - 1, "stems,", out.stat().st_size, "bytes")
    return 0


def compiled(text: str) -> dict[str, np.ndarray]:
    """The arrays that retrieve/concepts.py reads; `source` and `table` say what they were made from."""
    concepts = [line.split(f" {MARK} ") for line in text.splitlines() if line and not line.startswith("#")]
    vectors = np.array([vector(codes, plains) for codes, *plains in concepts])
    scale = (np.abs(vectors).max(axis=1) / 127 + 1e-12).astype(np.float16)
    # Words of code are words too: who asks for hotkeys may mean what this project calls a shortcut. Of 143 questions in
    # other words 111 find their file, with the descriptions alone 107.
    terms, starts, holders, counts, lengths = postings([" ".join(concept) for concept in concepts])
    return {
        "source": letters(hashlib.sha256(text.encode()).hexdigest()),
        "table": letters(TABLE_SHA256),
        "codes": letters("\n".join(codes for codes, *_ in concepts)),
        "leading": letters("\n".join(" ".join(stems(codes.split()[:LEADING])) for codes, *_ in concepts)),
        "vectors": np.round(vectors / scale[:, None].astype(np.float64)).clip(-127, 127).astype(np.int8),
        "scale": scale,
        "terms": letters("\n".join(terms)),
        "starts": starts,
        "holders": holders,
        "counts": counts,
        "lengths": lengths,
    }


def vector(codes: str, plains: list[str]) -> np.ndarray:
    """Half what people call it, half what sources do: .818 of 143 questions found, either alone .80."""
    embedder = StaticEmbedder()
    said = embedder.encode(plains).mean(axis=0)
    both = said / np.linalg.norm(said) + embedder.encode([codes])[0]
    unit: np.ndarray = both / np.linalg.norm(both)
    return unit


def stems(words: list[str]) -> list[str]:
    """The stem of each word."""
    return [stem for each in Stemmer().stems(words, keep=False) for stem in each]


def postings(texts: list[str]) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(stems in order, where the holders of each start, holders, how often each holds it, stems per text)."""
    words = [[word for word in split_words(text) if word not in STOP_WORDS] for text in texts]
    known = sorted({word for each in words for word in each})
    stem_of = dict(zip(known, Stemmer().stems(known, keep=False), strict=True))
    tallies = [Counter(stem for word in each for stem in stem_of[word]) for each in words]
    held: dict[str, list[tuple[int, int]]] = {}
    for i, tally in enumerate(tallies):
        for stem, count in tally.items():
            held.setdefault(stem, []).append((i, min(count, 255)))
    terms = sorted(held)
    rows = [pair for term in terms for pair in held[term]]
    return (
        terms,
        np.cumsum([0, *(len(held[term]) for term in terms)]).astype(np.int32),
        np.array([i for i, _ in rows], np.uint16),
        np.array([count for _, count in rows], np.uint8),
        np.array([sum(tally.values()) for tally in tallies], np.uint16),
    )


def letters(text: str) -> np.ndarray:
    """A text as an array."""
    return np.frombuffer(text.encode(), np.uint8)


if __name__ == "__main__":
    sys.exit(main())
