"""What was spent, put together by every key: totals equal a recount, what is unknown is never a zero."""

from collections import Counter
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from tests.casekit import load_case
from tests.usage_reports.ledgers import BAKERY, DAY, NOW, SHOP, Ledger, random_rows
from zerikai_memory.errors import InputError, WorkspaceError
from zerikai_memory.model_usage import Budget, BudgetAction, BudgetPeriod, BudgetScope, UsageStatus
from zerikai_memory.model_usage_report import BY
from zerikai_memory.usage_reports.days import day_of, last_days, start_of, zone_named

KEYS = {
    "operation": lambda row: row.operation,
    "model": lambda row: row.model_answered or row.model_asked,
    "workspace": lambda row: row.workspace_id,
    "session": lambda row: row.session,
    "task": lambda row: row.task or "(none)",
    "day": lambda row: datetime.fromtimestamp(row.started_at, UTC).date().isoformat(),
}


@pytest.fixture
def ledger(home):
    made = Ledger(home)
    yield made
    made.close()


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """Attempts of all kinds, booked once for all tests that only read them."""
    made = Ledger(tmp_path_factory.mktemp("busy"))
    yield made, random_rows(made, 300)
    made.close()


def tokens(row, name):
    """As budgets count: an attempt of unknown outcome took what was reserved for it."""
    reserved = 0 if row.status is UsageStatus.FAILED else getattr(row, f"reserved_{name}_tokens")
    known = getattr(row, f"{name}_tokens")
    return reserved if known is None else known


@pytest.mark.parametrize("by", BY)
def test_every_line_equals_a_recount_of_its_rows_to_the_nano_dollar(by, busy):
    ledger, booked = busy
    rows = [row for row in booked if row.started_at >= start_of("2026-10-20", UTC)]
    report = ledger.usage.reports.report(by, 30, zone=UTC)
    names = {one.id: one.id for one in (SHOP, BAKERY)}
    wanted = Counter(names.get(KEYS[by](row), KEYS[by](row)) for row in rows)
    assert {line.name: line.attempts for line in report.lines} == wanted
    for line in (*report.lines, report.total):
        mine = [row for row in rows if line.name in ("total", KEYS[by](row))]
        priced = [row.cost_nano_usd for row in mine if row.cost_nano_usd is not None]
        assert round((line.cost_usd or 0) * 1e9) == sum(priced)
        unknown = len(priced) < len(mine) and not sum(priced) and not any(row.free for row in mine)
        assert (line.cost_usd is None) == unknown
        assert line.unpriced == len(mine) - len(priced)
        assert line.prompt_tokens == sum(tokens(row, "prompt") for row in mine)
        assert line.completion_tokens == sum(tokens(row, "completion") for row in mine)
        assert line.retried == sum(row.attempt > 1 for row in mine)
        assert line.failed == sum(row.status is UsageStatus.FAILED for row in mine)
        wasted = [row for row in mine if row.status is not UsageStatus.OK and row.cost_nano_usd is not None]
        assert round((line.wasted_usd or 0) * 1e9) == sum(row.cost_nano_usd for row in wasted)
        sent = [row for row in mine if row.remote and row.status is not UsageStatus.UNKNOWN]
        prompt = sum(row.prompt_tokens or 0 for row in sent)
        rate = round(sum(row.cached_tokens or 0 for row in sent) / prompt, 4) if prompt else None
        assert line.cache_hit_rate == rate


def test_lines_add_up_to_the_total_for_every_key(busy):
    ledger, booked = busy
    for by in BY:
        report = ledger.usage.reports.report(by, 60, zone=UTC)
        assert sum(line.attempts for line in report.lines) == report.total.attempts == len(booked)
        assert sum(line.prompt_tokens for line in report.lines) == report.total.prompt_tokens
        assert sum(line.cost_usd or 0 for line in report.lines) == pytest.approx(report.total.cost_usd, abs=1e-12)


def test_a_model_without_a_price_has_an_unknown_cost_and_a_local_one_costs_nothing(ledger):
    ledger.add(model_asked="deepseek-v9-dream")
    ledger.add(model_asked="qwen3:4b", backend="ollama", remote=False, free=True, cost=0, cached_tokens=None)
    dream, local = sorted(ledger.usage.reports.report("model").lines, key=lambda line: line.name)
    assert (dream.cost_usd, dream.unpriced) == (None, 1)
    assert (local.cost_usd, local.unpriced, local.cache_hit_rate) == (0.0, 0, None)
    total = ledger.usage.reports.report("model").total
    assert (total.cost_usd, total.unpriced) == (0.0, 1)


def test_tokens_that_nobody_counted_are_unknown(ledger):
    ledger.add(prompt_tokens=None, completion_tokens=None, cached_tokens=None, cost=None, reserved_prompt_tokens=0)
    (line,) = ledger.usage.reports.report().lines
    assert (line.prompt_tokens, line.completion_tokens, line.cached_tokens) == (None, None, None)


def test_what_the_cache_saved_is_the_difference_of_its_two_prices_at_the_time(ledger):
    ledger.add(at=NOW, cached_tokens=1_000_000, prompt_tokens=1_000_000)  # off-peak: 0.15 - 0.003
    ledger.add(at=NOW - 8 * 3600, cached_tokens=1_000_000, prompt_tokens=1_000_000)  # peak: 0.30 - 0.006
    assert ledger.usage.reports.report().total.saved_usd == pytest.approx(0.147 + 0.294)
    ledger.add(model_asked="deepseek-v9-dream", cached_tokens=5)
    dream = next(line for line in ledger.usage.reports.report("model").lines if line.name == "deepseek-v9-dream")
    assert dream.saved_usd is None


def test_attempts_under_way_are_told_but_in_no_sum(ledger):
    ledger.add()
    ledger.add(status=UsageStatus.STARTED, ended_at=None, duration_s=None, prompt_tokens=None, cost=None)
    total = ledger.usage.reports.report().total
    assert (total.attempts, total.running, total.unpriced, total.prompt_tokens) == (2, 1, 0, 1000)


def test_a_workspace_is_asked_by_name_and_a_dropped_one_by_its_id(ledger):
    ledger.add()
    ledger.add(workspace_id=BAKERY.id)
    gone = "99999999-aaaa-5bbb-8ccc-222222222222"
    ledger.add(workspace_id=gone)
    assert ledger.usage.reports.report(workspace="bakery").total.attempts == 1
    assert ledger.usage.reports.report(workspace="99999999").total.attempts == 1
    with pytest.raises(WorkspaceError):
        ledger.usage.reports.report(workspace="nowhere")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"by": "colour"}, "by: got 'colour', expected one of operation"),
        ({"days": 0}, "days: got 0"),
        ({"days": 10**9}, "days: got 1000000000"),
    ],
)
def test_a_wrong_argument_is_named(arguments, words, ledger):
    with pytest.raises(InputError, match=words):
        ledger.usage.reports.report(**arguments)


def test_an_unknown_zone_is_named(ledger):
    for name in ("Mars/Olympus", "../../etc/passwd", "\0"):
        with pytest.raises(InputError, match="zone: got"):
            ledger.usage.reports.zone(name)


def test_days_are_those_of_the_zone_and_add_up_to_the_total(home):
    case = load_case("F08").expect
    moments = [datetime.fromisoformat(row["at"]).timestamp() for row in case["rows"]]
    zone = zone_named(case["zone"])
    assert [day_of(at, zone) for at in moments] == [row["day"] for row in case["rows"]]
    ledger = Ledger(home, now=max(moments) + 1)
    for at in moments:
        ledger.add(at=at)
    report = ledger.usage.reports.report("day", 5, zone=zone)
    assert {line.name: line.attempts for line in report.lines} == Counter(row["day"] for row in case["rows"])
    assert report.total.attempts == len(moments)
    assert (report.since, report.until, report.zone) == ("2026-10-22", "2026-10-26", "Europe/Berlin")
    ledger.close()


def test_the_days_of_a_report_begin_at_midnight_also_when_the_clocks_change():
    zone = ZoneInfo("Europe/Berlin")
    now = datetime(2026, 10, 26, 12, tzinfo=zone).timestamp()
    days = last_days(3, now, zone)
    assert days == ("2026-10-24", "2026-10-25", "2026-10-26")
    starts = [start_of(day, zone) for day in days]
    assert [later - earlier for earlier, later in pairwise(starts)] == [DAY, 25 * 3600]


def test_a_clock_that_was_set_back_hides_nothing(ledger):
    ledger.add(at=NOW + 3600)
    assert ledger.usage.reports.report().total.attempts == 1


def test_top_tasks_are_the_dearest_ones_and_leave_out_what_has_no_task(ledger):
    for number in range(8):
        ledger.add(task=f"task {number}", completion_tokens=1000 * (number + 1))
    ledger.add(completion_tokens=10**6)
    names = [line.name for line in ledger.usage.reports.report().top_tasks]
    assert names == ["task 7", "task 6", "task 5", "task 4", "task 3"]


def budget(**values):
    facts = {
        "id": 0,
        "scope": BudgetScope.ALL,
        "workspace_id": "",
        "subject": "",
        "period": BudgetPeriod.DAY,
        "unit": "usd",
        "amount": 1_000_000,
        "action": BudgetAction.REFUSE,
        "warn_percent": None,
        "stop_percent": None,
        "created_at": NOW,
    }
    return Budget(**(facts | values))


def test_budgets_show_what_is_used_and_say_what_is_not_in_it(ledger):
    ledger.brain.usage.budgets.put(budget(amount=200_000))
    ledger.brain.usage.budgets.put(budget(period=BudgetPeriod.TOTAL, unit="tokens", amount=10_000))
    row = ledger.add()
    money, tokens = ledger.usage.reports.report().budgets
    assert (money.unit, money.amount, money.used) == ("usd", 0.0002, row.cost_nano_usd / 1e9)
    assert (money.share, money.state) == (round(row.cost_nano_usd / 200_000, 4), "ok")
    assert money.resets_at > NOW
    assert (tokens.used, tokens.share, tokens.state, tokens.resets_at) == (1100, 0.11, "ok", None)
    ledger.add(cost=170_000)
    ledger.add(model_asked="deepseek-v9-dream")
    report = ledger.usage.reports.report()
    assert report.budgets[0].state == "reached"
    assert "1 attempt(s) of unknown cost are not in it" in report.warnings[0]


def test_switched_off_tracking_is_said(home):
    ledger = Ledger(home, enable_token_tracking=False)
    assert "ENABLE_TOKEN_TRACKING is off" in ledger.usage.reports.report().warnings[0]
    ledger.close()


def test_a_price_table_that_cannot_be_used_is_said(ledger):
    ledger.add()
    (ledger.brain.home / "prices.toml").write_text("[[prices]]\nmodel = 3\n")
    (warning,) = ledger.usage.reports.report().warnings
    assert warning.startswith("no price is known: ")
