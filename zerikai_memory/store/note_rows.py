"""Records as they are read from zerikai.db: with their anchors, and with what later events made of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from zerikai_memory.errors import InputError
from zerikai_memory.model_notes import AGENT, MODEL, Anchor, Note

_COLUMNS = (
    "n.id, n.category, n.content, n.created_at, n.workspace_id, n.outcome, n.detail, n.importance, n.tags,"
    " n.session, n.agent, n.run_id"
)
# SQLite takes 32,766 variables; questions of the store stay far below.
_BATCH = 500
ALWAYS = 1e18


def notes_by_id(connection: sqlite3.Connection, ids: Sequence[str], as_of: float = ALWAYS) -> list[Note]:
    """The records of these ids in their order, as they were known at `as_of` (seconds); unknown ids are left out."""
    found: dict[str, Note] = {}
    for start in range(0, len(ids), _BATCH):
        found |= _batch(connection, ids[start : start + _BATCH], as_of)
    return [found[id] for id in dict.fromkeys(ids) if id in found]


def _batch(connection: sqlite3.Connection, ids: Sequence[str], as_of: float) -> dict[str, Note]:
    marks = ",".join("?" * len(ids))
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM notes n WHERE n.id IN ({marks}) AND n.created_at <= ?", (*ids, as_of)
    ).fetchall()
    anchors = connection.execute(
        "SELECT note_id, path, kind, qualified_name, signature, body_hash FROM note_anchors"
        f" WHERE note_id IN ({marks}) ORDER BY seq",
        tuple(ids),
    ).fetchall()
    events = connection.execute(
        "SELECT note_id, kind, other_id, by_whom FROM note_events"
        f" WHERE (note_id IN ({marks}) OR other_id IN ({marks})) AND created_at <= ? ORDER BY created_at, seq",
        (*ids, *ids, as_of),
    ).fetchall()
    gone = _superseded(connection, {row[i] for row in events if row[1] == "conflict" for i in (0, 2)}, as_of)
    return {row[0]: _note(row, anchors, events, gone) for row in rows}


def last_written(connection: sqlite3.Connection) -> int:
    """The number of the newest record, 0 for none."""
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM notes").fetchone()[0])


def written_since(connection: sqlite3.Connection, workspace_id: str, since: int) -> list[Note]:
    """Live records of a workspace that are newer than the number `last_written` gave."""
    # The plus sign keeps SQLite from walking through all records of the workspace instead of the few new ones.
    rows = connection.execute(
        "SELECT id FROM notes WHERE seq > ? AND +workspace_id = ? ORDER BY seq", (since, workspace_id)
    ).fetchall()
    return [note for note in notes_by_id(connection, [row[0] for row in rows]) if note.superseded_by is None]


def refuse_superseded(connection: sqlite3.Connection, ids: set[str]) -> None:
    """Raise InputError for a record whose place is taken, naming the live one: a chain has one end."""
    for old in sorted(_superseded(connection, ids, ALWAYS)):
        live, seen = old, {old}
        while row := connection.execute(
            "SELECT other_id FROM note_events WHERE kind = 'supersede' AND note_id = ? ORDER BY seq DESC", (live,)
        ).fetchone():
            live = row[0]
            if live in seen:
                break
            seen.add(live)
        raise InputError(f"supersedes: note {old} was superseded already; the live record of its chain is {live}")


def _superseded(connection: sqlite3.Connection, ids: set[str], as_of: float) -> set[str]:
    """Those of the ids that another record has taken the place of; a conflict with them is settled."""
    marks = ",".join("?" * len(ids))
    rows = connection.execute(
        f"SELECT note_id FROM note_events WHERE kind = 'supersede' AND created_at <= ? AND note_id IN ({marks})",
        (as_of, *ids),
    ).fetchall()
    return {row[0] for row in rows}


def _note(row: Sequence[Any], anchors: Sequence[Any], events: Sequence[Any], gone: set[str]) -> Note:
    id = row[0]
    mine = [event for event in events if id in (event[0], event[2])]
    confirmed = [event[3] or "" for event in mine if event[1] == "confirm"]
    # The last one counts; an agent's word does not hide that a person has confirmed.
    confirmed.sort(key=lambda by: not by.startswith(AGENT))
    superseded = [event[2] for event in mine if event[1] == "supersede" and event[0] == id]
    disagree = {other: by for other, by in _disagreeing(id, mine).items() if id not in gone and other not in gone}
    return Note(
        id=id,
        category=row[1],
        content=row[2],
        created_at=row[3],
        workspace_id=row[4],
        outcome=row[5],
        detail=row[6],
        importance=row[7],
        confirmed_by=(confirmed[-1] or None) if confirmed else None,
        tags=tuple(json.loads(row[8])),
        session=row[9],
        agent=row[10],
        run_id=row[11],
        anchors=tuple(Anchor(*anchor[1:]) for anchor in anchors if anchor[0] == id),
        supersedes=tuple(event[0] for event in mine if event[1] == "supersede" and event[2] == id),
        superseded_by=superseded[-1] if superseded else None,
        conflicts=tuple(disagree),
        model_conflicts=tuple(other for other, by in disagree.items() if by.startswith(MODEL)),
    )


def _disagreeing(id: str, events: Sequence[Any]) -> dict[str, str]:
    """Records that disagree with one by the last word on each pair, and who says so."""
    found: dict[str, str] = {}
    for note_id, kind, other_id, by in events:
        other = other_id if note_id == id else note_id
        if kind == "conflict":
            found[other] = by or ""
        elif kind == "agree":
            found.pop(other, None)
    return found
