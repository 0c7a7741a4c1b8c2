"""When nothing is relevant: distance, what the project knows, and a cut that each index measures."""

from __future__ import annotations

import importlib.resources
import json
import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.fake_embedder import FakeEmbedder
from tests.store.mirror_cases import index_of, put
from zerikai_memory.app import Memory
from zerikai_memory.embed.static import StaticEmbedder
from zerikai_memory.retrieve.calibrate import MOST, calibrated_cut, off_topic_questions
from zerikai_memory.retrieve.everyday import code_words, code_words_of
from zerikai_memory.retrieve.relevance import is_relevant, known_frequencies, unknown_share
from zerikai_memory.settings import Settings
from zerikai_memory.store.lexical import document_frequencies
from zerikai_memory.store.view import load_view

WORDS = {"rate": 3, "limit": 3}


@pytest.mark.parametrize(
    ("distance", "unknown", "holders", "relevant"),
    [
        (1.5, 0.0, {}, True),  # near, and every word is known
        (1.5, 0.9, {}, False),  # as near, but the project knows none of the words
        (0.6, 1.0, {}, True),  # so near that the words do not matter
        (1.7, 0.0, {}, False),  # far
        (math.inf, 0.0, {"rate": {1}, "limit": {1}}, True),  # no vectors: one entity holds all words
        (math.inf, 0.0, {"rate": {1}, "limit": set()}, True),  # half of them
        (math.inf, 0.0, {}, False),
    ],
)
def test_near_in_meaning_or_holding_the_words_is_relevant(
    distance: float, unknown: float, holders: dict[str, set[int]], relevant: bool
) -> None:
    found = is_relevant(distance=distance, cut=1.6, unknown=unknown, frequencies=WORDS, holders=holders, entities=100)
    assert found is relevant


@pytest.mark.parametrize(
    ("frequencies", "share"),
    [
        ({"rate": (3, 0), "limit": (3, 0)}, 0.0),
        ({"visitor": (0, 7)}, 0.0),  # code says it in another word
        ({"salmon": (0, 0)}, 1.0),
        ({}, 1.0),
    ],
)
def test_what_the_project_does_not_know_is_weighed(frequencies: dict[str, tuple[int, int]], share: float) -> None:
    assert unknown_share(frequencies, 100) == share


def test_an_unknown_word_weighs_more_than_a_common_one() -> None:
    assert 0.5 < unknown_share({"salmon": (0, 0), "request": (40, 0)}, 100) < 1


def test_words_are_counted_as_asked_or_as_code_says_them(tmp_path: Path) -> None:
    index = index_of(tmp_path)
    put(index, tmp_path / "src", a="def user_language():\n    pass\n")
    known = known_frequencies(partial(document_frequencies, index), ["user", "tongue", "salmon"])
    assert known["user"][0] > 0
    assert known["tongue"][0] == 0
    assert known["tongue"][1] > 0
    assert known["salmon"] == (0, 0)


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
    assert len(questions) == len(set(questions)) == 60
    assert not set(questions) & {question for kind in asked.values() for question in kind}


@pytest.mark.parametrize(
    ("word", "meant"),
    [("visitors", "user"), ("tongues", "language"), ("shrinking", "compress"), ("stories", "text"), ("zebra", None)],
)
def test_everyday_words_are_found_in_their_forms(word: str, meant: str | None) -> None:
    assert (meant in code_words_of(word)) if meant else code_words_of(word) == ()


def test_words_that_the_question_has_already_are_not_added() -> None:
    assert "user" in code_words(["visitor"])
    assert "user" not in code_words(["visitor", "user"])


def test_the_list_of_everyday_words_is_well_formed() -> None:
    file = importlib.resources.files("zerikai_memory.retrieve").joinpath("data", "everyday_words.txt")
    for line in file.read_text(encoding="utf-8").splitlines():
        assert line.startswith("#") or (line == line.lower() and line.count(":") == 1 and all(line.split(":"))), line


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
