"""Questions in other languages about code in English: ou sont masqués les secrets, wo werden Passwörter gehasht.

Identifiers and words that both languages share count as they are. Function words of the question's language say
nothing and are left out; of the rest, what the project does not know is put into English by data/foreign_words.txt, and
what that does not know either is left out when most of the question is known without it.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from zerikai_memory.retrieve.query import Query, content_words
from zerikai_memory.store.words import STOP_WORDS, split_words, words

_WORD = re.compile(r"[^\W\d_]+")
# So many letters of a word tell it when the table gives only its beginning.
MIN_BEGINNING = 3

Counts = Callable[[Iterable[str]], Mapping[str, int]]


def in_english(query: Query, counts: Counts) -> Query:
    """The question as English code would be asked; the same query when nothing in it is of another language.

    `counts` tells how many entities hold each of some words.
    """
    language = language_of_question(query.plain)
    if not language and _is_english(query.plain):
        return query
    spoken = [term for term in query.terms if translations(term)]
    if not (language or spoken):
        return query
    function_words = _languages()[language].words if language else frozenset[str]()
    content = [term for term in query.terms if fold(term) not in function_words]
    known = counts(content)
    exchanged = {term: _best(translations(term), counts) for term in spoken if term in known and not known[term]}
    if not (exchanged or language):
        return query
    kept = _known_part(_without_overlaps(content, exchanged), known, exchanged)
    return _rewritten(query, kept, exchanged)


def language_of_question(text: str) -> str | None:
    """The language whose function words a question has, at least one of which is no word of English; else None."""
    found = {fold(word) for word in _WORD.findall(text)}
    most, language = len(found & STOP_WORDS), None
    for name, one in _languages().items():
        hits = len(found & one.words)
        if hits > most and found & one.telling:
            most, language = hits, name
    return language


@functools.cache
def function_words() -> frozenset[str]:
    """Words of all these languages that say nothing of what is asked, folded."""
    return frozenset[str]().union(*(language.words for language in _languages().values()))


def _is_english(text: str) -> bool:
    """Whether a question has function words of English: then its words are not those of another language."""
    return any(word.lower() in STOP_WORDS for word in _WORD.findall(text) if len(word) > 1)


def translations(word: str) -> tuple[str, ...]:
    """English words for a word of another language; empty when the table does not know it."""
    exact, beginnings = _table()
    folded = fold(word)
    if folded in exact:
        return exact[folded]
    for length in range(len(folded), MIN_BEGINNING - 1, -1):
        if folded[:length] in beginnings:
            return beginnings[folded[:length]]
    return ()


@functools.lru_cache(maxsize=4096)
def fold(word: str) -> str:
    """A word in lower case without accents: Ä is a, ß is ss."""
    lower = word.lower()
    if lower.isascii():
        return lower
    apart = unicodedata.normalize("NFD", lower.replace("ß", "ss").replace("œ", "oe").replace("ø", "o"))
    # Only Latin letters: a Japanese or Cyrillic letter is another one without its marks.
    plain = re.sub(r"(?<=[a-z])[\u0300-\u036f]+", "", apart)
    return unicodedata.normalize("NFC", plain)


def _best(english: Sequence[str], counts: Counts) -> str:
    """The first translation that the project knows, else the first."""
    known = counts(english)
    return next((word for word in english if known[word]), english[0])


def _without_overlaps(terms: Sequence[str], exchanged: Mapping[str, str]) -> list[str]:
    """Pairs of a script without blanks that only lie across a known word and the next are left out."""
    kept = []
    for i, term in enumerate(terms):
        before = terms[i - 1] if i else ""
        after = terms[i + 1] if i + 1 < len(terms) else ""
        across = (before in exchanged and before[-1] == term[0]) or (after in exchanged and after[0] == term[-1])
        if term in exchanged or len(term) != 2 or term.isascii() or not across:
            kept.append(term)
    return kept


def _known_part(terms: Sequence[str], known: Mapping[str, int], exchanged: Mapping[str, str]) -> list[str]:
    """Without the words that nobody knows, when they are no more than half of all."""
    told = [term for term in terms if known.get(term) or term in exchanged]
    return told if 2 * len(told) >= len(terms) and told else list(terms)


def _rewritten(query: Query, kept: Sequence[str], exchanged: Mapping[str, str]) -> Query:
    terms = content_words(exchanged.get(term, term) for term in kept)
    wanted = set(kept)
    joined = [word for word in query.words if word not in query.terms and set(split_words(word)) <= wanted]
    # The vector's words are English ones too; names stay as they are written.
    names = [name for name in query.identifiers if name.lower() not in exchanged]
    plain = " ".join(dict.fromkeys([*names, *terms]))
    return replace(query, plain=plain, terms=terms, words=content_words([*terms, *joined, *words(" ".join(names))]))


@dataclass(frozen=True, slots=True)
class _Language:
    words: frozenset[str]
    telling: frozenset[str]


@functools.cache
def _languages() -> Mapping[str, _Language]:
    found = {}
    for name, listed in _lines("function_words.txt"):
        forms = listed.split()
        found[name] = _Language(
            frozenset(form.rstrip("!") for form in forms),
            frozenset(form.rstrip("!") for form in forms if form.endswith("!")),
        )
    return found


@functools.cache
def _table() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    """({word: English}, {beginning of a word: English})."""
    exact: dict[str, tuple[str, ...]] = {}
    beginnings: dict[str, tuple[str, ...]] = {}
    for people, sources in _lines("foreign_words.txt"):
        for form in people.split():
            # Japanese and Korean words are known by the pairs of characters that the index holds.
            table = beginnings if form.endswith("*") else exact
            table.setdefault(fold(form.rstrip("*")), tuple(sources.split()))
    return exact, beginnings


def _lines(name: str) -> Iterable[tuple[str, str]]:
    file = importlib.resources.files("zerikai_memory.retrieve").joinpath("data", name)
    for line in file.read_text(encoding="utf-8").splitlines():
        before, colon, after = line.partition(":")
        if colon and not line.startswith("#"):
            yield before, after
