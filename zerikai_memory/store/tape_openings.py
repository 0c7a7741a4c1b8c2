"""Copies that name no origin and have times of their own: they open as a forgotten session did, in its order."""

from __future__ import annotations

import sqlite3

from zerikai_memory.store.forgotten import Forgotten, opening_marks

# So much of an opening must be the same, an answer of the agent in it: a question alone may be asked again.
LEAST_CHARS, MOST_MESSAGES = 48, 2_000
_SAID = "SELECT id, role, text FROM messages WHERE session = ? ORDER BY step LIMIT ?"


def opening_of(connection: sqlite3.Connection, session: int, agent: str) -> list[str]:
    """The marks of how a session opens; none where an earlier one opens so, which is the original."""
    if not connection.execute("SELECT retells FROM sessions WHERE id = ?", (session,)).fetchone()[0]:
        return []
    earlier = (
        "SELECT 1 FROM messages own JOIN messages m ON m.step = 1 AND m.role = own.role AND m.text = own.text"
        " JOIN sessions s ON s.id = m.session AND s.agent = ?"
        " WHERE own.session = ? AND own.step = 1 AND m.session <> own.session AND m.moment < own.moment LIMIT 1"
    )
    if connection.execute(earlier, (agent, session)).fetchone():
        return []
    said = connection.execute(_SAID, (session, MOST_MESSAGES)).fetchall()
    return opening_marks(agent, [(role, text) for _, role, text in said])


def copied_opening(connection: sqlite3.Connection, forgotten: Forgotten, session: int, agent: str) -> list[int]:
    """Rows of the messages with which a session opens as a forgotten one did."""
    if not (forgotten and connection.execute("SELECT retells FROM sessions WHERE id = ?", (session,)).fetchone()[0]):
        return []
    said = connection.execute(_SAID, (session, MOST_MESSAGES)).fetchall()
    marks = opening_marks(agent, [(role, text) for _, role, text in said])
    same = next((number for number, mark in enumerate(marks) if mark not in forgotten.marks), len(marks))
    shared = said[:same]
    is_copy = any(role == "assistant" for _, role, _ in shared) and any(role == "user" for _, role, _ in shared)
    enough = sum(len(text) for *_, text in shared) >= LEAST_CHARS
    return [row for row, *_ in shared] if is_copy and enough else []
