"""Give the recorded data of one workspace to another, inside one transaction of zerikai.db."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import dataclass

from zerikai_memory.model import Workspace
from zerikai_memory.store.memory import LIVE, delete_notes

# (seq, id, id of the receiver's note that says the same); only live notes are the same.
_EQUAL_NOTES = (
    "SELECT n.seq, n.id, max(m.id) FROM notes n JOIN notes m ON m.workspace_id = ?2 AND m.category = n.category"
    " AND m.content_hash = n.content_hash AND m.outcome IS n.outcome AND m.detail = n.detail AND m.tags = n.tags"
    f" WHERE n.workspace_id = ?1 AND {LIVE} AND {LIVE.replace('n.id', 'm.id')} GROUP BY n.seq"
)


@dataclass(frozen=True, slots=True)
class HandedOver:
    """How much changed hands; `joined_notes` say what a note of the receiver says and are not doubled."""

    notes: int
    joined_notes: int
    brief_versions: int


def preview(connection: sqlite3.Connection, old: str, new: str) -> HandedOver:
    """What `hand_over` would do."""
    joined = len(connection.execute(_EQUAL_NOTES, (old, new)).fetchall())
    notes = connection.execute("SELECT count(*) FROM notes WHERE workspace_id = ?", (old,)).fetchone()[0]
    briefs = connection.execute("SELECT count(*) FROM briefs WHERE workspace_id = ?", (old,)).fetchone()[0]
    return HandedOver(notes - joined, joined, briefs)


def hand_over(connection: sqlite3.Connection, old: str, new: str, *, register: Workspace | None) -> HandedOver:
    """Re-key every table that has a workspace_id; `register` takes the registry row of `old`, None removes it."""
    done = preview(connection, old, new)
    equal = connection.execute(_EQUAL_NOTES, (old, new)).fetchall()
    for _, theirs, ours in equal:
        _hand_over_to(connection, theirs, ours)
    delete_notes(connection, [row[0] for row in equal])
    _hand_over_briefs(connection, old, new)
    for table in _tables_of_workspaces(connection):
        # A row that the receiver has already (a budget of its own) stays the receiver's.
        connection.execute(f'UPDATE OR IGNORE "{table}" SET workspace_id = ? WHERE workspace_id = ?', (new, old))
    if register is None:
        connection.execute("DELETE FROM workspaces WHERE id = ?", (old,))
    else:
        connection.execute(
            "UPDATE workspaces SET id = ?, path = ?, name = ? WHERE id = ?",
            (register.id, register.path, register.name, old),
        )
    return done


def _hand_over_to(connection: sqlite3.Connection, theirs: str, ours: str) -> None:
    """What was known of a note becomes known of the one that stays in its place, that it was said too."""
    connection.execute(
        "INSERT INTO note_events (workspace_id, note_id, kind, session, agent, run_id, created_at)"
        " SELECT workspace_id, ?, 'reaffirm', session, agent, run_id, created_at FROM notes WHERE id = ?",
        (ours, theirs),
    )
    connection.execute("UPDATE note_anchors SET note_id = ? WHERE note_id = ?", (ours, theirs))
    connection.execute("UPDATE note_events SET note_id = ? WHERE note_id = ?", (ours, theirs))
    connection.execute("UPDATE note_events SET other_id = ? WHERE other_id = ?", (ours, theirs))


def _hand_over_briefs(connection: sqlite3.Connection, old: str, new: str) -> None:
    """Append the versions of `old`; the receiver's live text stays live unless only rules wrote it so far."""
    theirs = _versions(connection, old)
    ours = _versions(connection, new)
    connection.execute("DELETE FROM briefs WHERE workspace_id = ?", (old,))
    versions = [*ours, *theirs]
    if ours and theirs and not (_only_rules(ours) and not _only_rules(theirs)):
        versions.append((*ours[-1][:2], time.time(), ours[-1][3]))
    connection.executemany(
        "INSERT INTO briefs (workspace_id, version, text, source, created_at, entities) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (new, number, *version)
            for number, version in enumerate(versions, start=1)
            if number > len(ours)  # the receiver's own keep their numbers
        ],
    )


def _versions(connection: sqlite3.Connection, workspace_id: str) -> list[tuple[str, str, float, bytes | None]]:
    return connection.execute(
        "SELECT text, source, created_at, entities FROM briefs WHERE workspace_id = ? ORDER BY version", (workspace_id,)
    ).fetchall()


def _only_rules(versions: list[tuple[str, str, float, bytes | None]]) -> bool:
    return all(source == "rules" for _, source, *_ in versions)


def _tables_of_workspaces(connection: sqlite3.Connection) -> list[str]:
    """Every table with a workspace_id column, whatever later versions add."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return [
        name
        for (name,) in tables
        if any(column[1] == "workspace_id" for column in connection.execute(f'PRAGMA table_info("{name}")'))
    ]
