"""When nothing is relevant: distance, what the project knows, and a cut that each index measures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.fake_embedder import FakeEmbedder
from tests.store.mirror_cases import index_of, put
from zerikai_memory.app import Memory
from zerikai_memory.embed.static import StaticEmbedder
from zerikai_memory.retrieve.calibrate import MOST, calibrated_cut, off_topic_questions
from zerikai_memory.retrieve.relevance import NOT_UNDERSTOOD_WEIGHT, UNKNOWN_WEIGHT, coverage, strangeness
from zerikai_memory.settings import Settings
from zerikai_memory.store.view import load_view


@pytest.mark.parametrize(
    ("holders", "share"),
    [({"rate": {1}, "limit": {1}}, 1.0), ({"rate": {1}, "limit": {2}}, 0.5), ({"rate": set(), "limit": set()}, 0.0)],
)
def test_one_entity_must_hold_the_words(holders: dict[str, set[int]], share: float) -> None:
    assert coverage({"rate": 3, "limit": 3}, holders, 100) == share


@pytest.mark.parametrize(
    ("frequencies", "understood", "expected"),
    [
        ({"rate": 3, "limit": 3}, {"rate", "limit"}, 0.0),
        ({"tongue": 0}, {"tongue"}, UNKNOWN_WEIGHT),  # the project says it in another word
        ({"limit": 3}, set(), 0.0),  # the project's own word need not be anybody else's
        ({"salmon": 0}, set(), UNKNOWN_WEIGHT + NOT_UNDERSTOOD_WEIGHT),
        ({}, set(), UNKNOWN_WEIGHT + NOT_UNDERSTOOD_WEIGHT),
    ],
)
def test_a_question_is_the_stranger_the_less_of_it_is_known_or_understood(
    frequencies: dict[str, int], understood: set[str], expected: float
) -> None:
    assert strangeness(frequencies, understood, 100) == pytest.approx(expected)


def test_an_unknown_word_weighs_more_than_a_common_one() -> None:
    half = (UNKNOWN_WEIGHT + NOT_UNDERSTOOD_WEIGHT) / 2
    assert half < strangeness({"salmon": 0, "request": 40}, {"request"}, 100) < 2 * half


@pytest.mark.parametrize("embedder", [StaticEmbedder(), FakeEmbedder("B", 32)], ids=["static", "unknown"])
def test_a_cut_is_measured_on_any_index_and_bounded(embedder: object, tmp_path: Path) -> None:
    index = index_of(tmp_path)
    index.begin(1, embedder.fingerprint)
    assert calibrated_cut(index, load_view(index), embedder) is None
    put(index, tmp_path / "src", embedder, a="def user_language():\n    pass\n")
    cut = calibrated_cut(index, load_view(index), embedder)
    assert 0 < cut <= MOST


def test_the_built_in_questions_differ_and_none_is_asked_by_the_benchmark() -> None:
    asked = json.loads((Path(__file__).parents[2] / "bench" / "offtopic.json").read_text("utf-8"))["off_topic"]
    questions = off_topic_questions()
    assert len(questions) == len(set(questions)) == 188
    assert not set(questions) & {question for kind in asked.values() for question in kind}


def test_a_question_in_other_words_finds_the_code(tmp_path: Path) -> None:
    source = tmp_path / "src"
    source.mkdir()
    for name in ("alpha", "beta", "gamma"):
        (source / f"{name}.py").write_text(f"def {name}_value(x):\n    return x + 1\n")
    (source / "locale.py").write_text('def get_language(user):\n    """Language of a user."""\n    return user.lang\n')
    memory = Memory(Settings(home=tmp_path / "home", vector_store="exact"))
    memory.scan(str(source))
    answer = memory.query("which tongue does the visitor prefer", str(source))
    refused = memory.query("how do I poach salmon in white wine", str(source))
    view = memory._brain.view(memory.resolve(str(source)).id).get()
    memory.close()
    assert answer.results[0].name == "get_language"
    assert refused.nothing_relevant
    assert np.isfinite(view.relevance_cut)
