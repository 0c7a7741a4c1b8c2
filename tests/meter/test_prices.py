"""Which price holds when: dates, peak hours, weekdays, names, and the person's own file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.meter.bookkit import at, own_prices
from zerikai_memory.meter.price_files import PriceFiles, read_prices, shipped
from zerikai_memory.meter.prices import Prices, cost_nano

FLASH, PRO = "deepseek-flash", "deepseek-v4-pro"


def prices(home: Path) -> Prices:
    return PriceFiles(home).current()


def input_rate(model: str, moment: str) -> str:
    """Period and input rate, in millionths of a dollar for a thousand tokens."""
    rates = Prices(shipped()[0]).rates("deepseek", model, at(moment))
    return "unknown" if rates is None else f"{rates.period} {rates.input / 1e9:g}"


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        # Monday 30 November 2026 in UTC; peak 01-04 and 06-10 UTC, start in, end out
        ("2026-11-30T00:59:59", "off-peak 0.15"),
        ("2026-11-30T01:00:00", "peak 0.3"),
        ("2026-11-30T03:59:59", "peak 0.3"),
        ("2026-11-30T04:00:00", "off-peak 0.15"),
        ("2026-11-30T05:59:59", "off-peak 0.15"),
        ("2026-11-30T06:00:00", "peak 0.3"),
        ("2026-11-30T09:59:59", "peak 0.3"),
        ("2026-11-30T10:00:00", "off-peak 0.15"),
        # the weekend is that of UTC+8: Friday 16:00 UTC is Saturday there, Sunday 16:00 UTC is Monday
        ("2026-11-27T09:30:00", "peak 0.3"),
        ("2026-11-28T02:00:00", "off-peak 0.15"),
        ("2026-11-29T02:00:00", "off-peak 0.15"),
        # Chinese public holidays are off-peak, working days moved to a weekend too
        ("2026-09-25T02:00:00", "off-peak 0.15"),
        ("2026-10-01T07:00:00", "off-peak 0.15"),
        ("2026-10-07T07:00:00", "off-peak 0.15"),
        ("2026-10-08T07:00:00", "peak 0.3"),
        ("2026-10-10T07:00:00", "off-peak 0.15"),
        ("2026-09-20T07:00:00", "off-peak 0.15"),
    ],
)
def test_peak_hours_are_those_of_beijings_working_days(moment: str, expected: str) -> None:
    assert input_rate(FLASH, moment) == expected


@pytest.mark.parametrize(
    ("model", "moment", "expected"),
    [
        ("deepseek-v4-flash", "2026-04-23T23:59:59", "unknown"),
        ("deepseek-v4-flash", "2026-04-24T00:00:00", "flat 0.14"),
        ("deepseek-v4-flash", "2026-08-16T15:59:59", "flat 0.14"),
        ("deepseek-v4-flash", "2026-08-16T16:00:00", "off-peak 0.22"),
        (PRO, "2026-08-16T15:59:59", "flat 0.435"),
        (PRO, "2026-08-16T16:00:00", "off-peak 0.66"),
        # in the first week the weekend had peak hours too
        (PRO, "2026-08-22T02:00:00", "peak 1.32"),
        (PRO, "2026-08-23T02:00:00", "off-peak 0.66"),
        ("deepseek-v4-flash", "2026-09-10T03:59:59", "peak 0.44"),
        ("deepseek-v4-flash", "2026-09-10T04:00:00", "off-peak 0.15"),  # an alias of flash from then on
        (FLASH, "2026-09-10T03:59:59", "unknown"),
        (FLASH, "2026-09-10T04:00:00", "off-peak 0.15"),
    ],
)
def test_each_day_has_its_price(model: str, moment: str, expected: str) -> None:
    assert input_rate(model, moment) == expected


@pytest.mark.parametrize(
    ("model", "moment", "usd"),
    [
        # a million tokens of input, nine tenths of them cached, and a hundred thousand of output
        (FLASH, "2026-11-30T12:00:00", 0.0777),
        (FLASH, "2026-11-30T02:00:00", 0.1554),
        (PRO, "2026-11-30T12:00:00", 0.2838),
        (PRO, "2026-11-30T02:00:00", 0.5676),
    ],
)
def test_costs_are_those_of_the_providers_own_page(model: str, moment: str, usd: float) -> None:
    rates = Prices(shipped()[0]).rates("deepseek", model, at(moment))
    assert rates is not None
    assert cost_nano(rates, 1_000_000, 900_000, 100_000) == round(usd * 1e9)


@pytest.mark.parametrize(
    "model",
    [
        "deepseek-chat",
        "deepseek-v5-ultra",
        "product",
        "deepseek-flash-2",
        "deepseek",
        "",
        "deepseek-v4-pro-max",
    ],
)
def test_a_name_that_is_not_whole_has_no_price(model: str) -> None:
    assert input_rate(model, "2026-11-30T12:00:00") == "unknown"


def test_names_are_compared_without_case_and_within_their_provider() -> None:
    table = Prices(shipped()[0])
    assert table.rates("deepseek", " DeepSeek-Flash", at("2026-11-30T12:00:00")) is not None
    assert table.rates("openai_compat", FLASH, at("2026-11-30T12:00:00")) is None
    assert table.rates(None, FLASH, at("2026-11-30T12:00:00")) is not None


def test_the_name_that_answered_counts_where_it_has_a_price(home: Path) -> None:
    own_prices(home, [{"provider": "deepseek", "model": "*", "input": "9", "output": "9"}])
    table, now = prices(home), at("2026-11-30T12:00:00")

    def named(asked: str, answered: str) -> str:
        rates = Prices(shipped()[0]).rates("deepseek", asked, now, answered)
        return rates.model if rates else ""

    assert named(FLASH, "DeepSeek-V4.1-Flash-1017") == FLASH  # a version's name, not another model
    assert named(PRO, FLASH) == FLASH  # sent on to another model
    assert named("auto", FLASH) == FLASH
    assert table.rates("deepseek", "auto", now, "whatever").model == "*"


def test_own_rows_win_from_their_day_on_and_are_read_anew_when_the_file_changes(home: Path) -> None:
    files = PriceFiles(home)
    assert files.current().rates("deepseek", FLASH, at("2026-12-02T12:00:00")).input == 150_000_000
    row = {"provider": "deepseek", "model": FLASH, "input": "0.10", "output": "0.20"}
    own_prices(home, [{**row, "valid_from": "2026-12-01T00:00:00Z"}])
    before, after = (files.current().rates("deepseek", FLASH, at(f"2026-{day}T12:00:00")) for day in ("11-30", "12-01"))
    assert (before.input, after.input, after.cached) == (150_000_000, 100_000_000, 100_000_000)
    own_prices(home, [{**row, "valid_from": "2026-12-01T00:00:00Z", "cached": "0.000001"}])
    assert files.current().rates("deepseek", FLASH, at("2026-12-01T12:00:00")).cached == 1_000
    (home / "prices.toml").unlink()
    assert files.current().rates("deepseek", FLASH, at("2026-12-01T12:00:00")).input == 150_000_000


def test_of_two_own_rows_for_one_moment_the_last_holds_and_a_provider_is_named_in_any_case(home: Path) -> None:
    row = {"provider": "DeepSeek", "model": FLASH, "output": "0.20"}
    own_prices(home, [{**row, "input": "1"}, {**row, "input": "2"}])
    assert PriceFiles(home).current().rates("deepseek", FLASH, at("2026-12-01T12:00:00")).input == 2 * 10**9


def test_two_providers_with_a_model_of_one_name_leave_a_call_without_a_provider_unpriced(home: Path) -> None:
    row = {"model": "m", "input": "1", "output": "1"}
    own_prices(home, [{"provider": "a", **row}, {"provider": "b", **row, "input": "2"}])
    table = prices(home)
    assert table.rates(None, "m", 0.0) is None
    assert [table.rates(name, "m", 0.0).input for name in "ab"] == [10**9, 2 * 10**9]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[[prices]]\nmodel = "m"\ninput = "0.1"', "output: it is missing"),
        ('[[prices]]\ninput = "0.1"\noutput = "1"', "row 1 ('?'): model: it is missing"),
        ('[[prices]]\nmodel = "m"\ninput = "-1"\noutput = "1"', "input: got '-1'"),
        ('[[prices]]\nmodel = "m"\ninput = "cheap"\noutput = "1"', "input: got 'cheap'"),
        ('[[prices]]\nmodel = "m"\ninput = "NaN"\noutput = "1"', "input: got 'NaN'"),
        ('[[prices]]\nmodel = "m"\ninput = "1e-12"\noutput = "1"', "input: got '1e-12'"),
        ('[[prices]]\nmodel = "m"\ninput = true\noutput = "1"', "input: it is missing"),
        ('[[prices]]\nmodel = "m"\ninput = 1\noutput = 1\nprice = 2', "has no field 'price'"),
        ('[[prices]]\nmodel = "m"\ninput = 1\noutput = 1\nvalid_from = "soon"', "valid_from: got 'soon'"),
        ('[[prices]]\nmodel = "m"\ninput = 1\noutput = 1\nchecked_on = "May"', "checked_on: got 'May'"),
        ('[[prices]]\nmodel = "m"\ninput = 1\noutput = 1\npeak = {calendar = "x", input = 1, output = 1}', "got 'x'"),
        ('[[prices]]\nmodel = "m"\ninput = 1\noutput = 1\npeak = 3', "peak: expected a table"),
        ('[[prices]]\nmodel = "m"\ninput = 1\noutput = 1\naliases = "n"', "aliases: got 'n', expected names in"),
        ('[[prices]]\nmodel = "m"\ninput = 1\noutput = 1\npeak = {calender = "x"}', "peak has no field 'calender'"),
        ('[prices]\nmodel = "m"', "in two brackets"),
        ("price = 1", "there is no 'price'"),
        ("format = 2", "this version knows 1"),
        ('[calendars.x]\nweekdays = ["someday"]', "weekdays: got 'someday'"),
        ('[calendars.x]\npeak = ["22:00-02:00"]', "split it at midnight"),
        ('[calendars.x]\npeak = ["9-12"]', "peak: got '9-12'"),
        ('[calendars.x]\nutc_offset = "8"', "utc_offset: got '8'"),
        ('[calendars.x]\nholidays = ["Easter"]', "holidays: got 'Easter'"),
        ("[[prices]\n", "prices.toml cannot be used"),
    ],
)
def test_a_mistake_in_the_own_file_makes_every_price_unknown_and_is_named(home: Path, text: str, told: str) -> None:
    home.mkdir()
    (home / "prices.toml").write_text(text)
    table = prices(home)
    assert told in table.problem
    assert table.rates("deepseek", FLASH, at("2026-11-30T12:00:00")) is None


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"#" * 1_000_001])
def test_what_is_no_text_or_far_too_long_is_no_price_table(home: Path, content: bytes) -> None:
    home.mkdir()
    (home / "prices.toml").write_bytes(content)
    assert "cannot be used" in prices(home).problem


def test_numbers_and_dates_of_toml_are_as_good_as_texts_and_a_mark_of_byte_order_is_none(home: Path) -> None:
    home.mkdir()
    text = '[[prices]]\nmodel = "m"\ninput = 0.1\noutput = 2\nvalid_from = 2026-12-01T01:00:00+01:00\n'
    (home / "prices.toml").write_text("\ufeff" + text, encoding="utf-8")
    table = prices(home)
    assert table.problem == ""
    assert table.rates("any", "m", at("2026-11-30T23:59:59")) is None
    assert table.rates("any", "m", at("2026-12-01T00:00:00")).input == 100_000_000


def test_a_calendar_of_the_package_can_be_stated_anew_and_named_by_own_rows(home: Path) -> None:
    home.mkdir()
    (home / "prices.toml").write_text(
        '[calendars.night]\nutc_offset = "-03:30"\npeak = ["00:00-01:00", "23:00-24:00"]\n'
        '[[prices]]\nmodel = "m"\ninput = 1\noutput = 1\npeak = {calendar = "night", input = 2, output = 2}\n'
    )
    table = prices(home)
    periods = [
        table.rates("p", "m", at(f"2026-11-30T{hour}")).period
        for hour in ("02:29:59", "02:30:00", "04:29:59", "04:30:00")
    ]
    assert periods == ["off-peak", "peak", "peak", "off-peak"]


def test_versions_name_their_rates_and_no_others() -> None:
    rows, _ = shipped()
    moments = [at("2026-11-30T12:00:00"), at("2026-11-30T02:00:00")]
    named = {(rates.version, rates.input, rates.output) for row in rows for now in moments for rates in [row.at(now)]}
    assert len({version for version, *_ in named}) == len(named) == 12


def test_every_shipped_price_says_where_it_is_from_and_when_that_was_looked_at() -> None:
    rows, calendars = shipped()
    assert all(re.match(r"https://", row.source) and row.checked_on for row in rows)
    assert {row.model for row in rows} == {FLASH, PRO, "deepseek-v4-flash"}
    assert set(calendars) == {"beijing-every-day", "beijing-office-hours"}
    text = "\n".join(f'[[prices]]\nmodel = "{row.model}"\ninput = 1\noutput = 1' for row in rows)
    assert len(read_prices(text, calendars, own=True)[0]) == len(rows)


@pytest.mark.parametrize(
    ("tokens", "nano"),
    [
        ((0, 0, 0), 0),
        ((1, 0, 0), 4),  # 3.5 is rounded half up
        ((3, 0, 0), 11),  # 10.5
        ((2, 2, 0), 1),  # cached tokens at their own price: 0.5
        ((10, 20, 0), 3),  # never more cached than there are: 2.5
        ((10**12, 0, 10**12), 4_500_000_000_000),
    ],
)
def test_a_cost_is_rounded_once_to_a_nano_dollar(home: Path, tokens: tuple[int, int, int], nano: int) -> None:
    own_prices(home, [{"model": "m", "input": "0.0035", "cached": "0.00025", "output": "0.001"}])
    rates = prices(home).rates("p", "m", 0.0)
    assert cost_nano(rates, *tokens) == nano
