"""Texts about budgets and prices of models."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from zerikai_memory.model_usage import BudgetReport, PriceLine
from zerikai_memory.render import columns, one_line

_LEFT = {"refuse": "no model is asked", "local": "a local model is asked", "cheaper": "a cheaper model is asked"}


def budget_table(budgets: Sequence[BudgetReport]) -> str:
    """One line per budget: number, whose, period, amount, what is used of it, what happens then, until when."""
    if not budgets:
        return "No budgets: paid models are asked without a limit. Set one with `zerikai-memory budget set`."
    rows = [("ID", "FOR", "PER", "AMOUNT", "USED", "%", "STATE", "THEN", "RESETS")]
    rows += [
        (
            str(budget.id),
            _whose(budget),
            budget.period,
            _amount(budget.amount, budget.unit),
            _amount(budget.spent + budget.reserved, budget.unit),
            f"{budget.percent:.0f}",
            budget.state,
            budget.action,
            "never" if budget.resets_at is None else _when(budget.resets_at),
        )
        for budget in budgets
    ]
    return "\n".join([columns(rows), *[text for budget in budgets if (text := _doubts(budget))]])


def budget_set(budget: BudgetReport) -> str:
    """What a budget now says."""
    text = (
        f"Budget {budget.id}: {_amount(budget.amount, budget.unit)} {_per(budget)} for {_whose(budget)}. "
        f"{_amount(budget.spent, budget.unit)} of it is used. Replies warn from {budget.warn_percent:g} % on; from "
        f"{budget.stop_percent:g} % on {_LEFT[budget.action]} (action {budget.action})."
    )
    return "\n".join(part for part in (text, _doubts(budget)) if part)


def budget_removed(budget: BudgetReport) -> str:
    """What was removed."""
    return (
        f"Budget {budget.id} ({_amount(budget.amount, budget.unit)} {_per(budget)} for {_whose(budget)}) is removed; "
        "what was spent stays booked."
    )


def price_table(lines: Sequence[PriceLine], problem: str) -> str:
    """One line per price, US dollars for a million tokens, with peak hours and other names below."""
    rows: list[tuple[str, ...]] = [
        ("PROVIDER", "MODEL", "FROM (UTC)", "INPUT", "CACHED", "OUTPUT", "CHECKED", "SOURCE")
    ]
    notes: dict[str, list[str]] = {}
    for line in lines:
        usd = (line.input_usd, line.cached_usd, line.output_usd)
        source = "own file" if line.own else line.source
        rows.append(
            (line.provider, line.model, line.valid_from, *map(_number, usd), line.checked_on or "-", one_line(source))
        )
        if line.peak_input_usd is not None:
            peak = (line.peak_input_usd, line.peak_cached_usd, line.peak_output_usd)
            rows.append(("", "", "in peak hours", *map(_number, peak), "", ""))
            notes.setdefault(f"Peak hours {line.peak_hours}", []).append(f"{line.model} from {line.valid_from}")
        if line.aliases:
            notes.setdefault(f"{line.model} is also called", []).extend(line.aliases)
    told = [f"{note}: {', '.join(dict.fromkeys(what))}" for note, what in notes.items()]
    head = "US dollars for a million tokens; the moment a request is sent decides."
    warning = [f"Warning: {problem}; until then every price counts as unknown"] if problem else []
    return "\n".join([head, columns(rows), *told, *warning])


def _whose(budget: BudgetReport) -> str:
    return "all" if budget.scope == "all" else one_line(f"{budget.scope} {budget.subject}")


def _per(budget: BudgetReport) -> str:
    return "in total" if budget.period == "total" else f"per {budget.period}"


def _doubts(budget: BudgetReport) -> str:
    found = []
    if budget.unpriced:
        found.append(f"{budget.unpriced} attempts without a known price stop it: see `zerikai-memory prices check`")
    if budget.uncounted:
        found.append(f"{budget.uncounted} attempts of unknown cost are not in it")
    return f"Budget {budget.id}: {'; '.join(found)}" if found else ""


def _amount(value: float, unit: str) -> str:
    return f"{value:,.0f} tokens" if unit == "tokens" else f"${_number(value)}"


def _number(value: float | None) -> str:
    """Dollars with as many decimals as they have, at least two."""
    whole, _, decimals = f"{value or 0:.9f}".rstrip("0").partition(".")
    return f"{whole}.{decimals:0<2}"


def _when(moment: float) -> str:
    return datetime.fromtimestamp(moment).astimezone().isoformat(sep=" ", timespec="minutes")
