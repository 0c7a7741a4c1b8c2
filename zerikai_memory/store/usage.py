"""Attempts at models in zerikai.db: booked before they are sent, settled once, read in the order of booking."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import astuple, fields
from typing import Any, TypeVar

from zerikai_memory.model_usage import Budget, BudgetState, PriceRates, UsageEnd, UsageRow, UsageStatus, UsageTotal
from zerikai_memory.store.budgets import BudgetTable, states_for
from zerikai_memory.store.db import Database

R = TypeVar("R")

# An attempt whose process has ended without a word: what is booked then is replaced if the word comes all the same.
ABANDONED = "abandoned"
_NAMES = tuple(field.name for field in fields(UsageRow))
COLUMNS = ", ".join(_NAMES)
_TOTAL_NAMES = tuple(field.name for field in fields(UsageTotal))
_FLAGS = frozenset({"remote", "free", "estimated"})
_END_NAMES = tuple(field.name for field in fields(UsageEnd))
_SETTLE = (
    f"UPDATE usage SET {', '.join(f'{name} = ?' for name in _END_NAMES[2:])} WHERE request_id = ? AND attempt = ?"
    f" AND (status = '{UsageStatus.STARTED}' OR failure = '{ABANDONED}')"
)
_INSERT = f"INSERT OR IGNORE INTO usage ({', '.join(_NAMES[1:])}, owner) VALUES ({', '.join('?' * len(_NAMES))})"


class UsageStore:
    """The usage rows of one brain and the budgets that bound them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.budgets = BudgetTable(database)

    def rows(
        self, since: float | None = None, until: float | None = None, workspace_id: str | None = None
    ) -> list[UsageRow]:
        """Attempts that started from `since` on and before `until`, in the order they were booked."""
        where, values = between("started_at", since, until, workspace_id)
        return self._rows(where, values)

    def purged(
        self, since: float | None = None, until: float | None = None, workspace_id: str | None = None
    ) -> list[UsageTotal]:
        """What is kept of purged attempts of a span of time."""
        where, values = between("at", since, until, workspace_id)
        with self._database.read() as connection, self._database.decoding():
            found = connection.execute(
                f"SELECT {', '.join(_TOTAL_NAMES)} FROM usage_totals{where} ORDER BY at", values
            ).fetchall()
            return [_total_of(each) for each in found]

    def find(self, request_id: str, attempt: int) -> UsageRow | None:
        """One attempt, or None."""
        found = self._rows(" WHERE request_id = ? AND attempt = ?", (request_id, attempt))
        return found[0] if found else None

    def unpriced(self) -> list[UsageRow]:
        """Attempts that ended and whose model had no known price."""
        return self._rows(" WHERE cost_nano_usd IS NULL AND price_version IS NULL AND status <> 'started'", ())

    def open_rows(self) -> list[tuple[UsageRow, str]]:
        """Attempts that have not ended, each with the name of the process that sent it."""
        with self._database.read() as connection, self._database.decoding():
            found = connection.execute(f"SELECT {COLUMNS}, owner FROM usage WHERE status = 'started'").fetchall()
            return [(row_of(values[:-1]), str(values[-1])) for values in found]

    def admit(
        self,
        row: UsageRow,
        owner: str,
        ends: Sequence[UsageEnd],
        prices: Sequence[PriceRates],
        since: Callable[[Budget], float | None],
        judge: Callable[[Sequence[BudgetState]], R | None],
    ) -> tuple[list[BudgetState], R | None]:
        """Settle `ends`, then book the attempt unless `judge` objects to what its budgets hold; in one transaction.

        `prices` are the rates of all of them; `since` says when a budget's period began. Gives the budgets as they
        were before this attempt, and the objection. An attempt that is booked already is not booked again.
        """
        with self._database.write() as connection, self._database.decoding():
            _keep_prices(connection, prices)
            _settle(connection, ends)
            states = [] if row.free else states_for(connection, row, since)
            objection = judge(states)
            if objection is None:
                _insert(connection, row, owner)
        return states, objection

    def settle(self, ends: Sequence[UsageEnd], prices: Sequence[PriceRates] = ()) -> None:
        """Write how attempts ended; one that is settled already stays as it is."""
        with self._database.write() as connection:
            _keep_prices(connection, prices)
            _settle(connection, ends)

    def add(self, row: UsageRow, prices: Sequence[PriceRates]) -> None:
        """Book an attempt that has ended; a second report of it only settles what was open."""
        with self._database.write() as connection:
            _keep_prices(connection, prices)
            _insert(connection, row, "")
            if not row.open:
                _settle(connection, [end_of(row)])

    def put_price(self, request_id: str, attempt: int, cost_nano_usd: int, rates: PriceRates) -> None:
        """Book the cost of an attempt whose model had no known price when it ended."""
        with self._database.write() as connection:
            _keep_prices(connection, [rates])
            connection.execute(
                "UPDATE usage SET cost_nano_usd = ?, price_version = ? WHERE request_id = ? AND attempt = ?"
                " AND cost_nano_usd IS NULL AND price_version IS NULL",
                (cost_nano_usd, rates.version, request_id, attempt),
            )

    def price(self, version: str) -> PriceRates | None:
        """The rates that a booked cost was computed with."""
        with self._database.read() as connection:
            found = connection.execute("SELECT * FROM usage_prices WHERE version = ?", (version,)).fetchone()
        return PriceRates(*found) if found else None

    def _rows(self, where: str, values: Any) -> list[UsageRow]:
        with self._database.read() as connection, self._database.decoding():
            found = connection.execute(f"SELECT {COLUMNS} FROM usage{where} ORDER BY seq", values).fetchall()
            return [row_of(each) for each in found]


def between(
    column: str, since: float | None, until: float | None, workspace_id: str | None
) -> tuple[str, dict[str, Any]]:
    """A WHERE clause for a span of time (the end excluded) and a workspace, with its values."""
    tests = {f"{column} >= :since": since, f"{column} < :until": until, "workspace_id = :workspace_id": workspace_id}
    wanted = [test for test, value in tests.items() if value is not None]
    values = {"since": since, "until": until, "workspace_id": workspace_id}
    return (f" WHERE {' AND '.join(wanted)}" if wanted else ""), values


def row_of(values: Sequence[Any]) -> UsageRow:
    """A usage row of the values of COLUMNS."""
    named = dict(zip(_NAMES, values, strict=True))
    flags = {name: bool(named[name]) for name in _FLAGS}
    return UsageRow(**{**named, **flags, "status": UsageStatus(named["status"])})


def end_of(row: UsageRow) -> UsageEnd:
    """The end of an attempt that is known whole."""
    return UsageEnd(**{name: getattr(row, name) for name in _END_NAMES})


def _total_of(values: Sequence[Any]) -> UsageTotal:
    named = dict(zip(_TOTAL_NAMES, values, strict=True))
    flags = {name: bool(named[name]) for name in ("remote", "free", "retried")}
    return UsageTotal(**{**named, **flags, "status": UsageStatus(named["status"])})


def _insert(connection: sqlite3.Connection, row: UsageRow, owner: str) -> None:
    connection.execute(_INSERT, (*astuple(row)[1:], owner))


def _settle(connection: sqlite3.Connection, ends: Sequence[UsageEnd]) -> None:
    connection.executemany(_SETTLE, [(*astuple(end)[2:], end.request_id, end.attempt) for end in ends])


def _keep_prices(connection: sqlite3.Connection, prices: Sequence[PriceRates]) -> None:
    connection.executemany(
        f"INSERT OR IGNORE INTO usage_prices VALUES ({', '.join('?' * len(fields(PriceRates)))})",
        [astuple(rates) for rates in prices],
    )
