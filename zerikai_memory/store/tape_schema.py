"""The tables of sessions.db, and how a file of an earlier shape is brought up.

Who tells a message: `messages` holds each once, with the file and session that it belongs to; `copies` holds the other
lines that tell it, without its text. `seen` is the reading (`epoch`) of the file in which the line was met last,
WITHDRAWN where the file is still there and no longer tells it.

The index holds only words (contentless), made by `words.search_text` so that identifiers and Chinese, Japanese and
Korean text are found; the text itself stands once in `messages`.
"""

from __future__ import annotations

import sqlite3

from zerikai_memory.store.proposals import prepare_proposals
from zerikai_memory.store.words import search_text

WITHDRAWN = -1
# 1: lines that tell a message again are kept; figures of responses stand once per session.
_VERSION = 1
_SCHEMA = """
CREATE TABLE sources (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, offset INTEGER NOT NULL, head TEXT NOT NULL, state TEXT NOT NULL,
    gone INTEGER NOT NULL DEFAULT 0, epoch INTEGER NOT NULL DEFAULT 0, leaf TEXT NOT NULL DEFAULT '',
    trouble TEXT NOT NULL DEFAULT '', before INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '', forked_from TEXT, project_key TEXT NOT NULL DEFAULT '',
    title_key TEXT NOT NULL DEFAULT '', born REAL, retells INTEGER NOT NULL DEFAULT 0,
    family TEXT NOT NULL DEFAULT '', depth INTEGER NOT NULL DEFAULT 0, own REAL,
    replay_moment REAL NOT NULL DEFAULT -1, replay_place INTEGER NOT NULL DEFAULT -1,
    dirty INTEGER NOT NULL DEFAULT 0, UNIQUE (agent, session)
);
CREATE INDEX sessions_dirty ON sessions (dirty) WHERE dirty > 0;
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, source INTEGER NOT NULL, step INTEGER NOT NULL,
    role TEXT NOT NULL, at REAL, off_branch INTEGER NOT NULL DEFAULT 0, entry TEXT NOT NULL,
    key BLOB NOT NULL UNIQUE, text TEXT NOT NULL, moment REAL NOT NULL DEFAULT 0, place INTEGER NOT NULL DEFAULT 0,
    seen INTEGER NOT NULL DEFAULT 0, UNIQUE (session, step)
);
CREATE INDEX messages_source ON messages (source);
CREATE TABLE copies (
    key BLOB NOT NULL, source INTEGER NOT NULL, session INTEGER NOT NULL, at REAL, entry TEXT NOT NULL,
    moment REAL NOT NULL, place INTEGER NOT NULL, seen INTEGER NOT NULL, fresh INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (key, source, session)
) WITHOUT ROWID;
CREATE INDEX copies_session ON copies (session);
CREATE INDEX copies_source ON copies (source);
CREATE INDEX copies_fresh ON copies (fresh) WHERE fresh;
CREATE TABLE links (
    source INTEGER NOT NULL, entry TEXT NOT NULL, parent TEXT NOT NULL, PRIMARY KEY (source, entry)
) WITHOUT ROWID;
CREATE TABLE responses (
    key BLOB NOT NULL, session INTEGER NOT NULL, model TEXT NOT NULL, at REAL, requests INTEGER NOT NULL,
    input INTEGER, cache_read INTEGER, cache_write INTEGER, output INTEGER, reasoning INTEGER, cost_usd REAL,
    stretch INTEGER NOT NULL, grade INTEGER NOT NULL, running INTEGER NOT NULL, shared INTEGER NOT NULL,
    PRIMARY KEY (key, session)
) WITHOUT ROWID;
CREATE INDEX responses_session ON responses (session, stretch);
CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE tape USING fts5 (words, content='', tokenize='porter unicode61');
"""
# What files told that are gone cannot be read again; everything else is.
_OLD_SOURCES = "SELECT id, path, agent, size, mtime_ns, offset, head, state, gone FROM sources WHERE gone"
_OLD_MESSAGES = (
    "SELECT m.id, m.session, m.source, m.step, m.role, m.at, m.off_branch, m.entry, m.key, m.text, ifnull(m.at, 0)"
    " FROM messages m JOIN sources f ON f.id = m.source WHERE f.gone"
)
_OLD_RESPONSES = (
    "SELECT * FROM responses WHERE session IN"
    " (SELECT m.session FROM messages m JOIN sources f ON f.id = m.source WHERE f.gone)"
)
_OLD_SESSIONS = (
    "SELECT id, agent, session, project, title, forked_from FROM sessions WHERE id IN"
    " (SELECT m.session FROM messages m JOIN sources f ON f.id = m.source WHERE f.gone)"
)


def prepare_tape(connection: sqlite3.Connection) -> None:
    """Make the tables, or bring those of an earlier version up; once, whatever other processes do."""
    connection.execute("PRAGMA secure_delete=ON")
    if _version(connection) >= _VERSION or connection.execute("PRAGMA query_only").fetchone()[0]:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if _version(connection) < _VERSION:  # another process may have done it meanwhile
            kept = _old_rows(connection)
            _make(connection)
            _put_back(connection, kept)
            prepare_proposals(connection)
            connection.execute(f"PRAGMA user_version={_VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def index_words(connection: sqlite3.Connection, row: int, text: str) -> None:
    """Add a message's words to the index."""
    connection.execute("INSERT INTO tape (rowid, words) VALUES (?, ?)", (row, search_text(text)))


def unindex_words(connection: sqlite3.Connection, row: int, text: str) -> None:
    """Take a message's words out of the index."""
    connection.execute("INSERT INTO tape (tape, rowid, words) VALUES ('delete', ?, ?)", (row, search_text(text)))


def remove_message(connection: sqlite3.Connection, row: int) -> None:
    """Remove a message with its words, and what was proposed from it."""
    session, step, text = connection.execute("SELECT session, step, text FROM messages WHERE id = ?", (row,)).fetchone()
    unindex_words(connection, row, text)
    connection.execute("DELETE FROM messages WHERE id = ?", (row,))
    connection.execute("DELETE FROM proposals WHERE session = ? AND step = ?", (session, step))


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _old_rows(connection: sqlite3.Connection) -> list[list[tuple[object, ...]]]:
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    wanted = {"tape": (_OLD_SOURCES, _OLD_SESSIONS, _OLD_MESSAGES), "responses": (_OLD_RESPONSES,)}
    return [
        connection.execute(sql).fetchall() if table in tables else [] for table, all in wanted.items() for sql in all
    ]


def _make(connection: sqlite3.Connection) -> None:
    for table in ("tape", "sources", "sessions", "messages", "links", "responses", "proposals", "proposals_asked"):
        connection.execute(f"DROP TABLE IF EXISTS {table}")
    for statement in _SCHEMA.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def _put_back(connection: sqlite3.Connection, kept: list[list[tuple[object, ...]]]) -> None:
    sources, sessions, messages, responses = kept
    connection.executemany(
        "INSERT INTO sources (id, path, agent, size, mtime_ns, offset, head, state, gone)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        sources,
    )
    connection.executemany(
        "INSERT INTO sessions (id, agent, session, project, title, forked_from, dirty) VALUES (?, ?, ?, ?, ?, ?, 1)",
        sessions,
    )
    connection.executemany(
        "INSERT INTO messages (id, session, source, step, role, at, off_branch, entry, key, text, moment, place)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(*row, row[3]) for row in messages],
    )
    connection.executemany(f"INSERT INTO responses VALUES ({'?, ' * 13}0, 0)", responses)
    for row in messages:
        index_words(connection, int(str(row[0])), str(row[9]))
