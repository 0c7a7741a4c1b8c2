"""Writes of one transaction to sessions.db: sessions, messages, the lines that tell them, how far a file was read."""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass, replace

from zerikai_memory.store.forgotten import LEAST_UNDATED, Forgotten
from zerikai_memory.store.tape_left_out import LeftOut
from zerikai_memory.store.tape_origins import origins_of
from zerikai_memory.store.tape_schema import WITHDRAWN, index_words, unindex_words
from zerikai_memory.store.tape_usage import ResponseTable

# What a session needs before it is shown: a look at what is new in it, or at everything, with its steps numbered anew.
TOUCHED, DISORDERED = 1, 2
# Ends the name of a file that another one has replaced under its path; no path that is looked for holds it so.
ASIDE = "\n#"
Order = tuple[float, int, int]


@dataclass(frozen=True, slots=True)
class SourceState:
    """How far a file has been read: `offset` in bytes, `head` fingerprint, `state` (JSON) of its reader.

    `leaf` is the last entry of a tree. `trouble` says why nothing of it could be read.
    """

    path: str
    agent: str
    size: int
    mtime_ns: int
    offset: int
    head: str
    state: str
    gone: bool = False
    leaf: str = ""
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """A message as a line tells it. `moment` (seconds) never falls within a file, `place` counts up in it.

    `loose`: its identity is unique in its file only, so another text elsewhere is another message.
    """

    role: str
    at: float | None
    entry: str
    text: str
    moment: float = 0.0
    place: int = 0
    loose: bool = False


class TapeBatch:
    """Writes of one transaction, which all come from one file."""

    def __init__(self, connection: sqlite3.Connection, forgotten: Forgotten) -> None:
        self._connection = connection
        self._forgotten = forgotten
        self.responses = ResponseTable(connection, lambda *told: self.left_out.knows_response(self.agent, *told))
        self.left_out = LeftOut(connection, forgotten)
        self.agent = ""
        self._epoch = 0
        self._before = 0
        self._next_step: dict[int, int] = {}
        self._last: dict[int, Order] = {}
        self._dirty: dict[int, int] = {}
        self._origins: dict[int, list[str]] = {}

    def source(self, path: str, agent: str, *, anew: bool = False) -> int:
        """The row of a file, made when it is new; `anew`: a reading from its beginning starts."""
        self.agent = agent
        self._connection.execute(
            "INSERT INTO sources (path, agent, size, mtime_ns, offset, head, state) VALUES (?, ?, -1, 0, 0, '', '')"
            " ON CONFLICT (path) DO NOTHING",
            (path, agent),
        )
        row, self._epoch = self._connection.execute("SELECT id, epoch FROM sources WHERE path = ?", (path,)).fetchone()
        if anew:
            self._epoch += 1
            self._connection.execute(
                "UPDATE sources SET epoch = ?, leaf = '', before = ? WHERE id = ?", (self._epoch, self._before, row)
            )
            self._connection.execute("DELETE FROM links WHERE source = ?", (row,))
        return int(row)

    def set_source_aside(self, path: str) -> None:
        """Another file has taken the name of this one: what it said stays, as of a file that is gone."""
        names = path + ASIDE
        number = self._connection.execute(
            "SELECT count(*) FROM sources WHERE substr(path, 1, ?) = ?", (len(names), names)
        ).fetchone()[0]
        found = self._connection.execute("SELECT id FROM sources WHERE path = ?", (path,)).fetchone()
        if found:
            self._connection.execute(
                "UPDATE sources SET path = ?, gone = 1 WHERE id = ?", (f"{names}{number + 1:06d}", found[0])
            )
            touch_sessions(self._connection, int(found[0]))
            self._before = int(found[0])

    def save_source(self, state: SourceState) -> None:
        """Record how far a file was read."""
        self._connection.execute(
            "UPDATE sources SET size = ?, mtime_ns = ?, offset = ?, head = ?, state = ?, leaf = ?,"
            " trouble = ?, gone = 0 WHERE path = ?",
            (
                state.size, state.mtime_ns, state.offset, state.head, state.state, state.leaf, state.trouble,
                state.path,
            ),
        )  # fmt: skip

    def end_reading(self, source: int) -> None:
        """A file was read to its end: what it told in earlier readings and does not tell any more is marked."""
        (before,) = self._connection.execute("SELECT before FROM sources WHERE id = ?", (source,)).fetchone()
        if before:
            self._end_replacement(source, before)
        if self._epoch > 1:
            self._mark_untold(source)

    def _end_replacement(self, source: int, before: int) -> None:
        """A file with another beginning that tells some of what the earlier one told is that one, changed."""
        self._connection.execute("UPDATE sources SET before = 0 WHERE id = ?", (source,))
        shared = self._connection.execute(
            "SELECT 1 FROM messages m JOIN copies c ON c.key = m.key AND c.source = ? WHERE m.source = ? LIMIT 1",
            (source, before),
        ).fetchone()
        if shared:
            self._connection.execute(
                f"UPDATE messages SET seen = {WITHDRAWN}, off_branch = 1 WHERE source = ?"
                " AND NOT EXISTS (SELECT 1 FROM copies c WHERE c.key = messages.key)",
                (before,),
            )
            self._connection.execute("DELETE FROM copies WHERE source = ?", (before,))

    def _mark_untold(self, source: int) -> None:
        values = (source, self._epoch)
        untold = "source = ? AND seen < ?"
        if self._connection.execute(f"SELECT 1 FROM copies WHERE {untold} LIMIT 1", values).fetchone():
            self._connection.execute(
                f"UPDATE sessions SET dirty = {DISORDERED} WHERE id IN (SELECT session FROM copies WHERE {untold}"
                f" UNION SELECT m.session FROM copies c JOIN messages m ON m.key = c.key"
                " WHERE c.source = ? AND c.seen < ?)",
                values * 2,
            )
            self._connection.execute(f"DELETE FROM copies WHERE {untold}", values)
        lost = self._connection.execute(
            f"SELECT DISTINCT session FROM messages WHERE {untold} AND seen >= 0", values
        ).fetchall()
        if lost:
            self._connection.execute(
                f"UPDATE messages SET seen = {WITHDRAWN}, off_branch = 1 WHERE {untold} AND seen >= 0", values
            )
            for (session,) in lost:
                self._touch(session, DISORDERED)

    def session(
        self,
        agent: str,
        session: str,
        forked_from: str | None = None,
        born: float | None = None,
        *,
        retells: bool = False,
    ) -> int | None:
        """The row of a session, made when it is new; None when it was forgotten, of which only its origin is kept.

        `retells`: a fork says the messages of its origin anew, at times of its own.
        """
        found = self._connection.execute(
            "SELECT id FROM sessions WHERE agent = ? AND session = ?", (agent, session)
        ).fetchone()
        if found is None:
            made = self._connection.execute("INSERT INTO sessions (agent, session) VALUES (?, ?)", (agent, session))
            row = int(made.lastrowid or 0)
        else:
            row = int(found[0])
        if forked_from is not None or born is not None:
            self._connection.execute(
                "UPDATE sessions SET forked_from = ifnull(min(forked_from, ?1), ifnull(forked_from, ?1)),"
                " born = ifnull(min(born, ?2), ifnull(born, ?2)), retells = ?3, replay_moment = -1, replay_place = -1"
                " WHERE id = ?4",
                (forked_from, born, retells, row),
            )
            self._touch(row, TOUCHED)
            self._origins.clear()
        return None if self._forgotten and self._forgotten.session(agent, session) else row

    def session_row(self, session: str) -> int:
        """The row of a session that was met, forgotten or not."""
        sql = "SELECT id FROM sessions WHERE agent = ? AND session = ?"
        return int(self._connection.execute(sql, (self.agent, session)).fetchone()[0])

    def describe(self, row: int, key: str, *, project: str = "", title: str = "", chosen: bool = False) -> None:
        """Add facts that stand at `key`, which orders them: of the folders the first counts, of the titles the last.

        A title that a person has `chosen` counts before those that programs make.
        """
        if self._forgotten.title(self.agent, title):
            title = ""
        self._connection.execute(
            "UPDATE sessions SET project = ?1, project_key = ?2 WHERE id = ?3 AND ?1 <> ''"
            " AND (project = '' OR project_key > ?2)",
            (project, key, row),
        )
        self._connection.execute(
            "UPDATE sessions SET title = ?1, title_key = ?2 WHERE id = ?3 AND ?1 <> ''"
            " AND (title = '' OR title_key <= ?2)",
            (title, f"{chosen:d} {key}", row),
        )

    def add(self, session: int, source: int, key: bytes, told: Told) -> bool:
        """Store a message unless it is known; of one that is told again the last text of its file counts."""
        if self._forgotten and self._was_forgotten(session, key, told):
            return False
        if session not in self._next_step:
            self._look_up(session)
        made = self._connection.execute(
            "INSERT INTO messages (session, source, step, role, at, entry, key, text, moment, place, seen)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
            (
                session, source, self._next_step[session], told.role, told.at, told.entry, key, told.text,
                told.moment, told.place, self._epoch,
            ),
        )  # fmt: skip
        if made.rowcount != 1:
            return self._tell_again(session, source, key, told)
        self._next_step[session] += 1
        self._keep_order(session, (told.moment, source, told.place))
        index_words(self._connection, int(made.lastrowid or 0), told.text)
        return True

    def link(self, source: int, entry: str, parent: str) -> None:
        """Record an entry of a tree."""
        self._connection.execute(
            "INSERT INTO links VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET parent = excluded.parent",
            (source, entry, parent),
        )

    def touch(self, session: int) -> None:
        """Have a session looked at by `settle`."""
        self._touch(session, TOUCHED)

    def finish(self) -> None:
        """Write down which sessions are to be settled."""
        self._connection.executemany(
            "UPDATE sessions SET dirty = max(dirty, ?) WHERE id = ?",
            [(degree, session) for session, degree in self._dirty.items()],
        )

    def _was_forgotten(self, session: int, key: bytes, told: Told) -> bool:
        """Whether it is a copy of what was forgotten, or a fork's replay of it, of which no byte is to be written.

        Short words are left to `settle`: further on in a fork they are its own.
        """
        if self._forgotten.message(self.agent, key, told.role, told.at, told.text, told.entry):
            return True
        if len(told.text) < LEAST_UNDATED:
            return False
        if session not in self._origins:
            self._origins[session] = [name for _, name in origins_of(self._connection, session, self.agent)]
        return self._forgotten.replay(self.agent, self._origins[session], told.role, told.text)

    def _tell_again(self, session: int, source: int, key: bytes, told: Told) -> bool:
        row, owner, home, text, seen, moment, place = self._connection.execute(
            "SELECT id, session, source, text, seen, moment, place FROM messages WHERE key = ?", (key,)
        ).fetchone()
        if home == source and owner == session:
            if seen != self._epoch:
                self._connection.execute(
                    "UPDATE messages SET at = ?, entry = ?, moment = ?, place = ?, seen = ?, off_branch = 0"
                    " WHERE id = ?",
                    (told.at, told.entry, told.moment, told.place, self._epoch, row),
                )
                self._touch(session, TOUCHED if (moment, place) == (told.moment, told.place) else DISORDERED)
            if text != told.text:
                self._retell(row, text, told.text)
            return False
        if told.loose and home != source and not (text.startswith(told.text) or told.text.startswith(text)):
            other = hashlib.blake2b(key + told.text.encode("utf-8", "replace"), digest_size=12).digest()
            return self.add(session, source, other, replace(told, loose=False))
        self._copy(session, source, key, told)
        self._touch(owner, TOUCHED)
        if text != told.text and ((len(text), text) < (len(told.text), told.text) or self._gone(home)):
            self._retell(row, text, told.text)
        return False

    def _copy(self, session: int, source: int, key: bytes, told: Told) -> None:
        self._touch(session, TOUCHED)
        self._connection.execute(
            "INSERT INTO copies VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1) ON CONFLICT DO UPDATE SET at = excluded.at,"
            " entry = excluded.entry, moment = excluded.moment, place = excluded.place, seen = excluded.seen"
            " WHERE seen < excluded.seen",
            (key, source, session, told.at, told.entry, told.moment, told.place, self._epoch),
        )

    def _retell(self, row: int, old: str, new: str) -> None:
        unindex_words(self._connection, row, old)
        self._connection.execute("UPDATE messages SET text = ? WHERE id = ?", (new, row))
        index_words(self._connection, row, new)

    def _gone(self, source: int) -> bool:
        return bool(self._connection.execute("SELECT gone FROM sources WHERE id = ?", (source,)).fetchone()[0])

    def _look_up(self, session: int) -> None:
        last = self._connection.execute(
            "SELECT step, moment, source, place FROM messages WHERE session = ? ORDER BY step DESC LIMIT 1", (session,)
        ).fetchone()
        self._next_step[session] = (last[0] if last else 0) + 1
        self._touch(session, TOUCHED)
        if last:
            self._last[session] = last[1:]

    def _keep_order(self, session: int, now: Order) -> None:
        """Notice what was said before what is stored already, or in another file at the same moment."""
        last = self._last.get(session, now)
        if now[0] > last[0] or (now[:2] == last[:2] and now[2] >= last[2]):
            self._last[session] = now
        else:
            self._touch(session, DISORDERED)

    def _touch(self, session: int, degree: int) -> None:
        self._dirty[session] = max(degree, self._dirty.get(session, 0))


def touch_sessions(connection: sqlite3.Connection, source: int) -> None:
    """Have every session that a file tells of settled."""
    connection.execute(
        f"UPDATE sessions SET dirty = {DISORDERED} WHERE id IN (SELECT session FROM messages WHERE source = ?1"
        " UNION SELECT session FROM copies WHERE source = ?1)",
        (source,),
    )
