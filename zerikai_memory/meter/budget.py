"""Budgets: when a period begins and ends, whether a call fits, and the words for it; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from zerikai_memory.llm.base import Instead
from zerikai_memory.model_usage import NANO_PER_USD, Budget, BudgetAction, BudgetPeriod, BudgetScope, BudgetState

USD, TOKENS = "usd", "tokens"
_INSTEAD: dict[BudgetAction, Instead] = {
    BudgetAction.REFUSE: "nothing",
    BudgetAction.LOCAL: "local",
    BudgetAction.CHEAPER: "next",
}
# Of several spent budgets the strictest says what happens.
_STRICTEST: tuple[Instead, ...] = ("nothing", "local", "next")


@dataclass(frozen=True, slots=True)
class Percents:
    """From which share of a budget on it warns and stops, where it does not say itself."""

    warn: float = 80.0
    stop: float = 100.0


@dataclass(frozen=True, slots=True)
class Need:
    """The most that a call can use; `nano_usd` of None: its model has no known price, for the `reason` given."""

    nano_usd: int | None
    tokens: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call may not be sent, and what may be asked in its place."""

    message: str
    instead: Instead


def period_start(period: BudgetPeriod, now: float, zone: tzinfo | None = None) -> float | None:
    """When the current day or month began, in this machine's time zone unless another is given; None: for ever."""
    if period is BudgetPeriod.TOTAL:
        return None
    return _midnight(_first_day(period, datetime.fromtimestamp(now, zone)), zone)


def period_end(period: BudgetPeriod, now: float, zone: tzinfo | None = None) -> float | None:
    """When the next day or month begins; None: never."""
    if period is BudgetPeriod.TOTAL:
        return None
    first = _first_day(period, datetime.fromtimestamp(now, zone))
    later = first + timedelta(days=1 if period is BudgetPeriod.DAY else 32)
    return _midnight(_first_day(period, later), zone)


def judge(states: Sequence[BudgetState], need: Need, percents: Percents, now: float) -> Refusal | None:
    """Whether a call that needs at most so much fits into every budget; None when it does."""
    refusals = [found for state in states if (found := _refusal(state, need, percents, now))]
    if not refusals:
        return None
    strictest = min(refusals, key=lambda refusal: _STRICTEST.index(refusal.instead))
    return Refusal("; ".join(dict.fromkeys(refusal.message for refusal in refusals)), strictest.instead)


def warnings(states: Sequence[BudgetState], used: Need, percents: Percents, now: float) -> tuple[str, ...]:
    """A sentence for each budget that is nearly spent, with what was used since its state was read."""
    found = []
    for state in states:
        more = (used.nano_usd or 0) if state.budget.unit == USD else used.tokens
        taken = state.spent + state.reserved + more
        share = 100 * taken / state.budget.amount if state.budget.amount else 100.0
        if share >= warn_percent(state.budget, percents):
            found.append(
                f"{budget_name(state.budget)}: {share:.0f} % used, {amount_text(taken, state.budget.unit)} of "
                f"{amount_text(state.budget.amount, state.budget.unit)}; {_reset(state.budget, now)}"
            )
        if state.uncounted:
            found.append(f"{budget_name(state.budget)}: {state.uncounted} attempt(s) of unknown cost are not in it")
    return tuple(found)


def warn_percent(budget: Budget, percents: Percents) -> float:
    """From which share on a budget warns."""
    return percents.warn if budget.warn_percent is None else budget.warn_percent


def stop_amount(budget: Budget, percents: Percents) -> int:
    """What a budget holds before it stops, in its unit."""
    percent = percents.stop if budget.stop_percent is None else budget.stop_percent
    return int(budget.amount * percent / 100)


def budget_name(budget: Budget) -> str:
    """A budget in words: number, amount, period and whose it is."""
    whose = {
        BudgetScope.ALL: "all workspaces",
        BudgetScope.WORKSPACE: "this workspace",
        BudgetScope.SESSION: f"session {budget.subject!r}",
        BudgetScope.TASK: f"task {budget.subject!r}",
    }[budget.scope]
    period = "in total" if budget.period is BudgetPeriod.TOTAL else f"a {budget.period}"
    return f"budget {budget.id} ({amount_text(budget.amount, budget.unit)} {period}, {whose})"


def amount_text(amount: int, unit: str) -> str:
    """An amount with its unit: `$0.0125`, `12,000 tokens`."""
    if unit == TOKENS:
        return f"{amount:,} tokens"
    dollars = f"{amount / NANO_PER_USD:.9f}".rstrip("0")
    whole, _, decimals = dollars.partition(".")
    return f"${whole}.{decimals:0<2}"


def local_time(moment: float) -> str:
    """A moment in this machine's time zone with its offset, to the minute."""
    return datetime.fromtimestamp(moment).astimezone().isoformat(sep=" ", timespec="minutes")


def _refusal(state: BudgetState, need: Need, percents: Percents, now: float) -> Refusal | None:
    budget, instead = state.budget, _INSTEAD[state.budget.action]
    if budget.unit == USD and (need.nano_usd is None or state.unpriced):
        unpriced = f"{state.unpriced} attempt(s) of its period have no known price (`zerikai-memory prices check`)"
        why = need.reason or unpriced
        return Refusal(f"{budget_name(budget)} cannot be kept: {why}", instead)
    wanted = need.tokens if budget.unit == TOKENS else need.nano_usd or 0
    stop = stop_amount(budget, percents)
    if state.spent + state.reserved + wanted <= stop:
        return None
    running = f", {amount_text(state.reserved, budget.unit)} reserved by calls that run" if state.reserved else ""
    limit = "" if stop == budget.amount else f" (it stops at {amount_text(stop, budget.unit)})"
    return Refusal(
        f"{budget_name(budget)} does not allow it{limit}: {amount_text(state.spent, budget.unit)} spent{running}, and "
        f"this call may take {amount_text(wanted, budget.unit)}; {_reset(budget, now)}",
        instead,
    )


def _reset(budget: Budget, now: float) -> str:
    end = period_end(budget.period, now)
    return "it does not reset" if end is None else f"it resets at {local_time(end)}"


def _first_day(period: BudgetPeriod, moment: datetime) -> datetime:
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
    return day.replace(day=1) if period is BudgetPeriod.MONTH else day


def _midnight(day: datetime, zone: tzinfo | None) -> float:
    """The moment a day begins; where clocks change at midnight, the first moment of it."""
    return day.replace(tzinfo=zone).timestamp()
