"""Attempts at models in zerikai.db: read in the order of booking."""

from __future__ import annotations

import sqlite3
from dataclasses import fields
from typing import Any

from zerikai_memory.model_usage import UsageRow, UsageStatus
from zerikai_memory.store.db import Database

_NAMES = tuple(field.name for field in fields(UsageRow))
COLUMNS = ", ".join(_NAMES)
_FLAGS = frozenset({"remote", "free", "estimated"})


class UsageStore:
    """The usage rows of one brain."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def rows(
        self, since: float | None = None, until: float | None = None, workspace_id: str | None = None
    ) -> list[UsageRow]:
        """Attempts that started from `since` on and before `until`, in the order they were booked."""
        where, values = between("started_at", since, until, workspace_id)
        with self._database.read() as connection, self._database.decoding():
            found = connection.execute(f"SELECT {COLUMNS} FROM usage{where} ORDER BY seq", values).fetchall()
            return [row_of(values) for values in found]


def between(
    column: str, since: float | None, until: float | None, workspace_id: str | None
) -> tuple[str, dict[str, Any]]:
    """A WHERE clause for a span of time (the end excluded) and a workspace, with its values."""
    tests = {f"{column} >= :since": since, f"{column} < :until": until, "workspace_id = :workspace_id": workspace_id}
    wanted = [test for test, value in tests.items() if value is not None]
    values = {"since": since, "until": until, "workspace_id": workspace_id}
    return (f" WHERE {' AND '.join(wanted)}" if wanted else ""), values


def row_of(values: sqlite3.Row | tuple[Any, ...]) -> UsageRow:
    """A usage row of the values of COLUMNS."""
    named = dict(zip(_NAMES, values, strict=True))
    flags = {name: bool(named[name]) for name in _FLAGS}
    return UsageRow(**{**named, **flags, "status": UsageStatus(named["status"])})
