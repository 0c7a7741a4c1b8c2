"""Single facts about the project: told from the section that says them, else told to be unknown."""

from pathlib import Path

import pytest

from zerikai_memory.answer.facts_asked import fact_asked
from zerikai_memory.app import Memory

SECTIONS = {
    "Overview": "A shop.\nLicence: MIT (LICENSE).",
    "Technical Stack": "- Languages: Python.\n- Runtime and build: Python >=3.11.\n- Version: 2.1.0 (`setup.py`).",
}


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("which python versions are supported", "Technical Stack"),
        ("what Python version do I need?", "Technical Stack"),
        ("minimum python version", "Technical Stack"),
        ("does it support python 3.9", "Technical Stack"),
        ("which version is this", "Technical Stack"),
        ("what's the current version of shop?", "Technical Stack"),
        ("what license is it under", "Overview"),
        ("is this open source", "Overview"),
    ],
)
def test_a_fact_is_told_from_the_section_that_says_it(question: str, section: str) -> None:
    fact = fact_asked(question, SECTIONS, ["shop"])
    assert fact is not None
    assert [found.name for found in fact.sections] == [section]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("which node version does it need", "which version of node it needs"),
        ("who maintains this", "who wrote or maintains it"),
        ("who are the authors?", "who wrote or maintains it"),
        ("how big is this project", "how big it is"),
        ("how many files are there", "how big it is"),
        ("how old is this project?", "how old it is"),
    ],
)
def test_a_fact_that_no_section_says_is_told_as_unsaid(question: str, asked: str) -> None:
    fact = fact_asked(question, SECTIONS)
    assert fact is not None
    assert (fact.asked, fact.sections) == (asked, ())


@pytest.mark.parametrize(
    "question",
    [
        "who maintains the roads",
        "which version of the bible is oldest",
        "how big is the moon",
        "how many files are uploaded at once",
        "which database versions are supported",
        "who owns the lock",
        "is python slow",
        "where is the version parsed",
    ],
)
def test_other_questions_ask_for_no_fact_of_the_project(question: str) -> None:
    assert fact_asked(question, SECTIONS) is None


def test_what_the_brief_does_not_say_stays_unknown(memory: Memory, workspace: Path) -> None:
    (workspace / "cart.py").write_text('"""Who maintains this cart is not said."""\n\n\ndef maintains():\n    pass\n')
    memory.scan(str(workspace))
    answer = memory.query("who maintains this project", str(workspace))
    assert answer.nothing_relevant
    assert answer.warnings == ("the project's brief does not say who wrote or maintains it",)
    version = memory.query("which version is this", str(workspace))
    assert version.nothing_relevant
    assert version.sections == ()


def test_a_document_may_say_what_the_brief_does_not(memory: Memory, workspace: Path) -> None:
    (workspace / "cart.py").write_text("def add(item):\n    return item\n")
    (workspace / "TEAM.md").write_text("# Team\n\nHello.\n\n## Maintainers\n\nAda maintains this project.\n")
    memory.scan(str(workspace))
    answer = memory.query("who maintains this project", str(workspace))
    assert [hit.name for hit in answer.results][:1] == ["Maintainers"]


def test_the_index_tells_how_big_a_project_is(memory: Memory, workspace: Path) -> None:
    (workspace / "cart.py").write_text("def add(item):\n    return item\n\n\ndef drop(item):\n    return item\n")
    memory.scan(str(workspace))
    answer = memory.query("how big is this project", str(workspace))
    assert not answer.nothing_relevant
    assert "entities (functions, classes, sections ...) in 1 files" in answer.answer
