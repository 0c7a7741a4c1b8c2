"""Budgets: which calls they let through, what they say, whose they are, when they begin anew."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.meter.bookkit import COST, LOCAL, NOON, RESERVED, USED, Books, at, attempt, books, budget, end, own_prices
from zerikai_memory.errors import InputError
from zerikai_memory.llm.base import FailureKind, ModelError, TokenUse
from zerikai_memory.meter.budget import Percents, amount_text, period_end, period_start
from zerikai_memory.meter.budget_desk import BudgetDesk, BudgetDraft
from zerikai_memory.model_usage import BudgetPeriod, BudgetScope

DAY, MONTH, TOTAL = BudgetPeriod.DAY, BudgetPeriod.MONTH, BudgetPeriod.TOTAL


@pytest.fixture(autouse=True)
def utc() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


def refused(kept: Books, task: str | None = None, **more: object) -> ModelError:
    with pytest.raises(ModelError) as caught:
        kept.booking(task).started(attempt(**more))
    assert caught.value.kind == FailureKind.BUDGET
    return caught.value


def test_a_call_goes_through_as_long_as_its_worst_case_fits(home: Path) -> None:
    with books(home) as kept:
        kept.brain.usage.budgets.put(budget(COST + RESERVED))
        kept.run()
        kept.run()  # what the first reserved and did not use is free again
        error = refused(kept)
        assert error.instead == "nothing"
        assert str(error) == (
            "budget 1 ($0.0003072 a day, all workspaces) does not allow it: $0.0001944 spent, and this call may take "
            "$0.00021; it resets at 2026-12-01 00:00+00:00"
        )
        assert [row.status for row in kept.rows()] == ["ok", "ok"]  # nothing is booked of what is not sent


def test_what_runs_is_reserved_and_named(home: Path) -> None:
    with books(home) as kept:
        kept.brain.usage.budgets.put(budget(2 * RESERVED - 1))
        sent, booking = attempt(), kept.booking()
        booking.started(sent)
        assert "$0.00 spent, $0.00021 reserved by calls that run" in str(refused(kept))
        booking.ended(sent, end(TokenUse(), "failed"))  # not billed: all of it is free again
        kept.booking().started(attempt())


@pytest.mark.parametrize(
    ("usage", "status", "taken"),
    [
        (USED, "ok", 1_010),
        (TokenUse(), "unknown", 1_100),  # the worst case
        (TokenUse(), "failed", 0),
        (USED, "failed", 1_010),  # useless and billed
    ],
)
def test_a_budget_of_tokens_counts_prompts_and_answers(home: Path, usage: TokenUse, status: str, taken: int) -> None:
    with books(home) as kept:
        kept.run(usage, status)
        kept.brain.usage.budgets.put(budget(taken + 1_099, "tokens"))
        assert f"{taken:,} tokens spent, and this call may take 1,100 tokens" in str(refused(kept))
        kept.brain.usage.budgets.put(budget(taken + 1_100, "tokens"))
        kept.run()


def test_models_on_this_machine_are_neither_counted_nor_held_back(home: Path) -> None:
    with books(home) as kept:
        for unit in ("usd", "tokens"):
            kept.brain.usage.budgets.put(budget(0, unit))
        kept.run(**LOCAL)
        refused(kept)
        kept.run(**LOCAL)
        (dollars, tokens) = kept.brain.usage.budgets.states(lambda _: None)
        assert (dollars.spent, tokens.spent, tokens.reserved) == (0, 0, 0)


@pytest.mark.parametrize(
    ("scope", "subject", "other"),
    [
        ("workspace", "w", {"workspace_id": "v"}),
        ("task", "fix", {"task": "other"}),
        ("task", "fix", {}),
    ],
)
def test_a_budget_bounds_its_own_alone(home: Path, scope: str, subject: str, other: dict[str, str]) -> None:
    with books(home) as kept:
        kept.brain.usage.budgets.put(budget(COST + 10, scope=scope, subject=subject))
        own = {"task": "fix"} if scope == "task" else {}
        kept.run(**({"workspace_id": "v"} if scope == "workspace" else {}))  # others' spending does not count
        error = refused(kept, **own)
        assert {"workspace": "this workspace", "task": "task 'fix'"}[scope] in str(error)
        kept.run(**other)


def test_a_budget_of_a_session_bounds_every_process_of_it(home: Path) -> None:
    with books(home, session="one") as first, books(home, session="one") as second, books(home, session="two") as other:
        first.brain.usage.budgets.put(budget(COST + RESERVED - 1, scope="session", subject="one"))
        first.run()
        assert "session 'one'" in str(refused(second))
        other.run()


@pytest.mark.parametrize(
    ("period", "before", "after"),
    [
        ("day", "2026-11-30T23:59:59", "2026-12-01T00:00:00"),
        ("month", "2026-11-30T23:59:59", "2026-12-01T00:00:00"),
        ("month", "2026-12-31T23:59:59", "2027-01-01T00:00:00"),
    ],
)
def test_a_period_ends_and_the_next_begins_with_nothing_spent(home: Path, period: str, before: str, after: str) -> None:
    with books(home, now=at(before)) as kept:
        kept.brain.usage.budgets.put(budget(RESERVED + COST, period=period))
        kept.run(started_at=at(before))
        kept.run(started_at=at(before))
        refused(kept, started_at=at(before))
        kept.now[0] = at(after)
        assert kept.run(started_at=at(after)).status == "ok"


def test_a_total_never_resets_and_says_so(home: Path) -> None:
    with books(home) as kept:
        kept.brain.usage.budgets.put(budget(RESERVED, period="total"))
        kept.run()
        kept.now[0] += 400 * 86_400
        assert "in total" in str(error := refused(kept))
        assert "it does not reset" in str(error)


def test_a_clock_that_is_set_back_gives_nothing_back(home: Path) -> None:
    with books(home) as kept:
        kept.brain.usage.budgets.put(budget(RESERVED))
        kept.run()
        kept.now[0] -= 86_400
        assert "does not allow it" in str(refused(kept, started_at=NOON - 86_400))


@pytest.mark.parametrize(
    ("actions", "instead"),
    [
        (["refuse"], "nothing"),
        (["local"], "local"),
        (["cheaper"], "next"),
        (["cheaper", "local"], "local"),
        (["local", "cheaper", "refuse"], "nothing"),
    ],
)
def test_of_several_spent_budgets_the_strictest_decides(home: Path, actions: list[str], instead: str) -> None:
    with books(home) as kept:
        for action, period in zip(actions, ("day", "month", "total"), strict=False):
            kept.brain.usage.budgets.put(budget(1, action=action, period=period))
        error = refused(kept)
        assert error.instead == instead
        assert str(error).count("does not allow it") == len(actions)


def test_a_budget_that_is_not_spent_has_no_say(home: Path) -> None:
    with books(home) as kept:
        kept.brain.usage.budgets.put(budget(10**9, action="refuse"))
        kept.brain.usage.budgets.put(budget(1, "tokens", action="local"))
        assert refused(kept).instead == "local"


@pytest.mark.parametrize(
    ("percents", "own", "lets"),
    [
        (Percents(80, 100), None, True),
        (Percents(80, 50), None, False),
        (Percents(80, 50), 100, True),
        (Percents(80, 100), 50, False),
    ],
)
def test_where_it_stops_can_be_set(home: Path, percents: Percents, own: float | None, lets: bool) -> None:
    with books(home, percents=percents) as kept:
        kept.brain.usage.budgets.put(budget(RESERVED, stop=own))
        if lets:
            kept.run()
        else:
            assert "(it stops at $0.000105)" in str(refused(kept))


@pytest.mark.parametrize(
    ("amount", "percents", "own", "warned"),
    [
        (COST * 10, Percents(), None, ""),
        (COST * 1250 // 1000, Percents(), None, "80 % used, $0.0000972 of $0.0001215"),
        (COST * 1260 // 1000, Percents(), None, ""),
        (COST * 1260 // 1000, Percents(79), None, "79 % used"),
        (COST * 1260 // 1000, Percents(), 79, "79 % used"),
    ],
)
def test_a_warning_is_about_what_was_really_spent(home, amount, percents, own, warned) -> None:
    """The call that reaches the mark says so itself, whatever more had been reserved for it."""
    with books(home, percents=percents) as kept:
        kept.brain.usage.budgets.put(budget(amount, warn=own))
        sent, booking = attempt(prompt_tokens=500, max_tokens=10), kept.booking()
        booking.started(sent)
        booking.ended(sent, end(USED))
        notices = booking.notices()
        assert len(notices) == bool(warned)
        assert warned in "".join(notices)
        if warned:
            assert notices[0].startswith("budget 1 (")
            assert notices[0].endswith("it resets at 2026-12-01 00:00+00:00")


def test_a_budget_in_dollars_cannot_admit_what_has_no_price(home: Path) -> None:
    with books(home) as kept:
        kept.brain.usage.budgets.put(budget(10**9, action="local"))
        kept.brain.usage.budgets.put(budget(10**9, "tokens"))
        error = refused(kept, model="deepseek-v5-ultra")
        assert error.instead == "local"
        assert "cannot be kept: no price of 'deepseek-v5-ultra' at 'deepseek' is known; add one to" in str(error)
        assert str(home / "prices.toml") in str(error)
        own_prices(home, [{"provider": "deepseek", "model": "deepseek-v5-ultra", "input": "1", "output": "2"}])
        kept.run(model="deepseek-v5-ultra")


def test_a_budget_in_dollars_waits_for_the_price_of_what_was_spent_already(home: Path) -> None:
    with books(home) as kept:
        kept.run(model="deepseek-v5-ultra")
        kept.brain.usage.budgets.put(budget(10**9))
        assert "1 attempt(s) of its period have no known price" in str(refused(kept))
        own_prices(home, [{"model": "deepseek-v5-ultra", "input": "1", "output": "2"}])
        kept.run()
        assert kept.brain.usage.budgets.states(lambda _: None)[0].spent == 1_020_000 + COST


def test_a_budget_of_tokens_lets_a_model_without_a_price_through(home: Path) -> None:
    with books(home) as kept:
        kept.brain.usage.budgets.put(budget(10_000, "tokens"))
        kept.run(model="deepseek-v5-ultra")
        assert kept.brain.usage.budgets.states(lambda _: None)[0].spent == 1_010


def test_budgets_need_tracking(home: Path) -> None:
    with books(home, tracking=False) as kept:
        kept.booking().started(attempt())
        kept.brain.usage.budgets.put(budget(10**12))
        error = refused(kept)
        assert "need ENABLE_TOKEN_TRACKING=true" in str(error)
        assert error.instead == "local"
        kept.booking().started(attempt(**LOCAL))


@pytest.mark.parametrize(
    ("period", "zone", "now", "start", "end"),
    [
        (DAY, "UTC", "2026-11-30T12:00:00", "2026-11-30T00:00:00", "2026-12-01T00:00:00"),
        (MONTH, "UTC", "2026-12-31T23:59:59", "2026-12-01T00:00:00", "2027-01-01T00:00:00"),
        (MONTH, "UTC", "2028-02-29T10:00:00", "2028-02-01T00:00:00", "2028-03-01T00:00:00"),
        # a day of 25 and one of 23 hours
        (DAY, "Europe/Berlin", "2026-10-25T12:00:00", "2026-10-24T22:00:00", "2026-10-25T23:00:00"),
        (DAY, "Europe/Berlin", "2026-03-29T12:00:00", "2026-03-28T23:00:00", "2026-03-29T22:00:00"),
        (MONTH, "Asia/Kolkata", "2026-11-30T18:29:59", "2026-10-31T18:30:00", "2026-11-30T18:30:00"),
        (DAY, "Asia/Kolkata", "2026-11-30T18:30:00", "2026-11-30T18:30:00", "2026-12-01T18:30:00"),
    ],
)
def test_days_and_months_are_those_of_a_time_zone(period, zone, now, start, end) -> None:
    assert period_start(period, at(now), ZoneInfo(zone)) == at(start)
    assert period_end(period, at(now), ZoneInfo(zone)) == at(end)
    assert period_start(TOTAL, at(now), ZoneInfo(zone)) is period_end(TOTAL, at(now)) is None


def desk(kept: Books) -> BudgetDesk:
    return BudgetDesk(kept.brain.usage.budgets, Percents(), lambda: {"w": "shop"}, lambda: kept.now[0])


@pytest.mark.parametrize(
    ("amount", "unit", "stored"),
    [
        ("5", "usd", 5.0),
        ("$0.25", "usd", 0.25),
        ("1000", "usd", 1000.0),
        ("0.000000001", "usd", 1e-9),
        ("0", "usd", 0.0),
        ("200_000", "tokens", 200_000.0),
        ("1,200,000", "tokens", 1_200_000.0),
        ("1e6", "tokens", 1e6),
    ],
)
def test_an_amount_is_a_number_of_dollars_or_tokens(home: Path, amount: str, unit: str, stored: float) -> None:
    with books(home) as kept:
        assert desk(kept).put(BudgetDraft(amount, unit)).amount == stored


@pytest.mark.parametrize(
    ("draft", "told"),
    [
        (BudgetDraft("five", "usd"), "amount: got 'five'"),
        (BudgetDraft("-1", "usd"), "amount: got '-1'"),
        (BudgetDraft("1,5", "usd"), "amount: got '1,5', expected a number of US dollars: 5 or 0.25 .with a point"),
        (BudgetDraft("1,000", "usd"), "without commas"),
        (BudgetDraft("1,5", "tokens"), "amount: got '1,5'"),
        (BudgetDraft("20,00", "tokens"), "expected a number of tokens: 200000 or 200,000"),
        (BudgetDraft("NaN", "usd"), "amount: got 'NaN'"),
        (BudgetDraft("Infinity", "usd"), "amount: got 'Infinity'"),
        (BudgetDraft("0.0000000001", "usd"), "amount: got"),
        (BudgetDraft("1.5", "tokens"), "expected a number of tokens: 200000"),
        (BudgetDraft("1e99", "usd"), "amount: got"),
        (BudgetDraft("5", "eur"), "unit: got 'eur', expected usd or tokens"),
        (BudgetDraft("5", "usd", warn_percent=0), "warn: got 0, expected a percentage"),
        (BudgetDraft("5", "usd", stop_percent=101), "stop: got 101"),
        (BudgetDraft("5", "usd", stop_percent=float("nan")), "stop: got nan"),
    ],
)
def test_a_budget_that_makes_no_sense_is_refused(home: Path, draft: BudgetDraft, told: str) -> None:
    with books(home) as kept:
        with pytest.raises(InputError, match=told):
            desk(kept).put(draft)
        assert desk(kept).listed() == []


def test_setting_a_budget_again_replaces_it_and_removing_one_leaves_the_others(home: Path) -> None:
    with books(home) as kept:
        table = desk(kept)
        first = table.put(BudgetDraft("5", "usd"))
        other = table.put(BudgetDraft("5", "usd", BudgetScope.WORKSPACE, "w", period=DAY))
        again = table.put(BudgetDraft("7", "usd", stop_percent=90))
        assert (again.id, again.amount, again.stop_percent) == (first.id, 7.0, 90)
        assert (other.id, other.subject, other.workspace_id) != (first.id, "shop", "w")
        assert table.remove(first.id).amount == 7.0
        assert [report.id for report in table.listed()] == [other.id]
        with pytest.raises(InputError, match=f"budget: got 99, there is: {other.id}"):
            table.remove(99)


def test_a_listed_budget_says_how_it_stands(home: Path) -> None:
    with books(home) as kept:
        table = desk(kept)
        table.put(BudgetDraft("0.0001", "usd", warn_percent=97))
        assert table.listed()[0].state == "ok"
        kept.run(prompt_tokens=0, max_tokens=1)
        (report,) = table.listed()
        assert (report.spent, report.reserved, report.percent, report.state) == (0.0000972, 0.0, 97.2, "warning")
        assert report.since == at("2026-11-01T00:00:00")
        assert report.resets_at == at("2026-12-01T00:00:00")
        table.put(BudgetDraft("0.0000972", "usd"))
        assert table.listed()[0].state == "stopped"


@pytest.mark.parametrize(
    ("amount", "unit", "text"),
    [
        (0, "usd", "$0.00"),
        (5 * 10**9, "usd", "$5.00"),
        (250_000_000, "usd", "$0.25"),
        (97_200, "usd", "$0.0000972"),
        (12_000, "tokens", "12,000 tokens"),
    ],
)
def test_amounts_in_words(amount: int, unit: str, text: str) -> None:
    assert amount_text(amount, unit) == text
