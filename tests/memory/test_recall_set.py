"""Recall over the set of tests/data/recall: paraphrases, chains, old records, disagreements, failed attempts."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.recallkit import SHOP, fill, open_ledger, questions, rows
from zerikai_memory.memory.ledger import Ledger
from zerikai_memory.retrieve.query import understand
from zerikai_memory.store.brain import Brain

NOW = time.time()


@pytest.fixture(scope="module")
def brain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    brain = Brain(tmp_path_factory.mktemp("recall") / "brain")
    fill(brain, open_ledger(brain, NOW), NOW)
    yield brain
    brain.close()


@pytest.fixture(scope="module")
def ledger(brain: Brain) -> Ledger:
    return open_ledger(brain, NOW)


def test_the_set_is_large_enough():
    assert len(rows()) >= 120
    assert len(questions()) >= 60
    assert len({row.key for row in rows()}) == len(rows())


def test_the_right_live_record_comes_first(ledger: Ledger):
    wrong = []
    for question in questions():
        found = [note.id for note in ledger.recall(SHOP, understand(question.text), None, 5)]
        right = found[: len(question.expected)] == list(question.expected) if question.expected else not found
        wrong += [] if right else [(question.text, question.expected, found)]
    assert len(wrong) <= 0.1 * len(questions()), wrong


@pytest.mark.parametrize(("name", "least"), [("compiler", 22), ("clinic", 20)])
def test_other_sets_that_nothing_was_tuned_on(tmp_path: Path, name: str, least: int):
    brain = Brain(tmp_path / "brain")
    ledger = open_ledger(brain, NOW)
    fill(brain, ledger, NOW, f"{name}_records.txt")
    wrong = []
    for question in questions(f"{name}_questions.txt"):
        found = [note.id for note in ledger.recall(SHOP, understand(question.text), None, 5)]
        right = found[: len(question.expected)] == list(question.expected) if question.expected else not found
        wrong += [] if right else [(question.text, question.expected, found)]
    events = brain.notes.events(SHOP.id)
    brain.close()
    assert len(questions(f"{name}_questions.txt")) - len(wrong) >= least, wrong
    assert events == []


def test_a_superseded_record_is_never_shown_as_live(ledger: Ledger):
    superseded = {row.marks["supersedes"] for row in rows() if "supersedes" in row.marks}
    asked = [question.text for question in questions()] + [row.content for row in rows()]
    shown = {note.id for text in asked for note in ledger.recall(SHOP, understand(text), None, 10)}
    assert superseded
    assert not shown & superseded


def test_all_conflicts_are_flagged_and_few_others(brain: Brain):
    true = {(row.key, row.marks["disagrees"]) for row in rows() if "disagrees" in row.marks}
    claimed = {(event.note_id, event.other_id) for event in brain.notes.events(SHOP.id) if event.kind == "conflict"}
    assert true - claimed == set()
    assert len(claimed - true) <= 0.02 * len(rows()), claimed - true


def test_records_that_disagree_are_shown_together_and_name_each_other(ledger: Ledger):
    for row in rows():
        if "disagrees" in row.marks:
            found = {note.id: note for note in ledger.recall(SHOP, understand(row.content), None, 5)}
            other = row.marks["disagrees"]
            assert {row.key, other} <= found.keys(), row
            assert found[row.key].conflicts == (other,)
            assert found[other].conflicts == (row.key,)
