"""`zerikai-memory usage`: the same numbers as text, JSON, CSV and a page; purge asks."""

import json
import time
from datetime import UTC, datetime

import pytest

from tests.usage_reports.ledgers import Ledger
from zerikai_memory.app import Memory
from zerikai_memory.cli import main
from zerikai_memory.settings import Settings


@pytest.fixture
def run(home, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SESSION_PLACES", "")
    ledger = Ledger(home)
    ledger.add(at=time.time() - 5, task="fix login")
    ledger.close()
    places = (("generic", str(tmp_path / "transcripts")),)

    def command(*words):
        own = Settings(home=home, session_places=places)
        status = main(["usage", *words], open_memory=lambda: Memory(own, cwd=tmp_path))
        return status, *capsys.readouterr()

    return command


def test_the_same_numbers_as_text_json_and_csv(run):
    status, text, _ = run("--by", "model", "--zone", "UTC")
    assert status == 0
    assert text.splitlines()[2].startswith("deepseek-flash  1")
    report = json.loads(run("--by", "model", "--json")[1])
    assert [(line["name"], line["prompt_tokens"]) for line in report["lines"]] == [("deepseek-flash", 1000)]
    cells = run("--by", "task", "--csv")[1].splitlines()
    assert cells[0].startswith("task,attempts,failed")
    assert cells[1].startswith("fix login,1,0,0,0,0,1000,400,100,0.4,")


def test_a_page_is_written_where_it_is_wanted(run, tmp_path):
    path = tmp_path / "usage.html"
    status, text, _ = run("--html", str(path), "--agents")
    assert (status, text) == (0, f"Wrote {path}.\n")
    assert "Spend per day by model" in path.read_text("utf-8")
    assert run("--html", "-")[1].startswith("<!doctype html>")
    status, _, error = run("--html", str(tmp_path / "none" / "usage.html"))
    assert status == 1
    assert "cannot write" in error


def test_agents_are_told_from_transcripts_that_were_never_indexed(run, tmp_path):
    line = {
        "session": "s",
        "cwd": "/home/me/shop",
        "role": "assistant",
        "content": "x",
        "model": "m",
        "timestamp": datetime.now(UTC).isoformat(),
        "usage": {"input": 5, "cache_read": 0, "output": 2, "cost_usd": 0.5},
    }
    (tmp_path / "transcripts").mkdir()
    (tmp_path / "transcripts" / "a.jsonl").write_text(json.dumps(line) + "\n")
    report = json.loads(run("--agents", "--by", "project", "--json")[1])
    (one,) = report["lines"]
    assert (one["name"], one["input_tokens"], one["cost_usd"], one["stated"]) == ("/home/me/shop", 5, 0.5, 1)


def test_reconcile_names_what_differs(run, tmp_path):
    export = tmp_path / "export.csv"
    export.write_text(f"day,model,prompt_tokens\n{datetime.now(UTC).date()},deepseek-flash,9000\n")
    status, text, _ = run("reconcile", str(export))
    assert status == 0
    assert "1 differ by more than 1 %" in text
    assert "Marked as estimated: " in text
    assert run("reconcile", str(export), "--tolerance", "200")[0] == 2


def test_purge_asks_first_and_keeps_the_total(run):
    day = str(datetime.now().date())
    total = json.loads(run("--json")[1])["total"]
    # The attempt is of now, so nothing is before today; of tomorrow nothing may be purged.
    assert json.loads(run("purge", "--before", day, "--json")[1])["attempts"] in (0, 1)
    assert run("purge", "--before", "2999-01-01")[0] == 1
    assert run("purge")[0] == 2
    assert json.loads(run("--json")[1])["total"] == total


def test_purge_without_a_terminal_wants_a_yes(run, home):
    ledger = Ledger(home)
    ledger.add(at=time.time() - 40 * 86_400, request_id="old")
    ledger.close()
    day = str(datetime.now().date())
    status, _, error = run("purge", "--before", day)
    assert status == 1
    assert "Pass --yes to confirm." in error
    report = json.loads(run("purge", "--before", day, "--yes", "--json")[1])
    assert report["attempts"] >= 1


@pytest.mark.parametrize("words", [("--by", "colour"), ("--days", "0"), ("--csv", "--html", "x")])
def test_wrong_use_is_told(words, run):
    assert run(*words)[0] == 2


def test_csv_and_json_together_are_refused(run):
    status, _, error = run("--csv", "--json")
    assert (status, "either --csv or --json" in error) == (1, True)


def test_a_key_of_the_other_report_is_named(run):
    status, _, error = run("--by", "agent")
    assert status == 1
    assert "by: got 'agent', expected one of operation" in error
