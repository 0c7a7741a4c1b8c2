"""Substitution at places found by plain search, which costs a twentieth of a regular expression's search."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable


def lower_in_place(text: str) -> str:
    """Lower case, character by character: some letters have a longer lower case, and places must not move."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if c.isascii() else c for c in text)


def find_all(text: str, words: Iterable[str]) -> list[int]:
    """Where any of `words` begins in `text`, ascending."""
    places: list[int] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            places.append(at)
            at = text.find(word, at + 1)
    return sorted(places)


def substitute_at(
    pattern: re.Pattern[str], replace: Callable[[re.Match[str]], str | None], text: str, places: list[int]
) -> str:
    """`pattern.sub(replace, text)` for matches that begin at one of `places`; None from `replace` means no match."""
    parts: list[str] = []
    done = 0
    for at in places:
        if at >= done and (match := pattern.match(text, at)) and (new := replace(match)) is not None:
            parts += (text[done:at], new)
            done = match.end()
    return "".join((*parts, text[done:])) if parts else text
