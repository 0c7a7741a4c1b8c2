"""Errors that a text tells of, and whether two are the same: kind and message, whatever the values and places in it.

Pasted traces, log lines and records (`KeyError: 'currency': read it from the settings`) give the same problem.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from zerikai_memory.retrieve.names import stem
from zerikai_memory.store.words import STOP_WORDS, split_words

# A trace of many causes tells enough by its last ones.
MOST_PROBLEMS = 4
LINE_CHARS = 300
# The error stands at one of the ends.
READ_CHARS = 8_000
# Share of the words of a message that must stand in the other one.
SAME_MESSAGE = 0.6
# Without a kind, fewer words in common are a coincidence.
LEAST_WORDS = 2

_KIND = re.compile(
    r"(?<![\w'\"])(?P<kind>[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt|Refused|Failure|Timeout|NotFound"
    r"|DoesNotExist|Fault))\b(?:\s*\[\w+\])?:?(?P<message>.*)"
)
_BARE = re.compile(
    r"^\W{0,3}(?:E\s{2,}|(?:npm )?ERR!\s*(?:code\s+)?|(?:fatal|panic|error|err)(?P<code>\[\w+\])?\s*:)(?P<message>.*)"
    r"|: (?:fatal )?error\s*:(?P<said>.*)|\berror\s+(?P<rule>[A-Z]{1,5}\d{2,5})\b\s*:?(?P<told>.*)",
    re.IGNORECASE,
)
# Time, level, thread and logger in front of what a log line says.
_LOG = re.compile(
    r"^\s*(?:\d{4}-\d\d-\d\d[T ][\d:.,+Z-]+\s*|\d\d:\d\d:\d\d[\d.,]*\s*|\[[^\]\n]{1,60}\]\s*"
    r"|(?:ERROR|CRITICAL|FATAL|WARN(?:ING)?|INFO|DEBUG|SEVERE)\b:?\s*|(?!\w*(?:Error|Exception)\b)[\w.-]+(?:: |\s-\s))+"
)
# Behind the message: places, ids, hints.
_TAIL = re.compile(
    r"\s[(\[{]\w[^()\[\]{}]*[=:].*|\s\((?:Background|most recent|see |os error).*|\s+at line \d+.*", re.IGNORECASE
)
_QUOTED = re.compile(r"'([^'\n]{1,80})'|\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`")
# A value that is a name tells errors apart; paths, addresses and numbers differ each time.
_NAME = re.compile(r"[a-z_][a-z_.-]*")
_CODE = re.compile(r"[a-z]{1,5}\d{2,5}")
_NO_WORD = re.compile(r"\d|^.$")
# Words that every message has.
_EMPTY = frozenset({"error", "exception", "line", "file", "during", "object"})


@dataclass(frozen=True, slots=True)
class Problem:
    """An error: its kind in lower case (empty when none is named), the words of its message, the values it quotes."""

    kind: str
    words: frozenset[str]
    values: frozenset[str]
    line: str


def problems(text: str) -> tuple[Problem, ...]:
    """The errors that a text tells of, the last first, each once."""
    found: dict[Problem, None] = {}
    told = text if len(text) <= READ_CHARS else f"{text[: READ_CHARS // 2]}\n{text[-READ_CHARS // 2 :]}"
    for line in reversed(told.split("\n")):
        plain = line[:LINE_CHARS].strip()
        match = _KIND.search(plain) or _BARE.search(plain)
        if match and (problem := _problem(match)):
            found[problem] = None
        if len(found) >= MOST_PROBLEMS:
            break
    return tuple(found)


def without_log_prefix(line: str) -> str:
    """What a log line says, without time, level and logger; the line itself when that would leave nothing."""
    prefix = _LOG.match(line)
    return line[prefix.end() :].strip() or line if prefix and re.search(r"\d\d:\d\d|[A-Z]{4}", prefix[0]) else line


def same_problem(asked: Problem, held: Problem) -> bool:
    """Whether a record tells of the error that is asked for; what it says beyond that does not count."""
    if asked.kind and held.kind and asked.kind != held.kind:
        return False
    if any(_CODE.fullmatch(value) for value in asked.values & held.values):
        return True
    if asked.values and held.values and not asked.values & held.values:
        return False
    if asked.kind and asked.kind == held.kind and (asked.values & held.values or not asked.words):
        return True
    shared = len(asked.words & held.words)
    least = 1 if asked.kind and asked.kind == held.kind else LEAST_WORDS
    return shared >= least and shared >= SAME_MESSAGE * len(asked.words)


def _problem(match: re.Match[str]) -> Problem | None:
    groups = match.groupdict()
    kind = groups.get("kind") or ""
    message = _TAIL.sub("", next(filter(None, map(groups.get, ("message", "said", "told"))), "")).strip(" :")
    quoted = [next(filter(None, found.groups())).lower() for found in _QUOTED.finditer(message)]
    codes = [code.strip("[]").lower() for code in (groups.get("code"), groups.get("rule")) if code]
    words = (word for word in split_words(message) if word not in STOP_WORDS and not _NO_WORD.search(word))
    stems = frozenset(stem(word) for word in words) - _EMPTY
    if not (kind or stems or codes):
        return None
    values = frozenset([value for value in quoted if _NAME.fullmatch(value)] + codes)
    return Problem(kind.lower(), stems, values, " ".join(filter(None, (f"{kind}:" if kind else "", *codes, message))))
