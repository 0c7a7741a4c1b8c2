"""Budgets as a person sets, lists and removes them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from zerikai_memory.errors import InputError
from zerikai_memory.meter.budget import TOKENS, USD, Percents, period_end, period_start, stop_amount, warn_percent
from zerikai_memory.model_usage import (
    NANO_PER_USD,
    Budget,
    BudgetAction,
    BudgetPeriod,
    BudgetReport,
    BudgetScope,
    BudgetState,
)
from zerikai_memory.store.budgets import BudgetTable

# Thousands may be set apart in tokens; in dollars a comma may also be somebody's decimal point.
_GROUPS = re.compile(r"\d{1,3}(,\d{3})+", re.ASCII)
MOST = 10**15  # a million dollars in nano-dollars; sums of it fit into SQLite's integers


@dataclass(frozen=True, slots=True)
class BudgetDraft:
    """A budget as it is asked for: an amount as text (`5`, `$0.50`; `200,000` tokens) and its unit, usd or tokens."""

    amount: str
    unit: str
    scope: BudgetScope = BudgetScope.ALL
    workspace_id: str = ""
    subject: str = ""
    period: BudgetPeriod = BudgetPeriod.MONTH
    action: BudgetAction = BudgetAction.REFUSE
    warn_percent: float | None = None
    stop_percent: float | None = None


class BudgetDesk:
    """The budgets of one brain; `names` gives the workspaces' names by id, `tend` settles what was left behind."""

    def __init__(
        self,
        table: BudgetTable,
        percents: Percents,
        names: Callable[[], Mapping[str, str]],
        clock: Callable[[], float] = time.time,
        tend: Callable[[], None] = lambda: None,
    ) -> None:
        self._tend = tend
        self._table = table
        self._percents = percents
        self._names = names
        self._clock = clock

    def put(self, draft: BudgetDraft) -> BudgetReport:
        """Set a budget, in the place of one of the same scope, period and unit; raises InputError."""
        stored = self._table.put(_budget(draft, self._clock()))
        return next(report for report in self.listed() if report.id == stored.id)

    def listed(self) -> list[BudgetReport]:
        """Every budget with what was taken from it."""
        self._tend()
        now, names = self._clock(), self._names()
        states = self._table.states(lambda budget: period_start(budget.period, now))
        return [self._report(state, names, now) for state in states]

    def remove(self, number: int) -> BudgetReport:
        """Forget a budget and give it as it stood; raises InputError for a number that none has."""
        known = self.listed()
        found = next((report for report in known if report.id == number), None)
        if found is None or not self._table.remove(number):
            numbers = ", ".join(str(report.id) for report in known) or "none"
            raise InputError(f"budget: got {number}, there is: {numbers}; see `zerikai-memory budget list`")
        return found

    def _report(self, state: BudgetState, names: Mapping[str, str], now: float) -> BudgetReport:
        budget = state.budget
        taken, stop = state.spent + state.reserved, stop_amount(budget, self._percents)
        percent = 100 * taken / budget.amount if budget.amount else 100.0
        warn = warn_percent(budget, self._percents)
        unit = NANO_PER_USD if budget.unit == USD else 1
        return BudgetReport(
            id=budget.id,
            scope=str(budget.scope),
            subject=names.get(budget.workspace_id, budget.workspace_id) if budget.workspace_id else budget.subject,
            workspace_id=budget.workspace_id,
            period=str(budget.period),
            unit=budget.unit,
            amount=budget.amount / unit,
            spent=state.spent / unit,
            reserved=state.reserved / unit,
            percent=round(percent, 2),
            state="stopped" if taken >= stop or state.unpriced else "warning" if percent >= warn else "ok",
            action=str(budget.action),
            warn_percent=warn,
            stop_percent=self._percents.stop if budget.stop_percent is None else budget.stop_percent,
            unpriced=state.unpriced,
            uncounted=state.uncounted,
            since=state.since,
            resets_at=period_end(budget.period, now),
        )


def _budget(draft: BudgetDraft, now: float) -> Budget:
    if draft.unit not in (USD, TOKENS):
        raise InputError(f"unit: got {draft.unit!r}, expected usd or tokens")
    return Budget(
        id=0,
        scope=draft.scope,
        workspace_id=draft.workspace_id,
        subject=draft.subject.strip(),
        period=draft.period,
        unit=draft.unit,
        amount=_amount(draft.amount, draft.unit),
        action=draft.action,
        warn_percent=_percent("warn", draft.warn_percent),
        stop_percent=_percent("stop", draft.stop_percent),
        created_at=now,
    )


def _amount(text: str, unit: str) -> int:
    try:
        given = text.strip().removeprefix("$")
        grouped = unit == TOKENS and _GROUPS.fullmatch(given)
        number = Decimal(given.replace(",", "") if grouped else given.replace("_", ""))
        amount = number * NANO_PER_USD if unit == USD else number
        if amount == amount.to_integral_value() and 0 <= amount <= MOST:
            return int(amount)
    except InvalidOperation:
        pass
    example = "5 or 0.25 (with a point, without commas)" if unit == USD else "200000 or 200,000"
    raise InputError(f"amount: got {text!r}, expected a number of {'US dollars' if unit == USD else unit}: {example}")


def _percent(name: str, value: float | None) -> float | None:
    if value is None or 1 <= value <= 100:
        return value
    raise InputError(f"{name}: got {value:g}, expected a percentage from 1 to 100")
