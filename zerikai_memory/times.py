"""Points in time as a person or model writes them: a day, a month, a moment, an age, a word. Pure, in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from zerikai_memory.errors import InputError

ACCEPTED = (
    "a date such as 2026-11-30 or 2026-11, a date with a time such as 2026-11-30T14:00 (UTC unless it says otherwise), "
    "or an age such as 24h, 7d, 2w or yesterday"
)
_AGO = re.compile(
    r"(?P<count>\d{1,5}|an?|one|last)\s*(?P<unit>h|d|w|m|y|hours?|days?|weeks?|months?|years?)(?:\s+ago)?"
)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}
_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?")
_DAYS_AGO = {"today": 0, "yesterday": 1}


def moment(text: str, argument: str, now: float, *, end_of_day: bool = False) -> float:
    """Seconds since the epoch; a day, month or year is its first or, on request, its last moment in UTC.

    Raises InputError, which names the `argument` and what is accepted, for what is no time.
    """
    wanted = text.strip().lower()
    try:
        if wanted == "now":
            return now
        if ago := _AGO.fullmatch(wanted):
            count = int(ago["count"]) if ago["count"].isdigit() else 1
            return now - count * _HOURS[ago["unit"][0]] * 3600
        if day := _day(wanted, now):
            first, after = day
            return after.timestamp() - 1e-6 if end_of_day else first.timestamp()
        at = datetime.fromisoformat(text.strip())
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        raise InputError(f"{argument}: got {text[:40]!r}, expected {ACCEPTED}") from None


def _day(wanted: str, now: float) -> tuple[datetime, datetime] | None:
    """The first moment of a day, month or year, and that of the next one; None for what is none of these."""
    if wanted in _DAYS_AGO:
        first = datetime.fromtimestamp(now, UTC).date() - timedelta(days=_DAYS_AGO[wanted])
        return _midnight(first), _midnight(first + timedelta(days=1))
    if month := _MONTH.fullmatch(wanted):
        year, number = int(month[1]), int(month[2] or 1)
        later = divmod(year * 12 + number - 1 + (1 if month[2] else 12), 12)
        return _midnight(date(year, number, 1)), _midnight(date(later[0], later[1] + 1, 1))
    try:
        first = date.fromisoformat(wanted.upper())
    except ValueError:
        return None
    return _midnight(first), _midnight(first + timedelta(days=1))


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
