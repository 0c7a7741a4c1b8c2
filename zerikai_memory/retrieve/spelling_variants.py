"""British and American spellings: who asks to authorise a user finds authorize, who asks for a color finds colour.

Of the two the one that the project holds is looked up, without a word about it: neither is a mistake. Rules give the
other spelling where it cannot be another word, data/spelling_variants.txt where it could (four and for, metre and
meter).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from zerikai_memory.embed.vocabulary import known_words
from zerikai_memory.retrieve.query import Query, content_words
from zerikai_memory.retrieve.tables import table_lines
from zerikai_memory.store.words import words

Counts = Callable[[Iterable[str]], Mapping[str, int]]

# The words of a text, also those of a name in any casing.
_PART = re.compile(r"[A-Z]?[a-z]+")
# organise, organised, organisers, organising, organisation(s), organisational, organisable.
_ISE = re.compile(r"(?P<stem>[a-z]{3,})i(?P<letter>[sz])(?P<ending>e[drs]?|ers|ing|ations?|ational|ab(?:le|ility))")
# What has an s, or a z, on both sides of the ocean, by what stands before the ending.
_NEVER = re.compile(
    r"adv|advert|appra|bra|bru|caps|chast|chem|circumc|clockw|compr|comprom|conc|counterclockw|cru|dem|desp|dev|disgu"
    r"|enfranch|enterpr|exc|exerc|expert|franch|improv|inc|likew|mids|merchand|otherw|outs|overs|parad|pra|prec|prem"
    r"|prom|res|rev|superv|surm|surpr|telev|treat|unders"
)
_YSE = re.compile(r"(?P<stem>(?:re)?anal|paral|catal|electrol|hydrol|dial)y(?P<letter>[sz])(?P<ending>e[drs]?|ers|ing)")
# Verbs that end in a lone l: of these British doubles it before an ending.
_DOUBLED = re.compile(
    r"(?P<stem>(?:re|un|mis|pre)?(?:cancel|label|model|travel|signal|tunnel|channel|level|fuel|marshal|dial|total|pedal"
    r"|panel|parcel|shovel|spiral|stencil|unravel|marvel|quarrel|rival|initial|counsel|jewel|pencil|bevel|funnel|kennel"
    r"|metal|ravel|revel|swivel|trowel|yodel|equal|vial|gravel|tinsel|libel|serial|token))"
    r"(?P<double>l?)(?P<ending>ed|ing|ings|ers?|ors?|able)"
)


def as_the_project_spells(query: Query, counts: Counts) -> Query:
    """The question with each word in the spelling that the project has more of; the other one is looked up as well.

    `counts` tells how many entities hold each of some words. Quoted texts, paths and traces stay as they are written,
    and so do names that the project holds.
    """
    others = {word: other for word in query.terms if (other := other_spelling(word))}
    if not others or query.paths or query.frames or query.phrases or query.code:
        return query
    held = counts([*others, *others.values()])
    taken = {word: other for word, other in others.items() if held[other] > held[word] or _only(other, word, held)}
    beside = [spelling for pair in others.items() for spelling in pair if all(held[each] for each in pair)]
    lacking = {word: other for word, other in taken.items() if not held[word]}
    names = tuple(_respelt(name, lacking) for name in query.identifiers)
    return replace(
        query,
        plain=_respelt(query.plain, taken),
        terms=content_words(taken.get(term, term) for term in query.terms),
        words=content_words([*(taken.get(word, word) for word in query.words), *beside, *words(" ".join(names))]),
        identifiers=names,
    )


def _only(other: str, word: str, held: Mapping[str, int]) -> bool:
    """Whether the dictionary of everyday words and the vectors know the other spelling alone, the project neither."""
    return not (held[other] or held[word]) and other in known_words() and word not in known_words()


def other_spelling(word: str) -> str | None:
    """The American spelling of a British word in lower case and the other way round; None for any other word."""
    if listed := _listed(word):
        return listed
    if (match := _ISE.fullmatch(word)) and not _NEVER.fullmatch(match["stem"]):
        return f"{match['stem']}i{_other(match['letter'])}{match['ending']}"
    if match := _YSE.fullmatch(word):
        return f"{match['stem']}y{_other(match['letter'])}{match['ending']}"
    if match := _DOUBLED.fullmatch(word):
        return f"{match['stem']}{'' if match['double'] else 'l'}{match['ending']}"
    return None


def _other(letter: str) -> str:
    return "z" if letter == "s" else "s"


def _respelt(text: str, meant: Mapping[str, str]) -> str:
    """A text with whole words exchanged, also those of a name; a capital stays one."""

    def exchanged(match: re.Match[str]) -> str:
        word = match[0]
        other = meant.get(word.lower(), word)
        return other.capitalize() if word[0].isupper() and other != word else other

    return _PART.sub(exchanged, text) if meant else text


def _listed(word: str) -> str | None:
    exact, beginnings = _table()
    if word in exact:
        return exact[word]
    for length in range(len(word), 3, -1):
        if (other := beginnings.get(word[:length])) is not None:
            return other + word[length:]
    return None


@functools.cache
def _table() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """({word: the other spelling}, {beginning of a word: how the other spelling begins})."""
    exact: dict[str, str] = {}
    beginnings: dict[str, str] = {}
    for british, american in table_lines("spelling_variants.txt"):
        one, other = british.strip(), american.strip()
        table = beginnings if one.endswith("*") else exact
        table |= {one.rstrip("*"): other.rstrip("*"), other.rstrip("*"): one.rstrip("*")}
    return exact, beginnings
