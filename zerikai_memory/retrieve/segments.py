"""Where the words of a Chinese, Japanese or Korean question are: リダイレクト|は|どこ|で|処理|されますか.

Those scripts put no blanks between words. The longest word of data/unspaced_words.txt or of data/unspaced_grammar.txt
that fits is taken; hiragana that begins none is grammar, all else is a word that nobody here knows.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from zerikai_memory.retrieve.tables import table_lines

RUN = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]+")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
_KANA = re.compile(r"[\u3040-\u30ff]")
_KATAKANA = re.compile(r"[\u30a0-\u30ff]+")
_HANGUL = re.compile(r"[\uac00-\ud7af]+")
# What is left of a run of katakana when a word is taken from its beginning is a word too, and these are longer: パスタ
# (pasta) is not パス (path) and something.
MIN_KATAKANA = 3
# Endings of Korean verbs are many; so much behind a known word is one.
MAX_ENDING = 6

Counts = Callable[[Iterable[str]], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of a run from `start` on: a word with its English, one that nobody knows, or grammar."""

    text: str
    start: int
    english: tuple[str, ...] = ()
    grammar: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """What a run asks for: pairs of characters that the project holds, words to be put into English, unknown ones.

    `beside` are pairs of grammar that the project holds: they may be looked up and tell nothing.
    """

    terms: tuple[str, ...]
    beside: tuple[str, ...]
    english: Mapping[str, tuple[str, ...]]


def told(run: str, counts: Counts) -> Told:
    """The words of a run without its grammar; `counts` tells how many entities hold each of some pairs.

    What the project holds stays in pairs, as it is indexed, also across words; what it does not is one term a word.
    """
    pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    held = counts(pairs)
    known = [bool(held[pair]) for pair in pairs]
    terms: list[str] = []
    beside: list[str] = []
    english: dict[str, tuple[str, ...]] = {}
    found = pieces(run)
    grammar = [piece.grammar for piece in found for _ in piece.text]
    for piece in found:
        begin, end = piece.start, piece.start + len(piece.text)
        inside = known[begin : max(begin + 1, end - 1)]
        if piece.english and not (all(inside) and len(piece.text) > 1) and not (len(run) == 1 and known[0]):
            english[piece.text] = piece.english
            terms.append(piece.text)
            continue
        held_here = [i for i in range(begin, min(end, len(pairs))) if known[i]]
        beside += [pairs[i] for i in held_here if all(grammar[i : i + 2])]
        placed = [(i, pairs[i]) for i in held_here if not all(grammar[i : i + 2])]
        if not (piece.grammar or piece.english):
            placed += _uncovered(run, begin, end, known)
        terms += [term for _, term in sorted(placed)]
    return Told(tuple(dict.fromkeys(terms)), tuple(dict.fromkeys(beside)), english)


def _uncovered(run: str, begin: int, end: int, known: Sequence[bool]) -> Iterator[tuple[int, str]]:
    """Where and what of an unknown word no known pair holds; single characters only when they are all of it."""
    free = [not (known[min(i, len(known) - 1)] or (i and known[i - 1])) for i in range(begin, end)]
    start = begin
    for i in range(begin, end + 1):
        if i == end or not free[i - begin]:
            if i - start > 1 or (i - start == 1 and end - begin == 1):
                yield start, run[start:i]
            start = i + 1


def pieces(run: str) -> list[Piece]:
    """The words of a run of characters without blanks, in order."""
    found: list[Piece] = []
    unknown = i = 0
    while i < len(run):
        piece = _word_at(run, i, after_unknown=i > unknown)
        if piece is None:
            i += 1
            continue
        found += _unknown(run, unknown, i)
        found.append(piece)
        unknown = i = piece.start + len(piece.text)
    return [*found, *_unknown(run, unknown, i)]


def _unknown(run: str, begin: int, end: int) -> list[Piece]:
    """A word that is in no list, unless it is the stem of a verb, or an ending behind a Korean word."""
    text = run[begin:end]
    if not text:
        return []
    if begin and len(text) <= MAX_ENDING and _HANGUL.fullmatch(text):
        return [Piece(text, begin, grammar=True)]
    return [Piece(text, begin, _words().get(text, ()))]


def _word_at(run: str, i: int, *, after_unknown: bool) -> Piece | None:
    """The longest listed word at a place, or grammar there."""
    if (ending := _HANGUL.match(run, i)) and _grammar_pattern().fullmatch(run, i, ending.end()):
        return Piece(ending[0], i, grammar=True)
    for length in range(min(_longest(), len(run) - i), 0, -1):
        text = run[i : i + length]
        if length > 1 and text in _words() and _stands_alone(run, i, length, after_unknown=after_unknown):
            return Piece(text, i, _words()[text])
        if text in _grammar() and not _HANGUL.match(text) and (length > 1 or _is_particle(run, i, after_unknown)):
            return Piece(text, i, grammar=True)
    return Piece(run[i], i, grammar=True) if _HIRAGANA.match(run[i]) else None


def _is_particle(run: str, i: int, after_unknown: bool) -> bool:
    """Whether a lone character of the list is grammar of the language that the run is in."""
    if not _KANA.search(run):
        return run[i] in _listed("Chinese")
    # Stems of verbs, which end no other word: 行われ, and not 銀行.
    return run[i] in _listed("Japanese") and not after_unknown


def _stands_alone(run: str, i: int, length: int, *, after_unknown: bool) -> bool:
    """Whether a word may begin and end there: in the middle of a foreign word written in katakana none does."""
    if not _KATAKANA.match(run[i]):
        return True
    span = _KATAKANA.match(run, i)
    left = span.end() - i - length if span else 0
    begins = not (after_unknown and _KATAKANA.match(run[i - 1]))
    return begins and (left <= 0 or left >= MIN_KATAKANA)


def english_of(word: str) -> tuple[str, ...]:
    """English words for a Chinese, Japanese or Korean one; empty when the table does not know it."""
    return _words().get(word, ())


@functools.cache
def _words() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for people, sources in table_lines("unspaced_words.txt"):
        for form in people.split():
            found.setdefault(form, tuple(sources.split()))
    return found


@functools.cache
def _grammar() -> frozenset[str]:
    return frozenset().union(*map(_listed, ("Chinese", "Japanese", "Korean")))


@functools.cache
def _listed(language: str) -> frozenset[str]:
    return frozenset(
        word for name, listed in table_lines("unspaced_grammar.txt") if name == language for word in listed.split()
    )


@functools.cache
def _grammar_pattern() -> re.Pattern[str]:
    return re.compile("(?:" + "|".join(sorted(_grammar(), key=lambda word: (-len(word), word))) + ")+")


@functools.cache
def _longest() -> int:
    return max(map(len, (*_words(), *_grammar())))
