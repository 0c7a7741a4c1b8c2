"""sessions.db: what was said in past sessions, with a full-text index; derived from transcripts, made anew at will."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from zerikai_memory.errors import StoreError
from zerikai_memory.model_sessions import SessionHit, SessionInfo, SessionStep
from zerikai_memory.store.backups import set_aside
from zerikai_memory.store.db import Database
from zerikai_memory.store.forgotten import ForgottenFile, session_mark
from zerikai_memory.store.proposals import ProposalStore
from zerikai_memory.store.session_filter import SessionFilter
from zerikai_memory.store.stemmer import Stemmer
from zerikai_memory.store.tape_batch import SourceState, TapeBatch, touch_sessions
from zerikai_memory.store.tape_forget import forget_marks, sweep
from zerikai_memory.store.tape_owners import settle
from zerikai_memory.store.tape_schema import prepare_tape
from zerikai_memory.store.tape_usage import Spending, spending

# Part of the file's name: another format is another file, filled from the transcripts again.
TAPE_FORMAT = 1
_HIT = (
    "SELECT s.session, s.agent, s.project, m.step, m.role, m.at, m.text, -bm25(tape), m.off_branch"
    " FROM tape JOIN messages m ON m.id = tape.rowid JOIN sessions s ON s.id = m.session"
)


class TapeStore:
    """The messages of all sessions; thread-safe."""

    def __init__(self, home: Path) -> None:
        self.path = home / ("sessions.db" if TAPE_FORMAT == 1 else f"sessions.f{TAPE_FORMAT}.db")
        self._suspicion = self.path.with_name(self.path.name + ".suspect")
        self._forgotten = ForgottenFile(home / "sessions.forgotten")
        self._database = Database(
            self.path,
            prepare_tape,
            on_damage=self._suspect,
            remedy=lambda: "run `zerikai-memory sessions index`: the file is set aside and made anew",
        )

        self.proposals = ProposalStore(self._database, home)

    @cached_property
    def _stemmer(self) -> Stemmer:
        return Stemmer()

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
        """Every known file by its path, without the `state` of its reader: every search comes by here."""
        if not self.exists():
            return {}
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT path, agent, size, mtime_ns, offset, head, '', gone, leaf, trouble FROM sources"
            ).fetchall()
        return {row[0]: SourceState(*row) for row in rows}

    def reader_state(self, path: str) -> str:
        """What the reader of a file must know to go on where it stopped."""
        with self._database.read() as connection:
            return str(connection.execute("SELECT state FROM sources WHERE path = ?", (path,)).fetchone()[0])

    @contextmanager
    def batch(self) -> Iterator[TapeBatch]:
        """One transaction of writes: messages and how far their file was read are stored together or not at all."""
        removed = 0
        with self._database.write() as connection:
            # Inside the transaction: what another process forgets now is either seen here or swept by it afterwards.
            forgotten = self._forgotten.load()
            batch = TapeBatch(connection, forgotten)
            yield batch
            batch.finish()
            marks = [mark for mark in dict.fromkeys(batch.left_out.marks) if mark not in forgotten.marks]
            if marks:  # a fork that was read before may hold the same
                before = self._forgotten.size()
                self._forgotten.append(marks)
                size, now = self._forgotten.size(), self._forgotten.load()
                removed = sweep(connection, now, size, batch.agent, swept=before, since=batch.left_out.since)
            if removed:
                _merge_words(connection)
        if removed:
            self._database.compact()

    def settle(self) -> int:
        """Bring owners, steps and branches up after files were read; how many messages were replays of forks.

        Also removes what was forgotten meanwhile by another process, or since this file was copied.
        """
        if not self.exists():
            return 0
        size = self._forgotten.size()
        with self._database.read() as connection:
            dirty = connection.execute("SELECT 1 FROM sessions WHERE dirty > 0 LIMIT 1").fetchone()
            swept = connection.execute("SELECT value FROM facts WHERE name = 'forgotten'").fetchone()
        if not dirty and size == (swept[0] if swept else 0):
            return 0
        with self._database.write() as connection:
            forgotten = self._forgotten.load()
            removed = sweep(connection, forgotten, size) if size != (swept[0] if swept else 0) else 0
            dropped = settle(connection, forgotten)
            if was_written := removed or (forgotten and dropped):
                _merge_words(connection)
        if was_written:
            self._database.compact()
        return dropped

    def set_gone(self, paths: Sequence[str], gone: bool) -> None:
        """Mark files as no longer there, or there again; what they said stays."""
        with self._database.write() as connection:
            for path in paths:
                row = connection.execute("UPDATE sources SET gone = ? WHERE path = ? RETURNING id", (gone, path))
                if found := row.fetchone():
                    touch_sessions(connection, found[0])

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

    def stems(self, words: Sequence[str]) -> list[tuple[str, ...]]:
        """The stems of each word as the index holds them."""
        return self._stemmer.stems(words)

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

    def matching_sessions(self, prefix: str, agent: str | None = None) -> list[tuple[str, str]]:
        """Agent and id of sessions whose id begins with a text, at most 20; those of this id itself come first."""
        sql = (
            "SELECT agent, session FROM sessions s WHERE substr(session, 1, ?) = ? AND (? IS NULL OR agent = ?)"
            " AND (EXISTS (SELECT 1 FROM messages m WHERE m.session = s.id)"
            " OR EXISTS (SELECT 1 FROM responses r WHERE r.session = s.id))"
            " ORDER BY session <> ?, session, agent LIMIT 20"
        )
        with self._database.read() as connection:
            return connection.execute(sql, (len(prefix), prefix, agent, agent, prefix)).fetchall()

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

    def forget(self, agent: str, session: str) -> int:
        """Remove what a session said and leave it and its copies out from now on; returns how many messages it had.

        The marks come first: whatever happens then, what was forgotten is removed by the next index run.
        """
        with self._database.write() as connection:
            # In one transaction: nothing may be added to the session between its marks and its removal.
            before = self._forgotten.size()
            self._forgotten.append([session_mark(agent, session), *forget_marks(connection, agent, session)])
            forgotten = self._forgotten.load()
            removed = sweep(connection, forgotten, self._forgotten.size(), agent, swept=before)
            settle(connection, forgotten)
            _merge_words(connection)
        self._database.compact()
        return removed

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _merge_words(connection: sqlite3.Connection) -> None:
    """The words of removed rows stand in the index's older segments until these are merged."""
    connection.execute("INSERT INTO tape (tape) VALUES ('optimize')")


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
