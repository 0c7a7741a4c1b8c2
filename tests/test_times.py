"""Points in time as people write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from zerikai_memory.errors import InputError
from zerikai_memory.times import moment

NOW = datetime(2026, 5, 10, 12, 30, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-05-03", "2026-05-03T00:00", "2026-05-04T00:00"),
        ("20260503", "2026-05-03T00:00", "2026-05-04T00:00"),
        ("2026-W18-7", "2026-05-03T00:00", "2026-05-04T00:00"),
        ("2026-05", "2026-05-01T00:00", "2026-06-01T00:00"),
        ("2026-12", "2026-12-01T00:00", "2027-01-01T00:00"),
        ("2025", "2025-01-01T00:00", "2026-01-01T00:00"),
        (" Yesterday ", "2026-05-09T00:00", "2026-05-10T00:00"),
        ("today", "2026-05-10T00:00", "2026-05-11T00:00"),
    ],
)
def test_a_day_a_month_or_a_year_has_a_first_and_a_last_moment(text: str, first: str, last: str):
    def at(iso: str) -> float:
        return datetime.fromisoformat(iso).replace(tzinfo=UTC).timestamp()

    assert moment(text, "--as-of", NOW) == at(first)
    assert moment(text, "--as-of", NOW, end_of_day=True) == pytest.approx(at(last), abs=1e-3)
    assert moment(text, "--as-of", NOW, end_of_day=True) < at(last)


@pytest.mark.parametrize(
    ("text", "seconds_ago"),
    [
        ("now", 0), ("24h", 86_400), ("7d", 7 * 86_400), ("2 weeks ago", 14 * 86_400), ("an hour ago", 3600),
        ("last week", 7 * 86_400), ("a month ago", 30 * 86_400), ("2026-05-10T12:00", 1800),
        ("2026-05-10 12:00:00Z", 1800), ("2026-05-10T14:00+02:00", 1800),
    ],
)  # fmt: skip
def test_a_moment_or_an_age_is_the_same_at_both_ends_of_a_day(text: str, seconds_ago: float):
    assert moment(text, "since", NOW) == moment(text, "since", NOW, end_of_day=True) == NOW - seconds_ago


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13-01", "2026-13", "2026-02-30", "0000", "9999-12-31", "9999", "1e9", "\ud800", "x" * 999],
)
def test_what_is_no_time_is_refused_with_what_is_accepted(text: str):
    with pytest.raises(
        InputError, match=r"--as-of: got .{0,60}, expected a date such as 2026-11-30 .*24h, 7d, 2w or yest"
    ):
        moment(text, "--as-of", NOW, end_of_day=True)
