"""The arrays of records in memory follow what this and other processes write."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fake_embedder import FakeEmbedder
from zerikai_memory.model_notes import Note, NoteEvent
from zerikai_memory.store import note_words
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.note_table import NoteTable


def note(content: str, workspace: str = "w", **more) -> Note:
    return Note("", "fact", content, 0.0, workspace, **more)


@pytest.fixture
def brains(home: Path):
    """Two openings of one brain, as two processes have them."""
    pair = Brain(home), Brain(home)
    yield pair
    for brain in pair:
        brain.close()


def table(brain: Brain) -> NoteTable:
    embedder = FakeEmbedder()
    return NoteTable(brain.notes.database, "w", embedder.fingerprint, embedder.encode)


def test_an_empty_workspace_has_no_rows(brains):
    ours = table(brains[0])
    assert len(ours.get()) == 0
    assert ours.lexical(["port"], ours.get(), 5) == []


def test_what_another_process_writes_is_seen(brains):
    ours, theirs = table(brains[0]), brains[1].notes
    ids = [theirs.append(note(f"port {number}"))[0].id for number in range(300)]
    assert list(ours.get().ids) == ids
    before = ours.get()
    new, _ = theirs.append(note("port 0 moved"), [NoteEvent(ids[0], "supersede", 0.0)])
    theirs.add_events("w", [NoteEvent(ids[1], "confirm", 0.0, by="me")])
    after = ours.get()
    assert (len(before), len(after)) == (300, 301)
    assert (bool(before.live[0]), bool(after.live[0])) == (True, False)
    assert (bool(after.confirmed[1]), bool(after.confirmed[2])) == (True, False)
    assert after.affirmed[1] > after.created[1]
    assert after.ids[300] == new.id
    assert after.vectors.shape == (301, 64)
    assert after.vectors[300].any()


def test_removed_and_handed_over_records_are_noticed(brains):
    ours, theirs = table(brains[0]), brains[1].notes
    theirs.append(note("first", "other"))
    theirs.append(note("second"))
    assert len(ours.get()) == 1
    with theirs.database.write() as connection:  # as a merge does
        connection.execute("UPDATE notes SET workspace_id = 'w' WHERE workspace_id = 'other'")
    assert len(ours.get()) == 2
    theirs.remove_all("w")
    assert len(ours.get()) == 0


def test_words_find_this_workspace_alone_even_when_another_is_much_larger(brains, monkeypatch):
    ours, theirs = table(brains[0]), brains[1].notes
    for number in range(60):
        theirs.append(note(f"port {number}", "other"))
    kept, _ = theirs.append(note("the port is closed for ever after"))
    arrays = ours.get()
    assert [arrays.ids[position] for position, _ in ours.lexical(["port"], arrays, 20)] == [kept.id]


def test_among_very_many_records_common_words_are_left_out(brains, monkeypatch):
    ours, theirs = table(brains[0]), brains[1].notes
    for number in range(40):
        theirs.append(note(f"port {number}"))
    rare, _ = theirs.append(note("gateway of the port"))
    monkeypatch.setattr(note_words, "SCORED_ROWS", 20)
    arrays = ours.get()
    assert [arrays.ids[position] for position, _ in ours.lexical(["port", "gateway"], arrays, 20)] == [rare.id]
    assert [found.id for found, _ in brains[0].notes.search("w", ["port", "gateway"], None, 9)] == [rare.id]


def test_among_very_many_records_those_alike_share_a_rare_word_or_two_others(brains, monkeypatch):
    ours, theirs = brains[0].notes, brains[1].notes
    for number in range(30):
        theirs.append(note(f"port {number}"))
        theirs.append(note(f"gateway {number}"))
    both, _ = theirs.append(note("the gateway has a port"))
    rare, _ = theirs.append(note("the firewall"))
    monkeypatch.setattr(note_words, "SCORED_ROWS", 20)
    monkeypatch.setattr(note_words, "RARE_ROWS", 5)
    found = ours.search("w", ["port", "gateway", "firewall", "unheard"], None, 9, alike=True)
    assert {note.id for note, _ in found} == {both.id, rare.id}
    assert len(ours.search("w", ["port", "unheard"], None, 9, alike=True)) == 9
    assert ours.search("w", ["unheard"], None, 9, alike=True) == []
