"""Notes in zerikai.db: appended, never rewritten."""

from __future__ import annotations

import hashlib
import sqlite3
import time
import uuid
from collections.abc import Iterable, Sequence

from zerikai_memory.model import Note
from zerikai_memory.store.db import Database
from zerikai_memory.store.words import match_expression, search_text

_COLUMNS = "n.id, n.category, n.content, n.created_at, n.workspace_id"


class NoteStore:
    """Notes of all workspaces."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, workspace_id: str, category: str, content: str) -> Note:
        """Store a note, or return the one that says the same in the same category."""
        digest = hashlib.sha256(content.encode()).hexdigest()
        note = (uuid.uuid4().hex[:12], workspace_id, category, content, digest, time.time())
        with self._database.write() as connection:
            done = connection.execute(
                "INSERT INTO notes (id, workspace_id, category, content, content_hash, created_at)"
                " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                note,
            )
            if done.rowcount:
                connection.execute(
                    "INSERT INTO notes_fts (rowid, words) VALUES (?, ?)",
                    (done.lastrowid, search_text(f"{category} {content}")),
                )
            row = connection.execute(
                f"SELECT {_COLUMNS} FROM notes n WHERE workspace_id = ? AND category = ? AND content_hash = ?",
                (workspace_id, category, digest),
            ).fetchone()
        return Note(*row)

    def latest(self, workspace_id: str, category: str | None, limit: int) -> list[Note]:
        """The newest notes, of one category or of all."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS} FROM notes n WHERE workspace_id = ? AND (? IS NULL OR category = ?)"
                " ORDER BY seq DESC LIMIT ?",
                (workspace_id, category, category, limit),
            ).fetchall()
        return [Note(*row) for row in rows]

    def search(
        self, workspace_id: str, words: Iterable[str], category: str | None, limit: int
    ) -> list[tuple[Note, float]]:
        """(note, BM25) of notes that hold any of the words, best first; larger is better."""
        expression = match_expression(words)
        if expression is None:
            return []
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT {_COLUMNS}, -bm25(notes_fts) AS score FROM notes_fts JOIN notes n ON n.seq = notes_fts.rowid"
                " WHERE notes_fts MATCH ? AND n.workspace_id = ? AND (? IS NULL OR n.category = ?)"
                " ORDER BY score DESC, n.seq DESC LIMIT ?",
                (expression, workspace_id, category, category, limit),
            ).fetchall()
        return [(Note(*row[:5]), row[5]) for row in rows]

    def count(self, workspace_id: str) -> int:
        """Number of notes of a workspace."""
        with self._database.read() as connection:
            return int(
                connection.execute("SELECT count(*) FROM notes WHERE workspace_id = ?", (workspace_id,)).fetchone()[0]
            )

    def remove_all(self, workspace_id: str) -> int:
        """Delete every note of a workspace, on the person's explicit order; returns how many."""
        with self._database.write() as connection:
            rows = connection.execute(
                "SELECT seq, category, content FROM notes WHERE workspace_id = ?", (workspace_id,)
            ).fetchall()
            delete_notes(connection, rows)
        return len(rows)


def delete_notes(connection: sqlite3.Connection, rows: Sequence[tuple[int, str, str]]) -> None:
    """Delete notes given as (seq, category, content) with their words; deleting words needs the very text."""
    connection.executemany(
        "INSERT INTO notes_fts (notes_fts, rowid, words) VALUES ('delete', ?, ?)",
        [(seq, search_text(f"{category} {content}")) for seq, category, content in rows],
    )
    connection.executemany("DELETE FROM notes WHERE seq = ?", [(row[0],) for row in rows])
