"""Budgets in zerikai.db, and what attempts have taken from them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from zerikai_memory.model_usage import (
    Budget,
    BudgetAction,
    BudgetPeriod,
    BudgetScope,
    BudgetState,
    UsageRow,
)
from zerikai_memory.store.db import Database

_COLUMNS = "id, scope, workspace_id, subject, period, unit, amount, action, warn_percent, stop_percent, created_at"
_SCOPES = {
    BudgetScope.ALL: "1",
    BudgetScope.WORKSPACE: "workspace_id = :workspace_id",
    BudgetScope.SESSION: "session = :subject",
    BudgetScope.TASK: "task = :subject",
}
# An attempt of unknown outcome took at most what was reserved for it, a failed one what was counted, if anything was.
_TOKENS = (
    "CASE WHEN status = 'failed' THEN coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0)"
    " ELSE coalesce(prompt_tokens, reserved_prompt_tokens) + coalesce(completion_tokens, reserved_completion_tokens)"
    " END"
)
_OPEN = "status = 'started'"


class BudgetTable:
    """The budgets of one brain."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[Budget]:
        """Every budget, in the order they were first set."""
        with self._database.read() as connection, self._database.decoding():
            return _budgets(connection)

    def put(self, budget: Budget) -> Budget:
        """Store a budget; one of the same scope, period and unit is replaced and keeps its number."""
        with self._database.write() as connection:
            row = connection.execute(
                f"INSERT INTO budgets ({_COLUMNS[4:]}) VALUES ({', '.join('?' * 10)})"
                " ON CONFLICT (scope, workspace_id, subject, period, unit) DO UPDATE SET amount = excluded.amount,"
                " action = excluded.action, warn_percent = excluded.warn_percent,"
                f" stop_percent = excluded.stop_percent, created_at = excluded.created_at RETURNING {_COLUMNS}",
                (
                    str(budget.scope),
                    budget.workspace_id,
                    budget.subject,
                    str(budget.period),
                    budget.unit,
                    budget.amount,
                    str(budget.action),
                    budget.warn_percent,
                    budget.stop_percent,
                    budget.created_at,
                ),
            ).fetchone()
        return _budget(row)

    def remove(self, number: int) -> bool:
        """Forget a budget; whether there was one of this number."""
        with self._database.write() as connection:
            return connection.execute("DELETE FROM budgets WHERE id = ?", (number,)).rowcount > 0

    def states(self, since: Callable[[Budget], float | None]) -> list[BudgetState]:
        """Every budget with what was taken from it; `since` says when its period began."""
        with self._database.read() as connection, self._database.decoding():
            return [_state(connection, budget, since(budget)) for budget in _budgets(connection)]


def states_for(
    connection: sqlite3.Connection, row: UsageRow, since: Callable[[Budget], float | None]
) -> list[BudgetState]:
    """The budgets that bound an attempt, with what others have taken from them."""
    return [_state(connection, budget, since(budget)) for budget in _budgets(connection) if _bounds(budget, row)]


def _bounds(budget: Budget, row: UsageRow) -> bool:
    return {
        BudgetScope.ALL: True,
        BudgetScope.WORKSPACE: budget.workspace_id == row.workspace_id,
        BudgetScope.SESSION: budget.subject == row.session,
        BudgetScope.TASK: budget.subject == row.task,
    }[budget.scope]


def _state(connection: sqlite3.Connection, budget: Budget, since: float | None) -> BudgetState:
    """No end of the period: a clock that was set back does not give back what was spent after it."""
    scope = _SCOPES[budget.scope]
    values = {"workspace_id": budget.workspace_id, "subject": budget.subject, "since": since}
    usd = budget.unit == "usd"
    spent, reserved = ("cost_nano_usd", "reserved_nano_usd") if usd else (_TOKENS, _TOKENS)
    row = connection.execute(
        f"SELECT sum(CASE WHEN NOT {_OPEN} THEN {spent} END), sum(CASE WHEN {_OPEN} THEN {reserved} END),"
        f" sum(CASE WHEN {_OPEN} THEN reserved_nano_usd IS NULL"
        "   ELSE cost_nano_usd IS NULL AND price_version IS NULL END),"
        f" sum(NOT {_OPEN} AND cost_nano_usd IS NULL AND price_version IS NOT NULL)"
        f" FROM usage WHERE NOT free AND {scope} AND (:since IS NULL OR started_at >= :since)",
        values,
    ).fetchone()
    purged = connection.execute(
        f"SELECT sum({'cost_nano_usd' if usd else 'prompt_tokens + completion_tokens'}), sum(unpriced)"
        f" FROM usage_totals WHERE NOT free AND {scope} AND (:since IS NULL OR at >= :since)",
        values,
    ).fetchone()
    took, held, unpriced, uncounted, kept, kept_unpriced = (int(number or 0) for number in (*row, *purged))
    # What was purged cannot be priced any more: it is told, and does not stop the budget for ever.
    return BudgetState(
        budget, since, took + kept, held, unpriced if usd else 0, uncounted + (kept_unpriced if usd else 0)
    )


def _budgets(connection: sqlite3.Connection) -> list[Budget]:
    return [_budget(row) for row in connection.execute(f"SELECT {_COLUMNS} FROM budgets ORDER BY id").fetchall()]


def _budget(values: Sequence[Any]) -> Budget:
    number, scope, workspace_id, subject, period, unit, amount, action, warn, stop, created_at = values
    if unit not in ("usd", "tokens"):
        raise ValueError(f"budget unit {unit!r}")
    return Budget(
        number,
        BudgetScope(scope),
        workspace_id,
        subject,
        BudgetPeriod(period),
        unit,
        int(amount),
        BudgetAction(action),
        warn,
        stop,
        created_at,
    )
