"""Route a question to a model on this machine or beyond it, and say why: wish, keyword, length, mode, in that order.

Pure: what is available, paid for or reachable is somebody else's question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from zerikai_memory.settings import Settings

# Words that ask for the better model, where it is switched on.
PRO_KEYWORDS = ("architect", "architecture", "design", "tradeoff", "audit")

_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
# Chinese, Japanese and Thai.
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")
# A question for reasons across several places, which no keyword names.
_EXPLAIN = re.compile(
    r"\bexplain\b.{0,40}\b(?:how|why)\b.*\b(?:decid|choos|chose|select|determin|pick)\w*", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class RouteRules:
    """What the settings say about routing."""

    mode: str
    word_count: int
    keywords: Sequence[str]
    pro_enabled: bool = False


def rules_of(settings: Settings) -> RouteRules:
    """The routing rules of the settings."""
    return RouteRules(
        settings.memory_mode,
        settings.cloud_escalation_word_count,
        settings.cloud_escalation_keywords,
        settings.enable_deepseek_pro,
    )


@dataclass(frozen=True, slots=True)
class RouteChoice:
    """Where a question should go; `refused` is set when a cloud was asked for and the mode forbids it.

    `may_leave`: whether a model elsewhere may see it at all.
    """

    place: Literal["local", "cloud"]
    tier: Literal["fast", "pro"]
    reason: str
    may_leave: bool
    refused: str = ""


def choose_route(question: str, use_cloud: bool | None, rules: RouteRules) -> RouteChoice:
    """The place and tier for a question, with the rule that decided."""
    tier: Literal["fast", "pro"] = "pro" if rules.pro_enabled and _wants_pro(question, rules) else "fast"
    if rules.mode == "local":
        refused = "use_cloud=true is refused: MEMORY_MODE=local keeps everything on this machine" if use_cloud else ""
        return RouteChoice("local", tier, refused or "MEMORY_MODE=local", may_leave=False, refused=refused)
    if use_cloud is not None:
        place: Literal["local", "cloud"] = "cloud" if use_cloud else "local"
        return RouteChoice(place, tier, f"use_cloud={str(use_cloud).lower()}", may_leave=use_cloud)
    if hard := _hard_because(question, rules):
        return RouteChoice("cloud", tier, hard, may_leave=True)
    place = "cloud" if rules.mode == "cloud" else "local"
    return RouteChoice(place, tier, f"MEMORY_MODE={rules.mode}", may_leave=True)


def _hard_because(question: str, rules: RouteRules) -> str:
    if word := _keyword(question, rules.keywords):
        return f"keyword {word!r}"
    if rules.keywords and _EXPLAIN.search(question):
        return "explain how something decides"
    if (words := _word_count(question)) >= rules.word_count:
        return f"{words} words (from {rules.word_count} on)"
    return ""


def _wants_pro(question: str, rules: RouteRules) -> bool:
    return bool(_keyword(question, PRO_KEYWORDS)) or _word_count(question) >= rules.word_count


def _word_count(question: str) -> int:
    """Words between blanks; scripts without blanks have about two characters a word."""
    return len(question.split()) + len(_UNSPACED.findall(question)) // 2


def _keyword(question: str, keywords: Sequence[str]) -> str:
    """The first keyword that is a word of the question; a name in backticks or quotes is no word of it."""
    plain = _QUOTED.sub(" ", question).lower().replace("trade-off", "tradeoff")
    for keyword in keywords:
        stem = re.escape(keyword.removesuffix("e"))
        ending = "e?" if keyword.endswith("e") else ""
        # A border at `.`, `/` and `_` too: `design.md` and `review_queue` are names.
        if re.search(rf"(?<![\w./-]){stem}{ending}(?:s|d|ed|es|ing|al)?(?![\w/(]|\.\w)", plain):
            return keyword
    return ""
