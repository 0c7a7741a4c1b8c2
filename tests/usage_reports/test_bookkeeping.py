"""Comparison with a provider's export, and purging: what differs is marked, what is purged stays in the sums."""

import json
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from tests.usage_reports.ledgers import DAY, NOW, Ledger, random_rows
from zerikai_memory.errors import InputError
from zerikai_memory.model_usage import UsageStatus
from zerikai_memory.model_usage_report import BY

TODAY = datetime.fromtimestamp(NOW, UTC).date()
YESTERDAY = TODAY - timedelta(days=1)


@pytest.fixture
def ledger(home):
    made = Ledger(home)
    yield made
    made.close()


def plain(*rows):
    return "day,model,prompt_tokens,cached_tokens,completion_tokens,cost_usd\n" + "\n".join(rows)


def amounts(*rows):
    return "user_id,utc_date,model,api_key_name,api_key,type,price,amount\n" + "\n".join(f"u,{row}" for row in rows)


def reconcile(ledger, tmp_path, content, name="export.csv", **options):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return ledger.usage.books.reconcile(path, **options)


def test_figures_that_agree_mark_nothing(ledger, tmp_path):
    row = ledger.add()
    ledger.add(model_asked="qwen3:4b", backend="ollama", remote=False, free=True, cost=0)
    report = reconcile(ledger, tmp_path, plain(f"{TODAY},deepseek-flash,1000,400,100,{row.cost_nano_usd / 1e9:.9f}"))
    (one,) = report.differences
    assert (one.off, one.beyond, report.marked) == (0.0, False, ())
    assert ledger.usage.reports.report().estimated_periods == ()


@pytest.mark.parametrize(
    ("theirs", "off"),
    [
        (f"{TODAY},deepseek-flash,10000,400,100,", 0.9),  # more than we booked
        (f"{TODAY},deepseek-flash,,,100,1.5", 0.99987),  # only the cost differs
        (
            f"{YESTERDAY},deepseek-flash,5000,0,500,\n{TODAY},deepseek-flash,1000,400,100,",
            1.0,
        ),  # a day of theirs
        (f"{TODAY},deepseek-v4-pro,1000,400,100,", 1.0),  # a model we did not ask, and one they do not name
    ],
)
def test_what_differs_is_marked_in_every_report_until_it_agrees(theirs, off, ledger, tmp_path):
    ledger.add()
    report = reconcile(ledger, tmp_path, plain(theirs))
    assert max(one.off for one in report.differences) == pytest.approx(off, abs=0.001)
    assert report.marked
    shown = ledger.usage.reports.report().estimated_periods
    assert [one.day for one in shown] == [one.day for one in report.marked]
    assert "differs by" in shown[0].reason


def test_a_later_comparison_that_agrees_takes_the_mark_away(ledger, tmp_path):
    ledger.add()
    assert reconcile(ledger, tmp_path, plain(f"{TODAY},deepseek-flash,9000,0,100,")).marked
    report = reconcile(ledger, tmp_path, plain(f"{TODAY},deepseek-flash,1000,400,100,"))
    assert (report.marked, report.cleared) == ((), 1)
    assert ledger.usage.reports.report().estimated_periods == ()


def test_the_tolerance_decides(ledger, tmp_path):
    ledger.add(prompt_tokens=100_000)
    off_by_five_percent = plain(f"{TODAY},deepseek-flash,105000,400,100,")
    assert reconcile(ledger, tmp_path, off_by_five_percent, tolerance=0.01).marked
    assert not reconcile(ledger, tmp_path, off_by_five_percent, tolerance=0.05).marked


def test_the_provider_s_own_export_is_read_in_all_its_forms(ledger, tmp_path):
    ledger.add(prompt_tokens=1500, cached_tokens=1000, completion_tokens=200)
    compact = f"{TODAY:%Y%m%d}"
    amount = amounts(
        f'{compact},deepseek-flash,"Team, Primary",sk-secret,input_cache_hit_tokens,0.000000003,1000',
        f'{compact},deepseek-flash,"Team, Primary",sk-secret,input_cache_miss_tokens,0.00000015,500',
        f'{compact},deepseek-flash,"Team, Primary",sk-secret,output_tokens,0.0000006,200',
        f'{compact},deepseek-flash,"Team, Primary",sk-secret,request_count,,3',
    )
    cost = f"user_id,utc_date,model,wallet_type,cost,currency\nu,{TODAY},deepseek-flash,Paid,0.000198,USD"
    with zipfile.ZipFile(tmp_path / "usage_data.zip", "w") as archive:
        archive.writestr("amount.csv", "\ufeff" + amount.replace("\n", "\r\n"))
        archive.writestr("cost.csv", cost)
    report = ledger.usage.books.reconcile(tmp_path / "usage_data.zip")
    (one,) = report.differences
    assert (one.theirs_prompt, one.theirs_completion, one.theirs_usd) == (1500, 200, 0.000198)
    assert one.off == 0.0
    assert "sk-secret" not in repr(report)
    assert reconcile(ledger, tmp_path, amount, key="Team, Primary").differences[0].off == 0.0
    with pytest.raises(InputError, match="holds no row to compare of the key 'Other'"):
        reconcile(ledger, tmp_path, amount, key="Other")


def test_costs_in_another_currency_are_not_compared(ledger, tmp_path):
    ledger.add()
    cost = f"user_id,utc_date,model,wallet_type,cost,currency\nu,{TODAY},deepseek-flash,Paid,500,CNY"
    report = reconcile(ledger, tmp_path, cost)
    assert report.differences[0].theirs_usd is None
    assert report.warnings == ("export.csv: costs in CNY are not compared, only tokens",)


def test_json_is_read_too(ledger, tmp_path):
    ledger.add()
    rows = [{"date": str(TODAY), "model": "deepseek-flash", "input_tokens": 1000, "output_tokens": 100}]
    for value in (rows, {"rows": rows}):
        assert reconcile(ledger, tmp_path, json.dumps(value), "export.json").differences[0].off == 0.0


def test_an_alias_of_a_model_is_the_same_model(ledger, tmp_path):
    ledger.add(model_asked="deepseek-flash", model_answered="deepseek-v4-flash")
    (one,) = reconcile(ledger, tmp_path, plain(f"{TODAY},deepseek-flash,1000,400,100,")).differences
    assert (one.model, one.off) == ("deepseek-flash", 0.0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "expected columns day and model"),
        (b"a,b\n1,2\n", "expected columns day and model, got a, b"),
        (b"day,model\n2026-11-18,m\n", "expected some of prompt_tokens"),
        (b"day,model,cost_usd\nsoon,m,1\n", "got 'soon' as the day"),
        (b"day,model,cost_usd\n2026-11-18,m,cheap\n", "got 'cheap', expected a number"),
        (b"day,model,cost_usd\n2026-11-18,m,-1\n", "got '-1', expected a number"),
        (b"day,model,cost_usd\n2026-11-18,m,NaN\n", "got 'NaN', expected a number"),
        (b"day,model,cost_usd\n2026-11-18,m,Infinity\n", "got 'Infinity', expected a number"),
        (b"day,model,cost_usd\n2031-01-01,m,1\n", "2031-01-01, a day that has not come yet"),
        (b"day,model,prompt_tokens\n2026-11-18,m,1.5\n", "expected a whole number"),
        (b"day,model,cost_usd\n2026-11-18,,1\n", "the model is missing"),
        (b'{"rows": 3}', "expected a list of objects"),
        (b"[{]", "is no JSON"),
        (b"day,model,cost_usd\n\xff\xfe", "is not UTF-8 text"),
        (b"PK\x05\x06" + b"\0" * 18, "holds no row"),
    ],
)
def test_a_file_that_is_no_export_is_refused_with_the_reason(content, words, ledger, tmp_path):
    with pytest.raises(InputError, match=words):
        reconcile(ledger, tmp_path, content)
    with pytest.raises(InputError, match="cannot read"):
        ledger.usage.books.reconcile(tmp_path / "none.csv")


def test_a_purge_keeps_every_total_and_what_is_under_way(ledger):
    random_rows(ledger, 150)
    ledger.add(at=NOW - 35 * DAY, status=UsageStatus.STARTED, ended_at=None, prompt_tokens=None, cost=None)
    before = {by: ledger.usage.reports.report(by, 60, zone=UTC) for by in BY}
    day = (TODAY - timedelta(days=9)).isoformat()
    plan = ledger.usage.books.purge(day, UTC, dry_run=True)
    assert {by: ledger.usage.reports.report(by, 60, zone=UTC) for by in BY} == before
    done = ledger.usage.books.purge(day, UTC)
    assert (done.attempts, done.kept_sums, done.kept_usd) == (plan.attempts, plan.kept_sums, plan.kept_usd)
    assert done.attempts > 50
    assert len(ledger.brain.usage.rows()) == 151 - done.attempts
    for by in BY:
        after = ledger.usage.reports.report(by, 60, zone=UTC)
        assert after.total == before[by].total
        assert sorted(after.lines, key=lambda line: line.name) == sorted(before[by].lines, key=lambda line: line.name)
    again = ledger.usage.books.purge(day, UTC)
    assert again.attempts == 0


def test_budgets_count_what_was_purged(ledger):
    from tests.usage_reports.test_reports import budget
    from zerikai_memory.model_usage import BudgetPeriod

    for unit in ("usd", "tokens"):
        ledger.brain.usage.budgets.put(budget(period=BudgetPeriod.TOTAL, unit=unit, amount=10**10))
    random_rows(ledger, 40)
    before = [bar.used for bar in ledger.usage.reports.report().budgets]
    ledger.usage.books.purge(str(TODAY), UTC)
    assert [bar.used for bar in ledger.usage.reports.report().budgets] == before


@pytest.mark.parametrize(("day", "words"), [("soon", "expected a day"), ("2999-01-01", "has not come yet")])
def test_a_day_that_cannot_be_purged_to_is_named(day, words, ledger):
    with pytest.raises(InputError, match=words):
        ledger.usage.books.purge(day)
