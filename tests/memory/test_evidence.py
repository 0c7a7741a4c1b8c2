"""Words that a record lacks do not silence it: rare words in common count however many others a question has."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.memory.recallkit import SHOP, fill, open_ledger, questions
from zerikai_memory.memory.evidence import Rarity, enough, shared
from zerikai_memory.memory.ledger import Ledger
from zerikai_memory.memory.notes import Draft
from zerikai_memory.retrieve.query import understand
from zerikai_memory.store.brain import Brain

NOW = time.time()
SETS = ("", "compiler_", "clinic_")
# Words that no record of the sets has.
BESIDE = (
    "for Estonian tourists",
    "in the vendor's interface",
    "of Maria's laptop yesterday",
    "since the merger with Globex",
    "on the ninth floor",
    "according to the auditors",
    "with penguins",
    "because the director insisted",
)


@pytest.fixture(scope="module")
def ledgers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Ledger]]:
    brains = {name: Brain(tmp_path_factory.mktemp("evidence") / "brain") for name in SETS}
    found = {name: open_ledger(brain, NOW) for name, brain in brains.items()}
    for name, brain in brains.items():
        fill(brain, found[name], NOW, f"{name}records.txt")
    yield found
    for brain in brains.values():
        brain.close()


@pytest.fixture
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    brain = Brain(tmp_path_factory.mktemp("few") / "brain")
    yield open_ledger(brain, NOW)
    brain.close()


@pytest.mark.parametrize(
    ("name", "most_silent", "least_first"), [("", 8, 155), ("compiler_", 13, 29), ("clinic_", 20, 27)]
)
def test_a_question_with_words_that_no_record_has(
    ledgers: dict[str, Ledger], name: str, most_silent: int, least_first: int
):
    asked = [question for question in questions(f"{name}questions.txt") if question.expected]
    silent = first = named = 0
    for i, question in enumerate(asked):
        for words in (BESIDE[i % len(BESIDE)], BESIDE[(i + 3) % len(BESIDE)]):
            query = understand(f"{question.text} {words}")
            found = [note.id for note in ledgers[name].recall(SHOP, query, None, 5)]
            first += found[:1] != [] and found[0] in question.expected
            if not found:
                silent += 1
                near = {note.id for note in ledgers[name].nearest(SHOP, query, None)}
                named += bool(near & set(question.expected))
    assert silent <= most_silent, (silent, first, named)
    assert first >= least_first
    assert named >= 0.5 * silent


def test_questions_about_other_projects_show_few_records(ledgers: dict[str, Ledger]):
    shown = 0
    for name, ledger in ledgers.items():
        for other in SETS:
            for question in questions(f"{other}questions.txt"):
                if other != name:
                    shown += len(ledger.recall(SHOP, understand(question.text), None, 5))
    # 95 before words in common counted for themselves, 85 after that, 95 with those that mean the same without a word
    # in common, which answer 16 hard questions of 40 instead of 7; many of these fit a record of the other project.
    assert shown <= 95


def test_a_superseded_record_is_named_neither_as_an_answer_nor_as_the_nearest(empty: Ledger):
    old = empty.save(SHOP, Draft("The seat hold of the operator interface lasts 12 minutes"))
    new = empty.save(SHOP, Draft("Berths go back on sale after a quarter of an hour", supersedes=[old.id]))
    for text in ("seat hold", "seat hold of penguins in Brazil and Peru", "operator", "penguins in Brazil"):
        query = understand(text)
        shown = [*empty.recall(SHOP, query, None, 5), *empty.nearest(SHOP, query, None)]
        assert {note.id for note in shown} <= {new.id}


@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("Flaky run of test_seatmap came from the ordering of decks", "seat map glitch on Mondays in Helsinki"),
        ("The tile provider of our maps times out in Estonia", "maps do not appear for Estonian visitors abroad"),
        ("The operator API allows 120 calls per minute for each harbour token", "operator token budget of penguins"),
    ],
)
def test_a_rare_word_or_phrase_in_common_is_enough(empty: Ledger, said: str, question: str):
    wanted = empty.save(SHOP, Draft(said))
    for other in ("Prices are integers of minor units", "Logs are kept for 30 days in Loki", "We use Weblate"):
        empty.save(SHOP, Draft(other))
    assert [note.id for note in empty.recall(SHOP, understand(question), None, 5)][:1] == [wanted.id]


@pytest.mark.parametrize("question", ["how to bake bread", "flexbox centering", "who won the tennis match"])
def test_nothing_is_near_to_a_question_about_something_else(ledgers: dict[str, Ledger], question: str):
    for ledger in ledgers.values():
        assert ledger.recall(SHOP, understand(question), None, 5) == ()
        assert len(ledger.nearest(SHOP, understand(question), None)) <= 2


def test_words_of_every_record_are_no_evidence():
    found = shared(["invoice", "gateway", "penguin"], ["the", "invoice", "gateway", "fails"], ["invoice", "gateway"])
    assert set(found.same) == {"invoice", "gateway"}
    assert found.mass(Rarity(100, {"invoice": 100, "gateway": 90})) < 0.1
    assert found.mass(Rarity(100, {"invoice": 1, "gateway": 2})) > 1.5


def test_words_that_say_nothing_are_not_in_common():
    assert shared(["before", "all", "the", "run"], ["run", "all", "before", "the"], ["all"]).same == ()


def test_another_form_of_a_word_counts_less_than_the_word():
    rarity = Rarity(100, {"estonia": 1})
    form = shared(["estonian"], ["estonia"], ["estonia"])
    assert form.related == ("estonia",)
    assert 0 < form.mass(rarity) < shared(["estonia"], ["estonia"], ["estonia"]).mass(rarity)


@pytest.mark.parametrize(
    ("mass", "distance", "asked_words", "passes"),
    [
        (1.4, 1.7, 6, True),
        (1.4, 1.8, 6, False),  # the vector says it is about something else
        (1.4, 1.6, 20, False),  # of twenty words some are met by chance
        (0.9, 1.25, 6, True),
        (0.9, 1.5, 6, False),
    ],
)
def test_how_much_is_enough(mass: float, distance: float, asked_words: int, passes: bool):
    found = shared(["operator"], ["operator", "token", "lock"], ["operator", "token", "lock"])
    assert enough(found, mass, distance, asked_words) is passes
