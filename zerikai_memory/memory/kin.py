"""Words that mean nearly the same where people write about a project (`kin_words.txt`): who asks how users
authenticate means the record on login. Stems throughout, so that any form of a word will do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from zerikai_memory.retrieve.names import stem

_FILE = Path(__file__).with_name("kin_words.txt")


def kin_of(word: str) -> frozenset[str]:
    """Stems of the words that mean nearly the same as one in lower case, without its own; empty for most words."""
    return _table().get(stem(word), frozenset())


def kin_words(words: Iterable[str]) -> tuple[str, ...]:
    """Words as they are listed that mean nearly the same as any of these, for a search by words."""
    spelled = _spelled()
    return tuple(dict.fromkeys(form for word in words for one in sorted(kin_of(word)) for form in spelled[one]))


@cache
def _table() -> Mapping[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for left, right in _lines():
        mine, theirs = [stem(word) for word in left], [stem(word) for word in right]
        for word in mine:
            table.setdefault(word, set()).update({*mine, *theirs} - {word})
        for word in theirs:
            table.setdefault(word, set()).update(set(mine) - {word})
    return {word: frozenset(kin) for word, kin in table.items()}


@cache
def _spelled() -> Mapping[str, tuple[str, ...]]:
    forms: dict[str, dict[str, None]] = {}
    for left, right in _lines():
        for word in (*left, *right):
            forms.setdefault(stem(word), {})[word] = None
    return {word: tuple(found) for word, found in forms.items()}


def _lines() -> list[tuple[list[str], list[str]]]:
    found = []
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            left, _, right = line.partition(":")
            found.append((left.split(), right.split()))
    return found
