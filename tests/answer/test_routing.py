"""Where a question goes, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from zerikai_memory.answer.routing import choose_route, rules_of
from zerikai_memory.settings import Settings

LONG = "tell me " + "very " * 38


def route(question: str, use_cloud: bool | None = None, **settings: object):
    return choose_route(question, use_cloud, rules_of(Settings(home=Path("b"), **settings)))


@pytest.mark.parametrize(
    ("question", "place", "reason"),
    [
        ("where is `process_data` defined?", "local", "MEMORY_MODE=hybrid"),
        (
            "explain how the query routing pipeline decides between the flash and the pro model",
            "cloud",
            "explain how something decides",
        ),
        ("explain how login works", "local", "MEMORY_MODE=hybrid"),
        ("review the store module", "cloud", "keyword 'review'"),
        ("Which trade-offs were made?", "cloud", "keyword 'tradeoff'"),
        ("compared to Redis, what is missing?", "cloud", "keyword 'compare'"),
        ("how are the design patterns used", "cloud", "keyword 'design'"),
        # names and paths are no keywords
        ("where is `design_pattern` defined?", "local", "MEMORY_MODE=hybrid"),
        ("where is design_pattern defined?", "local", "MEMORY_MODE=hybrid"),
        ("what is in docs/design.md", "local", "MEMORY_MODE=hybrid"),
        ("who calls review() here", "local", "MEMORY_MODE=hybrid"),
        ("what is the reviewer's role", "local", "MEMORY_MODE=hybrid"),
        (LONG, "cloud", "40 words (from 40 on)"),
        ("购物车" * 30, "cloud", "46 words (from 40 on)"),  # a script without blanks
        ("购物车如何添加商品", "local", "MEMORY_MODE=hybrid"),
        (LONG.removesuffix("very "), "local", "MEMORY_MODE=hybrid"),
    ],
)
def test_in_hybrid_a_question_goes_out_for_a_keyword_or_its_length(question, place, reason) -> None:
    choice = route(question, memory_mode="hybrid")
    assert (choice.place, choice.reason) == (place, reason)


@pytest.mark.parametrize(
    ("mode", "wish", "place", "may_leave"),
    [
        ("hybrid", None, "local", True),
        ("hybrid", True, "cloud", True),
        ("hybrid", False, "local", False),
        ("cloud", None, "cloud", True),
        ("cloud", False, "local", False),
        ("local", None, "local", False),
        ("local", False, "local", False),
    ],
)
def test_the_callers_wish_comes_before_the_mode(mode, wish, place, may_leave) -> None:
    choice = route("where is the parser", wish, memory_mode=mode)
    assert (choice.place, choice.may_leave, choice.refused) == (place, may_leave, "")


def test_the_wish_comes_before_keywords_too() -> None:
    assert route("review the architecture", False, memory_mode="cloud").place == "local"


@pytest.mark.parametrize("question", ["where is the parser", "review the architecture", LONG])
def test_local_is_a_wall_and_refuses_a_cloud_with_the_reason(question: str) -> None:
    assert route(question).place == "local"
    choice = route(question, True)
    assert (choice.place, choice.may_leave) == ("local", False)
    assert "MEMORY_MODE=local" in choice.refused


@pytest.mark.parametrize(
    ("question", "enabled", "tier"),
    [
        ("review the parser", True, "fast"),
        ("audit the parser", True, "pro"),
        ("what is the architecture", True, "pro"),
        (LONG, True, "pro"),
        ("what is the architecture", False, "fast"),
    ],
)
def test_pro_needs_its_switch_and_a_hard_question(question, enabled, tier) -> None:
    assert route(question, memory_mode="cloud", enable_deepseek_pro=enabled).tier == tier


def test_words_and_threshold_are_settings() -> None:
    own = {"memory_mode": "hybrid", "cloud_escalation_keywords": ("überblick",), "cloud_escalation_word_count": 6}
    assert route("gib mir einen Überblick", **own).place == "cloud"
    assert route("review the store", **own).place == "local"
    assert route("one two three four five six", **own).place == "cloud"
    assert route("explain how it decides", memory_mode="hybrid", cloud_escalation_keywords=()).place == "local"
