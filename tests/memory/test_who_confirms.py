"""Who vouches for a record: a person's word weighs more than an agent's, and both are named as what they are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.memory.recallkit import SHOP, open_ledger
from zerikai_memory.memory.ledger import Ledger
from zerikai_memory.memory.notes import Draft
from zerikai_memory.model_notes import Note
from zerikai_memory.render import note_marks
from zerikai_memory.retrieve.query import understand
from zerikai_memory.store.brain import Brain


@pytest.fixture
def brain(tmp_path: Path) -> Iterator[Brain]:
    brain = Brain(tmp_path / "brain")
    yield brain
    brain.close()


@pytest.fixture
def ledger(brain: Brain) -> Ledger:
    return open_ledger(brain)


def draft(text: str = "Deploys go out from main", by: object = True, *, accepted: bool = False) -> Draft:
    return Draft(text, details={"confirmed": by}, accepted=accepted)


def kept(brain: Brain, note: Note) -> Note:
    return brain.notes.get([note.id])[0]


@pytest.mark.parametrize(("by", "named"), [(True, "agent cursor for user"), ("Ann", "agent cursor for Ann")])
def test_what_an_agent_confirms_is_named_as_the_agents(brain: Brain, ledger: Ledger, by: object, named: str):
    note = ledger.save(SHOP, draft(by=by), "cursor")
    assert kept(brain, note).confirmed_by == named
    assert f"confirmed by {named}, not by a person" in note_marks(note)


def test_what_a_person_saves_or_accepts_is_theirs(brain: Brain, ledger: Ledger):
    saved = ledger.save(SHOP, draft("Lint runs first"))
    accepted = ledger.save(SHOP, draft("Tests run second", "Ann", accepted=True), "cursor")
    assert (kept(brain, saved).confirmed_by, kept(brain, accepted).confirmed_by) == ("user", "Ann")
    assert "confirmed by Ann" in note_marks(kept(brain, accepted))


@pytest.mark.parametrize("person_first", [True, False])
def test_a_persons_word_stands_above_an_agents_whichever_came_first(brain: Brain, ledger: Ledger, person_first: bool):
    note = ledger.save(SHOP, Draft("Deploys go out from main"))
    words = [lambda: ledger.confirm(SHOP, note.id, "Ann"), lambda: ledger.save(SHOP, draft(), "cursor")]
    for say in words if person_first else words[::-1]:
        say()
    assert kept(brain, note).confirmed_by == "Ann"


def test_an_agents_word_weighs_less_than_a_persons(brain: Brain, ledger: Ledger):
    said = ledger.save(SHOP, draft("Releases of the parser wait for Ann"), "cursor")
    vouched = ledger.save(SHOP, draft("Releases of the printer wait for Ann"))
    question = understand("which releases wait for Ann")
    assert [note.id for note in ledger.recall(SHOP, question, None, 5)] == [vouched.id, said.id]
    ledger.confirm(SHOP, said.id)
    arrays = ledger._table(SHOP).get()
    assert arrays.confirmed.tolist() == [True, True]


def test_three_sessions_confirm_by_rule_what_only_an_agent_has_confirmed(brain: Brain, tmp_path: Path):
    for session in "abc":
        note = open_ledger(brain, session=session).save(SHOP, draft(), "cursor")
    assert note.confirmed_by is not None
    assert note.confirmed_by.startswith("rule: ")


def test_blank_names_are_no_sessions(brain: Brain):
    for session in ("", " ", "\t", "a", "b"):
        note = open_ledger(brain, session=session).save(SHOP, Draft("Deploys go out from main", session=" "))
    assert note.confirmed_by is None
    assert brain.notes.sessions(note.id) == {"a", "b"}


def test_each_time_a_vague_remark_is_said_the_reply_says_why_it_weighs_little(ledger: Ledger):
    told = [ledger.save(SHOP, Draft("Someone said the scanner was slow")).warnings for _ in range(3)]
    assert all("no firm statement (hearsay)" in " ".join(warnings) for warnings in told)
    assert ["said again is recorded" in " ".join(warnings) for warnings in told] == [False, True, True]
