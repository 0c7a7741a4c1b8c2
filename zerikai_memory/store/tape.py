"""sessions.db: what was said in past sessions, with a full-text index; derived from transcripts, made anew at will.

The index holds only words (contentless), made by `words.search_text` so that identifiers and Chinese, Japanese and
Korean text are found; the text itself stands once in `messages`.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from zerikai_memory.errors import StoreError
from zerikai_memory.model_sessions import SessionHit, SessionInfo, SessionStep
from zerikai_memory.store.backups import set_aside
from zerikai_memory.store.db import Database
from zerikai_memory.store.proposals import ProposalStore, forget_proposals, prepare_proposals
from zerikai_memory.store.session_filter import SessionFilter
from zerikai_memory.store.tape_usage import ResponseTable, Spending, forget_responses, prepare_responses, spending
from zerikai_memory.store.words import search_text

# Part of the file's name: another format is another file, filled from the transcripts again.
TAPE_FORMAT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS sources (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, offset INTEGER NOT NULL, head TEXT NOT NULL, state TEXT NOT NULL,
    gone INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS sessions (
    id INTEGER PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '', forked_from TEXT, UNIQUE (agent, session)
);
CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, source INTEGER NOT NULL, step INTEGER NOT NULL,
    role TEXT NOT NULL, at REAL, off_branch INTEGER NOT NULL DEFAULT 0, entry TEXT NOT NULL,
    key BLOB NOT NULL UNIQUE, text TEXT NOT NULL, UNIQUE (session, step)
);
CREATE INDEX IF NOT EXISTS messages_source ON messages (source);
CREATE TABLE IF NOT EXISTS links (
    source INTEGER NOT NULL, entry TEXT NOT NULL, parent TEXT NOT NULL, PRIMARY KEY (source, entry)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE IF NOT EXISTS tape USING fts5 (words, content='', tokenize='porter unicode61');
"""
_HIT = (
    "SELECT s.session, s.agent, s.project, m.step, m.role, m.at, m.text, -bm25(tape), m.off_branch"
    " FROM tape JOIN messages m ON m.id = tape.rowid JOIN sessions s ON s.id = m.session"
)


@dataclass(frozen=True, slots=True)
class SourceState:
    """How far a file has been read: `offset` in bytes, `head` fingerprint, `state` (JSON) of its reader."""

    path: str
    agent: str
    size: int
    mtime_ns: int
    offset: int
    head: str
    state: str
    gone: bool = False


class TapeStore:
    """The messages of all sessions; thread-safe."""

    def __init__(self, home: Path) -> None:
        self.path = home / ("sessions.db" if TAPE_FORMAT == 1 else f"sessions.f{TAPE_FORMAT}.db")
        self._suspicion = self.path.with_name(self.path.name + ".suspect")
        # Beside the database, because that may be deleted at any time and what was forgotten must stay so.
        self._forgotten_path = home / "sessions.forgotten"
        self._database = Database(
            self.path,
            _prepare,
            on_damage=self._suspect,
            remedy=lambda: "run `zerikai-memory sessions index`: the file is set aside and made anew",
        )

        self.proposals = ProposalStore(self._database, home)

    def exists(self) -> bool:
        """Whether anything was indexed yet."""
        return self.path.exists()

    def set_damaged_aside(self) -> list[Path]:
        """Rename the file when a call found it damaged, so that it is made anew; the new paths, none if it is well."""
        if not self._suspicion.exists():
            return []
        self._database.close()
        try:
            aside = set_aside(self.path)
            self._suspicion.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{self.path} is damaged and cannot be renamed: {error}") from error
        return aside

    def _suspect(self) -> None:
        """Leave a mark for the next index run, which may be another process's; the error itself is raised anyway."""
        with suppress(OSError):
            self._suspicion.touch(mode=0o600)

    def sources(self) -> dict[str, SourceState]:
        """Every known file by its path."""
        if not self.exists():
            return {}
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT path, agent, size, mtime_ns, offset, head, state, gone FROM sources"
            ).fetchall()
        return {row[0]: SourceState(*row) for row in rows}

    @contextmanager
    def batch(self) -> Iterator[TapeBatch]:
        """One transaction of writes: messages and how far their file was read are stored together or not at all."""
        with self._database.write() as connection:
            yield TapeBatch(connection, self._forgotten())

    def set_gone(self, paths: Sequence[str], gone: bool) -> None:
        """Mark files as no longer there, or there again; what they said stays."""
        with self._database.write() as connection:
            connection.executemany("UPDATE sources SET gone = ? WHERE path = ?", [(gone, path) for path in paths])

    def frequency(self, expression: str, most: int) -> int:
        """How many messages match, counted up to `most`."""
        sql = "SELECT count(*) FROM (SELECT 1 FROM tape WHERE tape MATCH ? LIMIT ?)"
        with self._database.read() as connection:
            return int(connection.execute(sql, (expression, most)).fetchone()[0])

    def search(self, expression: str, wanted: SessionFilter, limit: int) -> list[SessionHit]:
        """Messages that match an FTS5 expression, best first; `snippet` is the whole text, `score` BM25."""
        where, values = wanted.where()
        sql = f"{_HIT} WHERE tape MATCH ? AND {where} ORDER BY bm25(tape) LIMIT ?"
        with self._database.read() as connection:
            rows = connection.execute(sql, [expression, *values, limit]).fetchall()
        return [replace(SessionHit(*row), off_branch=bool(row[8])) for row in rows]

    def sessions(self, wanted: SessionFilter, limit: int) -> list[SessionInfo]:
        """Sessions with at least one message that counts, the latest first."""
        where, values = wanted.where()
        sql = (
            "SELECT s.session, s.agent, s.project, s.title, min(m.at), max(m.at), count(*), min(f.gone),"
            " (SELECT text FROM messages WHERE session = s.id AND role = 'user' ORDER BY step LIMIT 1)"
            " FROM sessions s JOIN messages m ON m.session = s.id LEFT JOIN sources f ON f.id = m.source"
            f" WHERE {where} GROUP BY s.id ORDER BY max(m.at) DESC, s.id DESC LIMIT ?"
        )
        with self._database.read() as connection:
            rows = connection.execute(sql, [*values, limit]).fetchall()
        return [_info(*row) for row in rows]

    def projects(self) -> list[str]:
        """Every folder in which a session ran."""
        sql = "SELECT DISTINCT project FROM sessions WHERE project <> '' ORDER BY project"
        with self._database.read() as connection:
            return [row[0] for row in connection.execute(sql)]

    def matching_sessions(self, prefix: str) -> list[str]:
        """Ids of sessions that begin with a text, at most 20."""
        sql = "SELECT DISTINCT session FROM sessions WHERE substr(session, 1, ?) = ? ORDER BY session LIMIT 20"
        with self._database.read() as connection:
            return [row[0] for row in connection.execute(sql, (len(prefix), prefix))]

    def steps(self, session: str, first: int, last: int, agent: str | None = None) -> list[SessionStep]:
        """The messages of a session from step `first` to `last`, in order."""
        where, values = SessionFilter(session=session, agent=agent).where()
        sql = (
            "SELECT m.step, m.role, m.at, m.text, m.off_branch FROM messages m JOIN sessions s ON s.id = m.session"
            f" WHERE {where} AND m.step BETWEEN ? AND ? ORDER BY m.step"
        )
        with self._database.read() as connection:
            rows = connection.execute(sql, [*values, first, last]).fetchall()
        return [replace(SessionStep(*row), off_branch=bool(row[4])) for row in rows]

    def spent(self, since: float | None, project: str | None) -> Spending:
        """What agents spent since a time in a folder and all below it."""
        with self._database.read() as connection:
            return spending(connection, since, project)

    def forget(self, session: str) -> int:
        """Remove what a session said and leave it out from now on; returns how many messages that were."""
        with self._database.write() as connection:
            found = connection.execute("SELECT id, agent FROM sessions WHERE session = ?", (session,)).fetchall()
            self._remember_forgotten([_mark(agent, session) for _, agent in found])
            removed = 0
            for number, _ in found:
                rows = connection.execute("SELECT id, text FROM messages WHERE session = ?", (number,)).fetchall()
                for row, text in rows:
                    _unindex(connection, row, text)
                connection.execute("DELETE FROM messages WHERE session = ?", (number,))
                connection.execute("DELETE FROM sessions WHERE id = ?", (number,))
                forget_responses(connection, number)
                forget_proposals(connection, number)
                removed += len(rows)
            # The words of removed rows stand in the index's older segments until these are merged.
            connection.execute("INSERT INTO tape (tape) VALUES ('optimize')")
        self._database.compact()
        return removed

    def _forgotten(self) -> frozenset[str]:
        try:
            return frozenset(self._forgotten_path.read_text("ascii").split())
        except FileNotFoundError:
            return frozenset()
        except (OSError, ValueError) as error:
            # Unknown is not empty: what a person had removed must not come back.
            raise StoreError(f"{self._forgotten_path} cannot be read: {error}") from error

    def _remember_forgotten(self, marks: list[str]) -> None:
        try:
            with open(self._forgotten_path, "a", encoding="ascii", opener=_private) as file:
                file.writelines(f"{mark}\n" for mark in marks)
        except OSError as error:
            raise StoreError(f"{self._forgotten_path} cannot be written: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._database.close()


class TapeBatch:
    """Writes of one transaction."""

    def __init__(self, connection: sqlite3.Connection, forgotten: frozenset[str]) -> None:
        self._connection = connection
        self.responses = ResponseTable(connection)
        self._forgotten = forgotten
        self._next_step: dict[int, int] = {}

    def source(self, path: str, agent: str) -> int:
        """The row of a file, made when it is new."""
        self._connection.execute(
            "INSERT INTO sources (path, agent, size, mtime_ns, offset, head, state) VALUES (?, ?, -1, 0, 0, '', '')"
            " ON CONFLICT (path) DO NOTHING",
            (path, agent),
        )
        return int(self._connection.execute("SELECT id FROM sources WHERE path = ?", (path,)).fetchone()[0])

    def save_source(self, state: SourceState) -> None:
        """Record how far a file was read."""
        self._connection.execute(
            "UPDATE sources SET size = ?, mtime_ns = ?, offset = ?, head = ?, state = ?, gone = 0 WHERE path = ?",
            (state.size, state.mtime_ns, state.offset, state.head, state.state, state.path),
        )

    def session(self, agent: str, session: str) -> int | None:
        """The row of a session, made when it is new; None when it was forgotten."""
        if _mark(agent, session) in self._forgotten:
            return None
        found = self._connection.execute(
            "SELECT id FROM sessions WHERE agent = ? AND session = ?", (agent, session)
        ).fetchone()
        if found:
            return int(found[0])
        made = self._connection.execute("INSERT INTO sessions (agent, session) VALUES (?, ?)", (agent, session))
        return made.lastrowid

    def describe(self, row: int, *, project: str = "", title: str = "", forked_from: str | None = None) -> None:
        """Add facts to a session: its first folder and origin stay, its last title counts."""
        self._connection.execute(
            "UPDATE sessions SET project = CASE project WHEN '' THEN ? ELSE project END,"
            " title = CASE ? WHEN '' THEN title ELSE ? END, forked_from = coalesce(forked_from, ?) WHERE id = ?",
            (project, title, title, forked_from, row),
        )

    def said_before_fork(self, row: int, role: str, text: str) -> bool:
        """Whether a session that this one was forked from, at any remove, said the same."""
        sql = (
            "WITH RECURSIVE up (id, origin, depth) AS ("
            " SELECT id, forked_from, 0 FROM sessions WHERE id = ?"
            " UNION SELECT s.id, s.forked_from, up.depth + 1 FROM sessions s JOIN up ON s.session = up.origin"
            " WHERE up.depth < 20)"
            " SELECT 1 FROM messages m JOIN up ON m.session = up.id"
            " WHERE m.session <> ? AND m.role = ? AND m.text = ? LIMIT 1"
        )
        return self._connection.execute(sql, (row, row, role, text)).fetchone() is not None

    def add(self, session: int, source: int, key: bytes, *, role: str, at: float | None, entry: str, text: str) -> bool:
        """Store a message unless its key is known; of one that has grown, the longer text counts."""
        if session not in self._next_step:
            row = self._connection.execute("SELECT max(step) FROM messages WHERE session = ?", (session,)).fetchone()
            self._next_step[session] = (row[0] or 0) + 1
        made = self._connection.execute(
            "INSERT INTO messages (session, source, step, role, at, entry, key, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (key) DO NOTHING",
            (session, source, self._next_step[session], role, at, entry, key, text),
        )
        if made.rowcount == 1:
            self._next_step[session] += 1
            self._index(int(made.lastrowid or 0), text)
            return True
        self._grow(key, text)
        return False

    def link(self, source: int, entry: str, parent: str) -> None:
        """Record an entry of a tree."""
        self._connection.execute(
            "INSERT INTO links VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET parent = excluded.parent",
            (source, entry, parent),
        )

    def mark_branches(self, source: int, leaf: str) -> None:
        """Mark the messages of a file that are no ancestors of its last entry."""
        up = dict(self._connection.execute("SELECT entry, parent FROM links WHERE source = ?", (source,)).fetchall())
        live: set[str] = set()
        while leaf and leaf not in live:
            live.add(leaf)
            leaf = up.get(leaf, "")
        sql = "SELECT id, entry, off_branch FROM messages WHERE source = ? AND entry <> ''"
        changed = [
            (entry not in live, row)
            for row, entry, off in self._connection.execute(sql, (source,)).fetchall()
            if (entry not in live) != bool(off)
        ]
        self._connection.executemany("UPDATE messages SET off_branch = ? WHERE id = ?", changed)

    def clear_links(self, source: int) -> None:
        """Forget the tree of a file that is read from its beginning again."""
        self._connection.execute("DELETE FROM links WHERE source = ?", (source,))

    def _grow(self, key: bytes, text: str) -> None:
        sql = "SELECT id, text FROM messages WHERE key = ? AND length(text) < ?"
        if found := self._connection.execute(sql, (key, len(text))).fetchone():
            _unindex(self._connection, found[0], found[1])
            self._connection.execute("UPDATE messages SET text = ? WHERE id = ?", (text, found[0]))
            self._index(found[0], text)

    def _index(self, row: int, text: str) -> None:
        self._connection.execute("INSERT INTO tape (rowid, words) VALUES (?, ?)", (row, search_text(text)))


def _info(
    session: str,
    agent: str,
    project: str,
    title: str,
    started_at: float | None,
    ended_at: float | None,
    steps: int,
    gone: int,
    first: str | None,
) -> SessionInfo:
    """A session without a title of its own is called by its first question."""
    return SessionInfo(session, agent, project, title or first or "", started_at, ended_at, steps, bool(gone))


def _mark(agent: str, session: str) -> str:
    return hashlib.blake2b(f"{agent}\0{session}".encode("utf-8", "replace"), digest_size=16).hexdigest()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _unindex(connection: sqlite3.Connection, row: int, text: str) -> None:
    connection.execute("INSERT INTO tape (tape, rowid, words) VALUES ('delete', ?, ?)", (row, search_text(text)))


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA secure_delete=ON")
    if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'tape'").fetchone() is None:
        for statement in _SCHEMA.split(";\n"):
            if statement.strip():
                connection.execute(statement)
    prepare_responses(connection)
    prepare_proposals(connection)
