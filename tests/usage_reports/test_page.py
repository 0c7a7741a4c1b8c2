"""The page about usage and the same lines as CSV: the numbers are those of the rows, and nothing comes from outside."""

import csv
import io
import re
from html.parser import HTMLParser

import pytest

from tests.usage_reports.ledgers import Ledger, random_rows
from tests.usage_reports.test_agents import spent
from zerikai_memory import render_usage
from zerikai_memory.model_usage_report import BY
from zerikai_memory.pages import charts
from zerikai_memory.pages.charts import Series
from zerikai_memory.pages.usage import usage_page
from zerikai_memory.store.tape_usage import Spending

EVIL = '<script>alert("x")</script>&\u202e'


class Page(HTMLParser):
    """Tables as lists of rows of (shown, exact value), and the shapes of plots."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.bars, self.tags, self.open = {}, [], [], []
        self.cell = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        facts = dict(attributes)
        self.tags.append((tag, facts))
        if tag not in ("meta", "link", "img", "br"):
            self.open.append(tag)
        if tag == "table":
            self.rows = self.tables.setdefault(facts["data-name"], [])
        elif tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.cell = ["", facts.get("data-value")]
        elif tag == "rect" and "data-name" in facts:
            self.bars.append((facts["data-place"], facts["data-name"], float(facts["data-value"])))

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        if self.cell is not None:
            self.cell[0] += data

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        if tag == "td":
            self.rows[-1].append(tuple(self.cell))
            self.cell = None


@pytest.fixture
def ledger(home):
    made = Ledger(home, spent=lambda *which: Spending((spent(), spent(agent=EVIL, model="dream")), {"antigravity": 1}))
    yield made
    made.close()


def test_every_number_of_the_page_is_that_of_the_report(ledger):
    random_rows(ledger, 80)
    data = ledger.usage.reports.page(30, agents=True)
    page = Page(usage_page(data))
    assert page.open == []
    for report in data.reports:
        rows = [row for row in page.tables[f"by-{report.by}"] if row]
        assert len(rows) == len(report.lines) + 1
        for row, line in zip(rows, (*report.lines, report.total), strict=True):
            exact = [float(value) if value else None for _, value in row[1:]]
            assert exact[:4] == [line.attempts, line.failed, line.unknown, line.retried]
            assert exact[4:7] == [line.prompt_tokens, line.cached_tokens, line.completion_tokens]
            assert exact[7:] == [line.cache_hit_rate, line.cost_usd, line.saved_usd]
            assert (line.cost_usd is None) == (row[9][0] == "unknown")
    money = {(one.day, one.model): one.cost_usd for one in data.spends if one.cost_usd}
    drawn = {(day, model): value for day, model, value in page.bars if (day, model, value) in page.bars[: len(money)]}
    assert drawn == pytest.approx(money)
    assert sum(money.values()) == pytest.approx(data.reports[0].total.cost_usd)
    assert {name for name in page.tables if name.startswith("agents-")} == {
        "agents-by-agent",
        "agents-by-model",
        "agents-by-project",
        "agents-by-day",
    }


def test_the_page_needs_nothing_from_outside_and_runs_nothing(ledger):
    ledger.add(task=EVIL, model_asked=EVIL, operation=EVIL, session=EVIL)
    text = usage_page(ledger.usage.reports.page(agents=True))
    page = Page(text)
    assert not re.search(r"https?://|//[a-z]|url\(|@import|javascript:", text.replace("<!doctype html>", ""))
    names = {tag for tag, _ in page.tags}
    assert not names & {"script", "link", "img", "iframe", "object", "base", "form"}
    assert not [name for _, facts in page.tags for name in facts if name.startswith("on") or name in ("src", "href")]
    policy = next(facts["content"] for tag, facts in page.tags if facts.get("http-equiv"))
    assert policy.startswith("default-src 'none'")
    assert "\u202e" not in text
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_a_page_without_any_attempt_says_so(ledger):
    text = usage_page(ledger.usage.reports.page())
    assert "No attempts at models in these days." in text
    assert Page(text).tables == {}


def test_only_local_models_give_a_plot_of_tokens_and_none_of_money(ledger):
    ledger.add(model_asked="qwen3:4b", backend="ollama", remote=False, free=True, cost=0)
    text = usage_page(ledger.usage.reports.page())
    assert "Nothing that has a known price was spent." in text
    assert [name for _, name, _ in Page(text).bars] == ["qwen3:4b"]


def test_many_models_share_the_last_colour():
    series = [Series(f"m{number}", (float(number),)) for number in range(1, 12)]
    bars = Page(charts.stacked_bars(("2026-11-30",), series, str, "x")).bars
    assert [name for _, name, _ in bars] == ["m11", "m10", "m9", "m8", "m7", "m6", charts.OTHERS]
    assert bars[-1][2] == 1 + 2 + 3 + 4 + 5


def test_a_line_breaks_where_a_day_has_no_value():
    drawn = charts.line(("a", "b", "c"), (0.5, None, 1.0), str, "x")
    assert re.search(r'class="line" d="([^"]+)"', drawn)[1] == "M0.500 50.000M2.500 0.000"
    assert charts.line(("a",), (None,), str, "x") == ""


@pytest.mark.parametrize("by", BY)
def test_the_csv_holds_every_line_whole(by, ledger):
    random_rows(ledger, 20)
    ledger.add(model_asked="deepseek-v9-dream", task="=1+1")
    report = ledger.usage.reports.report(by)
    rows = list(csv.DictReader(io.StringIO(render_usage.usage_csv(report))))
    for row, line in zip(rows, (*report.lines, report.total), strict=True):
        assert row[by].lstrip("'") == line.name
        assert not row[by].startswith("=")
        assert float(row["cost_usd"]) == line.cost_usd if row["cost_usd"] else line.cost_usd is None
        assert int(row["prompt_tokens"]) == line.prompt_tokens


@pytest.mark.parametrize(
    ("amount", "shown"),
    [
        (None, "unknown"),
        (0.0, "$0.0000"),
        (0.0000000004, "<$0.000001"),
        (0.000206, "$0.000206"),
        (0.0115, "$0.0115"),
        (1234.5, "$1,234.50"),
    ],
)
def test_money_is_shown_as_exactly_as_it_is_small(amount, shown):
    assert render_usage.dollars(amount) == shown


def test_the_text_says_what_is_unknown_and_what_is_estimated(ledger):
    ledger.add(model_asked="deepseek-v9-dream")
    ledger.add(prompt_tokens=None, completion_tokens=None, cached_tokens=None, cost=None, reserved_prompt_tokens=0)
    text = render_usage.usage_report(ledger.usage.reports.report())
    assert "2 attempts have no known price and are in no sum of money." in text
    assert text.splitlines()[2].split()[-1] == "unknown"
