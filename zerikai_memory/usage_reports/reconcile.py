"""Compare booked attempts with a provider's export, per day (UTC) and model; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC

from zerikai_memory.model_usage import NANO_PER_USD, UsageStatus, UsageTotal
from zerikai_memory.model_usage_report import Difference
from zerikai_memory.usage_reports.days import day_of
from zerikai_memory.usage_reports.exports import Billed

# Part of a cent and a short prompt: below that a relative difference says nothing.
LEAST_NANO, LEAST_TOKENS = 1_000_000, 200


@dataclass(frozen=True, slots=True)
class _Ours:
    backend: str
    prompt: int
    completion: int
    nano_usd: int | None


def differences(
    billed: Sequence[Billed],
    totals: Iterable[UsageTotal],
    tolerance: float,
    named: Callable[[str, str], str] = lambda backend, model: model,
) -> list[Difference]:
    """Every day and model that either side has, within the export's days; `named` gives a model its canonical name.

    Only what left this machine is compared, and of it only the back ends that the export speaks of, where it says.
    """
    theirs = _by_place(billed, named)
    days = sorted({day for day, _ in theirs})
    backends = {row.backend for row in billed} - {""}
    ours: dict[tuple[str, str], list[UsageTotal]] = defaultdict(list)
    for one in totals:
        day = day_of(one.at, UTC)
        counted = one.remote and one.status is not UsageStatus.STARTED and days[0] <= day <= days[-1]
        if counted and (not backends or one.backend in backends):
            ours[day, named(one.backend, one.model)].append(one)
    return [
        _difference(day, model, _sum(ours.get((day, model), ())), theirs.get((day, model)), tolerance)
        for day, model in sorted({*theirs, *ours})
    ]


def _by_place(billed: Sequence[Billed], named: Callable[[str, str], str]) -> dict[tuple[str, str], Billed]:
    """Names of one model are one row."""
    found: dict[tuple[str, str], Billed] = {}
    for row in billed:
        place = row.day, named(row.backend, row.model)
        found[place] = found[place].plus(row) if place in found else row
    return found


def _sum(totals: Sequence[UsageTotal]) -> _Ours | None:
    if not totals:
        return None
    priced = all(one.unpriced == 0 for one in totals)
    return _Ours(
        totals[0].backend,
        sum(one.prompt_tokens for one in totals),
        sum(one.completion_tokens for one in totals),
        sum(one.cost_nano_usd for one in totals) if priced else None,
    )


def _difference(day: str, model: str, ours: _Ours | None, theirs: Billed | None, tolerance: float) -> Difference:
    pairs = (
        (ours.prompt if ours else 0, theirs.prompt if theirs else 0, LEAST_TOKENS),
        (ours.completion if ours else 0, theirs.completion if theirs else 0, LEAST_TOKENS),
        (ours.nano_usd if ours else 0, theirs.nano_usd if theirs else 0, LEAST_NANO),
    )
    off = max((_off(*pair) for pair in pairs), default=0.0)
    return Difference(
        day=day,
        backend=ours.backend if ours else theirs.backend if theirs else "",
        model=model,
        ours_prompt=ours.prompt if ours else None,
        theirs_prompt=theirs.prompt if theirs else None,
        ours_completion=ours.completion if ours else None,
        theirs_completion=theirs.completion if theirs else None,
        ours_usd=_usd(ours.nano_usd if ours else None),
        theirs_usd=_usd(theirs.nano_usd if theirs else None),
        off=round(off, 6),
        beyond=off > tolerance,
    )


def _off(ours: int | None, theirs: int | None, least: int) -> float:
    """The difference as a part of the greater figure; 0 where one says nothing or both are within `least`."""
    if ours is None or theirs is None or abs(ours - theirs) <= least:
        return 0.0
    return abs(ours - theirs) / max(ours, theirs)


def _usd(nano: int | None) -> float | None:
    return None if nano is None else nano / NANO_PER_USD
