"""The sessions that a fork comes from, in sessions.db."""

from __future__ import annotations

import sqlite3

# Forks of forks; a circle of them is damage.
MAX_DEPTH = 20


def origins_of(connection: sqlite3.Connection, session: int, agent: str) -> list[tuple[int, str]]:
    """Row (0: not in the index) and id of every session that this one was forked from, at any remove, nearest first."""
    found: list[tuple[int, str]] = []
    (name,) = connection.execute("SELECT forked_from FROM sessions WHERE id = ?", (session,)).fetchone()
    while name and len(found) < MAX_DEPTH and name not in [one for _, one in found]:
        row, origin = connection.execute(
            "SELECT id, forked_from FROM sessions WHERE agent = ? AND session = ?", (agent, name)
        ).fetchone() or (0, None)
        found.append((int(row), name))
        name = origin
    return [one for one in found if one[0] != session]


def family_of(connection: sqlite3.Connection, session: int, agent: str) -> str:
    """The first origin of a session; its own id, if it is no fork."""
    if origins := origins_of(connection, session, agent):
        return origins[-1][1]
    return str(connection.execute("SELECT session FROM sessions WHERE id = ?", (session,)).fetchone()[0])
