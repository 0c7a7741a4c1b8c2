"""What a person does with booked usage by hand: compare it with a provider's export, and purge what is old."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from pathlib import Path

from zerikai_memory.errors import InputError
from zerikai_memory.meter.prices import Prices
from zerikai_memory.model_usage import NANO_PER_USD, UsagePeriod, UsageTotal
from zerikai_memory.model_usage_report import Difference, EstimatedPeriod, PurgeReport, Reconciliation
from zerikai_memory.store.usage_history import QUARTER_S, UsageHistory
from zerikai_memory.usage_reports.days import Zone, calendar_day, start_of
from zerikai_memory.usage_reports.exports import read_export
from zerikai_memory.usage_reports.reconcile import differences

# Of a day's tokens or dollars: rounding and a call at midnight stay below it.
TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class BookkeepingParts:
    """What is worked with."""

    history: UsageHistory
    prices: Callable[[], Prices]
    clock: Callable[[], float] = time.time


class Bookkeeping:
    """Reconciling and purging."""

    def __init__(self, parts: BookkeepingParts) -> None:
        self._parts = parts

    def reconcile(self, path: Path, tolerance: float = TOLERANCE, key: str | None = None) -> Reconciliation:
        """Compare with an export; days beyond the tolerance (0 to 1) are marked as estimated, the others no longer."""
        export = read_export(path, key)
        first, last = export.rows[0].day, export.rows[-1].day
        if start_of(last, UTC) > self._parts.clock() + 86_400:
            raise InputError(
                f"{path.name}: it has figures of {last}, a day that has not come yet; nothing was compared"
            )
        since, until = start_of(first, UTC), start_of(last, UTC) + 86_400
        totals = self._parts.history.totals(since, until)
        found = differences(export.rows, totals, tolerance, self._named)
        wrong, right = self._judged(found)
        cleared = self._parts.history.settle_periods(wrong, right)
        return Reconciliation(
            source=path.name,
            tolerance=tolerance,
            rows=len(export.rows),
            differences=tuple(found),
            marked=tuple(EstimatedPeriod(_day(one.start_at), one.backend, one.reason) for one in wrong),
            cleared=cleared,
            warnings=export.warnings,
        )

    def purge(self, before: str, zone: Zone = None, *, dry_run: bool = False) -> PurgeReport:
        """Replace the attempts before a day by sums that every report goes on to count; raises InputError."""
        at = start_of(calendar_day(before, "before"), zone)
        if at > self._parts.clock():
            raise InputError(f"before: {before!r} has not come yet; today's attempts are still being booked")
        at -= at % QUARTER_S
        kept = self._parts.history.totals(None, at)
        attempts, sums = self._parts.history.purge(at, dry_run=dry_run)
        return PurgeReport(before, attempts, sums, _usd(kept), dry_run)

    def _judged(self, found: list[Difference]) -> tuple[list[UsagePeriod], list[tuple[float, float, str]]]:
        """Days beyond the tolerance as periods, and those that agree."""
        days = defaultdict[tuple[str, str], list[Difference]](list)
        for one in found:
            days[one.day, one.backend].append(one)
        wrong, right, now = [], [], self._parts.clock()
        for (day, backend), group in days.items():
            start = start_of(day, UTC)
            beyond = [one for one in group if one.beyond]
            if beyond:
                worst = max(beyond, key=lambda one: one.off)
                reason = f"{worst.model} differs by {100 * worst.off:.1f} % from the provider's figures"
                wrong.append(UsagePeriod(start, start + 86_400, backend, "estimated", reason, now))
            else:
                right.append((start, start + 86_400, backend))
        return wrong, right

    def _named(self, backend: str, model: str) -> str:
        """The name under which a model has its price: exports and replies use aliases of it."""
        price = self._parts.prices().rates(backend or None, model, self._parts.clock())
        return price.model if price and price.model != "*" else model


def _usd(totals: list[UsageTotal]) -> float | None:
    if totals and all(one.attempts == one.unpriced for one in totals):
        return None
    return sum(one.cost_nano_usd for one in totals) / NANO_PER_USD


def _day(at: float) -> str:
    return (date(1970, 1, 1) + timedelta(days=at // 86_400)).isoformat()
