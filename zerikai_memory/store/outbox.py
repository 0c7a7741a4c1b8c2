"""The outbox of an index: entities that a mirror of it must write or delete, noted with the change itself.

A row is the id of an entity that was written or removed; what to do is seen when the row is read: an entity that is
still there is written, one that is gone is deleted. The first mirror makes the table; an index that is not mirrored
has no outbox and pays nothing.

The `mirror` value in the index's bookkeeping changes with every acknowledged batch. A mirror remembers it too: where
the two differ, the index was restored, made anew or fed to another mirror, and everything is compared.
"""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Iterable, Sequence

_TABLE = "CREATE TABLE IF NOT EXISTS outbox (seq INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL UNIQUE)"


def note_changed(connection: sqlite3.Connection, path: str) -> None:
    """Note all entities of a file, in the transaction that replaces or removes them."""
    if mirror_token(connection):
        connection.execute(
            "INSERT OR REPLACE INTO outbox (entity) SELECT e.id FROM entities e JOIN files f ON f.id = e.file"
            " WHERE f.path = ? ORDER BY e.rowid",
            (path,),
        )


def mirror_token(connection: sqlite3.Connection) -> str:
    """Which state of a mirror the index last heard of; empty: it has no mirror."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'mirror'").fetchone()
    return str(row[0]) if row else ""


def new_token() -> str:
    """A token no other state of any mirror has."""
    return secrets.token_hex(8)


def note_everything(connection: sqlite3.Connection, mirrored: Iterable[str], token: str) -> None:
    """Note every entity of the index and every one that a mirror holds; the mirror's digests tell what is new."""
    connection.execute(_TABLE)
    # Rows that wait stay: a killed step may have written entities that neither side remembers otherwise.
    connection.execute("INSERT OR IGNORE INTO outbox (entity) SELECT id FROM entities ORDER BY rowid")
    connection.executemany("INSERT OR IGNORE INTO outbox (entity) VALUES (?)", ((entity,) for entity in mirrored))
    _set_token(connection, token)


def acknowledge(connection: sqlite3.Connection, seqs: Sequence[int], token: str) -> None:
    """Forget rows that the mirror holds; a row noted again since has another number and stays."""
    connection.executemany("DELETE FROM outbox WHERE seq = ?", ((seq,) for seq in seqs))
    _set_token(connection, token)


def forget_mirror(connection: sqlite3.Connection) -> None:
    """Let the next mirror compare everything: called on a state of the index that was restored."""
    connection.execute("DROP TABLE IF EXISTS outbox")
    _set_token(connection, "")


def waiting(connection: sqlite3.Connection) -> int:
    """Number of entities the mirror has not got yet; of an index without a mirror: all of them."""
    table = "outbox" if mirror_token(connection) else "entities"
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _set_token(connection: sqlite3.Connection, token: str) -> None:
    connection.execute(
        "INSERT INTO meta VALUES ('mirror', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (token,)
    )
