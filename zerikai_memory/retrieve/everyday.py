"""Everyday words to the words of code: who asks for the visitor's tongue means the user's language.

A question may share no word with the code that answers it. data/everyday_words.txt says, for words that people use,
which words sources use for the same thing; these are looked up beside the question's own.
"""

from __future__ import annotations

import functools
import importlib.resources
from collections.abc import Iterable, Iterator, Mapping

# English endings, longest first, and what the word ends in without them.
_ENDINGS = (
    *(("ies", "y"), ("ing", ""), ("ing", "e"), ("es", ""), ("ed", ""), ("ed", "e"), ("er", ""), ("ly", ""), ("s", "")),
)
MIN_STEM = 3


def code_words(question_words: Iterable[str]) -> tuple[str, ...]:
    """Words of code for the everyday ones among `question_words` (lower case), without these themselves."""
    asked = list(question_words)
    found = dict.fromkeys(word for asked_word in asked for word in code_words_of(asked_word))
    return tuple(word for word in found if word not in asked)


def code_words_of(word: str) -> tuple[str, ...]:
    """Words of code for one everyday word in any of its forms; empty when it is not on the list."""
    table = _table()
    return next((table[form] for form in _forms(word) if form in table), ())


def _forms(word: str) -> Iterator[str]:
    yield word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM:
            yield word.removesuffix(ending) + instead


@functools.cache
def _table() -> Mapping[str, tuple[str, ...]]:
    file = importlib.resources.files("zerikai_memory.retrieve").joinpath("data", "everyday_words.txt")
    table: dict[str, dict[str, None]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        people, colon, sources = line.partition(":")
        if colon and not line.startswith("#"):
            for word in people.split():
                table.setdefault(word, {}).update(dict.fromkeys(sources.split()))
    return {word: tuple(words) for word, words in table.items()}
