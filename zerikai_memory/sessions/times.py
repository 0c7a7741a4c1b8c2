"""Points in time as a person or model writes them: `7d`, `24h`, `2w`, a date, a date with a time. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from zerikai_memory.errors import InputError

_AGO = re.compile(r"(\d{1,5})\s*(h|d|w|m|y|hours?|days?|weeks?|months?|years?)(?:\s+ago)?")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7, "m": 24 * 30, "y": 24 * 365}


def moment(text: str, argument: str, now: float, *, end_of_day: bool = False) -> float:
    """Seconds since the epoch; a date is its first or last moment in UTC. Raises InputError for what is no time."""
    wanted = text.strip().lower()
    if ago := _AGO.fullmatch(wanted):
        return now - int(ago[1]) * _HOURS[ago[2][0]] * 3600
    try:
        at = datetime.fromisoformat(text.strip())
    except ValueError:
        raise InputError(
            f"{argument}: got {text[:40]!r}, expected a date such as 2026-11-30, a date with a time, or an age "
            "such as 24h, 7d, 2w"
        ) from None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    if end_of_day and len(wanted) == 10:
        at += timedelta(days=1, microseconds=-1)
    return at.timestamp()
