"""Which words English and the people who write code know, without the vectors of the shipped table.

Two lists: the table's words, of which the commonest in code come first, and rarer words that it lacks, from
data/english_words.txt (data/ENGLISH_WORDS.md) and data/software_words.txt, names of software and words of its makers.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np

from zerikai_memory.embed.shipped import shipped_file
from zerikai_memory.embed.static import MODEL_NAME


@functools.cache
def known_words() -> Mapping[str, int]:
    """{word of the letters a to z: its rank, 0 for the commonest}; read once per process (20 ms).

    The table also holds words that its sources cut short, such as `sessio`; these are left out.
    """
    with shipped_file("zerikai_memory.embed", f"{MODEL_NAME}.npz") as file, np.load(file, allow_pickle=False) as arrays:
        table = arrays["words"].tobytes().decode("utf-8").split("\n")
    written = frozenset(_lines("minilm_vocab.txt"))
    # One letter short of a word that people write; a plural or a past form has a word before it.
    cut = {word[:-1] for word in written if not word.endswith(("s", "ed"))}
    words = [word for word in table if word.isascii() and word.isalpha()]
    return {word: rank for rank, word in enumerate(words) if word in written or word not in cut}


@functools.cache
def rare_words() -> frozenset[str]:
    """Words that are right though the table lacks them; forms such as plurals are left out where they are regular."""
    return frozenset(_lines("english_words.txt")) | frozenset(_lines("software_words.txt"))


def _lines(name: str) -> list[str]:
    with shipped_file("zerikai_memory.embed", name) as file:
        return file.read().decode("utf-8").splitlines()
