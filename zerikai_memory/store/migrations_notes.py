"""Second schema of zerikai.db: notes become records with anchors and events, none of which is ever rewritten."""

from __future__ import annotations

import hashlib
import sqlite3

from zerikai_memory.store.words import search_text

_COLUMNS = (
    "detail TEXT NOT NULL DEFAULT ''",
    "outcome TEXT",
    "importance REAL NOT NULL DEFAULT 0.5",
    "tags TEXT NOT NULL DEFAULT '[]'",
    "session TEXT",
    "agent TEXT",
    "run_id TEXT",
    "words TEXT NOT NULL DEFAULT ''",
)


def records_schema(connection: sqlite3.Connection) -> None:
    """Add what a record holds beyond a note; notes that are there become records with the defaults."""
    for column in _COLUMNS:
        connection.execute(f"ALTER TABLE notes ADD COLUMN {column}")
    # The same text may stand again after a reversal, so equality is looked for among live records when one is added.
    connection.execute("DROP INDEX notes_once")
    connection.execute("CREATE INDEX notes_same ON notes (workspace_id, content_hash)")
    connection.execute("CREATE INDEX notes_by_run ON notes (workspace_id, run_id) WHERE run_id IS NOT NULL")
    for seq, category, content in connection.execute("SELECT seq, category, content FROM notes").fetchall():
        connection.execute(
            "UPDATE notes SET words = ?, content_hash = ? WHERE seq = ?",
            (search_text(f"{category} {content}"), same_text_hash(content), seq),
        )
    # The words stand beside the record, so that they can be taken out again whatever the splitter does by then.
    connection.execute("DROP TABLE notes_fts")
    connection.execute(
        "CREATE VIRTUAL TABLE notes_fts USING fts5("
        "words, content='notes', content_rowid='seq', tokenize='porter unicode61')"
    )
    connection.execute("INSERT INTO notes_fts (notes_fts) VALUES ('rebuild')")
    connection.execute(
        "CREATE TABLE note_anchors ("
        " seq INTEGER PRIMARY KEY AUTOINCREMENT, workspace_id TEXT NOT NULL, note_id TEXT NOT NULL, path TEXT NOT NULL,"
        " kind TEXT NOT NULL, qualified_name TEXT NOT NULL, signature TEXT NOT NULL, body_hash TEXT NOT NULL)"
    )
    connection.execute("CREATE INDEX note_anchors_by_entity ON note_anchors (workspace_id, path, qualified_name)")
    connection.execute("CREATE INDEX note_anchors_by_note ON note_anchors (note_id)")
    connection.execute(
        "CREATE TABLE note_events ("
        " seq INTEGER PRIMARY KEY AUTOINCREMENT, workspace_id TEXT NOT NULL, note_id TEXT NOT NULL, kind TEXT NOT NULL,"
        " other_id TEXT, by_whom TEXT, reason TEXT NOT NULL DEFAULT '', session TEXT, agent TEXT, run_id TEXT,"
        " created_at REAL NOT NULL)"
    )
    connection.execute("CREATE INDEX note_events_by_workspace ON note_events (workspace_id, seq)")
    connection.execute("CREATE INDEX note_events_by_note ON note_events (note_id, kind)")
    connection.execute("CREATE INDEX note_events_by_other ON note_events (other_id, kind)")
    # Derived: made anew where it is missing or of another embedding.
    connection.execute("CREATE TABLE note_vectors (note_seq INTEGER PRIMARY KEY, fingerprint TEXT, vector BLOB)")
    _forbid_rewriting(connection, "notes", "content, detail, category, outcome, importance, tags, created_at")
    _forbid_rewriting(connection, "note_events", "kind, by_whom, reason, created_at")
    _forbid_rewriting(connection, "note_anchors", "path, kind, qualified_name, signature, body_hash")


def same_text_hash(content: str) -> str:
    """Equal for texts that differ in blanks, case and a full stop at the end alone."""
    return hashlib.sha256(" ".join(content.casefold().split()).rstrip(".! ").encode("utf-8", "replace")).hexdigest()


def _forbid_rewriting(connection: sqlite3.Connection, table: str, columns: str) -> None:
    connection.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OF {columns} ON {table}"
        f" BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    )
