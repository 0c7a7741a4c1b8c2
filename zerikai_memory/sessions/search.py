"""A question to messages of past sessions: BM25 over words, the best part of each message with its matches marked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from zerikai_memory.model_sessions import SessionHit
from zerikai_memory.sessions.mentions import KnownNames, mentions
from zerikai_memory.store.session_filter import SessionFilter
from zerikai_memory.store.tape import TapeStore
from zerikai_memory.store.words import STOP_WORDS, match_expression, split_words

# With its line of facts, a hit stays within 150 tokens of 4 characters.
SNIPPET_CHARS = 360
# A tool line names a file that many other lines name too; what was said about it tells more.
ROLE_WEIGHT = {"user": 1.0, "assistant": 1.0, "thinking": 0.7, "tool": 0.5}
OFF_BRANCH_WEIGHT = 0.8
# People look for decisions and their reasons; messages that only name the same things are shorter and more, and BM25
# alone prefers them: of 50 planted decisions 44 came into the first 3 without this, 47 with it (bench/sessions.py).
REASON_WEIGHT, REASON_ASKED_WEIGHT = 1.2, 1.6
# Candidates for that weighing, per wanted hit and at least.
CANDIDATES, LEAST_CANDIDATES = 4, 60
# A question of more words than this is a pasted text; its first words say what it is about.
MAX_QUERY_WORDS = 40
# A word of more messages than this says little and costs most of the time; it counts only if every word is like that.
COMMON = 5_000

_TELLS_REASON = re.compile(
    r"(?i)\b(?:decided|decision|because|instead of|rather than|chose|chosen|rejected|agreed|trade-?off|root cause"
    r"|turned out|the reason|so that|not worth|we(?:'ll| will) (?:use|keep))\b"
)
_ASKS_REASON = re.compile(
    r"(?i)\b(?:why|reasons?|decid\w+|decision|cho(?:se|ose|sen)|pick\w*|against|wrong|reject\w*)\b"
)
_WORD = re.compile(r"\w+")
_ENDING = re.compile(r"(?:ations?|ings?|edly|ed|ers?|ies|es|s|e|y|ly|ments?|ness|ions?)$")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af]")


def search(
    store: TapeStore,
    question: str,
    wanted: SessionFilter,
    limit: int,
    names: Callable[[str], KnownNames | None] = lambda project: None,
) -> list[SessionHit]:
    """The best messages: those that hold every word of the question, or if there are none, any of them."""
    asked = _query_words(question)
    if not asked or not store.exists():
        return []
    most = max(limit * CANDIDATES, LEAST_CANDIDATES)
    every = " AND ".join(f'"{word}"' for word in asked)
    found = store.search(every, wanted, most)
    if not found and len(asked) > 1:
        telling = [word for word in asked if store.frequency(f'"{word}"', COMMON) < COMMON]
        if any_word := match_expression(telling or asked):
            found = store.search(any_word, wanted, most)
    reason = REASON_ASKED_WEIGHT if _ASKS_REASON.search(question) else REASON_WEIGHT
    weighed = sorted((replace(hit, score=round(_weight(hit, reason), 3)) for hit in found), key=lambda hit: -hit.score)
    different = {hit.snippet: hit for hit in reversed(weighed)}  # what was said again word for word counts once
    best = sorted(different.values(), key=lambda hit: -hit.score)[:limit]
    return [
        replace(hit, mentions=mentions(hit.snippet, names(hit.project)), snippet=snippet(hit.snippet, asked))
        for hit in best
    ]


def snippet(text: str, asked: Sequence[str], chars: int = SNIPPET_CHARS) -> str:
    """The part of a text, in one line, that holds most of the words, each marked as `**word**`."""
    line = " ".join(text.split())
    spans = _matches(line, asked)
    room = chars - 4 * min(len(spans), 8) - 8
    if len(line) > room:
        start = _best_start(line, spans, room)
        end = min(len(line), start + room)
        spans = [(a - start, b - start) for a, b in spans if a >= start and b <= end]
        line = line[start:end]
        before, after = "... " if start else "", " ..." if end < len(" ".join(text.split())) else ""
    else:
        before = after = ""
    for a, b in reversed(spans[:8]):
        line = f"{line[:a]}**{line[a:b]}**{line[b:]}"
    return f"{before}{line}{after}"


def _query_words(question: str) -> list[str]:
    found = list(dict.fromkeys(split_words(question[:4_000])))
    return ([word for word in found if word not in STOP_WORDS] or found)[:MAX_QUERY_WORDS]


def _weight(hit: SessionHit, reason: float) -> float:
    weight = ROLE_WEIGHT.get(hit.role, 1.0) * (OFF_BRANCH_WEIGHT if hit.off_branch else 1.0)
    return hit.score * weight * (reason if _TELLS_REASON.search(hit.snippet) else 1.0)


def _matches(line: str, asked: Iterable[str]) -> list[tuple[int, int]]:
    """Where words stand that are likely the ones the index matched; it compares stems, so endings may differ."""
    stems = tuple({_stem(word) for word in asked if not _CJK.search(word)})
    pairs = [word for word in asked if _CJK.search(word)]
    lower = line.lower() if len(line.lower()) == len(line) else line
    spans = []
    for match in _WORD.finditer(lower):
        if _CJK.search(match[0]):
            at = (match.start() + match[0].find(pair) for pair in pairs if pair in match[0])
            first = min(at, default=-1)
            if first >= 0:
                spans.append((first, min(first + 2, match.end())))
        elif any(_stem(part) in stems for part in split_words(line[match.start() : match.end()])):
            spans.append(match.span())
    return spans


def _stem(word: str) -> str:
    cut = _ENDING.sub("", word)
    return cut if len(cut) >= 3 else word


def _best_start(line: str, spans: Sequence[tuple[int, int]], room: int) -> int:
    """Where to cut: the window of `room` characters with most matches, begun at a word, some words before the first."""
    if not spans:
        return 0
    first = max(range(len(spans)), key=lambda i: sum(1 for a, _ in spans[i:] if a < spans[i][0] + room * 3 // 4))
    start = max(0, min(spans[first][0] - room // 5, len(line) - room))
    blank = line.find(" ", start, spans[first][0])
    return start if start == 0 or blank < 0 else blank + 1
