"""Proposed records in sessions.db: what was found in the messages and waits for a person's word.

They are derived like everything there and go with their session. Only the person's word is kept for good: as hashes
in a file beside the database, so that what was turned down does not come back when the database is made anew.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence, Set
from pathlib import Path

from zerikai_memory.errors import StoreError
from zerikai_memory.model_sessions import Proposal, Turn
from zerikai_memory.store.db import Database
from zerikai_memory.store.session_filter import SessionFilter

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS proposals (id TEXT PRIMARY KEY, session INTEGER NOT NULL, step INTEGER NOT NULL,"
    " at REAL, category TEXT NOT NULL, outcome TEXT, content TEXT NOT NULL, found_by TEXT NOT NULL)",
    # Messages that a model was asked about, by a hash of its name and the text.
    "CREATE TABLE IF NOT EXISTS proposals_asked (key BLOB PRIMARY KEY) WITHOUT ROWID",
)
_ROW = (
    "SELECT p.id, p.category, p.content, p.outcome, s.session, s.agent, s.project, p.step, p.at, p.found_by"
    " FROM proposals p JOIN sessions s ON s.id = p.session"
)


class ProposalStore:
    """Proposals of all sessions; thread-safe."""

    def __init__(self, database: Database, home: Path) -> None:
        self._database = database
        self._decided_path = home / "sessions.decided"

    def said(self, wanted: SessionFilter) -> Iterator[Turn]:
        """What was said on live branches, session by session, each in its order."""
        where, values = wanted.where()
        sql = (
            "SELECT s.session, s.agent, s.project, m.step, m.role, m.at, m.text FROM messages m"
            f" JOIN sessions s ON s.id = m.session WHERE {where} AND m.off_branch = 0"
            " AND m.role IN ('user', 'assistant') ORDER BY m.session, m.step"
        )
        with self._database.read() as connection:
            for row in connection.execute(sql, values):
                yield Turn(*row)

    def add(self, found: Sequence[Proposal]) -> int:
        """Store proposals that are new and were never decided on; returns how many."""
        decided = self._decided()
        with self._database.write() as connection:
            before = connection.execute("SELECT count(*) FROM proposals").fetchone()[0]
            connection.executemany(
                "INSERT OR IGNORE INTO proposals (id, session, step, at, category, outcome, content, found_by)"
                " SELECT ?, id, ?, ?, ?, ?, ?, ? FROM sessions WHERE session = ? AND agent = ?",
                [
                    (p.id, p.step, p.at, p.category, p.outcome, p.content, p.found_by, p.session, p.agent)
                    for p in found
                    if p.id not in decided
                ],
            )
            return int(connection.execute("SELECT count(*) FROM proposals").fetchone()[0] - before)

    def withdraw(self, wanted: SessionFilter, found: Set[str]) -> None:
        """Remove what rules proposed from these messages and do not any more: it was taken back, or rules changed."""
        old = [one.id for one in self.waiting(wanted, -1) if one.found_by.startswith("rule:") and one.id not in found]
        if old:
            with self._database.write() as connection:
                connection.executemany("DELETE FROM proposals WHERE id = ?", [(id,) for id in old])

    def waiting(self, wanted: SessionFilter, limit: int) -> list[Proposal]:
        """Proposals that nobody has decided on, the latest said first."""
        # The filter speaks of messages, whose time and step a proposal has too.
        where, values = wanted.where()
        sql = f"{_ROW} WHERE {where.replace('m.', 'p.')} ORDER BY p.at DESC, p.id LIMIT ?"
        with self._database.read() as connection:
            return [Proposal(*row) for row in connection.execute(sql, [*values, limit])]

    def matching(self, prefix: str) -> list[Proposal]:
        """Proposals whose id begins with a text, at most a few."""
        with self._database.read() as connection:
            rows = connection.execute(f"{_ROW} WHERE substr(p.id, 1, ?) = ? LIMIT 5", (len(prefix), prefix))
            return [Proposal(*row) for row in rows]

    def decide(self, ids: Sequence[str]) -> None:
        """Take proposals off the list for good."""
        try:
            with open(self._decided_path, "a", encoding="ascii", opener=_private) as file:
                file.writelines(f"{id}\n" for id in ids)
        except OSError as error:
            raise StoreError(f"{self._decided_path} cannot be written: {error}") from error
        with self._database.write() as connection:
            connection.executemany("DELETE FROM proposals WHERE id = ?", [(id,) for id in ids])

    def asked(self, model: str) -> Callable[[Turn], bool]:
        """Tells of a message whether the model was asked about it before now."""
        with self._database.read() as connection:
            keys = {row[0] for row in connection.execute("SELECT key FROM proposals_asked")}
        return lambda turn: _asked(model, turn) in keys

    def set_asked(self, model: str, rows: Sequence[Turn]) -> None:
        """Remember that the model was asked about these messages."""
        with self._database.write() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO proposals_asked VALUES (?)", [(_asked(model, row),) for row in rows]
            )

    def _decided(self) -> frozenset[str]:
        try:
            return frozenset(self._decided_path.read_text("ascii").split())
        except FileNotFoundError:
            return frozenset()
        except (OSError, ValueError) as error:
            # Unknown is not empty: what a person turned down must not come back.
            raise StoreError(f"{self._decided_path} cannot be read: {error}") from error


def prepare_proposals(connection: sqlite3.Connection) -> None:
    """Add the tables to a database that has none."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'proposals_asked'").fetchone()
    if found or connection.execute("PRAGMA query_only").fetchone()[0]:
        return
    for statement in _SCHEMA:
        connection.execute(statement)


def forget_proposals(connection: sqlite3.Connection, session: int) -> None:
    """Remove what was proposed from a session, given by its row."""
    connection.execute("DELETE FROM proposals WHERE session = ?", (session,))


def _asked(model: str, row: Turn) -> bytes:
    return hashlib.blake2b(f"{model}\0{row.text}".encode("utf-8", "replace"), digest_size=12).digest()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
