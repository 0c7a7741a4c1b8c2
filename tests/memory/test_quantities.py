"""Numbers with units as they stand in a sentence."""

from __future__ import annotations

import pytest

from zerikai_memory.memory.quantities import Quantity, quantity_at


def read(text: str) -> Quantity:
    found = quantity_at(text.split(), 0)
    assert found is not None
    assert found[1] == len(text.split())
    return found[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 GB", "1024 MB"),
        ("1 GB", "1000 MB"),  # both readings of a gigabyte
        ("2TB", "2000 GB"),
        ("30 days", "1 month"),
        ("12 months", "1 year"),
        ("7 days", "a week"),
        ("half an hour", "30 min"),
        ("1500 ms", "1.5 s"),
        ("1,5 s", "1.5 s"),
        ("sixty seconds", "1 minute"),
        ("zwei Wochen", "14 Tage"),
        ("1,000", "1000"),
        ("two", "2"),
        ("60 MB per minute", "60 MB / min"),
    ],
)
def test_the_same_in_other_words(one: str, other: str):
    assert read(one).same(read(other))
    assert read(other).same(read(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("512 MB", "1 GB"),
        ("101 MB", "102 MB"),
        ("30 days", "a week"),
        ("3.10", "3.1"),  # versions, not fractions
        ("5 s", "5 m"),
        ("10 MB per minute", "10 MB per second"),
        ("80 %", "80"),
    ],
)
def test_another_amount_or_another_dimension(one: str, other: str):
    assert not read(one).same(read(other))


@pytest.mark.parametrize("text", ["a server", "an index", "one-off", "x86", "utf8", "-", "", "half a page"])
def test_what_is_no_quantity(text: str):
    words = text.split() or [""]
    assert quantity_at(words, 0) is None
