"""Rules over values: conflicts, decay, the order of attempts."""

from __future__ import annotations

import numpy as np
import pytest

from zerikai_memory.memory.conflicts import disagreement
from zerikai_memory.memory.recall import Candidate, DecayDays, failed_first, weights
from zerikai_memory.model_notes import Anchor, Note
from zerikai_memory.store.note_table import NoteArrays

HERE = Anchor("a.py", "function", "f", "def f()", "h")


def note(content: str, category: str = "fact", outcome: str | None = None, *, at: bool = False) -> Note:
    return Note(content, category, content, 0.0, "w", outcome=outcome, anchors=(HERE,) if at else ())


@pytest.mark.parametrize(
    ("newer", "older", "why"),
    [
        ("The timeout is 60 seconds", "The timeout is 30 seconds", "second"),
        ("We store sessions in Redis", "We store sessions in PostgreSQL", "database"),
        ("Never squash commits on merge", "Always squash commits on merge", "never or always"),
        ("Do not cache the price list", "Cache the price list", "denies"),
        ("Flags are no longer read from the environment", "Flags are read from the environment", "denies"),
        ("Metrics are enabled in staging", "Metrics are disabled in staging", "enabled or disabled"),
        ("Use tabs for indentation in Go files", "Use spaces for indentation in Go files", "tabs or spaces"),
        ("Migrations run before the deploy", "Migrations run after the deploy", "before or after"),
        ("Retry failed jobs three times", "Retry failed jobs five times", "3 or 5"),
        ("We use REST for the public API", "The public API uses GraphQL", "protocol"),
        ("We decided on MongoDB for the analytics store", "Use PostgreSQL for the analytics store", "database"),
        ("Tests must run in parallel", "Tests must run sequentially", "parallel or sequentially"),
        ("Store uploads in S3", "Store uploads on the local disk", "file storage"),
        ("Use httpx instead of requests", "We use requests for HTTP calls", "requests or not"),
        ("Only admins can delete projects", "Anyone can delete projects", "only some or everyone"),
        ("Keep for 30 days", "Keep for one week", "time"),
        ("Start the server before the worker", "Start the worker before the server", "before or after"),
        ("We dropped support for Safari 14", "We support Safari 14", "denies"),
        ("After long talks we decided on Kafka for the event bus", "RabbitMQ is used for the event bus", "queue"),
        ("The queue is Kafka, not RabbitMQ", "The queue is RabbitMQ", "denies"),
        ("Node 18 is used for builds", "Node 22 is used for builds", "18 or 22"),
        ("The parser should not be strict about keys", "The parser should be strict about keys", "denies"),
    ],
)  # fmt: skip
def test_records_that_disagree_are_noticed_both_ways(newer: str, older: str, why: str):
    assert why in (disagreement(note(newer), note(older)) or "")
    assert disagreement(note(older), note(newer))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("The order service listens on port 8001", "The catalogue service listens on port 8002"),  # another subject
        ("Unit tests of the backend use pytest", "Unit tests of the storefront use Vitest"),  # other alternatives
        ("The timeout is 30 seconds", "The timeout of uploads is thirty times as long as that of pages"),
        ("Use PostgreSQL for orders", "Use PostgreSQL for orders because of JSON columns"),  # says more
        ("Refunds need a second approval", "Orders need a fraud check"),
        ("Logs are written as JSON", "Reports are written as CSV"),  # another subject
        ("Deploy on Monday", "The tax service is down on Sunday"),
        ("Do not edit generated types by hand", "Generated types come from make codegen"),
        ("The mobile client caches for 5 minutes", "The web client caches for 10 minutes"),
        ("Do not use floats for money", "Use integers for money"),
        ("Use black to format Python", "Use prettier to format TypeScript"),
        ("Stage 1 of the pipeline takes 3 minutes", "Stage 2 of the pipeline takes 10 minutes"),  # numbers as names
        ("Never log passwords", "Log every login attempt"),
        ("Backups run daily at 2", "Backups are kept for 30 days"),
        ("Version 2 of the API is current", "Version 1 of the API is deprecated"),
        ("old note 1", "old note 2"),
        ("x", "y"),
        ("Django 4.2 release notes", "Django 5.1 release notes"),
        ("When DEBUG is false errors are mailed", "When DEBUG is true errors are mailed"),  # a condition
        ("Raised the limit from 5 to 10", "Raised the limit from 10 to 20"),  # a history
        ("The export is cached", "The export is paginated"),  # both may be done
        ("app = Starlette(routes=routes)", "app = Starlette(debug=True)"),  # code
        ("Use tabs instead of spaces in Go files", "We use spaces in Python files"),
        ("Retry when the server does not answer", "Retry when the server answers slowly"),
        ("The weekly call is on Zoom", "The monthly call is on Zoom"),
        ("", "The timeout is 30 seconds"),
    ],
)
def test_records_that_agree_or_speak_of_something_else_are_left_alone(one: str, two: str):
    assert disagreement(note(one), note(two)) is None
    assert disagreement(note(two), note(one)) is None


def test_attempts_with_outcomes_are_no_conflict():
    assert disagreement(note("Use pip", "fix", "worked"), note("Use uv", "fix", "failed")) is None


def test_a_shared_anchor_is_a_shared_subject():
    newer, older = "It retries 5 times", "It retries 3 times"
    assert disagreement(note(newer, at=True), note(older, at=True))


def arrays(affirmed: list[float], confirmed: list[bool], outcomes: list[int]) -> NoteArrays:
    n = len(affirmed)
    times = np.array(affirmed, np.float64)
    return NoteArrays(
        seqs=np.arange(n), created=times, affirmed=times, importance=np.full(n, 0.5, np.float32),
        outcomes=np.array(outcomes, np.int8), categories=np.zeros(n, np.int64), live=np.ones(n, np.bool_),
        confirmed=np.array(confirmed), vectors=np.zeros((n, 4), np.float32), category_names=("fact",),
        ids=[str(i) for i in range(n)],
    )  # fmt: skip


def test_age_halves_the_freshness_in_90_days_and_in_365_when_confirmed():
    day = 86_400.0
    now = 1000 * day
    found = weights(
        arrays([now, now - 90 * day, now - 180 * day, now, now - 365 * day], [False] * 3 + [True] * 2, [0] * 5),
        np.arange(5), fixing=False, now=now, decay=DecayDays(),
    )  # fmt: skip
    lost = 1 - found / np.array([found[0]] * 3 + [found[3]] * 2)
    assert lost[1] == pytest.approx(lost[4])
    assert lost[2] == pytest.approx(1.5 * lost[1])
    assert found[3] > found[0]


def test_before_a_fix_failed_attempts_weigh_most_then_what_worked():
    table = arrays([0.0] * 3, [False] * 3, [0, 1, 2])
    plain, worked, failed = weights(table, np.arange(3), fixing=True, now=0.0, decay=DecayDays())
    assert failed > worked > plain
    assert len(set(weights(table, np.arange(3), fixing=False, now=0.0, decay=DecayDays()))) == 1


def test_a_failed_attempt_moves_before_what_worked_on_the_same_and_nothing_else_moves():
    unit = np.eye(3, dtype=np.float32)
    notes = [note("a"), note("b", "fix", "worked"), note("c", "fix", "worked"), note("d", "fix", "failed")]
    vectors = [unit[0], unit[1], unit[2], unit[2]]
    found = [Candidate(note, 1.0, 1.0, vector) for note, vector in zip(notes, vectors, strict=True)]
    assert [n.content for n in failed_first(found)] == ["a", "b", "d", "c"]
