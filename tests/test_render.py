import json
from dataclasses import replace

import pytest

from tests.fake_memory import ENTITY, HIT, NOTE, PROJECT, REPORT, FakeMemory
from zerikai_memory import render
from zerikai_memory.model import ScanReport, SkippedPath
from zerikai_memory.model_upkeep import DropReport, Finding

ODD_NAMES = [
    "with space.py",
    "new\nline.py",  # would break a citation in two
    "quote'and\"double.py",
    "emoji_🍞.py",
    "tab\tand\x00nul",
    "bad\udcd3bytes.py",  # os.fsdecode of a name that is not UTF-8
    "\ud83d",  # half an emoji
    "\u202eright.py",  # turns the text after it around
    "line\u2028separator.py",
]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name_is_one_line_of_valid_utf8_json(name):
    line = render.json_line({"path": name, name: replace(HIT, file_path=name)})
    assert "\n" not in line
    decoded = json.loads(line.encode("utf-8"))
    assert decoded["path"] == name.encode("utf-8", "backslashreplace").decode()


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_name_stays_on_its_own_citation_line(name):
    answer = replace(
        FakeMemory().answer, results=(replace(HIT, file_path=name),), notes=(), answer="Body: def login(self): ..."
    )
    lines = render.query_answer(answer).split("\n")
    assert lines[0] == "Sources:"
    assert lines[1].startswith("Session.login #")
    assert lines[1].endswith(":12 (0.84)")
    assert lines[2] == ""
    assert lines[3].startswith("--- method ")
    assert lines[3].endswith(":12-20")
    assert "".join(lines).encode("utf-8").isascii() or "🍞" in name


def test_ordinary_text_is_shown_unchanged():
    text = "Größe ☕ 🍞 עברית ← →\n\tindented"
    assert render.safe_text(text) == text


def test_json_values_are_plain():
    assert render.as_json(ENTITY)["entity_type"] == "method"
    assert render.as_json(ENTITY)["decorators"] == ["retry"]
    assert render.as_json({1: (float("nan"), float("inf"), 1.5, None, True)}) == {"1": [None, None, 1.5, None, True]}


def test_an_answer_lists_sources_first_and_warnings_last():
    answer = replace(FakeMemory().answer, warnings=("the index is stale",), omitted=2)
    assert render.query_answer(answer) == (
        "Sources:\n"
        "Session.login #auth/session.py:12 (0.84)\n"
        "note:n1 (decision, 2026-09-21)\n"
        "\n"
        "--- method auth/session.py:12-20\n"
        "def login(self): ...\n"
        "\n"
        "note:n1: Tokens rotate.\n"
        "\n"
        "(2 more left out; narrow the question, or ask for a higher limit or budget.)\n"
        "\n"
        "Warning: the index is stale"
    )
    assert render.query_answer(answer, show_sources=False).startswith("--- method auth/session.py:12-20\ndef login")


def test_code_is_quoted_where_no_model_wrote_the_answer():
    hits = (replace(HIT, text="def login(self):\n    return 1\n"), replace(HIT, file_path="b.py", text="said"))
    answer = replace(FakeMemory().answer, results=hits, notes=(), answer="Session.login: said")
    quoted = "--- method auth/session.py:12-20\ndef login(self):\n    return 1\n\n--- method b.py:12-20\nsaid"
    assert render.query_answer(answer, show_sources=False) == quoted
    written = replace(answer, route=replace(answer.route, backend="ollama"))
    assert render.query_answer(written, show_sources=False) == "Session.login: said"


def test_nothing_relevant_calls_its_hits_nearest_not_sources():
    answer = replace(FakeMemory().answer, nothing_relevant=True, notes=(), answer="Nothing relevant is stored.")
    assert render.query_answer(answer).startswith("Nearest:\nSession.login #")


def test_a_scan_report_says_what_was_done_and_what_was_not():
    report = replace(
        REPORT,
        skipped=(*tuple(SkippedPath(f"lib{i}", "default") for i in range(8)), SkippedPath(".env", "secret")),
        partial=("broken.py",),
        failed=(SkippedPath("locked.py", "unreadable", "permission denied"),),
        warnings=("no brief was written",),
    )
    text = render.scan_report(report)
    assert "Scan of proj (/home/me/proj) completed in 0.5 s: 4 files, 9 entities." in text
    assert "Added 1, changed 0, removed 0, kept 3 files; 9 entities embedded." in text
    assert "Skipped 9: default 8 (lib0, lib1, lib2, lib3, lib4, and 3 more); secret 1 (.env)" in text
    assert "broken.py" in text
    assert "locked.py (permission denied)" in text
    assert text.endswith("Warning: no brief was written")


def test_a_dry_run_lists_its_plan():
    report = replace(REPORT, status="dry_run", added=("new.py",), changed=("old.py",), removed=("gone.py",))
    text = render.scan_report(report)
    assert "nothing was written" in text
    assert text.index("+ new.py") < text.index("~ old.py") < text.index("- gone.py")


def test_a_running_scan_says_how_far_it_is():
    report = ScanReport("proj", PROJECT.id, PROJECT.path, "running", done=3, total=10)
    assert "still running: 3 of 10 files" in render.scan_report(report)


def test_a_summary_cuts_lists_and_keeps_the_true_counts():
    report = replace(REPORT, added=tuple(f"f{i}.py" for i in range(300)))
    summary = render.scan_summary(report, most=20)
    assert len(summary.added) == 20
    assert summary.counts["added"] == 300
    assert len(render.scan_summary(report).added) == 300


def test_tables_line_up():
    assert render.entity_table([ENTITY]) == "auth/session.py:12  method  Session.login"
    header, row = render.workspace_table(FakeMemory().workspaces()).split("\n")
    assert header.index("PATH") == row.index("/home/me/proj")
    assert "No workspaces yet" in render.workspace_table([])


def test_a_drop_report_says_what_stays():
    report = DropReport("proj", PROJECT.id, PROJECT.path, ("index",), kept_notes=2, kept_usage=5)
    assert "2 notes, 5 usage rows (--all removes them)" in render.drop_report(report)
    assert "Kept" not in render.drop_report(replace(report, kept_notes=0, kept_usage=0))


def test_findings_show_their_fix_below():
    text = render.finding_lines([Finding("ok", "home", "writable"), Finding("error", "db", "newer", "update")])
    assert text.split("\n") == ["ok      home: writable", "error   db: newer", "        fix: update"]


def test_a_note_is_cited_with_category_and_date():
    assert render.note_citation(NOTE) == "note:n1 (decision, 2026-09-21)"
