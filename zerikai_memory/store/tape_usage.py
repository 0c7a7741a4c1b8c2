"""Tokens that transcripts tell, in sessions.db: one row per response however many lines, copies and forks tell it."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

# One price holds for a quarter of an hour, and every time zone is a whole number of them away from UTC.
QUARTER_S = 900
_COLUMNS = ("input", "cache_read", "cache_write", "output", "reasoning")
_SCHEMA = """
CREATE TABLE responses (
    key BLOB PRIMARY KEY, session INTEGER NOT NULL, model TEXT NOT NULL, at REAL, requests INTEGER NOT NULL,
    input INTEGER, cache_read INTEGER, cache_write INTEGER, output INTEGER, reasoning INTEGER, cost_usd REAL,
    stretch INTEGER NOT NULL, grade INTEGER NOT NULL
) WITHOUT ROWID
"""


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """One response, or a sum of `requests` of them. `input` is without what a cache gave or took.

    `stretch` and `grade`: within a stretch of a session rows of a higher grade replace those of lower ones.
    """

    key: bytes
    session: int
    model: str
    at: float | None
    requests: int
    input: int | None
    cache_read: int | None
    cache_write: int | None
    output: int | None
    reasoning: int | None
    cost_usd: float | None
    stretch: int = 0
    grade: int = 0


@dataclass(frozen=True, slots=True)
class ResponseSum:
    """Responses of one agent, project and model in the quarter of an hour that begins at `at` (None: no time told).

    Sums leave out what was not told: `without_input` and `without_output` count the responses that did not tell it.
    `cost_usd` is the agents' own figure; `booked` tells rows that have one from rows that have none.
    """

    agent: str
    project: str
    model: str
    at: float | None
    booked: bool
    sessions: tuple[int, ...]
    requests: int
    without_input: int
    without_output: int
    input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    cost_usd: float


@dataclass(frozen=True, slots=True)
class Spending:
    """What agents spent by their transcripts; `silent`: sessions, by agent, that tell nothing of tokens at all."""

    sums: tuple[ResponseSum, ...] = ()
    silent: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class ResponseTable:
    """Writes of one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, row: ResponseRow) -> bool:
        """Store a response; of one that is known the greatest figures and the earliest time count. Whether it is new.

        A row whose stretch has rows of a higher grade is left out.
        """
        if self._outranked(row):
            return False
        known = self._connection.execute("SELECT 1 FROM responses WHERE key = ?", (row.key,)).fetchone()
        greatest = ", ".join(
            f"{name} = max(ifnull({name}, excluded.{name}), ifnull(excluded.{name}, {name}))"
            for name in (*_COLUMNS, "cost_usd")
        )
        self._connection.execute(
            "INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET"
            f" {greatest}, at = min(ifnull(at, excluded.at), ifnull(excluded.at, at)),"
            " model = CASE model WHEN '' THEN excluded.model ELSE model END",
            astuple(row),
        )
        return known is None

    def knows(self, key: bytes) -> bool:
        """Whether a response of this key is stored."""
        return self._connection.execute("SELECT 1 FROM responses WHERE key = ?", (key,)).fetchone() is not None

    def replace_lower(self, session: int, stretch: int, grade: int) -> None:
        """Remove the rows of a stretch that are of a lower grade."""
        self._connection.execute(
            "DELETE FROM responses WHERE session = ? AND stretch = ? AND grade < ?", (session, stretch, grade)
        )

    def origin(self, session: int) -> str:
        """The id of the session from which this one was forked first of all, as far as that is known; its own else."""
        sql = (
            "WITH RECURSIVE up (name, origin, depth) AS ("
            " SELECT session, forked_from, 0 FROM sessions WHERE id = ?"
            " UNION SELECT s.session, s.forked_from, up.depth + 1 FROM sessions s JOIN up ON s.session = up.origin"
            " WHERE up.depth < 20)"
            " SELECT ifnull(origin, name) FROM up ORDER BY depth DESC LIMIT 1"
        )
        return str(self._connection.execute(sql, (session,)).fetchone()[0])

    def _outranked(self, row: ResponseRow) -> bool:
        if not row.grade:
            return False
        sql = "SELECT 1 FROM responses WHERE session = ? AND stretch = ? AND grade > ? LIMIT 1"
        return self._connection.execute(sql, (row.session, row.stretch, row.grade)).fetchone() is not None


def prepare_responses(connection: sqlite3.Connection) -> None:
    """Add the table; transcripts that were read before there was one are read again."""
    if _has_table(connection) or connection.execute("PRAGMA query_only").fetchone()[0]:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _has_table(connection):  # another process may have added it meanwhile
            connection.execute(_SCHEMA)
            connection.execute("CREATE INDEX responses_session ON responses (session, stretch)")
            connection.execute("UPDATE sources SET size = -1, offset = 0, head = '', state = ''")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def forget_responses(connection: sqlite3.Connection, session: int) -> None:
    """Remove what a session spent."""
    connection.execute("DELETE FROM responses WHERE session = ?", (session,))


def spending(connection: sqlite3.Connection, since: float | None = None, project: str | None = None) -> Spending:
    """What was spent since a time, in a folder and all below it; rows without a time always count."""
    silent = _silent_sessions(connection, since, project)
    return Spending(tuple(_response_sums(connection, since, project)), silent)


def _response_sums(connection: sqlite3.Connection, since: float | None, project: str | None) -> list[ResponseSum]:
    where, values = _where("r", since, project)
    sql = (
        f"SELECT s.agent, s.project, r.model, CAST(r.at / {QUARTER_S} AS INTEGER) * {QUARTER_S}.0, r.cost_usd NOTNULL,"
        " group_concat(DISTINCT r.session), sum(r.requests), sum(r.requests * (r.input IS NULL)),"
        " sum(r.requests * (r.output IS NULL)), "
        + ", ".join(f"total(r.{name})" for name in _COLUMNS)
        + ", total(r.cost_usd) FROM responses r JOIN sessions s ON s.id = r.session"
        f" WHERE {where} GROUP BY 1, 2, 3, 4, 5"
    )
    return [_sum(row) for row in connection.execute(sql, values)]


def _silent_sessions(connection: sqlite3.Connection, since: float | None, project: str | None) -> dict[str, int]:
    """Sessions in which the agent answered, without any figure of tokens."""
    where, values = _where("m", since, project)
    sql = (
        "SELECT s.agent, count(DISTINCT s.id) FROM sessions s JOIN messages m ON m.session = s.id"
        f" WHERE {where} AND m.role IN ('assistant', 'tool')"
        " AND NOT EXISTS (SELECT 1 FROM responses r WHERE r.session = s.id) GROUP BY s.agent"
    )
    return dict(connection.execute(sql, values).fetchall())


def _where(table: str, since: float | None, project: str | None) -> tuple[str, list[object]]:
    conditions, values = ["1"], list[object]()
    if since is not None:
        conditions.append(f"({table}.at >= ? OR {table}.at IS NULL)")
        values.append(since)
    if project is not None:
        folder = project.rstrip("/")
        conditions.append("(s.project = ? OR (s.project > ? AND s.project < ?))")
        values += [folder, folder + "/", folder + "0"]
    return " AND ".join(conditions), values


def _sum(row: tuple[Any, ...]) -> ResponseSum:
    agent, project, model, at, booked, sessions, requests, without_input, without_output, *tokens, cost_usd = row
    who, missing = (agent, project, model, at, bool(booked)), (without_input, without_output)
    given, read, written, output, reasoning = map(int, tokens)
    numbers = tuple(map(int, sessions.split(",")))
    return ResponseSum(*who, numbers, requests, *missing, given, read, written, output, reasoning, cost_usd)


def _has_table(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'responses'").fetchone() is not None
