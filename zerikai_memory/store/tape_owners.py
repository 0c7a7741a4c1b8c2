"""Which session a message belongs to when several tell it, and its step: the same in whatever order files are read.

`settle` runs after files were read, over the sessions that changed. Its answers depend only on what is stored, never on
what came first: a message belongs to the original session, forks and resumed copies have only what is new in them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from zerikai_memory.store.forgotten import Forgotten
from zerikai_memory.store.tape_batch import ASIDE, DISORDERED, TOUCHED
from zerikai_memory.store.tape_openings import copied_opening
from zerikai_memory.store.tape_origins import MAX_DEPTH, origins_of
from zerikai_memory.store.tape_schema import WITHDRAWN, remove_message


def settle(connection: sqlite3.Connection, forgotten: Forgotten) -> int:
    """Bring owners, steps and branches of all changed sessions up; how many messages were replays of forks."""
    if connection.execute("SELECT 1 FROM sessions WHERE dirty > 0 LIMIT 1").fetchone() is None:
        return 0
    _trace_origins(connection)
    _note_own(connection)
    _give_to_owners(connection)
    _number_steps(connection)
    dropped = _drop_replays(connection, forgotten) + _drop_openings(connection, forgotten)
    if dropped:
        _number_steps(connection)
    _mark_branches(connection)
    connection.execute("UPDATE sessions SET dirty = 0 WHERE dirty > 0")
    return dropped


def _trace_origins(connection: sqlite3.Connection) -> None:
    """How far each fork is from its first origin, and that origin; sessions below one that changed are touched."""
    rows = connection.execute(
        "SELECT id, agent, session, forked_from, family, depth, dirty FROM sessions WHERE forked_from NOTNULL"
    ).fetchall()
    origins = {(agent, session): origin for _, agent, session, origin, *_ in rows}
    changed = {
        (agent, session)
        for agent, session in connection.execute("SELECT agent, session FROM sessions WHERE dirty > 0")
    }  # fmt: skip
    for row, agent, session, _, family, depth, dirty in rows:
        chain = _chain(origins, agent, session)
        traced = (chain[-1] if chain else "", len(chain))
        if traced != (family, depth):
            connection.execute("UPDATE sessions SET family = ?, depth = ? WHERE id = ?", (*traced, row))
        if traced != (family, depth):
            connection.execute(f"UPDATE sessions SET dirty = {DISORDERED} WHERE id = ?", (row,))
        elif not dirty and any((agent, one) in changed for one in chain):
            connection.execute(f"UPDATE sessions SET dirty = {TOUCHED} WHERE id = ?", (row,))


def _chain(origins: Mapping[tuple[str, str], str], agent: str, session: str) -> list[str]:
    """The origins of a session, the nearest first."""
    found: list[str] = []
    while (session := origins.get((agent, session), "")) and session not in found and len(found) < MAX_DEPTH:
        found.append(session)
    return found


def _note_own(connection: sqlite3.Connection) -> None:
    """When each session first said what no other one tells; where that has changed all it shares is looked at again.

    A session that adds nothing ranks by its end, which moves with every message.
    """
    if connection.execute("SELECT 1 FROM copies LIMIT 1").fetchone() is None:
        return
    unshared = "SELECT moment FROM messages m WHERE session = ?1 AND NOT EXISTS"
    unshared += " (SELECT 1 FROM copies c WHERE c.key = m.key AND c.session <> ?1)"
    for session, dirty, before in connection.execute("SELECT id, dirty, own FROM sessions WHERE dirty > 0").fetchall():
        # Steps are in the order of time, unless they are to be numbered anew.
        order = "moment" if dirty == DISORDERED else "step"
        found = connection.execute(f"{unshared} ORDER BY {order} LIMIT 1", (session,)).fetchone()
        own = found[0] if found else None
        if own is None or own != before:
            connection.execute(f"UPDATE sessions SET own = ?, dirty = {DISORDERED} WHERE id = ?", (own, session))


@dataclass(frozen=True, slots=True)
class _Telling:
    """A line that tells a message."""

    session: int
    source: int
    at: float | None
    entry: str
    moment: float
    place: int
    seen: int


def _give_to_owners(connection: sqlite3.Connection) -> None:
    """Every message that several files or sessions tell goes to the one that ranks first."""
    if connection.execute("SELECT 1 FROM copies LIMIT 1").fetchone() is None:
        return
    keys = connection.execute(
        "SELECT key FROM copies WHERE fresh"
        f" UNION SELECT c.key FROM copies c JOIN sessions s ON s.id = c.session WHERE s.dirty = {DISORDERED}"
        " UNION SELECT c.key FROM sessions s JOIN messages m ON m.session = s.id JOIN copies c ON c.key = m.key"
        f" WHERE s.dirty = {DISORDERED}"
    ).fetchall()
    ranks = Ranks(connection)
    for (key,) in keys:
        row, step, *told = connection.execute(
            "SELECT id, step, session, source, at, entry, moment, place, seen FROM messages WHERE key = ?", (key,)
        ).fetchone() or (None, 0)
        if row is None:
            continue
        owner = _Telling(*told)
        others = [
            _Telling(*one)
            for one in connection.execute(
                "SELECT session, source, at, entry, moment, place, seen FROM copies WHERE key = ?", (key,)
            )
        ]
        best = min((owner, *others), key=ranks.of)
        if best is not owner:
            _hand_over(connection, key, row, step, owner, best)
    connection.execute("UPDATE copies SET fresh = 0 WHERE fresh")


class Ranks:
    """Orders the lines that tell one message: first the present, the original session, the file that is there."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._sessions: dict[int, tuple[int, float, float, str]] = {}
        self._sources: dict[int, tuple[int, str]] = {}

    def of(self, told: _Telling) -> tuple[object, ...]:
        """The rank of a line; the lowest is the owner's."""
        if told.session not in self._sessions:
            self._sessions[told.session] = self.session(told.session)
        if told.source not in self._sources:
            self._sources[told.source] = self._connection.execute(
                "SELECT gone, path FROM sources WHERE id = ?", (told.source,)
            ).fetchone()
        withdrawn = told.seen == WITHDRAWN
        return (withdrawn, *self._sessions[told.session], *self._sources[told.source], told.place)

    def session(self, row: int) -> tuple[int, float, float, str]:
        """Origins before their forks; else who said something of its own first; one that adds nothing is the older."""
        depth, own, name = self._connection.execute(
            "SELECT depth, own, session FROM sessions WHERE id = ?", (row,)
        ).fetchone()
        if own is not None:
            return depth, own, 0.0, name
        end = self._connection.execute(
            "SELECT max(moment) FROM (SELECT moment FROM messages WHERE session = ?1"
            " UNION ALL SELECT moment FROM copies WHERE session = ?1)",
            (row,),
        ).fetchone()[0]
        return depth, -1.0, end or 0.0, name


def _hand_over(connection: sqlite3.Connection, key: bytes, row: int, step: int, old: _Telling, new: _Telling) -> None:
    connection.execute(
        "UPDATE messages SET session = ?, source = ?, at = ?, entry = ?, moment = ?, place = ?, seen = ?, step = ?,"
        " off_branch = 0 WHERE id = ?",
        (new.session, new.source, new.at, new.entry, new.moment, new.place, new.seen, -row, row),
    )
    _move_proposals(connection, (old.session, step), (new.session, -row))
    connection.execute(
        "DELETE FROM copies WHERE key = ? AND source = ? AND session = ?", (key, new.source, new.session)
    )
    if old.seen != WITHDRAWN:
        connection.execute(
            "INSERT OR REPLACE INTO copies VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)",
            (key, old.source, old.session, old.at, old.entry, old.moment, old.place, old.seen),
        )
    connection.execute(f"UPDATE sessions SET dirty = {DISORDERED} WHERE id IN (?, ?)", (old.session, new.session))


def _number_steps(connection: sqlite3.Connection) -> None:
    """Steps count from 1 in the order of time; within a file the order of its lines is that of time."""
    for (session,) in connection.execute(f"SELECT id FROM sessions WHERE dirty = {DISORDERED}").fetchall():
        rows = connection.execute(
            "SELECT m.id, m.step FROM messages m JOIN sources f ON f.id = m.source WHERE m.session = ?"
            " ORDER BY m.moment, f.path NOT LIKE ?, f.path, m.place, m.key",
            (session, f"%{ASIDE}%"),
        ).fetchall()
        moved = [(row, old, new) for new, (row, old) in enumerate(rows, 1) if old != new]
        for row, old, _ in moved:  # a step is free only once all others have left theirs
            connection.execute("UPDATE messages SET step = ? WHERE id = ?", (-row, row))
            _move_proposals(connection, (session, old), (session, -row))
        for row, _, new in moved:
            connection.execute("UPDATE messages SET step = ? WHERE id = ?", (new, row))
            _move_proposals(connection, (session, -row), (session, new))


def _move_proposals(connection: sqlite3.Connection, old: tuple[int, int], new: tuple[int, int]) -> None:
    if old != new:
        connection.execute("UPDATE proposals SET session = ?, step = ? WHERE session = ? AND step = ?", (*new, *old))


def _drop_replays(connection: sqlite3.Connection, forgotten: Forgotten) -> int:
    """A fork that says its origin's messages anew, at its own times, keeps only what follows them."""
    forks = connection.execute(
        "SELECT id, agent, born, replay_moment, replay_place FROM sessions"
        " WHERE dirty > 0 AND retells AND forked_from NOTNULL ORDER BY depth, agent, session"
    ).fetchall()
    dropped = 0
    for session, agent, born, moment, place in forks:
        replay = _Replay(connection, forgotten, session, agent, born, (moment, place))
        done = list(replay.rows())
        for row in done:
            remove_message(connection, row)
        if done:
            dropped += len(done)
            connection.execute(
                f"UPDATE sessions SET dirty = {DISORDERED}, replay_moment = ?, replay_place = ? WHERE id = ?",
                (*replay.upto, session),
            )
    return dropped


def _drop_openings(connection: sqlite3.Connection, forgotten: Forgotten) -> int:
    """A session that opens as a forgotten one did keeps what follows."""
    dropped = 0
    sql = "SELECT id, agent FROM sessions WHERE dirty > 0 AND retells ORDER BY id"
    for session, agent in connection.execute(sql).fetchall():
        rows = copied_opening(connection, forgotten, session, agent)
        for row in rows:
            remove_message(connection, row)
        if rows:
            dropped += len(rows)
            connection.execute(f"UPDATE sessions SET dirty = {DISORDERED} WHERE id = ?", (session,))
    return dropped


class _Replay:
    """The first messages of a fork, as far as its origins said the same in the same order before it was made."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        forgotten: Forgotten,
        session: int,
        agent: str,
        born: float | None,
        upto: tuple[float, int],
    ) -> None:
        self._connection = connection
        self._forgotten = forgotten
        self._session = session
        self._agent = agent
        self._born = born
        self._origins = origins_of(connection, session, agent)
        self._shared_seen = False
        self.upto = upto

    def rows(self) -> Iterator[int]:
        """Ids of the messages that are replays."""
        sql = "SELECT id, role, text FROM messages WHERE session = ? ORDER BY step"
        for row, role, text in self._connection.execute(sql, (self._session,)):
            if not self._said_before(role, text):
                return
            yield row

    def _last_shared(self) -> tuple[float, int]:
        """The last message that the fork tells as its origins do, with its time: a replay goes on behind it."""
        found = self._connection.execute(
            "SELECT m.moment, m.place FROM copies c JOIN messages m ON m.key = c.key WHERE c.session = ?"
            " ORDER BY m.moment DESC, m.place DESC LIMIT 1",
            (self._session,),
        ).fetchone()
        return found or (-1.0, -1)

    def _said_before(self, role: str, text: str) -> bool:
        if self._forgotten and self._forgotten.replay(self._agent, [one for _, one in self._origins], role, text):
            return True
        rows = ", ".join(str(row) for row, _ in self._origins)
        found = self._connection.execute(
            f"SELECT moment, place FROM messages WHERE session IN ({rows}) AND role = ? AND text = ?"
            " AND (moment, place) > (?, ?) AND (at IS NULL OR ? IS NULL OR at <= ?) ORDER BY moment, place LIMIT 1",
            (role, text, *self.upto, self._born, self._born),
        ).fetchone()
        if found and not self._shared_seen:  # looked up only where it matters: it takes a look at all that is shared
            self._shared_seen = True
            self.upto = max(self.upto, self._last_shared())
            return self._said_before(role, text)
        if found:
            self.upto = found
        return found is not None


def _mark_branches(connection: sqlite3.Connection) -> None:
    """In files that hold a tree, what is no ancestor of the last entry is on a branch that was left."""
    sources = connection.execute(
        "SELECT DISTINCT f.id, f.leaf FROM sessions s JOIN messages m ON m.session = s.id"
        " JOIN sources f ON f.id = m.source WHERE s.dirty > 0 AND f.leaf <> ''"
    ).fetchall()
    for source, leaf in sources:
        up = dict(connection.execute("SELECT entry, parent FROM links WHERE source = ?", (source,)).fetchall())
        live: set[str] = set()
        while leaf and leaf not in live:
            live.add(leaf)
            leaf = up.get(leaf, "")
        rows = connection.execute(
            "SELECT id, entry, off_branch, seen FROM messages WHERE source = ? AND entry <> ''", (source,)
        ).fetchall()
        told = [(entry not in live or seen == WITHDRAWN, row, bool(off)) for row, entry, off, seen in rows]
        connection.executemany(
            "UPDATE messages SET off_branch = ? WHERE id = ?", [(left, row) for left, row, off in told if left != off]
        )
