"""How much a record is worth remembering, by rules: importance from its category and from words in it.

The rules are data. Importance given by the caller wins over all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

# Where a category starts; a word of the user's own starts like a fact.
BASE: Mapping[str, float] = {
    "decision": 0.7,
    "strategy": 0.65,
    "procedure": 0.6,
    "fix": 0.6,
    "error": 0.6,
    "workaround": 0.55,
    "fact": 0.5,
}
OTHER = 0.5
# A vague or temporary remark is worth at most this, whatever else it holds.
VAGUE_MOST = 0.2
LEAST, MOST = 0.05, 0.95


@dataclass(frozen=True, slots=True)
class SalienceRule:
    """`pattern` in the text adds `change`; `vague` caps the result at VAGUE_MOST."""

    name: str
    pattern: re.Pattern[str]
    change: float = 0.0
    vague: bool = False


def _rule(name: str, pattern: str, change: float = 0.0, *, vague: bool = False) -> SalienceRule:
    return SalienceRule(name, re.compile(pattern, re.IGNORECASE), change, vague)


RULES: tuple[SalienceRule, ...] = (
    _rule(
        "undecided", r"\b(we|i|you|they|one) (may|might|could) (want|have|need|think|look|try|consider)\b", vague=True
    ),
    _rule(
        "put off", r"\b(think|talk|worry|decide|look|revisit|come back)\b[^.]{0,30}\b(later|some ?day)\b", vague=True
    ),
    _rule("unsure", r"\b(maybe|perhaps|not sure|no idea|i guess|possibly|tbd|who knows)\b", vague=True),
    _rule("temporary", r"\b(for now|temporar(y|ily)|for the moment|right now|just today|at the moment)\b", vague=True),
    _rule("wish", r"\b(would be nice|it'd be nice|some ?day|at some point|eventually we)\b", vague=True),
    _rule("reason", r"\b(because|so that|since|due to|otherwise|in order to|the reason)\b", 0.1),
    _rule("binding", r"\b(must|never|always|do not|don't|required|forbidden|only ever)\b", 0.1),
    _rule("damage", r"\b(data loss|corrupt(s|ed|ion)?|security|leak(s|ed)?|outage|breaks? production)\b", 0.15),
    _rule("names code", r"`[^`]+`|\w[\w/]*\.[a-z]{1,4}\b|\b[a-z]+_[a-z_]+\b|(?-i:\b[a-z]+[A-Z]\w+)", 0.05),
    _rule("chat", r"^(ok|okay|thanks|thank you|done|nice|great|lgtm|hello|hi)\b[^.]{0,20}[.!]?$", vague=True),
)
# Fewer words than this rarely stand alone.
SHORT_WORDS, SHORT_CHANGE = 4, -0.15


def importance(category: str, text: str) -> float:
    """Importance from 0.05 to 0.95 of a record without one given."""
    found = matched_rules(text)
    value = BASE.get(category, OTHER) + sum(rule.change for rule in found)
    if len(text.split()) < SHORT_WORDS:
        value += SHORT_CHANGE
    if any(rule.vague for rule in found):
        value = min(value, VAGUE_MOST)
    return round(min(MOST, max(LEAST, value)), 2)


def matched_rules(text: str) -> tuple[SalienceRule, ...]:
    """The rules that the text meets, in their order."""
    return tuple(rule for rule in RULES if rule.pattern.search(text))
