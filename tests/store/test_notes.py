"""Records of zerikai.db: migrated, appended, chained, never rewritten."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest

from zerikai_memory.model_notes import Anchor, Note, NoteEvent
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.migrations import STEPS

ANCHOR = Anchor("auth/session.py", "method", "Session.login", "def login(self)", "abc")


@pytest.fixture
def brain(home: Path):
    brain = Brain(home)
    yield brain
    brain.close()


def note(content: str, category: str = "fact", **more) -> Note:
    return Note("", category, content, 0.0, "w", **more)


def test_notes_of_the_first_schema_become_records_that_are_found(home: Path):
    home.mkdir()
    connection = sqlite3.connect(home / "zerikai.db")
    STEPS[0](connection)
    connection.execute(
        "INSERT INTO notes (id, workspace_id, category, content, content_hash, created_at)"
        " VALUES ('old1', 'w', 'decision', 'Tokens rotate nightly.', 'h', 5.0)"
    )
    connection.execute("INSERT INTO notes_fts (rowid, words) VALUES (1, 'decision tokens rotate nightly')")
    connection.execute("PRAGMA user_version=1")
    connection.commit()
    connection.close()
    brain = Brain(home)
    (found,) = brain.notes.latest("w", None, 10)
    assert found == Note("old1", "decision", "Tokens rotate nightly.", 5.0, "w")
    assert [n.id for n, _ in brain.notes.search("w", ["token"], None, 5)] == ["old1"]
    # The same text, give or take blanks and case, is recognised across the migration.
    assert brain.notes.append(note("tokens  rotate nightly", "decision"))[0].id == "old1"
    assert brain.notes.remove_all("w") == 1
    assert brain.notes.search("w", ["token"], None, 5) == []
    brain.close()
    assert len(list((home / "backups").glob("*.db"))) >= 1


def test_everything_of_a_record_comes_back(brain: Brain):
    given = note(
        "Use tabs", outcome="failed", detail="why\nhow", importance=0.9, tags=("a", "ü"), session="s", agent="pi",
        run_id="r1", anchors=(ANCHOR,),
    )  # fmt: skip
    stored, new = brain.notes.append(given)
    assert new
    assert stored == replace(given, id=stored.id, created_at=stored.created_at)
    assert brain.notes.latest("w", None, 5, run_id="r1") == [stored]
    place = ("auth/session.py", "Session.login")
    assert brain.notes.anchor_places("w") == [place]
    assert brain.notes.latest("w", None, 5, places=[("x.py", "f"), place]) == [stored]
    assert brain.notes.latest("w", None, 5, places=[("auth/session.py", "Session.logout")]) == []
    assert brain.notes.latest("w", None, 5, places=[]) == []
    assert brain.notes.categories("w") == ["fact"]
    assert brain.notes.anchored("w", [("auth/session.py", "Session.login")], 5) == [stored]


def test_a_chain_shows_its_live_record_and_what_was_believed_before(brain: Brain):
    first, _ = brain.notes.append(note("Use MySQL", "decision"))
    time.sleep(0.01)
    between = time.time()
    time.sleep(0.01)
    second, _ = brain.notes.append(note("Use SQLite", "decision"), [NoteEvent(first.id, "supersede", 0.0)])
    assert second.supersedes == (first.id,)
    assert [n.id for n in brain.notes.latest("w", None, 5, live_only=True)] == [second.id]
    then = brain.notes.latest("w", None, 5, live_only=True, as_of=between)
    assert [(n.id, n.superseded_by) for n in then] == [(first.id, None)]
    assert brain.notes.get([first.id])[0].superseded_by == second.id
    # Back to the first belief: a new record, because the old one is no longer live.
    third, new = brain.notes.append(note("Use MySQL", "decision"), [NoteEvent(second.id, "supersede", 0.0)])
    assert new
    assert third.id != first.id


def test_the_same_with_another_outcome_is_another_record(brain: Brain):
    ids = [brain.notes.append(note("Pin numpy", "fix", outcome=o))[0].id for o in ("failed", "worked", "failed")]
    assert ids[0] == ids[2] != ids[1]
    assert [event.kind for event in brain.notes.events("w")] == ["reaffirm"]


def test_a_conflict_lasts_as_long_as_both_are_live(brain: Brain):
    one, _ = brain.notes.append(note("Port 1"))
    two, _ = brain.notes.append(note("Port 2"), [NoteEvent("", "conflict", 0.0, one.id, reason="numbers")])
    assert two.conflicts == (one.id,)
    assert brain.notes.get([one.id])[0].conflicts == (two.id,)
    three, _ = brain.notes.append(note("Port 3"), [NoteEvent(one.id, "supersede", 0.0)])
    assert [n.conflicts for n in brain.notes.get([one.id, two.id, three.id])] == [(), (), ()]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE notes SET content = 'x'",
        "UPDATE notes SET created_at = 0",
        "UPDATE note_events SET kind = 'confirm'",
        "UPDATE note_anchors SET body_hash = ''",
    ],
)
def test_the_database_itself_refuses_to_rewrite(brain: Brain, home: Path, change: str):
    brain.notes.append(note("a", anchors=(ANCHOR,)), [NoteEvent("", "confirm", 0.0, by="me")])
    connection = sqlite3.connect(home / "zerikai.db")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(change)
    connection.close()


def _append_many(home: str, process: int, count: int) -> None:
    brain = Brain(Path(home))
    for number in range(count):
        brain.notes.append(note(json.dumps([process, number])))
    brain.close()


def test_four_processes_append_at_once_and_nothing_is_lost_or_out_of_order(home: Path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append_many, args=(str(home), p, 40)) for p in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    assert [worker.exitcode for worker in workers] == [0, 0, 0, 0]
    brain = Brain(home)
    stored = brain.notes.latest("w", None, 1000)[::-1]
    brain.close()
    assert len(stored) == 160
    assert [n.created_at for n in stored] == sorted(n.created_at for n in stored)
    for process in range(4):
        written = [json.loads(n.content)[1] for n in stored if json.loads(n.content)[0] == process]
        assert written == list(range(40))
