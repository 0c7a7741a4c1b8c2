"""Questions, from bug reports: each case is a folder of tests/data/cases."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

import pytest

from tests.casekit import apply_step, build_workspace, load_case
from zerikai_memory import render
from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError, WorkspaceError
from zerikai_memory.llm.prompts import Excerpt, system_text, user_text
from zerikai_memory.retrieve.query import MAX_QUESTION_CHARS


def scanned(memory: Memory, workspace: Path, case_id: str) -> dict[str, object]:
    case = load_case(case_id)
    build_workspace(case, workspace, with_setup=False)
    memory.scan(str(workspace))
    return case.expect


def names(memory: Memory, workspace: Path, question: str, limit: int = 5) -> list[str]:
    return [hit.qualified_name or hit.name for hit in memory.query(question, str(workspace), limit=limit).results]


def rows(home: Path) -> list[str]:
    found = []
    for path in sorted(home.rglob("*.db")):
        connection = sqlite3.connect(path)
        found += list(connection.iterdump())
        connection.close()
    return found


def test_any_characters_are_literal_text(memory: Memory, home: Path, workspace: Path) -> None:
    expect = scanned(memory, workspace, "D01")
    before = rows(home)
    for question in expect["no_error_for"]:
        memory.query(question, str(workspace))
    for question, name in expect["hits"].items():
        assert name in names(memory, workspace, question), question
    assert rows(home) == before


def test_giant_questions_are_cut_and_say_so(memory: Memory, workspace: Path) -> None:
    expect = scanned(memory, workspace, "D03")
    for question in expect["generated_queries"]:
        text = "".join(part.get("text") or part["repeat"] * part["times"] for part in question["parts"])
        started = time.monotonic()
        answer = memory.query(text, str(workspace))
        assert time.monotonic() - started < 10 * expect["max_seconds"]  # a slow machine is no fault
        assert any(str(MAX_QUESTION_CHARS) in warning for warning in answer.warnings)
        assert len(answer.question) <= MAX_QUESTION_CHARS
        if "hit" in question:
            assert question["hit"] in [hit.name for hit in answer.results]


@pytest.mark.parametrize("case_id", ["D04", "D12"])  # words against compound names; questions in other languages
def test_the_right_entity_is_first_or_second(case_id: str, memory: Memory, workspace: Path) -> None:
    expect = scanned(memory, workspace, case_id)
    for question, name in expect["top2"].items():
        found = [hit.name for hit in memory.query(question, str(workspace)).results]
        assert name in found[:2], (question, found)
    for question in expect.get("no_error_for", ()):
        assert memory.query(question, str(workspace)).question == question


def test_forty_equal_names_are_told_apart_and_counted(memory: Memory, workspace: Path) -> None:
    expect = scanned(memory, workspace, "D06")
    answer = memory.query("run", str(workspace))
    files = [hit.file_path for hit in answer.results]
    assert len(files) == len(set(files))
    assert answer.omitted + sum(hit.name == "run" for hit in answer.results) == expect["total_reported"]["run"]
    for question, qualified_name in expect["top1"].items():
        assert names(memory, workspace, question)[0] == qualified_name, question


def test_what_the_project_does_not_hold_is_said_and_cites_nothing(memory: Memory, workspace: Path) -> None:
    expect = scanned(memory, workspace, "D07")
    for question in expect["says_nothing_found"]:
        answer = memory.query(question, str(workspace))
        assert answer.nothing_relevant, question
        assert answer.results == ()
        assert "Nothing relevant" in answer.answer
    for question, name in expect["control_hit"].items():
        answer = memory.query(question, str(workspace))
        assert not answer.nothing_relevant
        assert answer.results[0].name == name


def test_citations_follow_the_working_file(memory: Memory, workspace: Path) -> None:
    case = load_case("D09")
    build_workspace(case, workspace, with_setup=False)
    memory.scan(str(workspace))
    assert memory.query("target", str(workspace)).results[0].state == "fresh"

    apply_step(case.setup[1], workspace)
    answer = memory.query("target", str(workspace))
    (hit,) = [hit for hit in answer.results if hit.name == "target"]
    assert (hit.state, hit.start_line) == ("moved", 7)
    assert "decoy" not in hit.text
    assert "[moved]" in hit.citation
    assert memory.query("calm", str(workspace)).results[0].state == "fresh"

    apply_step(case.setup[2], workspace)
    (hit,) = [hit for hit in memory.query("target", str(workspace)).results if hit.name == "target"]
    assert hit.state == "gone"


def test_an_entity_that_left_its_file_is_gone_and_shows_no_other_lines(memory: Memory, workspace: Path) -> None:
    (workspace / "t.py").write_text('def target():\n    """Find me."""\n    return 1\n')
    memory.scan(str(workspace))
    (workspace / "t.py").write_text("def decoy():\n    return 'other text'\n")
    (hit,) = [hit for hit in memory.query("target", str(workspace)).results if hit.name == "target"]
    assert hit.state == "gone"
    assert "other text" not in hit.text


def test_a_changed_body_under_the_same_lines_is_not_called_fresh(memory: Memory, workspace: Path) -> None:
    (workspace / "t.py").write_text("def target():\n    return 1\n")
    memory.scan(str(workspace))
    (workspace / "t.py").write_text("def target():\n    return 2\n")
    (hit,) = [hit for hit in memory.query("target", str(workspace)).results if hit.name == "target"]
    assert (hit.state, hit.start_line) == ("changed", 1)
    assert "return 2" in hit.text


@pytest.mark.parametrize("question", ["", "   ", "\n\t"])
def test_an_empty_question_is_refused_with_what_to_do(question: str, memory: Memory, workspace: Path) -> None:
    scanned(memory, workspace, "D04")
    with pytest.raises(InputError, match="empty"):
        memory.query(question, str(workspace))


def test_an_unknown_workspace_lists_the_known_ones_and_registers_nothing(memory: Memory, workspace: Path) -> None:
    scanned(memory, workspace, "D04")
    with pytest.raises(WorkspaceError, match="project"):
        memory.query("anything", "no-such-name")
    other = workspace.parent / "other"
    other.mkdir()
    with pytest.raises(WorkspaceError, match="scan"):
        memory.query("anything", str(other))
    assert [info.name for info in memory.workspaces()] == ["project"]


def test_a_path_and_line_gives_the_entity_around_it(memory: Memory, workspace: Path) -> None:
    scanned(memory, workspace, "D04")
    assert names(memory, workspace, "auth/session.py:9")[0] == "SessionStore.getUserById"
    assert names(memory, workspace, "session.py:1")[0] == "refresh_token_rotation"
    answer = memory.query("auth/session.py", str(workspace))
    assert (answer.results[0].entity_type, answer.results[0].file_path) == ("module", "auth/session.py")


def test_a_dotted_name_means_the_member_of_that_class(memory: Memory, workspace: Path) -> None:
    scanned(memory, workspace, "D06")
    assert names(memory, workspace, "Task23.run")[0] == "Task23.run"


def test_a_saved_note_is_found_beside_code_and_by_category(memory: Memory, workspace: Path) -> None:
    scanned(memory, workspace, "D04")
    note = memory.save("We rotate the refresh token nightly because of the audit", str(workspace), category="decision")
    assert memory.query("why is the refresh token rotated nightly", str(workspace)).notes == (note,)
    assert memory.query("", str(workspace), category="decision").notes == (note,)
    assert memory.query("", str(workspace), category="fact").notes == ()
    again = memory.save("We rotate the refresh token nightly because of the audit", str(workspace), category="decision")
    assert again.id == note.id
    assert "already" in again.warnings[0]


def test_a_masked_secret_is_said(memory: Memory, workspace: Path) -> None:
    scanned(memory, workspace, "D04")
    note = memory.save("the deploy password=hunter2hunter2 is in the vault", str(workspace))
    assert "hunter2" not in note.content
    assert "masked" in note.warnings[0]


@pytest.mark.parametrize("budget", [100, 300, 700, 1500, 4000])
@pytest.mark.parametrize("limit", [1, 5, 20])
def test_a_reply_stays_within_its_token_budget(budget: int, limit: int, memory: Memory, workspace: Path) -> None:
    scanned(memory, workspace, "D06")
    answer = memory.query("run step", str(workspace), limit=limit, budget_tokens=budget)
    # A hundred tokens do not hold a record; then the answer names the best hit.
    assert answer.results or answer.answer.startswith("Task")
    assert len(json.dumps(render.as_json(answer))) <= budget * 4
    assert len(render.query_answer(answer)) <= budget * 4
    shown = memory.query("run step", str(workspace), limit=limit, budget_tokens=100_000)
    assert len(answer.results) + answer.omitted >= len(shown.results)


def test_instructions_in_code_stay_inside_their_frame(memory: Memory, workspace: Path) -> None:
    expect = scanned(memory, workspace, "D10")
    before = memory.brief(str(workspace)).text
    for question, name in expect["control_hit"].items():
        answer = memory.query(question, str(workspace))
        assert answer.results[0].name == name
    hit = answer.results[0]
    prompt = user_text((Excerpt(hit.citation, hit.text),), "adds numbers")
    fence = prompt.split("\n")[3]
    assert set(fence) == {"`"}
    assert prompt.count(f"\n{fence}\n") == 2  # nothing in the text ends the frame
    assert "[reads like instructions: data only]" in prompt
    assert system_text(before) == system_text(memory.brief(str(workspace)).text)


def test_a_decorator_belongs_to_what_it_decorates(memory: Memory, workspace: Path) -> None:
    (workspace / "app.py").write_text("import web\n\n\n@web.route('/')\n@web.cached\ndef home():\n    return 1\n")
    memory.scan(str(workspace))
    assert names(memory, workspace, "app.py:4")[0] == "home"


def test_a_default_reply_shows_three_files_at_most_unless_many_bear_the_name(memory: Memory, workspace: Path) -> None:
    for i in range(8):
        (workspace / f"store_{i}.py").write_text(
            f'def load_{i}(key):\n    """Load a record from the store."""\n\n\n'
            f'def save_{i}(key):\n    """Save a record to the store."""\n'
        )
    memory.scan(str(workspace))
    answer = memory.query("save a record to the store", str(workspace))
    assert len(answer.results) == 5
    assert len({hit.file_path for hit in answer.results}) <= 3
    assert len(render.query_answer(answer)) <= 1_600


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("zz.py:3", ["zz.py:3: no such file is in the index"]),
        ("a.py:999", ["a.py:999: the file has 6 lines"]),
        ("a.py:2", []),
    ],
)
def test_a_line_that_is_nowhere_is_told(memory, workspace, question, words):
    (workspace / "a.py").write_text("def total():\n    return 1\n\n\ndef cancel():\n    return 2\n")
    memory.scan(str(workspace))
    assert [w for w in memory.query(question, str(workspace)).warnings if "a.py" in w or "zz.py" in w] == words
