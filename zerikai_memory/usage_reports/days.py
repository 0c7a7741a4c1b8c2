"""Days of a time zone and the moments at which they begin; pure. A zone of None is that of this machine."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from zerikai_memory.errors import InputError

Zone = tzinfo | None


def day_of(at: float, zone: Zone = None) -> str:
    """The date of a moment (seconds since the epoch), as `2026-11-30`."""
    return datetime.fromtimestamp(at, zone).date().isoformat()


def start_of(day: date | str, zone: Zone = None) -> float:
    """The moment at which a day begins, in seconds since the epoch."""
    wanted = day if isinstance(day, date) else date.fromisoformat(day)
    return datetime(wanted.year, wanted.month, wanted.day, tzinfo=zone).timestamp()


def last_days(days: int, now: float, zone: Zone = None) -> tuple[str, ...]:
    """The dates of so many days up to today, in order."""
    today = datetime.fromtimestamp(now, zone).date()
    return tuple((today - timedelta(days=back)).isoformat() for back in reversed(range(days)))


def zone_named(name: str | None) -> Zone:
    """A zone such as Europe/Berlin or UTC; None for none. Raises InputError for one that nobody knows."""
    if not name:
        return None
    if name.upper() in ("UTC", "Z"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError(f"zone: got {name[:40]!r}, expected a time zone such as Europe/Berlin or UTC") from error


def zone_name(zone: Zone, now: float) -> str:
    """What a report calls the zone of its days."""
    return time.strftime("%Z", time.localtime(now)) if zone is None else str(zone)


def calendar_day(text: str, argument: str) -> date:
    """A date as a person writes it; raises InputError for anything else."""
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise InputError(f"{argument}: got {text[:40]!r}, expected a day such as 2026-11-30") from None
