"""A sessions.db of an earlier shape: what can be read again is, what files told that are gone stays."""

import sqlite3

import pytest

from tests.sessions.archives import open_archive
from tests.sessions.generator import START, Talk, write

EARLIER = """
CREATE TABLE sources (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL, offset INTEGER NOT NULL, head TEXT NOT NULL, state TEXT NOT NULL,
    gone INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, agent TEXT NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '', forked_from TEXT, UNIQUE (agent, session)
);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, session INTEGER NOT NULL, source INTEGER NOT NULL, step INTEGER NOT NULL,
    role TEXT NOT NULL, at REAL, off_branch INTEGER NOT NULL DEFAULT 0, entry TEXT NOT NULL,
    key BLOB NOT NULL UNIQUE, text TEXT NOT NULL, UNIQUE (session, step)
);
CREATE TABLE links (
    source INTEGER NOT NULL, entry TEXT NOT NULL, parent TEXT NOT NULL, PRIMARY KEY (source, entry)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE tape USING fts5 (words, content='', tokenize='porter unicode61');
CREATE TABLE proposals_asked (key BLOB PRIMARY KEY) WITHOUT ROWID;
"""
RESPONSES = """
CREATE TABLE responses (
    key BLOB PRIMARY KEY, session INTEGER NOT NULL, model TEXT NOT NULL, at REAL, requests INTEGER NOT NULL,
    input INTEGER, cache_read INTEGER, cache_write INTEGER, output INTEGER, reasoning INTEGER, cost_usd REAL,
    stretch INTEGER NOT NULL, grade INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO responses VALUES (x'01', 1, 'm', 1770000000, 1, 5, 0, 0, 7, 0, NULL, 0, 0);
INSERT INTO responses VALUES (x'02', 2, 'm', 1770000000, 1, 5, 0, 0, 9, 0, NULL, 0, 0);
"""
ROWS = """
INSERT INTO sources VALUES (1, '{home}/claude/projects/-p/gone.jsonl', 'claude-code', 9, 9, 9, '9:x', '{{}}', 1);
INSERT INTO sources VALUES (2, '{home}/claude/projects/-p/a1.jsonl', 'claude-code', 9, 9, 9, '9:x', '{{}}', 0);
INSERT INTO sessions VALUES (1, 'claude-code', 'gone', '/home/dev/p', 'Kept', NULL);
INSERT INTO sessions VALUES (2, 'claude-code', 'a1', '/home/dev/p', '', NULL);
INSERT INTO messages VALUES (1, 1, 1, 1, 'user', 1770000000, 0, '', x'aa', 'why cents');
INSERT INTO messages VALUES (2, 2, 2, 1, 'user', 1770000000, 0, '', x'bb', 'read differently before');
INSERT INTO messages VALUES (3, 1, 1, 2, 'assistant', 1770000001, 0, '', x'cc', 'floats lose them');
INSERT INTO tape (rowid, words) VALUES (1, 'why cents'), (2, 'read differently before'), (3, 'floats lose them');
"""


@pytest.mark.parametrize("figures", [True, False])
def test_an_index_of_an_earlier_shape_is_brought_up(figures, tmp_path):
    home, brain = tmp_path / "home", tmp_path / "brain"
    write(home, "claude-code", Talk("a1", "/home/dev/p", START, [("user", "one"), ("assistant", "two")]))
    brain.mkdir()
    earlier = sqlite3.connect(brain / "sessions.db")
    earlier.executescript(EARLIER + (RESPONSES if figures else "") + ROWS.format(home=home))
    earlier.close()

    archive = open_archive(home, brain=brain)
    archive.index()
    assert [step.text for step in archive.show("a1")] == ["one", "two"]
    assert [step.text for step in archive.show("gone")] == ["why cents", "floats lose them"]
    assert {(info.session, info.title, info.gone) for info in archive.recall().sessions} == {
        ("gone", "Kept", True),
        ("a1", "one", False),
    }
    assert [hit.session for hit in archive.recall("cents").hits] == ["gone"]
    assert not archive.recall("differently").hits
    assert sum(one.output for one in archive.spent().sums) == (7 if figures else 0)
    assert archive.index().messages == 0
    archive.forget("gone")
    assert not archive.recall("cents").hits
    archive.close()
