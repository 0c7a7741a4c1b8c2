"""Tokens that transcripts tell, in sessions.db: one row per response and session that tells it.

Rows of one key are one response (`shared`: there are several): they are taken together when sums are asked for, so
that neither the order in which files were read nor a session that was forgotten changes what the others tell.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, field
from typing import Any

# One price holds for a quarter of an hour, and every time zone is a whole number of them away from UTC.
QUARTER_S = 900
_COLUMNS = ("input", "cache_read", "cache_write", "output", "reasoning")
_FIGURES = (*_COLUMNS, "cost_usd")
# A figure of a running counter is known by the counter's state, which is one response only among forks of one origin.
_ALIKE = "PARTITION BY r.key, CASE WHEN r.running THEN iif(s.family = '', s.session, s.family) END"
_PLAIN = (
    "SELECT r.session, r.model, r.at, r.requests, "
    + ", ".join(f"r.{name}" for name in _FIGURES)
    + ", s.agent, s.project FROM responses r JOIN sessions s ON s.id = r.session WHERE NOT r.shared"
)
_SHARED = (
    "SELECT session, model, at, requests, "
    + ", ".join(_FIGURES)
    + ", agent, project FROM (SELECT r.session, s.agent, s.project,"
    f" CASE r.model WHEN '' THEN max(r.model) OVER ({_ALIKE}) ELSE r.model END AS model,"
    f" min(r.at) OVER ({_ALIKE}) AS at, iif(r.running, r.requests, max(r.requests) OVER ({_ALIKE})) AS requests, "
    # A fork may tell a counter without those before it; copies of a response may be of when it was unfinished.
    + ", ".join(f"iif(r.running, r.{name}, max(r.{name}) OVER ({_ALIKE})) AS {name}" for name in _FIGURES)
    + f", row_number() OVER ({_ALIKE} ORDER BY s.depth, s.session) AS number"
    " FROM responses r JOIN sessions s ON s.id = r.session WHERE r.shared) WHERE number = 1"
)


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """One response, or a sum of `requests` of them. `input` is without what a cache gave or took.

    `stretch` and `grade`: within a stretch of a session rows of a higher grade replace those of lower ones.
    `running`: what a counter over all responses has grown by.
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
    running: bool = False


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
    """Writes of one transaction; `forgot` tells whether a session that was forgotten told a row of this key before."""

    def __init__(self, connection: sqlite3.Connection, forgot: Callable[[int, tuple[bytes, bool]], bool]) -> None:
        self._connection = connection
        self._forgot = forgot

    def put(self, row: ResponseRow) -> None:
        """Store a response of a session; of one that is known the greatest figures and the earliest time count.

        A row whose stretch has rows of a higher grade is left out.
        """
        if self._outranked(row):
            return
        others = self._connection.execute(
            "SELECT count(*) FROM responses WHERE key = ? AND session <> ?", (row.key, row.session)
        ).fetchone()[0]
        greatest = ", ".join(
            f"{name} = max(ifnull({name}, excluded.{name}), ifnull(excluded.{name}, {name}))" for name in _FIGURES
        )
        self._connection.execute(
            "INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            f" {greatest}, at = min(ifnull(at, excluded.at), ifnull(excluded.at, at)),"
            " model = CASE model WHEN '' THEN excluded.model ELSE model END",
            (*astuple(row), others > 0),
        )
        if others:
            self._connection.execute("UPDATE responses SET shared = 1 WHERE key = ?", (row.key,))

    def knows(self, session: int, key: bytes) -> bool:
        """Whether a response of this key is stored for this session."""
        sql = "SELECT 1 FROM responses WHERE key = ? AND session = ?"
        return self._connection.execute(sql, (key, session)).fetchone() is not None

    def forgot(self, session: int, key: bytes, *, running: bool = False) -> bool:
        """Whether a session that was forgotten told this figure, so that it is counted nowhere."""
        return self._forgot(session, (key, running))

    def remove(self, session: int, key: bytes) -> None:
        """Remove a response of a session that turned out to be part of another."""
        self._connection.execute("DELETE FROM responses WHERE key = ? AND session = ?", (key, session))

    def replace_lower(self, session: int, stretch: int, grade: int) -> None:
        """Remove the rows of a stretch that are of a lower grade."""
        self._connection.execute(
            "DELETE FROM responses WHERE session = ? AND stretch = ? AND grade < ?", (session, stretch, grade)
        )

    def _outranked(self, row: ResponseRow) -> bool:
        if not row.grade:
            return False
        sql = "SELECT 1 FROM responses WHERE session = ? AND stretch = ? AND grade > ? LIMIT 1"
        return self._connection.execute(sql, (row.session, row.stretch, row.grade)).fetchone() is not None


class LeftOutResponses(ResponseTable):
    """Takes the figures of a forgotten session and writes nothing; `keys`: their keys, and which are running."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection, lambda session, figure: False)
        self.keys: list[tuple[bytes, bool]] = []

    def put(self, row: ResponseRow) -> None:
        """Note the key; those of stretches are a session's own."""
        if not row.grade:
            self.keys.append((row.key, row.running))

    def remove(self, session: int, key: bytes) -> None:
        """Nothing is stored."""

    def replace_lower(self, session: int, stretch: int, grade: int) -> None:
        """Nothing is stored."""


def spending(connection: sqlite3.Connection, since: float | None = None, project: str | None = None) -> Spending:
    """What was spent since a time, in a folder and all below it; rows without a time always count."""
    silent = _silent_sessions(connection, since, project)
    return Spending(tuple(_response_sums(connection, since, project)), silent)


def _response_sums(connection: sqlite3.Connection, since: float | None, project: str | None) -> list[ResponseSum]:
    where, values = _where("r", since, project)
    sql = (
        f"SELECT r.agent, r.project, r.model, CAST(r.at / {QUARTER_S} AS INTEGER) * {QUARTER_S}.0, r.cost_usd NOTNULL,"
        " group_concat(DISTINCT r.session), sum(r.requests), sum(r.requests * (r.input IS NULL)),"
        " sum(r.requests * (r.output IS NULL)), "
        + ", ".join(f"total(r.{name})" for name in _COLUMNS)
        + f", total(r.cost_usd) FROM ({_PLAIN} UNION ALL {_SHARED}) r"
        f" WHERE {where.replace('s.', 'r.')} GROUP BY 1, 2, 3, 4, 5"
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
