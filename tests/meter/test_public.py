"""`meter.record` and `meter.report` on their own, in an empty folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.meter.bookkit import COST, NOON, own_prices
from zerikai_memory import meter
from zerikai_memory.errors import InputError

USAGE = {"prompt_tokens": 1000, "prompt_cache_hit_tokens": 400, "completion_tokens": 10}


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ZERIKAI_SESSION", "ZERIKAI_TASK"):
        monkeypatch.delenv(name, raising=False)


def record(request_id: str, home: Path, **more: object) -> object:
    facts = {"model": "deepseek-flash", "usage": USAGE, "at": NOON, "home": home}
    return meter.record(request_id, **{**facts, **more})


def test_it_works_in_an_empty_folder_and_needs_no_index(tmp_path: Path) -> None:
    code = (
        "from zerikai_memory import meter\n"
        "row = meter.record('r1', model='deepseek-flash', usage={'prompt_tokens': 10, 'completion_tokens': 1})\n"
        "assert row.cost_nano_usd > 0\n"
        "print(meter.report()[0].prompt_tokens)\n"
        "import sys\n"
        "heavy = {'chromadb', 'openai', 'mcp', 'tree_sitter'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    env = {"ZERIKAI_HOME": str(tmp_path / "b"), "PATH": "/usr/bin", "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("10\n", "")
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == ["zerikai.db"]


def test_a_repeated_report_returns_the_first(home: Path) -> None:
    first = record("r", home)
    again = record("r", home, usage={"prompt_tokens": 5}, status="failed", operation="other")
    assert again == first
    assert record("r", home, attempt=2) != first
    (total,) = meter.report(home=home)
    assert (total.attempts, total.cost_nano_usd) == (2, 2 * COST)


def test_what_was_started_is_settled_by_the_report_of_its_end(home: Path, monkeypatch) -> None:
    monkeypatch.setattr("zerikai_memory.meter.public.time.time", lambda: NOON + 60)
    begun = record("r", home, usage=None, status="started")
    assert (begun.open, begun.cost_nano_usd) == (True, None)
    assert meter.report(home=home)[0].running == 1
    done = record("r", home, duration_s=2.5, answered="DeepSeek-V4.1", response_id="x1")
    assert (done.seq, done.status, done.cost_nano_usd) == (begun.seq, "ok", COST)
    assert (done.ended_at, done.model_answered, done.provider_request_id) == (NOON + 2.5, "DeepSeek-V4.1", "x1")


@pytest.mark.parametrize(
    ("more", "cost", "unpriced", "uncounted"),
    [
        ({"model": "llama3", "provider": "ollama", "remote": False}, 0, False, False),
        ({"model": "llama3", "provider": "ollama"}, None, True, False),
        ({"provider": "openai_compat"}, None, True, False),  # somebody else's price
        ({"status": "failed", "usage": None}, 0, False, False),
        ({"status": "unknown", "usage": None}, None, False, True),
        ({"usage": None}, None, False, True),
        ({"usage": {"completion_tokens": 5}}, None, False, True),
        ({"usage": {"prompt_tokens": 0, "completion_tokens": 0}}, 0, False, False),
    ],
)
def test_what_is_not_known_is_never_nothing(home: Path, more, cost, unpriced, uncounted) -> None:
    row = record("r", home, **more)
    assert (row.cost_nano_usd, row.unpriced, row.uncounted) == (cost, unpriced, uncounted)
    total = meter.report(home=home)[0]
    assert (total.unpriced, total.uncounted, total.cost_nano_usd) == (unpriced, uncounted, cost or 0)


def test_a_price_of_nothing_given_on_purpose_is_a_real_one(home: Path) -> None:
    own_prices(home, [{"model": "local/llama", "input": "0", "output": "0"}])
    row = record("r", home, model="local/llama")
    assert (row.cost_nano_usd, row.unpriced, row.free) == (0, False, True)


def test_sums_by_what_attempts_share(home: Path) -> None:
    record("a", home, operation="query", task="t1", workspace="shop")
    record("b", home, operation="query", task="t2", session="s2", model="deepseek-v4-pro")
    record("c", home, operation="brief", model="nobody-knows", provider="x")
    record("d", home, at=NOON - 86_400, status="unknown", usage=None)
    total, *groups = meter.report(by="operation", home=home)
    assert [(group.name, group.attempts, group.unpriced) for group in groups] == [
        ("query", 2, 0),
        ("brief", 1, 1),
        ("call", 1, 0),
    ]
    assert sum(group.cost_nano_usd for group in groups) == total.cost_nano_usd
    assert sum(group.prompt_tokens for group in groups) == total.prompt_tokens == 3_000
    assert meter.report(by="model", home=home)[1].name == "deepseek-v4-pro"
    assert [group.name for group in meter.report(by="provider", home=home)[1:]] == ["deepseek", "x"]
    assert {group.name for group in meter.report(by="status", home=home)[1:]} == {"ok", "unknown"}
    assert meter.report(since=NOON, home=home)[0].attempts == 3
    assert meter.report(until=NOON, home=home)[0].attempts == 1
    assert meter.report(workspace="shop", home=home)[0].attempts == 1


def test_what_wrote_into_a_cache_is_an_estimate(home: Path) -> None:
    usage = {"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 1_000}
    assert record("r", home, usage=usage).estimated
    assert not record("s", home, usage={**usage, "cache_creation_input_tokens": 0}).estimated


def test_a_report_prices_what_had_no_price_and_settles_what_was_left_behind(home: Path) -> None:
    record("r", home, model="mystery", provider="deepseek")
    record("left", home, model="mystery", provider="deepseek", usage=None, status="started", at=1_000_000.0)
    own_prices(home, [{"provider": "DeepSeek", "model": "mystery", "input": "1", "output": "1"}])
    (total, *_, first) = meter.report(by="day", home=home)
    assert (total.running, total.unknown, total.cost_nano_usd) == (0, 1, 1_010_000)
    assert first.name.startswith("1970-01-1")


def test_a_brain_that_is_not_there_has_sums_of_none_and_is_not_made(home: Path) -> None:
    assert meter.report(home=home)[0].attempts == 0
    assert not home.exists()


def test_session_and_task_are_those_of_the_environment_where_none_is_given(home: Path, monkeypatch) -> None:
    monkeypatch.setenv("ZERIKAI_SESSION", "s9")
    monkeypatch.setenv("ZERIKAI_TASK", "t9")
    assert (record("r", home).session, record("r", home).task) == ("s9", "t9")
    assert record("q", home, task="own").task == "own"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"status": "done"}, "status: got 'done', expected one of started, ok, partial, failed, unknown"),
        ({"attempt": 0}, "attempt: got 0"),
        ({"attempt": True}, "attempt: got True"),
        ({"model": " "}, "model: got ' '"),
        ({"model": None}, "model: got None"),
        ({"task": "two\nlines"}, "task: got"),
        ({"task": "x" * 101}, "task: got"),
        ({"at": float("nan")}, "at: got nan"),
        ({"at": 1e300}, "at: got 1e\\+300"),
        ({"at": "2026"}, "at: got '2026'"),
        ({"attempt": 2**70}, "attempt: got"),
        ({"answered": "\ud800"}, "answered: got"),
        ({"task": 7}, "task: got 7"),
        ({"task": "(none)"}, "task: got '.none.'"),
    ],
)
def test_arguments_that_make_no_sense_are_named(home: Path, more, told) -> None:
    with pytest.raises(InputError, match=told):
        record("r", home, **more)
    with pytest.raises(InputError, match="request_id"):
        record("", home)
    with pytest.raises(InputError, match="by: got 'colour'"):
        meter.report(by="colour", home=home)
