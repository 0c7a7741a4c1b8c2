"""The page about usage: spend per day by model, cache hits, budgets, what our replies cost, and tables of it all."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from zerikai_memory import render_usage
from zerikai_memory.model_usage_report import AgentLine, AgentsReport, ReplyCost, UsageLine, UsagePage, UsageReport
from zerikai_memory.pages import charts
from zerikai_memory.pages.charts import Series
from zerikai_memory.pages.markup import Cell, folded, page, section, table, text

_HEADINGS = (
    "",
    "attempts",
    "failed",
    "unknown",
    "retried",
    "prompt",
    "cached",
    "output",
    "cache hits",
    "cost",
    "saved",
)
_AGENT_HEADINGS = ("", "sessions", "responses", "input", "cache read", "cache write", "output", "cost", "unpriced")
_OPENED = frozenset({"operation", "model", "agent"})


def usage_page(data: UsagePage) -> str:
    """The whole page."""
    first = data.reports[0]
    title = f"Usage: {data.title}"
    made = datetime.fromtimestamp(data.made_at).strftime("%Y-%m-%d %H:%M")
    return page(
        title,
        [
            f"<header><h1>{text(title)}</h1>",
            f'<p class="lead">{text(first.since)} to {text(first.until)}, days of {text(first.zone)}</p></header>',
            _warnings(_trouble(data)),
            _cards(first.total),
            _plots(data),
            _budgets(first),
            _replies(first.replies),
            section("Spent by", *(_usage_table(report) for report in data.reports)),
            section("Agents, by their own transcripts", *(_agents_table(report) for report in data.agents)),
            f"<footer>Made by zerikai-memory on {text(made)}. This file holds everything it shows.</footer>",
        ],
    )


def _trouble(data: UsagePage) -> list[str]:
    first = data.reports[0]
    told = [f"Estimated: {one.day} {one.backend}: {one.reason}" for one in first.estimated_periods]
    return list(dict.fromkeys([*first.warnings, *(text for one in data.agents for text in one.warnings), *told]))


def _warnings(warnings: Sequence[str]) -> str:
    items = "".join(f"<li>{text(warning)}</li>" for warning in warnings)
    return f'<ul class="warnings">{items}</ul>' if items else ""


def _cards(total: UsageLine) -> str:
    dollars = render_usage.dollars
    unpriced = f"{total.unpriced} attempts have no known price" if total.unpriced else ""
    hits = "unknown" if total.cache_hit_rate is None else f"{total.cache_hit_rate:.1%}"
    partly = ", ".join(
        f"{count} {word}" for count, word in ((total.failed, "failed"), (total.unknown, "unknown")) if count
    )
    cards = [
        ("spent", dollars(total.cost_usd), unpriced),
        ("attempts", f"{total.attempts:,}", partly),
        ("prompt tokens", _count(total.prompt_tokens), ""),
        ("output tokens", _count(total.completion_tokens), ""),
        ("cache hits", hits, ""),
        ("saved by the cache", dollars(total.saved_usd), ""),
        ("retries", dollars(total.retried_usd), f"{total.retried} attempts"),
        ("no whole answer", dollars(total.wasted_usd), "paid for failed, cut or unknown attempts"),
    ]
    return f'<div class="cards">{"".join(_card(*card) for card in cards)}</div>'


def _card(name: str, value: str, note: str) -> str:
    below = f"<small>{text(note)}</small>" if note else ""
    return f'<div class="card"><span>{text(name)}</span><b>{text(value)}</b>{below}</div>'


def _plots(data: UsagePage) -> str:
    days = data.days
    models = list(dict.fromkeys(one.model for one in data.spends))
    costs = {(one.day, one.model): one.cost_usd for one in data.spends}
    tokens = {(one.day, one.model): float(one.tokens) for one in data.spends}
    money = charts.stacked_bars(
        days,
        [Series(model, tuple(costs.get((day, model)) for day in days)) for model in models],
        render_usage.dollars,
        "spend per day by model",
    )
    counts = charts.stacked_bars(
        days,
        [Series(model, tuple(tokens.get((day, model)) for day in days)) for model in models],
        _short_count,
        "tokens per day by model",
    )
    rates = {line.name: line.cache_hit_rate for report in data.reports if report.by == "day" for line in report.lines}
    hits = charts.line(days, [rates.get(day) for day in days], lambda value: f"{value:.0%}", "cache hits per day")
    unpriced = sum(one.unpriced for one in data.spends)
    note = f"{unpriced} attempts of models without a known price are not in it." if unpriced else ""
    free = '<p class="note">Nothing that has a known price was spent.</p>'
    empty = '<p class="note">No attempts at models in these days.</p>'
    spent = section("Spend per day by model", money or (free if data.spends else empty), note=note)
    pair = section("Tokens per day by model", counts) + section(
        "Cache hits per day", hits, note="The part of prompt tokens sent out that the provider read from its cache."
    )
    return spent + (f'<div class="pair">{pair}</div>' if counts or hits else "")


def _budgets(report: UsageReport) -> str:
    bars = []
    for bar in report.budgets:
        used = "unknown" if bar.used is None else _amount(bar.used, bar.unit)
        share = "" if bar.share is None else f" ({bar.share:.0%})"
        resets = ""
        if bar.resets_at is not None:
            resets = f", resets {datetime.fromtimestamp(bar.resets_at).strftime('%Y-%m-%d %H:%M')}"
        bars.append(charts.meter(bar.name, bar.share, f"{used}{share}{resets}", bar.state))
    return section("Budgets", *bars)


def _replies(cost: ReplyCost) -> str:
    if not cost.replies:
        return ""
    whole, ours = cost.whole_file_characters, cost.compared_characters
    bars = ""
    if cost.compared and whole:
        greatest = max(whole, ours)
        bars = charts.meter("Our replies", ours / greatest, f"{ours:,} characters, {ours / whole:.1%}", "ok")
        bars += charts.meter("The whole files they cite", whole / greatest, f"{whole:,} characters", "other")
    told = f"{cost.replies:,} replies, {cost.characters:,} characters, about {cost.characters // 4:,} tokens."
    note = (
        f"{cost.compared:,} replies cite files. Both sides are counted, not estimated: the text of each reply, and the "
        "characters of every file it cites as the file was then. A token is 4 characters."
    )
    return section("What our own replies cost an agent", f"<p>{text(told)}</p>", bars, note=note)


def _usage_table(report: UsageReport) -> str:
    if not report.lines:
        return ""
    marked = {one.day for one in report.estimated_periods}
    rows = [
        _usage_row(line, " (estimated)" if report.by == "day" and line.name in marked else "") for line in report.lines
    ]
    made = table(f"by-{report.by}", (report.by, *_HEADINGS[1:]), rows, _usage_row(report.total))
    return folded(report.by, made, opened=report.by in _OPENED)


def _usage_row(line: UsageLine, mark: str = "") -> list[Cell]:
    hits = "" if line.cache_hit_rate is None else f"{line.cache_hit_rate:.1%}"
    return [
        Cell(line.name + mark, number=False),
        *(_number(count) for count in (line.attempts, line.failed, line.unknown, line.retried)),
        *(_number(count) for count in (line.prompt_tokens, line.cached_tokens, line.completion_tokens)),
        Cell(hits, line.cache_hit_rate),
        _money(line.cost_usd, line.unpriced),
        _money(line.saved_usd),
    ]


def _agents_table(report: AgentsReport) -> str:
    if not report.lines:
        return ""
    made = table(
        f"agents-by-{report.by}",
        (report.by, *_AGENT_HEADINGS[1:]),
        [_agent_row(line) for line in report.lines],
        _agent_row(report.total),
    )
    return folded(report.by, made, opened=report.by in _OPENED)


def _agent_row(line: AgentLine) -> list[Cell]:
    silent = line.responses == 0
    counts = (line.input_tokens, line.cache_read_tokens, line.cache_write_tokens, line.output_tokens)
    return [
        Cell(line.name, number=False),
        _number(line.sessions),
        Cell("unknown") if silent else _number(line.responses),
        *(_number(count) for count in counts),
        Cell("unknown") if silent else _money(line.cost_usd, line.unpriced),
        _number(line.unpriced),
    ]


def _number(count: int | None) -> Cell:
    return Cell(_count(count), count)


def _money(amount: float | None, unpriced: int = 0) -> Cell:
    more = f" + {unpriced} unknown" if unpriced and amount is not None else ""
    return Cell(render_usage.dollars(amount) + more, amount)


def _count(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,}"


def _amount(amount: float, unit: str) -> str:
    return render_usage.dollars(amount) if unit == "usd" else f"{amount:,.0f} tokens"


def _short_count(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}" if value / size < 100 else f"{value / size:.0f}{letter}"
    return f"{value:g}"
