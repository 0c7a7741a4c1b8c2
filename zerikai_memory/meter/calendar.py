"""Peak hours of a provider: which weekdays and hours of its own time zone cost more; pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import Any

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WINDOW_EXAMPLE = '"09:00-12:00"'


@dataclass(frozen=True, slots=True)
class Calendar:
    """Peak windows as [start, end) times of a fixed offset from UTC, on `weekdays` (0 is Monday) but `holidays`.

    `holidays_until`: the last day for which the holidays are known, None where none are listed.
    """

    offset: timedelta
    weekdays: frozenset[int]
    windows: tuple[tuple[time, time], ...]
    holidays: frozenset[date] = frozenset()
    holidays_until: date | None = None

    def is_peak(self, at: float) -> bool:
        """Whether a moment (seconds since the epoch) is in a peak window; its first second is, its end is not."""
        local = datetime.fromtimestamp(at, UTC).astimezone(timezone(self.offset))
        if local.weekday() not in self.weekdays or local.date() in self.holidays:
            return False
        return any(start <= local.time() < end for start, end in self.windows)


def read_calendar(value: Mapping[str, Any]) -> Calendar:
    """A calendar of a table of prices.toml; raises ValueError that says what is wrong."""
    unknown = value.keys() - {"utc_offset", "weekdays", "peak", "holidays", "holidays_until"}
    if unknown:
        raise ValueError(f"has no field {sorted(unknown)[0]!r}")
    days = [str(day).lower() for day in value.get("weekdays", WEEKDAYS)]
    if odd := [day for day in days if day not in WEEKDAYS]:
        raise ValueError(f"weekdays: got {odd[0]!r}, expected some of {', '.join(WEEKDAYS)}")
    until = value.get("holidays_until")
    return Calendar(
        _offset(str(value.get("utc_offset", "+00:00"))),
        frozenset(WEEKDAYS.index(day) for day in days),
        tuple(_window(str(text)) for text in value.get("peak", ())),
        frozenset(_day(day) for day in value.get("holidays", ())),
        None if until is None else _day(until),
    )


def _offset(text: str) -> timedelta:
    try:
        offset = datetime.fromisoformat(f"2000-01-01T00:00:00{text}").utcoffset()
    except ValueError:
        offset = None
    if offset is None:
        raise ValueError(f'utc_offset: got {text!r}, expected for example "+08:00"')
    return offset


def _window(text: str) -> tuple[time, time]:
    begin, _, end = text.partition("-")
    try:
        start = time.fromisoformat(begin.strip())
        # Midnight at the end of a day is no time of it.
        stop = time.max if end.strip() == "24:00" else time.fromisoformat(end.strip())
    except ValueError:
        raise ValueError(f"peak: got {text!r}, expected for example {_WINDOW_EXAMPLE}") from None
    if start >= stop:
        raise ValueError(f"peak: {text!r} ends before it begins; split it at midnight (24:00)")
    return start, stop


def _day(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise ValueError(f"holidays: got {value!r}, expected days such as 2026-10-01") from None
