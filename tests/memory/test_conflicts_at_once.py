"""Records that are written at the same moment, by threads and by processes: every pair that disagrees is found."""

from __future__ import annotations

import itertools
import multiprocessing
import threading
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from tests.memory.recallkit import SHOP, open_ledger
from zerikai_memory.memory.notes import Draft
from zerikai_memory.memory.pairing import Compared
from zerikai_memory.model_notes import Note
from zerikai_memory.store.brain import Brain

WRITERS, ROUNDS = 4, 3
# Only so that a test that hangs ends.
PATIENCE_S = 120.0


def size(number: int) -> str:
    return f"The cache size is {100 + number} MB"


def save_at_once(home: str, writer: int, barrier: Barrier) -> None:
    brain = Brain(Path(home))
    ledger = open_ledger(brain, session=f"s{writer}")
    for turn in range(ROUNDS):
        barrier.wait(PATIENCE_S)
        ledger.save(SHOP, Draft(size(10 * turn + writer)))
    brain.close()


def flagged(brain: Brain) -> set[frozenset[str]]:
    return {frozenset((e.note_id, e.other_id)) for e in brain.notes.events(SHOP.id) if e.kind == "conflict"}


def assert_every_pair_is_flagged(brain: Brain, records: int) -> None:
    notes = brain.notes.latest(SHOP.id, None, 100)
    assert len(notes) == records
    every = {frozenset((one.id, other.id)) for one, other in itertools.combinations(notes, 2)}
    assert flagged(brain) == every
    for note in notes:
        assert set(note.conflicts) == {other.id for other in notes} - {note.id}


@pytest.mark.parametrize("first", [0, 1])
def test_of_two_that_were_compared_before_either_was_written_the_later_meets_the_other(tmp_path: Path, first: int):
    brain = Brain(tmp_path / "brain")
    notes = [Note(f"n{i}", "fact", size(i), 0.0, SHOP.id) for i in range(2)]
    compared = [Compared(brain.notes, note, set()) for note in notes]
    assert [one.found for one in compared] == [[], []]
    for i in (first, 1 - first):
        brain.notes.append(notes[i], compared[i].events(), None, compared[i].seen)
    assert [other.id for other, _ in compared[1 - first].found] == [f"n{first}"]
    assert_every_pair_is_flagged(brain, 2)
    brain.close()


def test_a_record_that_comes_between_two_looks_is_flagged_once(tmp_path: Path):
    brain = Brain(tmp_path / "brain")
    open_ledger(brain).save(SHOP, Draft(size(1)))
    note = Note("n", "fact", size(2), 0.0, SHOP.id)
    compared = Compared(brain.notes, note, set())
    seen_again = type(compared.seen)(0, compared.seen.compare)
    brain.notes.append(note, compared.events(), None, seen_again)
    assert sum(event.kind == "conflict" for event in brain.notes.events(SHOP.id)) == 1
    brain.close()


def test_threads_that_save_at_once_lose_no_conflict(tmp_path: Path):
    brain = Brain(tmp_path / "brain")
    ledger = open_ledger(brain)
    barrier = threading.Barrier(WRITERS)

    def save(writer: int) -> None:
        for turn in range(ROUNDS):
            barrier.wait(PATIENCE_S)
            ledger.save(SHOP, Draft(size(10 * turn + writer)))

    threads = [threading.Thread(target=save, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert_every_pair_is_flagged(brain, WRITERS * ROUNDS)
    brain.close()


def test_processes_that_save_at_once_lose_no_conflict(tmp_path: Path):
    home = tmp_path / "brain"
    Brain(home).close()
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(WRITERS)
    processes = [context.Process(target=save_at_once, args=(str(home), w, barrier)) for w in range(WRITERS)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(PATIENCE_S)
    assert [process.exitcode for process in processes] == [0] * WRITERS
    brain = Brain(home)
    assert_every_pair_is_flagged(brain, WRITERS * ROUNDS)
    brain.close()


def test_a_record_that_was_replaced_meanwhile_is_no_conflict(tmp_path: Path):
    brain = Brain(tmp_path / "brain")
    ledger = open_ledger(brain)
    old = ledger.save(SHOP, Draft(size(1)))
    note = Note("n", "fact", size(2), 0.0, SHOP.id)
    compared = Compared(brain.notes, note, set())
    newer = ledger.save(SHOP, Draft(size(3), supersedes=[old.id]))
    brain.notes.append(note, compared.events(), None, compared.seen)
    assert brain.notes.get(["n"])[0].conflicts == (newer.id,)
    brain.close()
