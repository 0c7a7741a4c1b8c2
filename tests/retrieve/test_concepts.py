"""What a question in everyday words means: the shipped descriptions, and how they are looked up."""

from __future__ import annotations

import hashlib
import importlib.resources
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.store.mirror_cases import index_of, put
from zerikai_memory.embed.static import TABLE_SHA256
from zerikai_memory.retrieve.concepts import ConceptTable, ProjectConcepts, load_concepts
from zerikai_memory.store.lexical import index_stems

SCRIPTS = Path(__file__).parents[2] / "scripts" / "concepts"
TEXT = (SCRIPTS / "concepts.txt").read_text("utf-8")
LINES = [line for line in TEXT.splitlines() if not line.startswith("#")]


class Everything:
    """A project that knows every word."""

    def __contains__(self, stem: object) -> bool:
        return True


@pytest.fixture(scope="module")
def compiler() -> ModuleType:
    """scripts/concepts/compile.py as a module."""
    spec = importlib.util.spec_from_file_location("compile_concepts", SCRIPTS / "compile.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table_of(compiler: ModuleType, tmp_path: Path, *lines: str) -> ConceptTable:
    file = tmp_path / "concepts.npz"
    np.savez(file, **compiler.compiled("\n".join(lines)))
    return load_concepts(str(file))


def test_the_shipped_table_is_made_from_the_text_and_the_embedding_beside_it() -> None:
    file = importlib.resources.files("zerikai_memory.retrieve").joinpath("data", "concepts.npz")
    with file.open("rb") as opened, np.load(opened) as arrays:
        made_from = [arrays[name].tobytes().decode() for name in ("source", "table")]
        assert len(arrays["lengths"]) == len(LINES)
    assert made_from == [hashlib.sha256(TEXT.encode()).hexdigest(), TABLE_SHA256]


def test_every_concept_has_words_of_code_and_descriptions_in_plain_letters() -> None:
    wrong = []
    for line in LINES:
        codes, *plains = line.split(" | ")
        well_formed = re.fullmatch(r"[a-z0-9]+( [a-z0-9]+)+", codes) and len(plains) >= 4
        if not (well_formed and line.isascii() and line == line.lower() and all(p.strip() == p and p for p in plains)):
            wrong.append(line)
    assert wrong == []


def test_no_two_concepts_have_the_same_words_of_code() -> None:
    codes = [line.partition(" | ")[0] for line in LINES]
    assert len(codes) > 4_000
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("make what we send smaller before it leaves", "compress"),
        ("block people from posting a form that another website forged", "csrf"),
        ("which tongue does the visitor prefer", "language"),
        ("people forgot their secret and cannot get in", "password"),
        ("keep a copy so that the slow work is not done twice", "cache"),
    ],
)
def test_everyday_words_lead_to_words_of_code(question: str, meant: str) -> None:
    meaning = ProjectConcepts(Everything).meaning(question, question.split())
    assert any(word.startswith(meant) for word in meaning.words[:10]), meaning.words


def test_a_word_of_code_leads_to_the_others_of_its_concept(compiler: ModuleType, tmp_path: Path) -> None:
    table = table_of(compiler, tmp_path, "hotkey shortcut keyboard | press two buttons", "color hex | pick a shade")
    meaning = table.meaning(table.scores(np.zeros(256, np.float32), ["hotkei"]), {"hotkeys": "hotkei"})
    assert meaning.words[:3] == ("hotkey", "shortcut", "keyboard")
    assert meaning.understood == {"hotkeys"}


def test_words_that_lead_to_nothing_are_not_understood() -> None:
    question = "which tongue does the zyzzyva prefer"
    meaning = ProjectConcepts(Everything).meaning(question, question.split())
    assert "tongue" in meaning.understood
    assert "zyzzyva" not in meaning.understood


@pytest.mark.parametrize("question", ["", "what is the", "???"])
def test_a_question_without_words_means_nothing(question: str) -> None:
    assert ProjectConcepts(Everything).meaning(question, question.split()).words == ()


def test_the_best_concept_gives_the_first_words(compiler: ModuleType, tmp_path: Path) -> None:
    table = table_of(
        compiler,
        tmp_path,
        "gzip compress response | make the reply smaller | squeeze pages",
        "login session password | prove who you are | come in",
        "color palette hex | pick a shade of paint | red and blue",
    )
    stems = {"reply": "repli", "smaller": "smaller"}
    meaning = table.meaning(table.scores(np.zeros(256, np.float32), stems.values()), stems)
    assert meaning.words[:3] == ("gzip", "compress", "response")
    assert meaning.understood == {"reply", "smaller"}


def test_a_project_without_its_words_has_no_such_concept(compiler: ModuleType, tmp_path: Path) -> None:
    lines = ("gzip compress response brotli | make the reply smaller", "trim shorten text cut | make the reply smaller")
    table = table_of(compiler, tmp_path, *lines)
    present = table.present({"gzip", "trim", "text"})
    assert present.tolist() == [False, True]
    scores = table.scores(np.zeros(256, np.float32), ["smaller"])
    meaning = table.meaning(scores * present, {"smaller": "smaller"})
    assert "trim" in meaning.words
    assert "gzip" not in meaning.words


def test_the_stems_of_an_index_are_those_of_its_words(tmp_path: Path) -> None:
    index = index_of(tmp_path)
    put(index, tmp_path / "src", a="def parse_headers():\n    pass\n")
    assert {"pars", "header"} <= index_stems(index)
    assert index_stems(index) == index_stems(index)
