"""Lines of an agents' report: what transcripts tell, priced where a price is known; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from zerikai_memory.meter.books import UNNAMED
from zerikai_memory.meter.prices import MILLION
from zerikai_memory.model_usage import NANO_PER_USD, PriceRates
from zerikai_memory.model_usage_report import AgentLine
from zerikai_memory.store.tape_usage import ResponseSum, Spending
from zerikai_memory.usage_reports.days import Zone, day_of
from zerikai_memory.usage_reports.lines import RatesAt

NO_DAY = "unknown day"


def agent_lines(spending: Spending, by: str, rates: RatesAt, zone: Zone = None) -> list[AgentLine]:
    """One line per agent, model, project or day: days in their order, everything else by cost, then by tokens."""
    groups = defaultdict[str, list[ResponseSum]](list)
    for one in spending.sums:
        groups[_key(one, by, zone)].append(one)
    silent = dict(spending.silent) if by == "agent" else {}
    names = dict.fromkeys([*groups, *silent])
    lines = [agent_line(name, groups.get(name, ()), rates, silent.get(name, 0)) for name in names]
    return sorted(lines, key=lambda line: line.name) if by == "day" else sorted(lines, key=_weight)


def agent_line(name: str, sums: Sequence[ResponseSum], rates: RatesAt, silent: int = 0) -> AgentLine:
    """All sums as one line."""
    responses = sum(one.requests for one in sums)
    costs = [(one, cost_of(one, rates)) for one in sums]
    priced = [cost for _, cost in costs if cost is not None]
    inputs = [one for one in sums if one.requests > one.without_input]
    outputs = [one for one in sums if one.requests > one.without_output]
    return AgentLine(
        name=name,
        sessions=len({session for one in sums for session in one.sessions}) + silent,
        responses=responses,
        input_tokens=sum(one.input for one in inputs) if inputs else None,
        cache_read_tokens=sum(one.cache_read for one in sums) if inputs else None,
        cache_write_tokens=sum(one.cache_write for one in sums) if inputs else None,
        output_tokens=sum(one.output for one in outputs) if outputs else None,
        cost_usd=round(sum(priced), 9) if priced else None,
        stated=sum(one.requests for one in sums if one.booked),
        unpriced=sum(one.requests for one, cost in costs if cost is None),
        untold=sum(max(one.without_input, one.without_output) for one in sums),
        silent_sessions=silent,
    )


def cost_of(one: ResponseSum, rates: RatesAt) -> float | None:
    """US dollars by the agent's own figure, else by our prices; None where a token has no price or was not told."""
    if one.booked:
        return one.cost_usd
    if one.without_input or one.without_output or one.at is None:
        return None
    price = rates(None, one.model, one.at)
    if price is None or (one.cache_write and not price.free):
        return None  # what a cache takes has a price of its own, which no table of ours holds
    return _nano(one, price) / NANO_PER_USD


def _nano(one: ResponseSum, price: PriceRates) -> int:
    total = one.input * price.input + one.cache_read * price.cached + one.output * price.output
    return (total + MILLION // 2) // MILLION


def _key(one: ResponseSum, by: str, zone: Zone) -> str:
    if by == "day":
        return NO_DAY if one.at is None else day_of(one.at, zone)
    return str({"agent": one.agent, "model": one.model, "project": one.project}[by]) or UNNAMED


def _weight(line: AgentLine) -> tuple[float, int, str]:
    tokens = (line.input_tokens or 0) + (line.cache_read_tokens or 0) + (line.output_tokens or 0)
    return -(line.cost_usd or 0.0), -tokens, line.name
