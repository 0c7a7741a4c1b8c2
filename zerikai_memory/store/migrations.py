"""Schema of zerikai.db, the recorded data: numbered steps, applied in order, never edited afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from zerikai_memory.errors import StoreError
from zerikai_memory.store.migrations_briefs import sketch_schema
from zerikai_memory.store.migrations_notes import records_schema
from zerikai_memory.store.migrations_usage import usage_schema

# Called before a file of an older schema is changed, with the schema it has and the one it gets.
BeforeFunction = Callable[[int, int], None]


def migrate(connection: sqlite3.Connection, before: BeforeFunction = lambda old, new: None) -> None:
    """Bring the database to the newest schema in one transaction; refuse a file of a newer version untouched.

    `before` makes a backup, while the lock of the transaction keeps every other writer out.
    """
    version = _version(connection)
    if version == len(STEPS):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Read again under the lock: another process may have migrated meanwhile.
        version = _version(connection)
        if 0 < version < len(STEPS):
            before(version, len(STEPS))
        for step in STEPS[version:]:
            step(connection)
        connection.execute(f"PRAGMA user_version={len(STEPS)}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection) -> int:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(STEPS):
        raise StoreError(
            f"zerikai.db has schema {version}, this version knows {len(STEPS)}: it was written by a newer "
            "zerikai-memory; upgrade this one (nothing was changed)"
        )
    return version


def _first_schema(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE workspaces ("
        " id TEXT PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE,"
        " created_at REAL NOT NULL, last_scan_at REAL)"
    )
    connection.execute(
        "CREATE TABLE notes ("
        " seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, workspace_id TEXT NOT NULL,"
        " category TEXT NOT NULL, content TEXT NOT NULL, content_hash TEXT NOT NULL, created_at REAL NOT NULL)"
    )
    connection.execute("CREATE INDEX notes_by_workspace ON notes (workspace_id, category, seq)")
    connection.execute("CREATE UNIQUE INDEX notes_once ON notes (workspace_id, category, content_hash)")
    connection.execute("CREATE VIRTUAL TABLE notes_fts USING fts5(words, content='', tokenize='porter unicode61')")
    connection.execute(
        "CREATE TABLE briefs ("
        " workspace_id TEXT NOT NULL, version INTEGER NOT NULL, text TEXT NOT NULL, source TEXT NOT NULL,"
        " created_at REAL NOT NULL, PRIMARY KEY (workspace_id, version))"
    )


STEPS: tuple[Callable[[sqlite3.Connection], None], ...] = (_first_schema, records_schema, usage_schema, sketch_schema)
