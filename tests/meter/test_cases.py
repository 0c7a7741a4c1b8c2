"""The cases of real metering bugs (tests/data/cases/F*), through the public names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.casekit import load_case
from tests.meter.bookkit import at, own_prices
from zerikai_memory import meter
from zerikai_memory.meter.budget import period_start
from zerikai_memory.model_usage import BudgetPeriod

NAMES = {"cache_hit": "cached", "input": "input", "output": "output"}


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ZERIKAI_SESSION", "ZERIKAI_TASK"):
        monkeypatch.delenv(name, raising=False)


def rates(prices: dict[str, Any], **more: str) -> list[dict[str, Any]]:
    return [
        {"model": model, **{NAMES[name]: f"{usd:.6f}" for name, usd in row.items()}, **more}
        for model, row in prices.items()
    ]


def usd(row: Any) -> float | None:
    return None if row.cost_nano_usd is None else row.cost_nano_usd / 1e9


@pytest.mark.parametrize("case_id", ["F01", "F04"])
def test_costs_of_usage_objects(case_id: str, home: Path) -> None:
    expect = load_case(case_id).expect
    own_prices(home, rates(expect["prices"]))
    for number, row in enumerate(expect["rows"]):
        booked = meter.record(f"r{number}", model=row["model"], usage=row["usage"], home=home)
        assert usd(booked) == row["cost_usd"], row
        assert booked.unpriced is row.get("unpriced", False)
        assert booked.prompt_tokens == row["usage"]["prompt_tokens"]
    unpriced = sum(row.get("unpriced", False) for row in expect["rows"])
    total = meter.report(home=home)[0]
    assert (total.attempts, total.unpriced) == (len(expect["rows"]), unpriced)
    assert total.cost_usd == pytest.approx(sum(row["cost_usd"] or 0 for row in expect["rows"]), abs=1e-12)


def test_retries_and_repeated_reports_count_once(home: Path) -> None:
    expect = load_case("F03").expect
    words = {"timeout": "unknown", "429": "failed", "ok": "ok"}
    told: dict[str, dict[str, Any]] = {}
    for event in expect["events"]:
        if "replay_of" in event:
            meter.record("q", model="deepseek-flash", home=home, **told[event["replay_of"]])
            continue
        facts = {
            "attempt": event["attempt"],
            "status": words[event["result"]],
            "usage": event.get("usage"),
            "response_id": event.get("response_id"),
        }
        told[event.get("response_id", "")] = facts
        meter.record("q", model="deepseek-flash", home=home, **facts)
    total, wanted = meter.report(home=home)[0], expect["totals"]
    assert total.prompt_tokens == wanted["prompt_tokens"]
    assert total.completion_tokens == wanted["completion_tokens"]
    assert total.billed == wanted["billed_rows"]
    assert total.unknown == wanted["unknown_rows"]
    assert total.uncounted == 1  # what a time-out cost is not known, which is not nothing


def test_a_new_price_holds_from_its_first_instant_on_and_changes_nothing_before(home: Path) -> None:
    expect = load_case("F06").expect
    tables = [
        rates({name: row for name, row in table.items() if name != "from"}, valid_from=table["from"])
        for table in expect["tables"]
    ]
    own_prices(home, tables[0])
    model = tables[0][0]["model"]
    first = expect["rows"][0]
    assert (
        usd(meter.record("r0", model=model, usage=first["usage"], at=at(first["at"]), home=home)) == first["cost_usd"]
    )
    own_prices(home, [row for table in tables for row in table])
    for number, row in enumerate(expect["rows"]):
        booked = meter.record(f"r{number}", model=model, usage=row["usage"], at=at(row["at"]), home=home)
        assert usd(booked) == row["cost_usd"]
    assert meter.report(home=home)[0].cost_usd == pytest.approx(sum(row["cost_usd"] for row in expect["rows"]))


def test_times_that_go_backwards_keep_their_order_and_days_are_those_of_a_zone(home: Path) -> None:
    zoneinfo = pytest.importorskip("zoneinfo")
    expect = load_case("F08").expect
    for number, moment in enumerate(expect["set_back"]["booked"]):
        row = meter.record(f"r{number}", model="m", at=at(moment), duration_s=-3600.0, home=home)
        assert row.seq == number + 1
        assert row.duration_s == 0
        assert row.ended_at == row.started_at
    zone = zoneinfo.ZoneInfo(expect["zone"])
    for row in expect["rows"]:
        began = period_start(BudgetPeriod.DAY, at(row["at"]), zone)
        assert began == period_start(BudgetPeriod.DAY, at(f"{row['day']}T12:00:00Z"), zone)
