"""The records of a workspace as arrays in memory, for ranking: loaded once per process, then only what is new."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.model_notes import AGENT
from zerikai_memory.store.db import Database
from zerikai_memory.store.note_words import telling_words
from zerikai_memory.store.view import Matrix, pack_vector
from zerikai_memory.store.words import match_expression

OUTCOME_CODES = {None: 0, "worked": 1, "failed": 2, "unknown": 3}
EncodeFunction = Callable[[Sequence[str]], Matrix]
COUNTED_ROWS = 5_000
# First question of a process over records without a vector of this embedding: encoded in portions.
_PORTION = 2_000
# File systems tell times in steps of up to this.
_TICK_NS = 50_000_000


@dataclass(frozen=True, slots=True, eq=False)
class NoteArrays:
    """Records in order of writing; position i is one record everywhere. `affirmed` is when it last was said."""

    seqs: NDArray[np.int64]
    created: NDArray[np.float64]
    affirmed: NDArray[np.float64]
    importance: NDArray[np.float32]
    outcomes: NDArray[np.int8]
    categories: NDArray[np.int64]
    live: NDArray[np.bool_]
    confirmed: NDArray[np.bool_]
    vectors: Matrix
    category_names: tuple[str, ...]
    ids: Sequence[str]

    def __len__(self) -> int:
        return len(self.seqs)


class NoteTable:
    """Arrays over one workspace's records; thread-safe, follows what other processes write."""

    def __init__(self, database: Database, workspace_id: str, fingerprint: str, encode: EncodeFunction) -> None:
        self._database = database
        self._workspace_id = workspace_id
        self._fingerprint = fingerprint
        self._encode = encode
        self._mutex = threading.Lock()
        self._count = self._last = self._events = self._last_event = 0
        self._seen: tuple[int, ...] | None = None
        self._forget()

    def get(self) -> NoteArrays:
        """The arrays as of now."""
        with self._mutex:
            stamp = self._stamp()
            if stamp is None or stamp != self._seen:
                self._refresh()
                self._seen = stamp
            return self._arrays()

    def _refresh(self) -> None:
        with self._database.read() as connection:
            count, last, events, last_event = self._state(connection)
            new = connection.execute(
                "SELECT count(*) FROM notes WHERE workspace_id = ? AND seq > ?", (self._workspace_id, self._last)
            ).fetchone()[0]
            new_events = connection.execute(
                "SELECT count(*) FROM note_events WHERE workspace_id = ? AND seq > ?",
                (self._workspace_id, self._last_event),
            ).fetchone()[0]
            whole = count == self._count + new and events == self._events + new_events
            if not whole or last < self._last or last_event < self._last_event:
                self._forget()  # records were removed, handed over, or a backup was restored
            if last > self._last:
                self._load_notes(connection)
            if last_event > self._last_event:
                self._load_events(connection)
            self._count, self._last, self._events, self._last_event = count, last, events, last_event

    def lexical(
        self, words: Iterable[str], arrays: NoteArrays, limit: int, most_rows: int | None = None
    ) -> list[tuple[int, float]]:
        """(position, BM25) of this workspace's best records that hold any of the words; larger is better."""
        words = list(words)
        if not len(arrays) or not words:
            return []
        with self._database.read() as connection:
            expression = match_expression(telling_words(connection, words, most_rows))
            if expression is None:
                return []
            rows = connection.execute(
                "SELECT rowid, -rank FROM notes_fts WHERE notes_fts MATCH ? ORDER BY rank LIMIT ?", (expression, limit)
            ).fetchall()
            found = _positions(arrays, rows)
            if len(rows) == limit and len(found) < limit // 4:
                # Other workspaces crowd this one out; the join is slower and complete.
                rows = connection.execute(
                    "SELECT n.seq, -bm25(notes_fts) AS score FROM notes_fts JOIN notes n ON n.seq = notes_fts.rowid"
                    " WHERE notes_fts MATCH ? AND n.workspace_id = ? ORDER BY score DESC LIMIT ?",
                    (expression, self._workspace_id, limit),
                ).fetchall()
                found = _positions(arrays, rows)
        return found

    def holding(self, words: Iterable[str], arrays: NoteArrays) -> dict[str, int]:
        """How many of this workspace's records hold each word, told up to COUNTED_ROWS: beyond it is a common one."""
        found: dict[str, int] = {}
        with self._database.read() as connection:
            for word in dict.fromkeys(words):
                rows = connection.execute(
                    "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ? LIMIT ?",
                    (match_expression([word]), COUNTED_ROWS),
                ).fetchall()
                seqs = np.array([row[0] for row in rows], np.int64)
                found[word] = int(np.isin(seqs, arrays.seqs, assume_unique=True).sum())
        return found

    def _stamp(self) -> tuple[int, ...] | None:
        """Changes with every write to the database; None where a write may hide behind the clock's tick."""
        parts: list[int] = []
        for path in (self._database.path, self._database.path.with_name(self._database.path.name + "-wal")):
            try:
                stat = path.stat()
            except OSError:
                parts.append(-1)
                continue
            if time.time_ns() - stat.st_mtime_ns < _TICK_NS:
                return None
            parts += (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        return tuple(parts)

    def _forget(self) -> None:
        self._count = self._last = self._events = self._last_event = 0
        self._size = 0
        self._ids: list[str] = []
        self._category_codes: dict[str, int] = {}
        self._columns: dict[str, NDArray[np.generic]] = {}
        self._position: dict[str, int] = {}

    def _state(self, connection: sqlite3.Connection) -> tuple[int, int, int, int]:
        count, last = connection.execute(
            "SELECT count(*), coalesce(max(seq), 0) FROM notes WHERE workspace_id = ?", (self._workspace_id,)
        ).fetchone()
        events, last_event = connection.execute(
            "SELECT count(*), coalesce(max(seq), 0) FROM note_events WHERE workspace_id = ?", (self._workspace_id,)
        ).fetchone()
        return count, last, events, last_event

    def _load_notes(self, connection: sqlite3.Connection) -> None:
        rows = connection.execute(
            "SELECT n.seq, n.created_at, n.importance, n.outcome, n.category, n.id, v.vector,"
            " CASE WHEN v.vector IS NULL THEN n.content || char(10) || n.detail END"
            " FROM notes n LEFT JOIN note_vectors v ON v.note_seq = n.seq AND v.fingerprint = ?"
            " WHERE n.workspace_id = ? AND n.seq > ? ORDER BY n.seq",
            (self._fingerprint, self._workspace_id, self._last),
        ).fetchall()
        codes = [self._category_codes.setdefault(row[4], len(self._category_codes)) for row in rows]
        self._append("seqs", np.array([row[0] for row in rows], np.int64))
        self._append("created", np.array([row[1] for row in rows], np.float64))
        self._append("affirmed", np.array([row[1] for row in rows], np.float64))
        self._append("importance", np.array([row[2] for row in rows], np.float32))
        self._append("outcomes", np.array([OUTCOME_CODES.get(row[3], 3) for row in rows], np.int8))
        self._append("categories", np.array(codes, np.int64))
        self._append("live", np.ones(len(rows), np.bool_))
        self._append("confirmed", np.zeros(len(rows), np.bool_))
        self._append("vectors", self._vectors([row[6] for row in rows], [row[7] for row in rows]))
        self._position.update((row[5], self._size + i) for i, row in enumerate(rows))
        self._ids += [row[5] for row in rows]
        self._size += len(rows)

    def _load_events(self, connection: sqlite3.Connection) -> None:
        rows = connection.execute(
            "SELECT note_id, kind, created_at, by_whom FROM note_events WHERE workspace_id = ? AND seq > ?"
            " ORDER BY seq",
            (self._workspace_id, self._last_event),
        ).fetchall()
        live, confirmed, affirmed = (self._columns[name].copy() for name in ("live", "confirmed", "affirmed"))
        for note_id, kind, created_at, by in rows:
            i = self._position.get(note_id)
            if i is None:
                continue
            if kind == "supersede":
                live[i] = False
            elif kind == "confirm":
                # What an agent confirms was said again, no more.
                confirmed[i] |= not (by or "").startswith(AGENT)
            if kind in ("confirm", "reaffirm"):
                affirmed[i] = max(affirmed[i], created_at)
        # Copies, because readers hold the arrays of before.
        self._columns |= {"live": live, "confirmed": confirmed, "affirmed": affirmed}

    def _append(self, name: str, values: NDArray[np.generic]) -> None:
        """Add to a column with room to grow, so that one more record seldom copies a hundred thousand."""
        column, size = self._columns.get(name), self._size
        if column is None or size + len(values) > len(column):
            grown = np.zeros((int(1.25 * (size + len(values))) + 64, *values.shape[1:]), values.dtype)
            if column is not None:
                grown[:size] = column[:size]
            self._columns[name] = column = grown
        column[size : size + len(values)] = values

    def _vectors(self, blobs: list[bytes | None], texts: list[str | None]) -> Matrix:
        missing = [i for i, blob in enumerate(blobs) if blob is None]
        packed = list(blobs)
        for start in range(0, len(missing), _PORTION):
            portion = missing[start : start + _PORTION]
            encoded = self._encode([texts[i] or "" for i in portion])
            for i, vector in zip(portion, encoded, strict=True):
                packed[i] = pack_vector(vector)
        joined = b"".join(blob or b"" for blob in packed)
        return np.frombuffer(joined, "<f2").astype(np.float32).reshape(len(blobs), -1)

    def _arrays(self) -> NoteArrays:
        if not self._columns:
            empty = np.empty(0, np.int64)
            flags = np.empty(0, np.bool_)
            floats, small = np.empty(0, np.float64), np.empty(0, np.float32)
            matrix = np.empty((0, 1), np.float32)
            return NoteArrays(empty, floats, floats, small, np.empty(0, np.int8), empty, flags, flags, matrix, (), ())
        names = ("seqs", "created", "affirmed", "importance", "outcomes", "categories", "live", "confirmed", "vectors")
        columns = {name: self._columns[name][: self._size] for name in names}
        return NoteArrays(**columns, category_names=tuple(self._category_codes), ids=self._ids)  # type: ignore[arg-type]


def _positions(arrays: NoteArrays, rows: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """Rows as positions; those of other workspaces fall out."""
    if not rows:
        return []
    seqs = np.array([row[0] for row in rows], np.int64)
    at = np.searchsorted(arrays.seqs, seqs)
    inside = at < len(arrays)
    inside[inside] = arrays.seqs[at[inside]] == seqs[inside]
    return [(int(at[i]), rows[i][1]) for i in np.flatnonzero(inside).tolist()]
