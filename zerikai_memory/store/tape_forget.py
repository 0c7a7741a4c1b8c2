"""Removal of what a person had forgotten from sessions.db: the session, its copies elsewhere, its title and figures."""

from __future__ import annotations

import sqlite3

from zerikai_memory.store.forgotten import (
    LEAST_ENTRY,
    LEAST_UNDATED,
    Forgotten,
    copied_mark,
    message_marks,
    origin_mark,
    response_mark,
    title_mark,
)
from zerikai_memory.store.tape_batch import DISORDERED
from zerikai_memory.store.tape_openings import copied_opening, opening_of
from zerikai_memory.store.tape_origins import family_of, origins_of
from zerikai_memory.store.tape_owners import Ranks
from zerikai_memory.store.tape_schema import remove_message


def forget_marks(connection: sqlite3.Connection, agent: str, session: str) -> list[str]:
    """The marks of everything that a session said: by them its copies and forks are known."""
    found = connection.execute(
        "SELECT id, title FROM sessions WHERE agent = ? AND session = ?", (agent, session)
    ).fetchone()
    if found is None:
        return []
    row, title = found
    said = connection.execute("SELECT key, role, at, text, entry FROM messages WHERE session = ? ORDER BY step", (row,))
    orphan = _has_unread_origin(connection, row, agent)
    marks = [title_mark(agent, title)] if title else []
    others = _told_before(connection, row, agent)
    for key, role, at, text, entry in said:
        marks += message_marks(agent, session, key, role, at, text, "" if (entry, role) in others else entry)
        marks += [origin_mark(agent, role, text)] if orphan else []
    copies = connection.execute("SELECT DISTINCT key FROM copies WHERE session = ?", (row,))
    marks += [copied_mark(agent, session, key) for (key,) in copies]
    marks += opening_of(connection, row, agent)
    return marks + _response_marks(connection, row, agent, session)


def _response_marks(connection: sqlite3.Connection, session: int, agent: str, name: str) -> list[str]:
    """Of figures: they belong to the session that ranks first among those that tell them, those of stretches to one."""
    marks, ranks, family = [], Ranks(connection), family_of(connection, session, agent)
    sql = "SELECT key, running, shared FROM responses WHERE session = ? AND grade = 0"
    for key, running, shared in connection.execute(sql, (session,)).fetchall():
        others = "SELECT session FROM responses WHERE key = ? AND session <> ?"
        told = connection.execute(others, (key, session)).fetchall() if shared else []
        copied = any(
            ranks.session(other) < ranks.session(session)
            and (not running or family_of(connection, other, agent) == family)
            for (other,) in told
        )
        own = response_mark(agent, key, family if running else "")
        marks.append(copied_mark(agent, name, key) if copied else own)
    return marks


def _told_before(connection: sqlite3.Connection, session: int, agent: str) -> set[tuple[str, str]]:
    """Id and role of the session's lines that another session tells with an earlier time: it is the original."""
    sql = (
        "SELECT m.entry, m.role FROM messages m JOIN sessions s ON s.id = m.session AND s.agent = ?2"
        " JOIN (SELECT entry, role, min(at) AS at FROM messages WHERE session = ?1 AND length(entry) >= ?3"
        " GROUP BY entry, role) own ON own.entry = m.entry AND own.role = m.role AND m.at < own.at"
        " WHERE m.session <> ?1"
    )
    return set(connection.execute(sql, (session, agent, LEAST_ENTRY)))


def _has_unread_origin(connection: sqlite3.Connection, session: int, agent: str) -> bool:
    """Whether a fork says anew what origins said of which nothing is in the index."""
    if not connection.execute("SELECT retells FROM sessions WHERE id = ?", (session,)).fetchone()[0]:
        return False
    known = "SELECT 1 FROM messages WHERE session = ? LIMIT 1"
    origins = origins_of(connection, session, agent)
    return any(connection.execute(known, (row,)).fetchone() is None for row, _ in origins)


def sweep(
    connection: sqlite3.Connection,
    forgotten: Forgotten,
    size: int,
    agent: str | None = None,
    swept: int = 0,
    since: float = -1.0,
) -> int:
    """Remove all that is marked, in every session; how many messages. `size` of the marks' file is kept with it.

    `agent`: all marks behind the first `swept` bytes are of one agent, and of nothing that was said before `since`, so
    that others, and sessions that ended before, need no look if the rest is done.
    """
    done = connection.execute("SELECT value FROM facts WHERE name = 'forgotten'").fetchone()
    only_agent = agent if (done[0] if done else 0) == swept else None
    removed = 0
    last = "ifnull((SELECT moment FROM messages m WHERE m.session = s.id ORDER BY step DESC LIMIT 1), ?2)"
    wanted = f"?1 IS NULL OR (agent = ?1 AND (dirty OR {last} >= ?2))"
    for row, agent, session, title in connection.execute(
        f"SELECT id, agent, session, title FROM sessions s WHERE {wanted}",
        (only_agent, since),
    ).fetchall():
        if forgotten.session(agent, session):
            removed += _remove_session(connection, row)
            continue
        if forgotten.title(agent, title):
            connection.execute("UPDATE sessions SET title = '', title_key = '' WHERE id = ?", (row,))
        removed += _remove_copies(connection, forgotten, row, agent)
        _remove_responses(connection, forgotten, row, agent)
    connection.execute("INSERT OR REPLACE INTO facts VALUES ('forgotten', ?)", (size,))
    return removed


def _remove_session(connection: sqlite3.Connection, session: int) -> int:
    """Remove a session's messages and figures; its row stays without a word, because forks name it as their origin."""
    rows = connection.execute("SELECT id, key FROM messages WHERE session = ?", (session,)).fetchall()
    _remove(connection, rows)
    connection.execute(
        f"UPDATE sessions SET dirty = {DISORDERED} WHERE id IN"
        " (SELECT m.session FROM copies c JOIN messages m ON m.key = c.key WHERE c.session = ?)",
        (session,),
    )
    connection.execute("DELETE FROM copies WHERE session = ?", (session,))
    connection.execute("DELETE FROM responses WHERE session = ?", (session,))
    connection.execute("DELETE FROM proposals WHERE session = ?", (session,))
    connection.execute(
        f"UPDATE sessions SET title = '', project = '', title_key = '', project_key = '', dirty = {DISORDERED}"
        " WHERE id = ?",
        (session,),
    )
    return len(rows)


def _remove_copies(connection: sqlite3.Connection, forgotten: Forgotten, session: int, agent: str) -> int:
    sql = "SELECT id, key, role, at, text, entry FROM messages WHERE session = ?"
    rows = connection.execute(sql, (session,)).fetchall()
    origins = [name for _, name in origins_of(connection, session, agent)]
    marked = [
        (row, key)
        for row, key, role, at, text, entry in rows
        if forgotten.message(agent, key, role, at, text, entry)
        or (len(text) >= LEAST_UNDATED and forgotten.replay(agent, origins, role, text))
    ]
    known = {row for row, _ in marked}
    keys = {row: key for row, key, *_ in rows}
    opening = copied_opening(connection, forgotten, session, agent)
    marked += [(row, keys[row]) for row in opening if row not in known]
    _remove(connection, marked)
    if marked:
        connection.execute(f"UPDATE sessions SET dirty = {DISORDERED} WHERE id = ?", (session,))
    return len(marked)


def _remove_responses(connection: sqlite3.Connection, forgotten: Forgotten, session: int, agent: str) -> None:
    """Remove figures that a forgotten session told first; those that no other one told need no look."""
    sql = "SELECT key, running FROM responses WHERE session = ? AND shared AND grade = 0"
    for key, running in connection.execute(sql, (session,)).fetchall():
        if forgotten.response(agent, key, family_of(connection, session, agent) if running else ""):
            connection.execute("DELETE FROM responses WHERE key = ? AND session = ?", (key, session))


def _remove(connection: sqlite3.Connection, rows: list[tuple[int, bytes]]) -> None:
    for row, key in rows:
        remove_message(connection, row)
        connection.execute("DELETE FROM copies WHERE key = ?", (key,))
