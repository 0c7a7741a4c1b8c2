"""Text to search words, the same for what is indexed and for what is asked.

An identifier gives its parts and its parts joined: `getHTTPHeader`, `get_http_header` and `GetHttpHeader` all give
`get http header gethttpheader`, so a question in any casing meets the definition. Runs of Chinese, Japanese and
Korean characters give overlapping pairs, because those scripts put no blanks between words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_IDENTIFIER = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_CJK = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_LONE = re.compile(f"[{_CJK}]")
# Letters outside ASCII carry no camelCase that is worth cutting words like "naïve" for.
_FOREIGN_PART = re.compile(rf"(?P<cjk>[{_CJK}]+)|[0-9]+|[^\W\d_{_CJK}]+|\d+")
# Longer runs are data (hashes, base64), not words; indexing them only costs space.
MAX_WORD = 64

# Shorter beginnings meet too much (entity recall@1 .402 -> .411 with 4, .408 with 5).
MIN_PREFIX = 4

# A word that is asked for, and whether what begins with it counts too.
AskedWord = tuple[str, bool]

# Function words of English questions; they say nothing about which entity is meant.
STOP_WORDS = frozenset(
    "a an and any are as at be been being but by can could did do does for from had has have how i if in into is it "
    "its me my of on or our s should so some such t than that the their them then there these they this those to "
    "was we were what when where which who whose why will with would you your".split()
)


def words(text: str) -> Iterator[str]:
    """Lower-case search words of a text in order, identifier parts first, then the joined identifier."""
    for match in _IDENTIFIER.finditer(text):
        token = match.group()
        if token.isascii() and token.islower() and token.isalpha():
            if len(token) <= MAX_WORD:
                yield token
            continue
        yield from _identifier_words(token)


def word_places(text: str) -> Iterator[tuple[str, int, int]]:
    """(word, start, end) of every search word of a text, those of `words`; a joined identifier has its whole place."""
    for match in _IDENTIFIER.finditer(text):
        token, at = match.group(), match.start()
        parts = list(_placed_parts(token, at))
        yield from parts
        if len(parts) > 1 and len(joined := "".join(part for part, _, _ in parts)) <= MAX_WORD and joined.isascii():
            yield joined, at, match.end()


def split_words(text: str) -> list[str]:
    """The parts of all identifiers of a text, lower-case, without the joined forms."""
    if text.isascii():
        # No part reaches beyond its identifier, so these need not be found first.
        return [part.lower() for part in _PART.findall(text)]
    return [part.lower() for match in _IDENTIFIER.finditer(text) for part in _parts(match.group())]


def search_text(text: str) -> str:
    """The words of a text joined by blanks: what goes into a full-text column."""
    found: list[str] = []
    for token in _IDENTIFIER.findall(text):  # as `words`, in two thirds of its time: every byte that is indexed passes
        if token.isalpha() and token.islower() and token.isascii():
            if len(token) <= MAX_WORD:
                found.append(token)
        else:
            found.extend(_identifier_words(token))
    return " ".join(found)


def asked_words(query_words: Iterable[str], *, prefixes: bool = False) -> list[AskedWord]:
    """(word, whether what begins with it counts too) of a full-text query that any of them satisfies.

    With `prefixes` longer words also match what begins with them (`slug` meets `slugify`), which counts beside the
    word itself; a single word is a name and stays exact.
    """
    # The index holds lone characters of scripts without blanks in pairs.
    asked = [(word, bool(_LONE.fullmatch(word))) for word in dict.fromkeys(query_words) if word]
    if prefixes and len(asked) > 1:
        asked += [(word, True) for word, _ in asked if len(word) >= MIN_PREFIX and word.isalpha()]
    return asked


def match_expression(query_words: Iterable[str], *, prefixes: bool = False) -> str | None:
    """The FTS5 expression for `asked_words`, each quoted so that no operator survives; None if there are none."""
    asked = asked_words(query_words, prefixes=prefixes)
    return " OR ".join('"' + word.replace('"', '""') + '"' + "*" * prefix for word, prefix in asked) or None


def _identifier_words(token: str) -> Iterator[str]:
    parts = [part.lower() for part in _parts(token) if len(part) <= MAX_WORD]
    yield from parts
    if len(parts) > 1:
        joined = "".join(parts)
        if len(joined) <= MAX_WORD and joined.isascii():
            yield joined


def _parts(token: str) -> Iterator[str]:
    for match in (_PART if token.isascii() else _FOREIGN_PART).finditer(token):
        part = match.group()
        if match.lastgroup == "cjk" and len(part) > 1:
            for i in range(len(part) - 1):
                yield part[i : i + 2]
        else:
            yield part


def _placed_parts(token: str, at: int) -> Iterator[tuple[str, int, int]]:
    """The parts of an identifier that begins at `at`, lower-case, each with its place."""
    place = 0
    for part in _parts(token):
        place = token.index(part, place)
        if len(part) <= MAX_WORD:
            yield part.lower(), at + place, at + place + len(part)
        # Pairs of characters overlap, other parts do not.
        place += 1 if len(part) == 2 and not part.isascii() else len(part)
