"""A question to messages of past sessions: BM25 over words, the best part of each message with its matches marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace

from zerikai_memory.model_sessions import SessionHit
from zerikai_memory.redact import mask_secrets
from zerikai_memory.sessions.mentions import KnownNames, mentions
from zerikai_memory.sessions.snippets import SNIPPET_CHARS, snippet
from zerikai_memory.store.session_filter import SessionFilter
from zerikai_memory.store.tape import TapeStore
from zerikai_memory.store.words import STOP_WORDS, match_expression, search_text, split_words, words

# A tool line names a file that many other lines name too; what was said about it tells more.
ROLE_WEIGHT = {"user": 1.0, "assistant": 1.0, "thinking": 0.7, "tool": 0.5}
OFF_BRANCH_WEIGHT = 0.8
# People look for decisions and their reasons; messages that only name the same things are shorter and more, and BM25
# alone prefers them: of 50 planted decisions 44 came into the first 3 without this, 47 with it, and all 50 where
# KIND_WORDS need not stand in them (bench/sessions.py).
REASON_WEIGHT, REASON_ASKED_WEIGHT = 1.2, 1.6
# Candidates for that weighing, per wanted hit and at least.
CANDIDATES, LEAST_CANDIDATES = 4, 60
# A question of more words than this is a pasted text; its first words say what it is about.
MAX_QUERY_WORDS, MAX_PHRASES = 40, 8
UUID_CHARS = 36
# A message that holds an asked identifier whole goes before one that holds its parts.
NAME_WEIGHT = 1.5
# Words that say what kind of message is meant.
KIND_WORDS = frozenset(
    "about again against choice choose chose chosen decide decided decides deciding decision decisions discuss"
    " discussed discussion pick picked picking reason reasons reject rejected said say talked using wrong".split()
)
DECIDING = ("decided", "agreed", "chose", "rejected", "against", "because", "instead")
# With fewer hits that hold all words, those that hold most are added.
FEW = 3
# Where no message holds all words, hits behind these must hold more than half as many as the one that holds most.
ALWAYS_SHOWN = 2
# A word of more messages than this says little and costs most of the time; it counts only if every word is like that.
COMMON = 5_000

_TELLS_REASON = re.compile(
    r"(?i)\b(?:decided|decision|because|instead of|rather than|chose|chosen|rejected|agreed|trade-?off|root cause"
    r"|turned out|the reason|so that|not worth|we(?:'ll| will) (?:use|keep))\b"
)
_ASKS_REASON = re.compile(
    r"(?i)\b(?:why|reasons?|decid\w+|decision|cho(?:se|ose|sen)|pick\w*|against|wrong|reject\w*)\b"
)
_PHRASE = re.compile(r"[\"“„]([^\"“”„]+)[\"“”]")


def search(
    store: TapeStore,
    question: str,
    wanted: SessionFilter,
    limit: int,
    names: Callable[[str], KnownNames | None] = lambda project: None,
) -> list[SessionHit]:
    """The best messages: those that hold every word of the question, then those that hold any of them.

    What stands in quotes in the question stands in each of them as it is written. Words such as "decided" and "reason"
    say what kind of message is meant, so they order the hits and need not stand in them.
    """
    question = mask_secrets(question)  # as what is searched
    phrases = _phrases(question)
    asked = _query_words(_PHRASE.sub(" ", question) if phrases else question)
    topical = [word for word in asked if word not in KIND_WORDS]
    if not (asked or phrases) or not store.exists():
        return []
    most = max(limit * CANDIDATES, LEAST_CANDIDATES)
    quoted = [f'"{phrase}"' for phrase in phrases]
    reason = REASON_ASKED_WEIGHT if _ASKS_REASON.search(question) else REASON_WEIGHT
    every = " AND ".join([*quoted, *(f'"{word}"' for word in topical or asked)])
    whole = [word for word in words(question[:4_000]) if word not in STOP_WORDS] or asked
    named = {word for word in whole if word not in asked}
    best = _best(_holding(phrases, store.search(every, wanted, most)), reason, named)[:limit]
    sure = len(best) or ALWAYS_SHOWN
    if len(best) < min(limit, FEW) and len(asked) + len(phrases) > 1:
        some = _holding(phrases, store.search(" AND ".join(quoted) or _any_of(store, whole), wanted, most))
        known = {hit.snippet for hit in best}
        best = [*best, *(hit for hit in _best(some, reason, named) if hit.snippet not in known)][:limit]
    elif not best and not topical and not phrases:  # what was decided, whatever it is about
        best = _best(store.search(match_expression(DECIDING) or "", wanted, most), reason, named)[:limit]
        whole, sure = [*whole, *DECIDING], limit
    return list(_shown(best, sure, whole, store, names))


def holds_words(question: str) -> bool:
    """Whether there is anything in a question to search for: signs alone find nothing."""
    return bool(_phrases(question) or split_words(question[:4_000]))


def _any_of(store: TapeStore, whole: Sequence[str]) -> str:
    """The expression for any of the words, of common ones only where there are no others.

    Lone letters and digits are parts of names, which stand there whole too.
    """
    topical = [word for word in dict.fromkeys(whole) if word not in KIND_WORDS] or whole
    long = [word for word in topical if len(word) > 1 or not word.isascii()][:MAX_QUERY_WORDS] or whole
    telling = [word for word in long if store.frequency(f'"{word}"', COMMON) < COMMON]
    return match_expression(telling or long) or '""'


def _best(found: Sequence[SessionHit], reason: float, named: Set[str]) -> list[SessionHit]:
    """The hits by weight; what was said again word for word counts once. `named` are joined identifiers."""
    weights = (replace(hit, score=round(_weight(hit, reason, named), 3)) for hit in found)
    weighed = sorted(weights, key=lambda hit: -hit.score)
    different = {hit.snippet: hit for hit in reversed(weighed)}
    return sorted(different.values(), key=lambda hit: -hit.score)


def _shown(
    best: Sequence[SessionHit],
    sure: int,
    marked: Sequence[str],
    store: TapeStore,
    names: Callable[[str], KnownNames | None],
) -> Iterator[SessionHit]:
    """The hits with their snippets; behind the `sure` ones those are left out that hold half of what was asked or less.

    What is asked is as much of it as the hit that holds most of it.
    """
    shown = [snippet(hit.snippet, marked, store.stems, _room(hit)) for hit in best]
    most = max((one.words for one in shown), default=0)
    for place, (hit, one) in enumerate(zip(best, shown, strict=True)):
        if place < sure or one.words * 2 > most:
            yield replace(hit, mentions=mentions(hit.snippet, names(hit.project), one.text), snippet=one.text)


def _room(hit: SessionHit) -> int:
    """How long its snippet may be: less where the id of its session is longer than most."""
    return SNIPPET_CHARS - max(0, len(hit.session) - UUID_CHARS)


def _phrases(question: str) -> list[str]:
    """What stands in quotes in a question, as search words with a blank between them."""
    found = (search_text(part) for part in _PHRASE.findall(question[:4_000]))
    return list(dict.fromkeys(phrase for phrase in found if phrase))[:MAX_PHRASES]


def _holding(phrases: Sequence[str], found: list[SessionHit]) -> list[SessionHit]:
    """The hits that hold the phrases word for word: the index alone compares stems."""
    if not phrases:
        return found
    return [hit for hit in found if all(f" {phrase} " in f" {search_text(hit.snippet)} " for phrase in phrases)]


def _query_words(question: str) -> list[str]:
    found = list(dict.fromkeys(split_words(question[:4_000])))
    return ([word for word in found if word not in STOP_WORDS] or found)[:MAX_QUERY_WORDS]


def _weight(hit: SessionHit, reason: float, named: Set[str]) -> float:
    weight = ROLE_WEIGHT.get(hit.role, 1.0) * (OFF_BRANCH_WEIGHT if hit.off_branch else 1.0)
    if named and any(name in hit.snippet.replace("_", "").lower() for name in named):
        weight *= NAME_WEIGHT
    return hit.score * weight * (reason if _TELLS_REASON.search(hit.snippet) else 1.0)
