"""Usage reports as a person or agent uses them: what was spent, by what, what agents spent, and a page of it all."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC

from zerikai_memory.errors import InputError, StoreError, WorkspaceError
from zerikai_memory.meter.budget import Percents, budget_name, period_end, period_start, stop_amount, warn_percent
from zerikai_memory.meter.prices import Prices
from zerikai_memory.model import Workspace
from zerikai_memory.model_usage import NANO_PER_USD, BudgetScope, BudgetState, UsageTotal
from zerikai_memory.model_usage_report import (
    AGENTS_BY,
    BY,
    AgentsReport,
    BudgetBar,
    EstimatedPeriod,
    ReplyCost,
    Spend,
    UsagePage,
    UsageReport,
)
from zerikai_memory.store.tape_usage import Spending
from zerikai_memory.store.usage import UsageStore
from zerikai_memory.store.usage_history import UsageHistory
from zerikai_memory.usage_reports.agents import agent_line, agent_lines
from zerikai_memory.usage_reports.days import Zone, day_of, last_days, start_of, zone_name, zone_named
from zerikai_memory.usage_reports.lines import LineParts, usage_line, usage_lines

TOP_TASKS = 5
MAX_DAYS = 3660


@dataclass(frozen=True, slots=True)
class ReportParts:
    """What reports are made of. `spent` gives what agents spent since a time in a workspace (None: all).

    `tend` settles attempts that were left behind, before anything is summed up.
    """

    usage: UsageStore
    history: UsageHistory
    prices: Callable[[], Prices]
    find: Callable[[str], Workspace]
    known: Callable[[], Sequence[Workspace]]
    spent: Callable[[float | None, str | None], Spending]
    percents: Percents
    tracking: bool = True
    clock: Callable[[], float] = time.time
    tend: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class _Span:
    """Whole days of a zone up to now."""

    days: tuple[str, ...]
    since: float
    zone: Zone
    name: str


class UsageReports:
    """Reports over all workspaces of a brain."""

    def __init__(self, parts: ReportParts) -> None:
        self._parts = parts

    def report(
        self, by: str = "operation", days: int = 30, workspace: str | None = None, zone: Zone = None
    ) -> UsageReport:
        """What was spent on models in the last days, today among them; raises InputError for an unknown key."""
        if by not in BY:
            raise InputError(f"by: got {by[:40]!r}, expected one of {', '.join(BY)}")
        span, target = self._span(days, zone), self._target(workspace)
        return self._report(by, span, target, self._totals(span, target))

    def agents(
        self, by: str = "agent", days: int = 30, workspace: str | None = None, zone: Zone = None
    ) -> AgentsReport:
        """What agents spent in the last days by their transcripts; raises InputError for an unknown key."""
        if by not in AGENTS_BY:
            raise InputError(f"by: got {by[:40]!r}, expected one of {', '.join(AGENTS_BY)}")
        span = self._span(days, zone)
        return self._agents(by, span, workspace, self._parts.spent(span.since, workspace or None))

    def page(
        self, days: int = 30, workspace: str | None = None, zone: Zone = None, *, agents: bool = False
    ) -> UsagePage:
        """Everything that a page about usage shows; `agents` adds what agents spent."""
        span, target = self._span(days, zone), self._target(workspace)
        totals = self._totals(span, target)
        reports = tuple(self._report(by, span, target, totals) for by in BY)
        told: tuple[AgentsReport, ...] = ()
        if agents:
            spending = self._parts.spent(span.since, workspace or None)
            told = tuple(self._agents(by, span, workspace, spending) for by in AGENTS_BY)
        name = target.name if target else "all workspaces"
        return UsagePage(name, self._parts.clock(), reports, span.days, self._spends(totals, zone), told)

    def zone(self, name: str | None) -> Zone:
        """The time zone of a name such as Europe/Berlin or UTC; None is this machine's. Raises InputError."""
        return zone_named(name)

    def _span(self, days: int, zone: Zone) -> _Span:
        if not 1 <= days <= MAX_DAYS:
            raise InputError(f"days: got {days}, expected 1 to {MAX_DAYS}")
        now = self._parts.clock()
        dates = last_days(days, now, zone)
        return _Span(dates, start_of(dates[0], zone), zone, zone_name(zone, now))

    def _target(self, workspace: str | None) -> Workspace | None:
        """The workspace that is meant; one that was dropped is still known to its rows by its id."""
        if not workspace or not workspace.strip():
            return None
        try:
            return self._parts.find(workspace)
        except WorkspaceError:
            ids = {one.workspace_id for one in self._parts.history.totals()} if len(workspace) >= 8 else set()
            found = [one for one in ids if one.startswith(workspace.strip())]
            if len(found) != 1:
                raise
            return Workspace(id=found[0], name=found[0], path="")

    def _totals(self, span: _Span, target: Workspace | None) -> list[UsageTotal]:
        self._parts.tend()
        # No end: a clock that was set back must not hide what was booked before.
        return self._parts.history.totals(span.since, None, target.id if target else None)

    def _report(self, by: str, span: _Span, target: Workspace | None, totals: Sequence[UsageTotal]) -> UsageReport:
        names = {one.id: one.name for one in self._parts.known()}
        parts = LineParts(names, self._parts.prices().rates, span.zone)
        tasks = usage_lines([one for one in totals if one.task], "task", parts)
        periods = self._parts.history.periods(span.since)
        bars, trouble = self._budgets()
        return UsageReport(
            by=by,
            workspace=target.name if target else "",
            since=span.days[0],
            until=span.days[-1],
            zone=span.name,
            lines=tuple(usage_lines(totals, by, parts)),
            total=usage_line("total", totals, parts.rates),
            top_tasks=tuple(tasks[:TOP_TASKS]),
            budgets=bars,
            replies=ReplyCost(*self._parts.history.reply_sums(span.since, None, target.id if target else None)),
            estimated_periods=tuple(
                EstimatedPeriod(_utc_day(one.start_at), one.backend, one.reason) for one in periods
            ),
            warnings=tuple(filter(None, (*trouble, self._prices_trouble(), self._tracking_trouble()))),
        )

    def _agents(self, by: str, span: _Span, workspace: str | None, spending: Spending) -> AgentsReport:
        rates = self._parts.prices().rates
        return AgentsReport(
            by=by,
            workspace=workspace or "",
            since=span.days[0],
            until=span.days[-1],
            zone=span.name,
            lines=tuple(agent_lines(spending, by, rates, span.zone)),
            total=agent_line("total", spending.sums, rates, sum(spending.silent.values())),
            warnings=tuple(filter(None, (*spending.warnings, self._prices_trouble()))),
        )

    def _spends(self, totals: Sequence[UsageTotal], zone: Zone) -> tuple[Spend, ...]:
        cells = defaultdict[tuple[str, str], list[UsageTotal]](list)
        for one in totals:
            cells[day_of(one.at, zone), one.model].append(one)
        made = []
        for (day, model), group in sorted(cells.items()):
            line = usage_line(model, group, self._parts.prices().rates)
            tokens = (line.prompt_tokens or 0) + (line.completion_tokens or 0)
            made.append(Spend(day, model, line.cost_usd, tokens, line.unpriced))
        return tuple(made)

    def _budgets(self) -> tuple[tuple[BudgetBar, ...], tuple[str, ...]]:
        now = self._parts.clock()
        try:
            states = self._parts.usage.budgets.states(lambda budget: period_start(budget.period, now))
        except StoreError as error:
            return (), (f"budgets cannot be read: {error}",)
        names = {one.id: one.name for one in self._parts.known()}
        bars = tuple(budget_bar(state, names, self._parts.percents, now) for state in states)
        unknown = [
            f"{bar.name}: {state.unpriced + state.uncounted} attempt(s) of unknown cost are not in it"
            for bar, state in zip(bars, states, strict=True)
            if state.unpriced or state.uncounted
        ]
        return bars, tuple(unknown)

    def _prices_trouble(self) -> str:
        problem = self._parts.prices().problem
        return f"no price is known: {problem}" if problem else ""

    def _tracking_trouble(self) -> str:
        return "" if self._parts.tracking else "ENABLE_TOKEN_TRACKING is off: attempts since then are in no report"


def budget_bar(state: BudgetState, names: dict[str, str], percents: Percents, now: float) -> BudgetBar:
    """A budget as a report shows it, with the part that running calls hold."""
    budget, taken = state.budget, state.spent + state.reserved
    share = taken / budget.amount if budget.amount else 1.0
    warned = 100 * share >= warn_percent(budget, percents)
    name = budget_name(budget)
    if budget.scope is BudgetScope.WORKSPACE:
        name = name.replace("this workspace", names.get(budget.workspace_id, budget.workspace_id))
    unit = NANO_PER_USD if budget.unit == "usd" else 1
    return BudgetBar(
        name=name,
        unit=budget.unit,
        amount=budget.amount / unit,
        used=taken / unit,
        share=round(share, 4),
        state="reached" if taken >= stop_amount(budget, percents) else "warning" if warned else "ok",
        action=str(budget.action),
        resets_at=period_end(budget.period, now),
    )


def _utc_day(at: float) -> str:
    return day_of(at, UTC)
