"""Questions in other languages about code in English: ou sont masqués les secrets, wo werden Passwörter gehasht.

Identifiers and words that both languages share count as they are. Function words of the question's language say
nothing and are left out; of the rest, what the project does not know is put into English by data/foreign_words.txt (by
retrieve/segments.py where there are no blanks between words), and what that does not know either is left out when most
of the question is known without it. Who writes another script, or a language that is in no table, means the project's
own names by what he writes as these are written.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from zerikai_memory.embed.vocabulary import known_words, rare_words
from zerikai_memory.retrieve.query import Query, content_words
from zerikai_memory.retrieve.segments import RUN, english_of, told
from zerikai_memory.retrieve.tables import table_lines
from zerikai_memory.store.words import STOP_WORDS, split_words, words

_WORD = re.compile(r"[^\W\d_]+")
_RUNS = re.compile(rf"{RUN.pattern}|(?:(?!{RUN.pattern}).)+", re.DOTALL)
_LATIN = re.compile(r"[A-Za-z_$][\w$]+", re.ASCII)
# Any letter beyond Latin ones: Greek, Cyrillic, Hebrew, Arabic, Devanagari, ... (Chinese and its like are told before).
_OTHER_SCRIPT = re.compile(r"[\u0370-\u1dff]")
# So many letters of a word tell it when the table gives only its beginning.
MIN_BEGINNING = 3

# Shorter names are words of other languages too.
MIN_NAME = 4

Counts = Callable[[Iterable[str]], Mapping[str, int]]
Bearers = Callable[[str], Sequence[int]]


def in_english(query: Query, counts: Counts, bearers: Bearers) -> Query:
    """The question as English code would be asked; the same query when nothing in it is of another language.

    `counts` tells how many entities hold each of some words, `bearers` which have a name as it is written.
    """
    if RUN.search(query.plain):
        return _named(_from_unspaced(query, counts, bearers), _latin_words(query.plain), bearers)
    language = language_of_question(query.plain)
    if _OTHER_SCRIPT.search(query.plain):
        query = _named(query, _latin_words(query.plain), bearers)
    elif not language and _is_english(query.plain):
        return query
    spoken = [term for term in query.terms if translations(term)]
    if not (language or spoken):
        return _named(query, _names_beside_unknown(query, counts), bearers)
    function_words = _languages()[language].words if language else frozenset[str]()
    content = [term for term in query.terms if not (fold(term) in function_words or _says_nothing(term))]
    known = counts(content)
    exchanged = {term: _best(translations(term), counts) for term in spoken if term in known and not known[term]}
    if not (exchanged or language):
        return query
    return _rewritten(query, _known_part(content, known, exchanged), exchanged)


def _from_unspaced(query: Query, counts: Counts, bearers: Bearers) -> Query:
    """A Chinese, Japanese or Korean question by its words, without the grammar between them."""
    terms: list[str] = []
    beside: list[str] = []
    exchanged: dict[str, str] = {}
    for part in _RUNS.findall(query.plain):
        if RUN.fullmatch(part):
            run = told(part, counts)
            terms += run.terms
            beside += run.beside
            exchanged |= {word: _best(english, counts) for word, english in run.english.items()}
        else:
            terms += split_words(part)
    terms = [*content_words(terms)]
    if not terms:
        return query  # nothing but grammar
    known = counts([*terms, *exchanged.values()])
    if any(known[term] for term in terms if RUN.search(term)):
        # The project writes this language: what it says in neither it does not have.
        exchanged = {word: english for word, english in exchanged.items() if known[english]}
    kept = _known_part(terms, known, exchanged)
    # A sentence without blanks looks like a name.
    query = replace(query, identifiers=tuple(x for x in query.identifiers if not RUN.search(x) or bearers(x)))
    understood = all(known[term] or term in exchanged for term in kept)
    held = sum(bool(known[exchanged.get(term, term)]) for term in kept)
    if exchanged and understood and 2 * held > len(kept):
        return _rewritten(query, kept, exchanged)
    # A vector would be that of the English words alone, whatever the others mean: only words are compared.
    plain = "" if exchanged else query.plain
    joined = [word for word in query.words if word.isascii()]
    asked = content_words(exchanged.get(term, term) for term in kept)
    return replace(query, plain=plain, terms=asked, words=content_words([*asked, *joined, *beside]))


def _latin_words(text: str) -> list[str]:
    """Words in Latin letters of a question in another script: such are terms and names of code."""
    return [word for word in _LATIN.findall(text) if word.lower() not in STOP_WORDS]


def _names_beside_unknown(query: Query, counts: Counts) -> list[str]:
    """Words of a question that may be names, when the most of the others are no words of English or of the project."""
    asked = _WORD.findall(query.plain)
    held = counts(word.lower() for word in asked)
    unknown = [word for word in asked if not (held[word.lower()] or _is_known(word.lower()))]
    names = [word for word in asked if len(word) >= MIN_NAME and held[word.lower()]]
    return names if unknown and 2 * len(unknown) >= len(asked) else []


def _is_known(word: str) -> bool:
    return word in known_words() or word in rare_words()


def _named(query: Query, candidates: Iterable[str], bearers: Bearers) -> Query:
    """The query with those of the candidates for names that the project bears."""
    found = [word for word in candidates if bearers(word)]
    return replace(query, identifiers=tuple(dict.fromkeys((*query.identifiers, *found)))) if found else query


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
    if RUN.search(word):
        return english_of(word)
    return _entry(word) or ()


def _says_nothing(word: str) -> bool:
    """Whether the table has a word without English: handle, implement, find say nothing of what is asked about."""
    return _entry(word) == ()


def _entry(word: str) -> tuple[str, ...] | None:
    exact, beginnings = _table()
    folded = fold(word)
    if folded in exact:
        return exact[folded]
    for length in range(len(folded), MIN_BEGINNING - 1, -1):
        if folded[:length] in beginnings:
            return beginnings[folded[:length]]
    return None


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


def _known_part(terms: Sequence[str], known: Mapping[str, int], exchanged: Mapping[str, str]) -> list[str]:
    """Without the words that nobody knows, when they are fewer than the others.

    With as many of them the one that is known may be chance: `Auto` in a question that is about cars.
    """
    telling = [term for term in terms if known.get(term) or term in exchanged]
    return telling if 2 * len(telling) > len(terms) else list(terms)


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
    for name, listed in table_lines("function_words.txt"):
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
    for people, sources in table_lines("foreign_words.txt"):
        for form in people.split():
            table = beginnings if form.endswith("*") else exact
            table.setdefault(fold(form.rstrip("*")), tuple(sources.split()))
    return exact, beginnings
