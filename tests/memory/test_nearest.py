"""Where no record answers, the nearest one or two are named as such, and are no answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.cli import main
from zerikai_memory.settings import Settings

ASKED = "seat of penguins in Brazil and Peru"


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    (workspace / "app.py").write_text("def load():\n    return 1\n")
    memory.scan(str(workspace))
    memory.save("Prices are stored as integer minor units", str(workspace), category="fact")
    return str(workspace)


def test_a_question_names_the_nearest_record_but_does_not_cite_it(memory: Memory, project: str):
    near = memory.save("The seat reservation ends after 12 minutes", project, category="decision")
    for category in (None, "decision"):
        answer = memory.query(ASKED, project, category=category)
        assert answer.nothing_relevant
        assert answer.notes == ()
        assert "too far to be cited" in answer.answer
        assert f"record {near.id} (decision:" in answer.answer
        assert f"note:{near.id}" not in answer.answer


def test_a_category_names_only_its_own_records(memory: Memory, project: str):
    near = memory.save("The seat reservation ends after 12 minutes", project, category="decision")
    assert near.id not in memory.query(ASKED, project, category="fact").answer
    assert memory.records(project).nearest(ASKED, "fact") == ()


def test_a_record_beside_an_answer_is_not_named(memory: Memory, project: str):
    memory.save("The seat reservation ends after 12 minutes", project, category="decision")
    answer = memory.query("load", project)
    assert answer.results
    assert "too far" not in answer.answer


def test_a_long_record_is_named_by_its_first_words(memory: Memory, project: str):
    memory.save("The seat reservation ends at noon " + "and the berth goes on sale again " * 40, project)
    assert len(memory.query(ASKED, project).answer) < 500


def test_nothing_is_named_when_nothing_speaks_for_a_record(memory: Memory, project: str):
    assert memory.records(project).nearest("zzz qqq", None) == ()
    assert memory.query("zzz qqq", project, category="fact").answer == "No note of category 'fact' answers this."


def test_a_list_tells_the_nearest_record(
    memory: Memory, project: str, home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    near = memory.save("The seat reservation ends after 12 minutes", project, category="decision")

    def run(*argv: str) -> str:
        settings = Settings(home=home, vector_store="exact")
        assert main(list(argv), open_memory=lambda: Memory(settings, cwd=tmp_path)) == 0
        return capsys.readouterr().out

    lines = run("notes", "list", ASKED, "-w", project).splitlines()
    assert lines[0] == "No records. The nearest, too far to be an answer:"
    assert lines[1].startswith(near.id)
    assert run("notes", "list", ASKED, "-w", project, "--json").strip() == "[]"
    assert "too far" not in run("notes", "list", "seat reservation", "-w", project)
