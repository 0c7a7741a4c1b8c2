"""Disagreements that a prefix, `only`, `never` or a limit tells, and near misses of the same words."""

from __future__ import annotations

import pytest

from zerikai_memory.memory.conflicts import disagreement
from zerikai_memory.memory.negating import negates
from zerikai_memory.model_notes import Note

CONFLICTS = [
    ("The freight endpoint accepts only XML", "The freight endpoint accepts only JSON"),
    ("Only admins can refund", "Only managers can refund"),
    ("Only admins may delete bookings", "Only owners may delete bookings"),
    ("The API key is required", "The API key is not needed"),
    ("Tokens never expire", "Tokens expire after 30 days"),
    ("The queue is unbounded", "The queue is limited to 100 entries"),
    ("Search is case sensitive", "Search is case insensitive"),
    ("Branch main is protected", "Branch main is unprotected"),
    ("The payload is encrypted", "The payload is unencrypted"),
    ("Names are unique", "Names are non-unique"),
    ("The cache is persistent", "The cache is non-persistent"),
    ("Access is restricted", "Access is unrestricted"),
    ("The nodes are connected", "The nodes are disconnected"),
    ("The parser is deterministic", "The parser is nondeterministic"),
    ("The field is required", "The field is not required"),
    ("A licence key is needed", "A licence key is not required"),
    ("Logs are never deleted", "Logs are deleted after 90 days"),
    ("The pool is unlimited", "The pool is limited to 20 connections"),
    ("The import takes only CSV files", "The import takes only Excel files"),
    ("Sessions do not expire", "Sessions expire after 8 hours"),
    ("Indexes are valid", "Indexes are invalid"),
    ("Uploads are unlimited", "Uploads are limited to 5 MB"),
]

NEAR_MISSES = [
    ("Logs are written to stdout", "Logs are written to standard output"),
    ("Errors go to stderr", "Errors go to standard error"),
    ("The disk is full", "The disk is fulfilled"),
    ("Only admins can refund", "Only admins can refund orders over 100"),
    ("Only admins can refund", "Only managers can approve"),
    ("The pool is limited to 20 connections", "The queue is unbounded"),
    ("Tokens never expire in tests", "Tokens expire after 30 days"),
    ("Access tokens expire after 30 days", "Refresh tokens never expire"),
    ("Invalid input is logged", "Valid input is stored"),
    ("Unsigned builds are refused", "Signed builds are refused after a year"),
    ("The index is dexterous", "The index is indexed"),
    ("The queue is limited to 100 entries", "The queue is limited to 100 entries per tenant"),
    ("The output is put", "The output is input"),
    ("The job is stalled", "The job is installed"),
    ("The mode is form", "The mode is inform"),
    ("The API key is required", "The API key is needed"),
    ("An API key is required", "An API key is necessary"),
    ("The API key is not required", "The API key is not needed"),
    ("Passwords never appear in logs", "Passwords expire after 30 days"),
    ("The freight endpoint accepts only XML", "The quote endpoint accepts only JSON"),
    ("Unauthenticated users see the start page", "Authenticated users see the start page"),
    ("Logs are never deleted by hand", "Logs are deleted after 90 days"),
    ("Only admins refund orders", "Only managers approve orders"),
    ("The parser is patched", "The parser is dispatched"),
    ("The build is installed", "The build is stalled"),
    ("Non-blocking calls are logged", "Blocking calls are logged"),
    ("Uploads are limited to 5 MB for guests", "Uploads are unlimited for members"),
    ("The service needs Redis", "The worker needs Redis"),
    ("Only the web front uses Redis", "Only the worker uses Postgres"),
    ("Events are displayed", "Events are played"),
    ("The team is united", "The team is untied"),
    ("Disconnected clients are retried", "Connected clients are pinged"),
    ("Access is restricted to staff", "Access is logged"),
    ("Retries are unlimited in staging", "Retries are limited to 3"),
    ("Backups are never deleted after 30 days", "Backups are deleted after 90 days"),
    ("A visa is needed for crew", "A visa is required for passengers"),
    ("The reader accepts only signed passes at night", "The reader accepts only paper passes"),
    ("Invalid tokens are logged", "Valid tokens are cached"),
    ("Locks never expire", "Leases expire after 30 seconds"),
]


def told(one: str, other: str) -> list[str | None]:
    notes = [Note(text, "fact", text, 0.0, "w") for text in (one, other)]
    return [disagreement(*notes), disagreement(*notes[::-1])]


@pytest.mark.parametrize(("one", "other"), CONFLICTS)
def test_both_cannot_hold_whichever_was_said_first(one: str, other: str):
    assert all(told(one, other))


@pytest.mark.parametrize(("one", "other"), NEAR_MISSES)
def test_both_can_hold(one: str, other: str):
    assert told(one, other) == [None, None]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("protected", "unprotected", True),
        ("invalid", "valid", True),
        ("non-unique", "unique", True),
        ("connected", "disconnected", True),
        ("immutable", "mutable", True),
        ("stalled", "installed", False),
        ("form", "inform", False),
        ("patched", "dispatched", False),
        ("less", "unless", True),  # a word of form, which never is a value
        ("union", "ion", False),
        ("protected", "protected", False),
    ],
)
def test_a_prefix_denies_a_word_only_where_a_word_is_left(one: str, other: str, expected: bool):
    assert negates(one, other) is negates(other, one) is expected
