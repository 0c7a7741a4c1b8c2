"""What a remark weighs: tables of remarks (tests/data/salience), and the rules as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from zerikai_memory.memory.salience import JUDGED_CHARS, TENTATIVE_MOST, importance, matched_rules, tentative
from zerikai_memory.memory.salience_rules import salience_rules

DATA = Path(__file__).resolve().parents[1] / "data" / "salience"
# A firm remark is worth at least this, however short.
FIRM_LEAST = 0.3


def remarks(name: str) -> list[tuple[str, str, str]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            kind, category, text = (part.strip() for part in line.split("|", 2))
            found.append((kind, category, text))
    return found


def misjudged(name: str) -> list[tuple[str, float]]:
    found = []
    for kind, category, text in remarks(name):
        value = importance(category, text)
        right = value <= TENTATIVE_MOST if kind == "vague" else value >= FIRM_LEAST
        found += [] if right else [(text, value)]
    return found


def test_the_remarks_that_the_rules_were_written_with_are_judged_right():
    assert len(remarks("tuning.txt")) >= 80
    assert misjudged("tuning.txt") == []


def test_remarks_that_the_rules_were_not_written_with_are_judged_right():
    assert len(remarks("unseen.txt")) >= 80
    assert len(misjudged("unseen.txt")) <= 0.05 * len(remarks("unseen.txt")), misjudged("unseen.txt")


@pytest.mark.parametrize("cue", salience_rules().tentative, ids=lambda cue: cue.name)
def test_the_examples_of_a_cue_are_tentative_by_it(cue):
    assert [tentative(text) for text in cue.examples] == [cue.name] * len(cue.examples)


@pytest.mark.parametrize("cue", salience_rules().decided, ids=lambda cue: cue.name)
def test_what_is_said_to_be_decided_is_firm_whatever_else_it_holds(cue):
    assert [tentative(text) for text in cue.examples] == [None] * len(cue.examples)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Why retries? The gateway drops a percent.", None),  # a question that is answered
        ("Why not Redis? It is fast.", "question"),  # one that proposes
        ("Use tabs here, I guess", "guess"),  # a tag takes it all back
        ("Sessions live in Redis now, maybe we move to files later", None),  # an afterthought does not
        ("Redis might be an option, but we stay with Postgres for sessions", None),
        ("It might be Redis, but who knows", "guess"),
        ("Not decided yet: maybe tabs", "undecided"),
        ("Decided: maybe-types stay", None),
        ("MAYBE WE USE REDIS", "guess"),
        ("maybe_retry", None),
        ("", None),
        ("\ud800 maybe \x00", "guess"),
        ("???", "question"),
    ],
)
def test_a_remark_is_judged_by_its_sentences(text: str, why: str | None):
    assert tentative(text) == why


def test_an_attempt_with_an_outcome_is_firm_and_one_without_is_not():
    text = "For now restarting the worker helps"
    assert importance("fix", text, "worked") > TENTATIVE_MOST
    assert importance("fix", text, "failed") > TENTATIVE_MOST
    assert importance("fix", text, "unknown") == importance("fix", text) == TENTATIVE_MOST


@pytest.mark.parametrize(
    ("category", "less", "more"),
    [
        ("fact", "The cache is cleared nightly", "The cache must never be cleared by hand because orders get lost"),
        ("decision", "We keep SQL", "We keep plain SQL since two ORMs were slower in our load tests"),
        ("fix", "Restart the worker pods once", "Restart the worker pods: the leak corrupts the index otherwise"),
        ("fact", "Sessions expire at night", "Sessions expire at night in `expire_sessions` of auth/session.py"),
    ],
)
def test_reasons_rules_damage_and_code_raise_the_weight(category: str, less: str, more: str):
    assert importance(category, less) < importance(category, more) <= 0.95


def test_a_decision_weighs_more_than_a_fact_and_an_unknown_category_like_one():
    text = "The storefront is rendered on the server"
    assert importance("decision", text) > importance("fact", text) == importance("recipe", text)
    assert all(0 < value < 1 for value in salience_rules().base.values())


@pytest.mark.parametrize("rule", salience_rules().weights, ids=lambda rule: rule.name)
def test_every_weight_is_met_by_some_text(rule):
    assert any(rule in matched_rules(text) for text in ("because", "never", "data loss", "see `x`"))


def test_names_of_rules_are_told_apart():
    rules = salience_rules()
    names = [rule.name for rule in (*rules.tentative, *rules.decided, *rules.weights)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    "part", ["a ", "!", "maybe ", "we could just also ", "x-", "```", "'a", "not ", ", but ", "ok, "]
)
def test_a_long_paste_is_judged_without_backtracking_for_ever(part: str):
    # A pattern that backtracks would not come back; nothing here depends on how fast a machine is.
    assert tentative(part * JUDGED_CHARS) in {None, *(cue.name for cue in salience_rules().tentative)}


# Builds that are red today, hearsay, experiments, and what nobody has looked at.
FLEETING = [
    "CI is red",
    "The CI is red again",
    "The build is red",
    "the tests on main are red",
    "nightly build is red now",
    "staging is down",
    "someone mentioned that Riga may be added",
    "Someone said the scanner was slow",
    "somebody in ops told me the pool is too small",
    "quick experiment, will throw this branch away",
    "haven't looked into the fare bug yet",
    "I have not checked the tides",
    "not tested yet",
    "Nobody has looked at the queue so far",
    "apparently the gate reboots",
    "I heard that Kalmar closes in June",
    "rumour has it that Riga opens",
    "just a spike to see if Kafka fits",
    "trying out uv on the laptop",
    "They say the port is closed",
    "throwaway branch for the new UI",
    "didn't get to test the import yet",
    "A small prototype, I'll delete it",
]
# Colours, words that are spoken of, and near forms of the same words that hold for good.
LASTING = [
    "Berth light colour is blue",
    "Berth light colour is red",
    "The error banner is red",
    "Failed sailings are shown red",
    "The warning icon is red",
    "The status LED is green",
    "The word maybe is a reserved token of the rule language",
    "The keyword later is reserved",
    "The delivery van is broken down by region in reports",
    "Users may cancel up to 24 hours before departure",
    "Guests might be asked for an ID",
    "The experiment flag is read from the environment",
    "Experiments run in the sandbox cluster",
    "Prototype pollution is blocked by freezing Object.prototype",
    "Testing the parser requires Docker",
    "Someone must approve each release",
    "If someone says stop the bot leaves the channel",
    "The job will delete it after 30 days",
    "Retries are not tested in CI",
    "Not checked certificates are refused",
    "A quick check of the tides runs every hour",
    "Never tested backups are no backups",
    "They are stored as bytes",
    "Spikes in load are absorbed by the queue",
    "The test suite stores its results in red.json",
    "We have not used Celery since 2023",
    "People may board 30 minutes before",
    "The server is slow to start because it loads the tide tables",
    "Trying a payment twice returns the first result",
    "A short trial of 14 days is offered to new users",
    "The scratch directory is wiped at boot",
    "Checks have not been needed since the trigger exists",
    "Tokens are never checked twice",
]


@pytest.mark.parametrize("text", FLEETING)
def test_what_holds_for_a_day_was_heard_or_is_tried_weighs_little(text: str):
    assert importance("fact", text) <= TENTATIVE_MOST


@pytest.mark.parametrize("text", LASTING)
def test_what_only_sounds_like_that_weighs_as_a_statement(text: str):
    assert tentative(text) is None
    assert importance("fact", text) >= FIRM_LEAST
