"""`budget` and `prices` on the command line."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.meter.bookkit import own_prices
from zerikai_memory import cli
from zerikai_memory.app import Memory
from zerikai_memory.meter.metering import Metering
from zerikai_memory.meter.price_desk import PriceDesk
from zerikai_memory.meter.price_files import PriceFiles
from zerikai_memory.settings import Settings
from zerikai_memory.store.brain import Brain

Run = Callable[..., str]


@pytest.fixture
def run(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command and give what it printed; `status` is what it must return."""

    def command(*words: str, status: int = 0, **settings: Any) -> str:
        memory = Memory(Settings(home=home, **settings), cwd=tmp_path)
        assert cli.main(list(words), open_memory=lambda: memory) == status
        printed = capsys.readouterr()
        return printed.err if status else printed.out

    return command


def test_a_budget_is_set_listed_and_removed(run: Run, tmp_path: Path) -> None:
    assert run("budget", "list").startswith("No budgets: paid models are asked without a limit.")
    told = run("budget", "set", "5", "usd")
    assert told.startswith("Budget 1: $5.00 per month for all. $0.00 of it is used. Replies warn from 80 % on;")
    assert "from 100 % on no model is asked (action refuse)" in told
    (tmp_path / "shop").mkdir()
    words = ("--per", "day", "-w", str(tmp_path / "shop"), "--action", "local", "--warn", "50", "--stop", "90")
    budget = json.loads(run("budget", "set", "200000", "tokens", *words, "--json"))
    assert {name: budget[name] for name in ("id", "scope", "period", "unit", "amount", "action", "warn_percent")} == {
        "id": 2,
        "scope": "workspace",
        "period": "day",
        "unit": "tokens",
        "amount": 200_000,
        "action": "local",
        "warn_percent": 50,
    }
    run("budget", "set", "1", "usd", "--task", "fix", "--per", "total", "--action", "cheaper")
    lines = run("budget", "list").splitlines()
    assert [line.split()[0] for line in lines] == ["ID", "1", "2", "3"]
    assert lines[3].split() == ["3", "task", "fix", "total", "$1.00", "$0.00", "0", "ok", "cheaper", "never"]
    assert len(json.loads(run("budget", "list", "--json"))) == 3
    assert run("budget", "remove", "2").startswith("Budget 2 (200,000 tokens per day for workspace")
    assert [budget["id"] for budget in json.loads(run("budget", "list", "--json"))] == [1, 3]


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("set", "five", "usd"), 1, "amount: got 'five'"),
        (("set", "5", "eur"), 2, "invalid choice: 'eur'"),
        (("set", "5", "usd", "--task", "a", "--session", "b"), 2, "not allowed with argument"),
        (("set", "5", "usd", "--task", " "), 1, "task: it is empty"),
        (("set", "5", "usd", "--session", "x" * 101), 1, "session: got"),
        (("set", "5", "usd", "--warn", "0"), 1, "warn: got 0"),
        (("set", "5", "usd", "-w", "nobody"), 1, "nobody"),
        (("remove", "7"), 1, "budget: got 7, there is: none"),
        (("remove", "x"), 2, "invalid number from 1"),
        ((), 2, "required"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(run: Run, words: tuple[str, ...], status: int, told: str) -> None:
    assert told in run("budget", *words, status=status)
    assert json.loads(run("budget", "list", "--json")) == []


def test_prices_are_listed_with_their_peak_hours_source_and_day(run: Run, home: Path) -> None:
    text = run("prices", "list")
    assert "deepseek-flash" in text
    assert "Peak hours 09:00-12:00, 14:00-18:00 mon-fri UTC+08:00" in text
    assert "deepseek-flash is also called: deepseek-v4-flash" in text
    lines = json.loads(run("prices", "list", "--json"))
    assert all(line["applies"] for line in lines)
    assert len(json.loads(run("prices", "list", "--all", "--json"))) > len(lines)
    own_prices(home, [{"provider": "openai_compat", "model": "mine", "input": "0.5", "output": "1.5"}])
    mine = next(line for line in json.loads(run("prices", "list", "--json")) if line["own"])
    assert (mine["input_usd"], mine["cached_usd"], mine["output_usd"]) == (0.5, 0.5, 1.5)
    assert "own file" in run("prices", "list")


def test_a_price_file_that_cannot_be_used_is_said_everywhere(run: Run, home: Path, capsys: Any) -> None:
    home.mkdir()
    (home / "prices.toml").write_text("[[prices]]\n")
    assert "prices.toml cannot be used: prices row 1" in run("prices", "list")
    for words in (("prices", "check"), ("doctor",)):
        memory = Memory(Settings(home=home), cwd=home)
        assert cli.main(list(words), open_memory=lambda memory=memory: memory) == (words[0] == "prices")
        assert "until then every price counts as unknown" in capsys.readouterr().out


@pytest.fixture
def desk(home: Path) -> Iterator[Callable[..., list[str]]]:
    brain = Brain(home)

    def check(now: float, *models: tuple[str, str]) -> list[str]:
        found = PriceDesk(PriceFiles(home), brain.usage, lambda: models, lambda: now).checked()
        return [f"{finding.level}: {finding.message}" for finding in found]

    yield check
    brain.close()


def day(text: str) -> float:
    return time.mktime(time.strptime(text, "%Y-%m-%d"))


def test_prices_that_nobody_has_looked_at_for_long_are_told(desk: Callable[..., list[str]]) -> None:
    assert desk(day("2026-12-01")) == ["ok: 2 apply today, all checked on 2026-11-30 or later"]
    assert desk(day("2026-12-30"))[0].startswith("ok")
    old = desk(day("2027-03-15"))
    assert any("the price of 'deepseek-flash' at 'deepseek' was checked 105 days ago" in text for text in old)
    assert any("know holidays up to 2026-12-31 only" in text for text in old)
    assert {text.partition(":")[0] for text in old} == {"warning"}


def test_models_and_attempts_without_a_price_are_told(desk: Callable[..., list[str]], home: Path) -> None:
    from zerikai_memory import meter

    now = day("2026-12-01")
    meter.record("r", model="m9", provider="openai_compat", usage={"prompt_tokens": 1}, home=home)
    told = desk(now, ("deepseek", "deepseek-flash"), ("openai_compat", "mine"))
    assert len(told) == 2
    assert "no price of 'mine' at 'openai_compat' is known" in told[0]
    assert "1 attempt(s) at 'm9' of 'openai_compat' have no known cost" in told[1]
    own_prices(home, [{"provider": "openai_compat", "model": "*", "input": "1", "output": "1"}])
    assert len(desk(now, ("openai_compat", "mine"))) == 1
    memory = Memory(Settings(home=home), cwd=home)
    assert [finding.level for finding in memory.metering.prices.checked()] == ["ok"]  # it was priced now
    memory.close()


def test_rows_that_never_apply_are_told(desk: Callable[..., list[str]], home: Path) -> None:
    row = {"model": "m", "input": "1", "output": "1"}
    own_prices(home, [{"provider": "depseek", **row}, {"provider": "x", **row}, {"provider": "x", **row}])
    told = desk(day("2026-12-01"))
    assert "'depseek' in your own prices.toml; did you mean 'deepseek'?" in told[0]
    assert "2 rows of 'm' at 'x' of your own begin at the beginning: the last holds" in told[1]


def test_a_peak_until_midnight_says_so(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "prices.toml").write_text(
        '[calendars.late]\npeak = ["22:00-24:00"]\n[[prices]]\nprovider = "x"\nmodel = "m"\ninput = 1\noutput = 1\n'
        'peak = {calendar = "late", input = 2, output = 2}\n'
    )
    assert "22:00-24:00" in run("prices", "list")


@pytest.mark.parametrize(
    ("settings", "models"),
    [
        ({}, ()),
        ({"memory_mode": "cloud", "deepseek_api_key": "k"}, (("deepseek", "deepseek-flash"),)),
        (
            {"memory_mode": "cloud", "deepseek_api_key": "k", "enable_deepseek_pro": True},
            (("deepseek", "deepseek-flash"), ("deepseek", "deepseek-v4-pro")),
        ),
        (
            {"memory_mode": "hybrid", "openai_compat_base_url": "https://example.org/v1", "openai_compat_model": "m"},
            (("openai_compat", "m"),),
        ),
    ],
)
def test_the_models_that_are_checked_are_those_that_can_be_asked(home: Path, settings: Any, models: Any) -> None:
    brain = Brain(home)
    assert tuple(Metering(Settings(home=home, **settings), brain, "s")._remote_models()) == models
    brain.close()
