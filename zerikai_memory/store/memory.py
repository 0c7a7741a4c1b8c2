"""Notes and what happened to them in zerikai.db: appended, never rewritten."""

from __future__ import annotations

import json
import sqlite3
import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from zerikai_memory.model_notes import EventKind, Note, NoteEvent
from zerikai_memory.store.db import Database
from zerikai_memory.store.migrations_notes import same_text_hash
from zerikai_memory.store.note_rows import ALWAYS, last_written, notes_by_id, refuse_superseded, written_since
from zerikai_memory.store.note_words import alike_expression, telling_expression
from zerikai_memory.store.words import search_text

_EVENT_COLUMNS = "note_id, kind, created_at, other_id, by_whom, reason, session, agent, run_id"
LIVE = "NOT EXISTS (SELECT 1 FROM note_events e WHERE e.kind = 'supersede' AND e.note_id = n.id)"


@dataclass(frozen=True, slots=True)
class Origin:
    """Who writes: the session of a process, the agent's name, and the run an attempt belongs to."""

    session: str | None = None
    agent: str | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """Up to which record of the workspace a new one was compared, and how to compare it with those that came since.

    The rest is compared under the lock of the write, so that of two records written at once the later one meets the
    other, whoever is first. `compare` gives events; an empty `note_id` stands for the new record.
    """

    last: int
    compare: Callable[[Sequence[Note]], Sequence[NoteEvent]]


class NoteStore:
    """Notes of all workspaces with their anchors and events."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def append(
        self,
        note: Note,
        events: Sequence[NoteEvent] = (),
        vector: tuple[str, bytes] | None = None,
        seen: Seen | None = None,
    ) -> tuple[Note, bool]:
        """Store a record with its events, and say whether it is new.

        A live record of the same text, category and outcome is not doubled: its stored form is returned, that it was
        saved again becomes an event of its own, and what the new one should supersede is superseded by it. Raises
        InputError for superseding a record whose place is taken: a chain has one end. An empty id or a time of 0 is
        filled in here, under the lock, so that the order of records is the order of their times. `vector` is
        (fingerprint, packed vector).
        """
        with self.database.write() as connection:
            note = replace(note, id=note.id or uuid.uuid4().hex[:12], created_at=note.created_at or time.time())
            known = _same_live(connection, note)
            replaced = {event.note_id for event in events if event.kind == "supersede"}
            refuse_superseded(connection, replaced)
            if known is not None and known not in replaced:
                again = NoteEvent(
                    known, "reaffirm", note.created_at, None, None, "", note.session, note.agent, note.run_id
                )
                _insert_events(connection, note.workspace_id, [again])
                told = [
                    *(replace(event, note_id=known) for event in _about(events, "confirm")),
                    *(replace(event, other_id=known) for event in _about(events, "supersede")),
                ]
                _insert_events(
                    connection,
                    note.workspace_id,
                    [replace(event, created_at=event.created_at or note.created_at) for event in told],
                )
                return notes_by_id(connection, [known])[0], False
            if seen is not None:
                events = [*events, *seen.compare(written_since(connection, note.workspace_id, seen.last))]
            seq = _insert(connection, note)
            filled = [
                replace(
                    event,
                    note_id=event.note_id or note.id,
                    other_id=note.id if event.kind == "supersede" else event.other_id,
                    created_at=event.created_at or note.created_at,
                )
                for event in events
            ]
            _insert_events(connection, note.workspace_id, filled)
            if vector is not None:
                connection.execute("INSERT INTO note_vectors VALUES (?, ?, ?)", (seq, *vector))
            return notes_by_id(connection, [note.id])[0], True

    def add_events(self, workspace_id: str, events: Sequence[NoteEvent]) -> None:
        """Append what happened to records; an event of time 0 happened now."""
        with self.database.write() as connection:
            now = time.time()
            _insert_events(
                connection, workspace_id, [replace(event, created_at=event.created_at or now) for event in events]
            )

    def last_written(self) -> int:
        """The number of the newest record, for `Seen`."""
        with self.database.read() as connection, self.database.decoding():
            return last_written(connection)

    def restore(
        self, notes: Sequence[Note], events: Sequence[tuple[str, NoteEvent]], seen: Seen | None = None
    ) -> tuple[int, int]:
        """Add records of one workspace with ids and times, and (workspace, event)s; those there stay; counts of new."""
        added = events_added = 0
        with self.database.write() as connection:
            if seen is not None and notes:
                came = written_since(connection, notes[0].workspace_id, seen.last)
                events = [*events, *((notes[0].workspace_id, event) for event in seen.compare(came))]
            for note in notes:
                if not connection.execute("SELECT 1 FROM notes WHERE id = ?", (note.id,)).fetchone():
                    _insert(connection, note)
                    added += 1
            for workspace_id, event in events:
                same = connection.execute(
                    "SELECT 1 FROM note_events WHERE note_id = ? AND kind = ? AND created_at = ? AND other_id IS ?",
                    (event.note_id, event.kind, event.created_at, event.other_id),
                ).fetchone()
                if not same:
                    _insert_events(connection, workspace_id, [event])
                    events_added += 1
        return added, events_added

    def get(self, ids: Sequence[str], as_of: float = ALWAYS) -> list[Note]:
        """The records of these ids in their order, as they were known at `as_of`; unknown ids are left out."""
        with self.database.read() as connection, self.database.decoding():
            return notes_by_id(connection, ids, as_of)

    def ids_like(self, workspace_id: str, prefix: str) -> list[str]:
        """Ids of a workspace's records that begin with `prefix`, at most a few, the shortest first."""
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute(
                "SELECT id FROM notes WHERE workspace_id = ? AND substr(id, 1, ?) = ? ORDER BY length(id), id LIMIT 5",
                (workspace_id, len(prefix), prefix),
            ).fetchall()
        return [row[0] for row in rows]

    def latest(
        self,
        workspace_id: str,
        category: str | None,
        limit: int,
        *,
        run_id: str | None = None,
        places: Iterable[tuple[str, str]] | None = None,
        as_of: float = ALWAYS,
        live_only: bool = False,
    ) -> list[Note]:
        """The newest records: of one category, of one run, anchored to any of the (path, qualified name)s."""
        conditions = ["n.workspace_id = :workspace", "n.created_at <= :as_of"]
        if category is not None:
            conditions.append("n.category = :category")
        if run_id is not None:
            conditions.append(
                "(n.run_id = :run OR n.id IN (SELECT note_id FROM note_events WHERE workspace_id = :workspace"
                " AND run_id = :run))"
            )
        if places is not None:
            conditions.append(
                "n.id IN (SELECT a.note_id FROM json_each(:places) p JOIN note_anchors a ON a.workspace_id = :workspace"
                " AND a.path = json_extract(p.value, '$[0]')"
                " AND a.qualified_name = json_extract(p.value, '$[1]'))"
            )
        if live_only:
            conditions.append(
                "NOT EXISTS (SELECT 1 FROM note_events e WHERE e.note_id = n.id AND e.kind = 'supersede'"
                " AND e.created_at <= :as_of)"
            )
        values = {
            "workspace": workspace_id, "category": category, "run": run_id, "as_of": as_of, "limit": limit,
            "places": None if places is None else json.dumps([list(place) for place in places]),
        }  # fmt: skip
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute(
                f"SELECT n.id FROM notes n WHERE {' AND '.join(conditions)} ORDER BY n.created_at DESC, n.seq DESC"
                " LIMIT :limit",
                values,
            ).fetchall()
            return notes_by_id(connection, [row[0] for row in rows], as_of)

    def search(
        self,
        workspace_id: str,
        words: Iterable[str],
        category: str | None,
        limit: int,
        *,
        as_of: float = ALWAYS,
        alike: bool = False,
    ) -> list[tuple[Note, float]]:
        """(record, BM25) of records live at `as_of` that hold any of the words, best first; larger is better.

        `alike`: of many records only those that share rare words or several.
        """
        with self.database.read() as connection, self.database.decoding():
            chosen = alike_expression if alike else telling_expression
            expression = chosen(connection, words)
            if expression is None:
                return []
            rows = connection.execute(
                "SELECT n.id, -bm25(notes_fts) AS score FROM notes_fts JOIN notes n ON n.seq = notes_fts.rowid"
                " WHERE notes_fts MATCH ? AND n.workspace_id = ? AND (? IS NULL OR n.category = ?)"
                " AND n.created_at <= ? AND NOT EXISTS (SELECT 1 FROM note_events e WHERE e.kind = 'supersede'"
                " AND e.note_id = n.id AND e.created_at <= ?) ORDER BY score DESC, n.seq DESC LIMIT ?",
                (expression, workspace_id, category, category, as_of, as_of, limit),
            ).fetchall()
            notes = notes_by_id(connection, [row[0] for row in rows], as_of)
        return [(note, row[1]) for note, row in zip(notes, rows, strict=True)]

    def anchored(self, workspace_id: str, places: Iterable[tuple[str, str]], limit: int) -> list[Note]:
        """Live records about any of the entities, given as (path, qualified name), newest first."""
        found: dict[str, None] = {}
        with self.database.read() as connection, self.database.decoding():
            for path, qualified_name in places:
                rows = connection.execute(
                    "SELECT note_id FROM note_anchors WHERE workspace_id = ? AND path = ? AND qualified_name = ?"
                    " ORDER BY seq DESC LIMIT ?",
                    (workspace_id, path, qualified_name, limit * 4),
                ).fetchall()
                found.update((row[0], None) for row in rows)
            notes = notes_by_id(connection, list(found))
        return sorted((n for n in notes if n.superseded_by is None), key=lambda n: -n.created_at)[:limit]

    def events(self, workspace_id: str, note_ids: Sequence[str] | None = None) -> list[NoteEvent]:
        """Every event of a workspace, or those that name any of the records, in order."""
        with self.database.read() as connection, self.database.decoding():
            if note_ids is None:
                rows = connection.execute(
                    f"SELECT {_EVENT_COLUMNS} FROM note_events WHERE workspace_id = ? ORDER BY seq", (workspace_id,)
                ).fetchall()
            else:
                marks = ",".join("?" * len(note_ids))
                rows = connection.execute(
                    f"SELECT {_EVENT_COLUMNS} FROM note_events WHERE note_id IN ({marks}) OR other_id IN ({marks})"
                    " ORDER BY seq",
                    (*note_ids, *note_ids),
                ).fetchall()
        return [NoteEvent(*row) for row in rows]

    def anchor_places(self, workspace_id: str) -> list[tuple[str, str]]:
        """Every (path, qualified name) that records of a workspace are anchored to."""
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute(
                "SELECT DISTINCT path, qualified_name FROM note_anchors WHERE workspace_id = ?", (workspace_id,)
            ).fetchall()
        return [(row[0], row[1]) for row in rows]

    def categories(self, workspace_id: str) -> list[str]:
        """The categories that records of a workspace have."""
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute(
                "SELECT DISTINCT category FROM notes WHERE workspace_id = ? ORDER BY category", (workspace_id,)
            ).fetchall()
        return [row[0] for row in rows]

    def sessions(self, note_id: str) -> set[str]:
        """Distinct sessions that wrote the record or the same again; a blank name is none."""
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute(
                "SELECT session FROM notes WHERE id = ?1 UNION"
                " SELECT session FROM note_events WHERE note_id = ?1 AND kind = 'reaffirm'",
                (note_id,),
            ).fetchall()
        return {row[0] for row in rows if row[0] and row[0].strip()}

    def count(self, workspace_id: str) -> int:
        """Number of records of a workspace."""
        with self.database.read() as connection, self.database.decoding():
            return int(
                connection.execute("SELECT count(*) FROM notes WHERE workspace_id = ?", (workspace_id,)).fetchone()[0]
            )

    def remove_all(self, workspace_id: str) -> int:
        """Delete every record of a workspace, on the person's explicit order; returns how many."""
        with self.database.write() as connection:
            rows = connection.execute("SELECT seq FROM notes WHERE workspace_id = ?", (workspace_id,)).fetchall()
            delete_notes(connection, [row[0] for row in rows])
            connection.execute("DELETE FROM note_anchors WHERE workspace_id = ?", (workspace_id,))
            connection.execute("DELETE FROM note_events WHERE workspace_id = ?", (workspace_id,))
        return len(rows)


def delete_notes(connection: sqlite3.Connection, seqs: Sequence[int]) -> None:
    """Delete records with their words and vectors."""
    marked = [(seq,) for seq in seqs]
    connection.executemany(
        "INSERT INTO notes_fts (notes_fts, rowid, words) SELECT 'delete', seq, words FROM notes WHERE seq = ?", marked
    )
    connection.executemany("DELETE FROM note_vectors WHERE note_seq = ?", marked)
    connection.executemany("DELETE FROM notes WHERE seq = ?", marked)


def _about(events: Sequence[NoteEvent], kind: EventKind) -> list[NoteEvent]:
    return [event for event in events if event.kind == kind]


def _same_live(connection: sqlite3.Connection, note: Note) -> str | None:
    row = connection.execute(
        "SELECT id FROM notes n WHERE workspace_id = ? AND content_hash = ? AND category = ? AND outcome IS ?"
        f" AND {LIVE} ORDER BY seq DESC LIMIT 1",
        (note.workspace_id, same_text_hash(note.content), note.category, note.outcome),
    ).fetchone()
    return row[0] if row else None


def _insert(connection: sqlite3.Connection, note: Note) -> int:
    names = " ".join(f"{anchor.path} {anchor.qualified_name}" for anchor in note.anchors)
    words = search_text(" ".join((note.category, note.content, note.detail, *note.tags, names)))
    done = connection.execute(
        "INSERT INTO notes (id, workspace_id, category, content, content_hash, created_at, detail, outcome, importance,"
        " tags, session, agent, run_id, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            note.id, note.workspace_id, note.category, note.content, same_text_hash(note.content), note.created_at,
            note.detail, note.outcome, note.importance, json.dumps(note.tags, ensure_ascii=False), note.session,
            note.agent, note.run_id, words,
        ),
    )  # fmt: skip
    assert done.lastrowid is not None
    connection.execute("INSERT INTO notes_fts (rowid, words) VALUES (?, ?)", (done.lastrowid, words))
    connection.executemany(
        "INSERT INTO note_anchors (workspace_id, note_id, path, kind, qualified_name, signature, body_hash)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (note.workspace_id, note.id, a.path, a.kind, a.qualified_name, a.signature, a.body_hash)
            for a in note.anchors
        ],
    )
    return done.lastrowid


def _insert_events(connection: sqlite3.Connection, workspace_id: str, events: Sequence[NoteEvent]) -> None:
    connection.executemany(
        f"INSERT INTO note_events (workspace_id, {_EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (workspace_id, e.note_id, e.kind, e.created_at, e.other_id, e.by, e.reason, e.session, e.agent, e.run_id)
            for e in events
        ],
    )
