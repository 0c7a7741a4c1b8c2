"""Sums of attempts in zerikai.db for reports, and what a purge leaves of them; sizes of replies; estimated periods."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import Any

from zerikai_memory.model_usage import ReplySize, UsagePeriod, UsageStatus, UsageTotal
from zerikai_memory.store.db import Database

# One price holds for a quarter of an hour, and every time zone is a whole number of them away from UTC.
QUARTER_S = 900
_NAMES = ", ".join(field.name for field in fields(UsageTotal))
# The group of a row in the order of UsageTotal up to `retried`.
_GROUP = (
    f"CAST(started_at / {QUARTER_S} AS INTEGER) * {QUARTER_S}.0, workspace_id, session, task, operation, backend,"
    " ifnull(model_answered, model_asked), remote, free, status, attempt > 1"
)
# An attempt of unknown outcome took at most what was reserved for it, in tokens as in money; budgets count the same.
_PROMPT, _COMPLETION = (
    f"CASE WHEN status IN ('failed', 'started') THEN {name} ELSE coalesce({name}, reserved_{name}) END"
    for name in ("prompt_tokens", "completion_tokens")
)
_SUMS = (
    "count(*), sum(cost_nano_usd IS NULL AND status <> 'started'), sum(estimated),"
    f" ifnull(sum({_PROMPT}), 0), ifnull(sum(cached_tokens), 0), ifnull(sum({_COMPLETION}), 0),"
    " ifnull(sum(reasoning_tokens), 0), ifnull(sum(tool_calls), 0),"
    " ifnull(sum(CASE status WHEN 'started' THEN 0 ELSE cost_nano_usd END), 0)"
)
_BY_GROUP = "GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"


class UsageHistory:
    """What reports read of a brain's usage, and what a person prunes of it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def totals(
        self, since: float | None = None, until: float | None = None, workspace_id: str | None = None
    ) -> list[UsageTotal]:
        """Attempts from `since` on and before `until` summed by quarter of an hour, purged ones among them."""
        live, values = _where("started_at", since, until, workspace_id)
        kept, _ = _where("at", since, until, workspace_id)
        sql = f"SELECT {_GROUP}, {_SUMS} FROM usage{live} {_BY_GROUP} UNION ALL SELECT {_NAMES} FROM usage_totals{kept}"
        with self._database.read() as connection, self._database.decoding():
            rows = connection.execute(f"SELECT * FROM ({sql}) ORDER BY 1", values).fetchall()
        return [_total(row) for row in rows]

    def purge(self, before: float, *, dry_run: bool = False) -> tuple[int, int]:
        """Replace the rows of ended attempts before a time by their sums; gives rows and sums.

        `before` is a multiple of QUARTER_S, so that no sum holds anything from after it.
        """
        which, values = " WHERE started_at < ? AND status <> 'started'", (before,)
        with self._database.write() as connection:
            sums = connection.execute(f"SELECT {_GROUP}, {_SUMS} FROM usage{which} {_BY_GROUP}", values).fetchall()
            rows = sum(row[11] for row in sums)
            if not dry_run:
                marks = ", ".join("?" * len(fields(UsageTotal)))
                connection.executemany(f"INSERT INTO usage_totals ({_NAMES}) VALUES ({marks})", sums)
                connection.execute(f"DELETE FROM usage{which}", values)
        return rows, len(sums)

    def count(self, workspace_id: str) -> int:
        """How many attempts of a workspace are booked, purged ones among them."""
        sql = (
            "SELECT (SELECT count(*) FROM usage WHERE workspace_id = :id)"
            " + (SELECT ifnull(sum(attempts), 0) FROM usage_totals WHERE workspace_id = :id)"
        )
        with self._database.read() as connection:
            return int(connection.execute(sql, {"id": workspace_id}).fetchone()[0])

    def forget(self, workspace_id: str) -> int:
        """Remove the rows, sizes of replies and budgets of a workspace; gives how many attempts that were.

        Their sums stay without its name: what was spent counts in the budgets of all workspaces.
        """
        count, values = self.count(workspace_id), (workspace_id,)
        which = " WHERE workspace_id = ? AND status <> 'started'"
        with self._database.write() as connection:
            sums = connection.execute(f"SELECT {_GROUP}, {_SUMS} FROM usage{which} {_BY_GROUP}", values).fetchall()
            marks = ", ".join("?" * len(fields(UsageTotal)))
            connection.executemany(f"INSERT INTO usage_totals ({_NAMES}) VALUES ({marks})", sums)
            connection.execute(f"DELETE FROM usage{which}", values)
            connection.execute("UPDATE usage_totals SET workspace_id = '' WHERE workspace_id = ?", values)
            for table in ("replies", "budgets"):
                connection.execute(f"DELETE FROM {table} WHERE workspace_id = ?", values)
        return count

    def periods(self, since: float | None = None, until: float | None = None) -> list[UsagePeriod]:
        """Estimated periods that touch a span of time, in their order."""
        sql = (
            "SELECT start_at, end_at, backend, state, reason, created_at FROM usage_periods"
            " WHERE (:since IS NULL OR end_at > :since) AND (:until IS NULL OR start_at < :until)"
            " ORDER BY start_at, backend"
        )
        with self._database.read() as connection, self._database.decoding():
            rows = connection.execute(sql, {"since": since, "until": until}).fetchall()
        return [UsagePeriod(*row) for row in rows]

    def settle_periods(self, wrong: Sequence[UsagePeriod], right: Sequence[tuple[float, float, str]]) -> int:
        """Mark periods, and unmark those (start, end, backend) that agree; returns how many were unmarked."""
        with self._database.write() as connection:
            found = connection.executemany(
                "DELETE FROM usage_periods WHERE start_at = ? AND end_at = ? AND backend = ?", right
            )
            connection.executemany(
                "INSERT OR REPLACE INTO usage_periods VALUES (?, ?, ?, ?, ?, ?)", [astuple(one) for one in wrong]
            )
            return max(0, found.rowcount)

    def add_reply(self, reply: ReplySize) -> None:
        """Keep the size of a reply."""
        columns = ", ".join(field.name for field in fields(ReplySize))
        with self._database.write() as connection:
            connection.execute(f"INSERT INTO replies ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", astuple(reply))

    def reply_sums(
        self, since: float | None = None, until: float | None = None, workspace_id: str | None = None
    ) -> tuple[int, int, int, int, int]:
        """Replies and their characters; replies that cite files, their characters, and those of the whole files."""
        where, values = _where("at", since, until, workspace_id)
        sql = (
            "SELECT count(*), ifnull(sum(characters), 0), count(whole_file_characters),"
            " ifnull(sum(CASE WHEN whole_file_characters IS NOT NULL THEN characters END), 0),"
            f" ifnull(sum(whole_file_characters), 0) FROM replies{where}"
        )
        with self._database.read() as connection:
            one, two, three, four, five = connection.execute(sql, values).fetchone()
        return one, two, three, four, five


def _where(
    column: str, since: float | None, until: float | None, workspace_id: str | None
) -> tuple[str, dict[str, float | str | None]]:
    values: dict[str, float | str | None] = {"since": since, "until": until, "workspace_id": workspace_id}
    tests = {
        "since": f"{column} >= :since",
        "until": f"{column} < :until",
        "workspace_id": "workspace_id = :workspace_id",
    }
    wanted = [test for name, test in tests.items() if values[name] is not None]
    return (f" WHERE {' AND '.join(wanted)}" if wanted else ""), values


def _total(row: Sequence[Any] | sqlite3.Row) -> UsageTotal:
    at, workspace_id, session, task, operation, backend, model, remote, free, status, retried, *sums = row
    who = (float(at), workspace_id, session, task, operation, backend, model)
    return UsageTotal(*who, bool(remote), bool(free), UsageStatus(status), bool(retried), *sums)
