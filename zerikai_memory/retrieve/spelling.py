"""Misspelt words of a question: how are sesions expired, where is the midleware loaded, valdate an emial adress.

A word that no entity holds and that is no word of English or of code is taken for the one that is nearest to it by
letters, sooner for one of the project's. Names, paths, quoted texts and traces stay as they are written. Of 1,500
common misspellings of words that Django holds 1,323 are put right and 37 taken for another word; the reader is told.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.embed.vocabulary import known_words, rare_words
from zerikai_memory.retrieve.foreign import language_of_question, translations
from zerikai_memory.retrieve.query import Query, content_words
from zerikai_memory.store.lexical import Lexicon
from zerikai_memory.store.view import IndexView
from zerikai_memory.store.words import STOP_WORDS, split_words, words

# Shorter words are near too many others, and often abbreviations; longer ones are data.
MIN_LETTERS = 4
MAX_LETTERS = 24
# From so many letters on two edits are looked for, another first letter is, and a wrong consonant is: of short words
# these make other words.
TWO_EDITS_FROM = 8
ANY_BEGINNING_FROM = 6
ANY_CONSONANT_FROM = 5
# So many words of a question are looked at; with more it is no question with slips.
MAX_MISSPELT = 8

# Which of several words is meant, by what people do: they swap letters, double them or do not, mistake vowels. What is
# no word of the project, or begins otherwise, is meant less often.
SWAPPED = DOUBLED = 0.8
ADDED = VOWEL = 0.9
REPLACED = 1.05
NOT_IN_PROJECT = 0.2
OTHER_BEGINNING = 0.3
_VOWELS = frozenset("aeiouy")

# A word of a sentence: no part of a name, a path, a call or a filter, and no name by its capital.
_WORD = re.compile(r"(?:^|(?<=\s))\(?(?P<word>(?:^[A-Z])?[a-z]+)(?=(?:['’]s)?[.,;:!?)…]*(?:\s|$))")
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^“”\n]*”|«[^«»\n]*»|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)")

# How words are made of others. What would make words of many misspelt ones (in-, -es, -able) is left out.
_ENDINGS = (
    *(("ies", "y"), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"), ("er", ""), ("er", "e"), ("ers", "")),
    *(("ers", "e"), ("or", "e"), ("ions", "e"), ("ly", ""), ("ness", ""), ("ist", ""), ("ism", ""), ("s", "")),
)
_BEGINNINGS = ("un", "re", "over", "auto", "mis", "non", "multi", "sub")
MIN_BASE = 4
_ACCENTED = re.compile(r"[^\W\d_a-zA-Z]")
_BRITISH = re.compile(r"is(e[drs]?|ers|ing|ations?)$")


class Speller:
    """Corrects questions about one state of an index; what it needs is made when the first unknown word is asked."""

    def __init__(self, view: IndexView, lexicon: Lexicon) -> None:
        self._view = view
        self._lexicon = lexicon

    def corrected(self, query: Query) -> tuple[Query, tuple[str, ...]]:
        """The question with its misspelt words put right, and what to tell of each; the same one if there are none."""
        misspelt = {word: self._meant(word) for word in self._misspelt(query)}
        meant = {word: other for word, other in misspelt.items() if other is not None}
        if not meant or (len(meant) < len(misspelt) and not _has_english(query)):
            return query, ()  # what is near to nothing is of a language, and its neighbours are of it too
        told = tuple(f"{word}: no such word in the project, taken for {other}" for word, other in meant.items())
        return _rewritten(query, meant), told

    def _misspelt(self, query: Query) -> list[str]:
        """Words that neither the project nor anybody knows."""
        asked = dict.fromkeys(match["word"].lower() for match in _words_of(query))
        names = {*STOP_WORDS, *query.phrases, *query.code}
        asked = {word: None for word in asked if MIN_LETTERS <= len(word) <= MAX_LETTERS and word not in names}
        if not asked:
            return []
        counts = self._lexicon.frequencies(asked)
        unknown = [word for word in asked if not counts[word]]
        if not unknown or _of_another_language(query, unknown):
            return []
        return [word for word in unknown if not is_word(word)][:MAX_MISSPELT]

    def _meant(self, word: str) -> str | None:
        """What is most likely meant by a word: a name's word or an English one, else any word of the project."""
        most = 2 if len(word) >= TWO_EDITS_FROM else 1
        near = {**_english().near(word, most), **self._names.near(word, most)}
        if self._names.begins(word):
            # Short for something: only its last letter may be missing.
            near = {other: cost for other, cost in near.items() if other.startswith(word)}
        elif not near:
            near = self._written.near(word, most)
        counts = self._lexicon.frequencies(near)
        ranks = known_words()

        def order(other: str) -> tuple[float, int, int]:
            cost = near[other] + OTHER_BEGINNING * (other[0] != word[0]) + NOT_IN_PROJECT * (not counts[other])
            return cost, -counts[other], ranks.get(other, len(ranks))

        return min((other for other in near if counts[other] or other in ranks), key=order, default=None)

    @functools.cached_property
    def _names(self) -> Vocabulary:
        texts = {*self._view.names, *(file.path for file in self._view.files)}
        return Vocabulary(word for text in texts for word in words(text))

    @functools.cached_property
    def _written(self) -> Vocabulary:
        return Vocabulary(self._lexicon.written())


class Vocabulary:
    """Words to be looked for by others that are much like them; what has other letters than a to z is left out."""

    def __init__(self, all_words: Iterable[str]) -> None:
        plain = {word for word in all_words if word.isascii() and word.isalpha()}
        self._words = sorted(word for word in plain if MIN_LETTERS - 1 <= len(word) <= MAX_LETTERS)
        self._letters = _letter_counts(self._words)

    def near(self, word: str, most: int) -> dict[str, float]:
        """{word: what its edits cost} of all that `word` may be meant for with so many edits at most."""
        apart = np.abs(self._letters - _letter_counts([word])).sum(axis=1)
        found = {}
        for i in np.flatnonzero(apart <= 2 * most):
            other = self._words[i]
            # Chance meets more words that begin otherwise, and people seldom mistake the first letter.
            alike = other[0] == word[0] or other[:2] == word[1::-1]
            edits = most if alike else min(most, 1) * (len(word) >= ANY_BEGINNING_FROM)
            cost = edit_cost(word, other, edits)
            if cost is not None and (cost < REPLACED or len(word) >= ANY_CONSONANT_FROM):
                found[other] = cost
        return found

    def begins(self, word: str) -> bool:
        """Whether any of the words begins with `word`."""
        i = bisect_left(self._words, word)
        return i < len(self._words) and self._words[i].startswith(word)


def edit_cost(one: str, other: str, most: int, before: str = "") -> float | None:
    """What the cheapest edits cost that make `other` of `one`: a letter more, less, another one, or two swapped.

    None when it takes more than `most` of them; `before` is the letter before `one`.
    """
    if abs(len(one) - len(other)) > most:
        return None
    if same := next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))):
        one, other, before = one[same:], other[same:], one[same - 1]
    if one == other:
        return 0.0
    if not most:
        return None
    ways = (
        (cost, edit_cost(one[left:], other[right:], most - 1, one[left - 1] if left else before))
        for cost, left, right in _edits(one, other, before)
    )
    return min((cost + rest for cost, rest in ways if rest is not None), default=None)


def _edits(one: str, other: str, before: str) -> Iterator[tuple[float, int, int]]:
    """(cost, letters of `one`, letters of `other` that are dealt with) of each edit at the beginning."""
    if one:
        yield DOUBLED if one[0] in (before, one[1:2]) else ADDED, 1, 0
    if other:
        yield DOUBLED if other[0] in (before, other[1:2]) else ADDED, 0, 1
    if one and other:
        yield VOWEL if {one[0], other[0]} <= _VOWELS else REPLACED, 1, 1
    if len(one) > 1 and one[:2] == other[1::-1]:
        yield SWAPPED, 2, 2


def is_word(word: str) -> bool:
    """Whether a lower-case word is one of English or of code, or made of one: prefetching, unmasked, vectorised."""
    spellings = (word, _BRITISH.sub(r"iz\1", word))
    rests = [
        spelling[len(beginning) :]
        for spelling in spellings
        for beginning in _BEGINNINGS
        if spelling.startswith(beginning) and len(spelling) >= len(beginning) + MIN_BASE
    ]
    return any(_is_form(each) for each in (*spellings, *rests))


def _is_form(word: str) -> bool:
    forms = (word, *bases(word))
    return any(form in known_words() for form in forms) or any(form in rare_words() for form in forms)


def bases(word: str) -> Iterator[str]:
    """What a word may be a regular form of: caching gives cach and cache."""
    for ending, instead in _ENDINGS:
        base = word.removesuffix(ending)
        if base != word and len(base) >= MIN_BASE and not (ending == "s" and base.endswith("s")):
            yield base + instead
            if not instead and base[-1] == base[-2] and len(base) > MIN_BASE:
                yield base[:-1]  # `unzipping` of `unzip`


@functools.cache
def _english() -> Vocabulary:
    return Vocabulary(known_words())


def _letter_counts(all_words: Sequence[str]) -> NDArray[np.int8]:
    """[n, 26] how often each word has each letter."""
    counts = np.zeros((len(all_words), 26), np.int8)
    letters = np.array(all_words, f"S{MAX_LETTERS}").view(np.uint8).reshape(len(all_words), MAX_LETTERS)
    for column in letters.T:
        rows = np.flatnonzero(column)
        counts[rows, column[rows] - ord("a")] += 1
    return counts


def _of_another_language(query: Query, unknown: Collection[str]) -> bool:
    """Whether words that the project does not hold may be right in another language."""
    if language_of_question(query.plain):
        return True
    return not _has_english(query) and any(
        _ACCENTED.search(word) or translations(word) for word in _said(query, unknown)
    )


def _said(query: Query, unknown: Collection[str]) -> Collection[str]:
    """Unknown words, and all those that have letters beyond a to z, which are none of the words that are put right."""
    return [*unknown, *(word for word in query.terms if not word.isascii())]


def _has_english(query: Query) -> bool:
    """Whether a question has a function word of English."""
    return any(len(word) > 1 and word in STOP_WORDS for word in split_words(query.plain))


def _words_of(query: Query) -> list[re.Match[str]]:
    """Where the words of a question are that are no names; none of a trace, and none of a name that is all there is."""
    if query.frames or len(query.plain.split()) < 2:
        return []
    text = query.plain
    for mention in query.paths:
        text = text.replace(mention.path, "/" * len(mention.path))
    text = _QUOTED.sub(lambda quoted: '"' * len(quoted[0]), text)
    return list(_WORD.finditer(text))


def _rewritten(query: Query, meant: Mapping[str, str]) -> Query:
    plain = query.plain
    for match in reversed(_words_of(query)):
        if other := meant.get(match["word"].lower()):
            plain = plain[: match.start("word")] + other + plain[match.end("word") :]
    return replace(
        query,
        plain=plain,
        words=content_words(words(plain)),
        terms=content_words(split_words(plain)),
        # A word is taken for a name when it is the only one beside function words.
        identifiers=tuple(meant.get(name, name) for name in query.identifiers),
    )
