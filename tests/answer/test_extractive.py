"""Answers without a model."""

from __future__ import annotations

import pytest

from zerikai_memory.answer.extractive import MAX_NEAREST_CHARS, nothing_relevant_answer
from zerikai_memory.model import Hit


def named(name: str) -> Hit:
    return Hit(name, name, "rule", "a.css", 1, 2, 1.9, 0.1, "fresh", "", "1")


@pytest.mark.parametrize("names", [["load_user"], [", ".join(f".hljs-{n}" for n in range(60))], []])
def test_the_nearest_are_named_in_few_words(names: list[str]) -> None:
    answer = nothing_relevant_answer([named(name) for name in names])
    assert answer.startswith("Nothing relevant was found")
    assert len(answer) < 100 + len(names) * (MAX_NEAREST_CHARS + 20)
    assert all(name[:9] in answer for name in names)
