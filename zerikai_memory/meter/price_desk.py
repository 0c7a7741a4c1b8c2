"""The price table as a person looks at it, and what may be wrong with it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from datetime import time as time_of_day
from difflib import get_close_matches

from zerikai_memory.meter.calendar import WEEKDAYS, Calendar
from zerikai_memory.meter.price_files import PriceFiles
from zerikai_memory.meter.prices import Price, Prices, Rates, iso
from zerikai_memory.model_upkeep import Finding
from zerikai_memory.model_usage import NANO_PER_USD, PriceLine
from zerikai_memory.store.usage import UsageStore

# Prices of the last years held for weeks to months.
OLD_AFTER_DAYS = 90


class PriceDesk:
    """The prices of one brain; `models` are those that the settings may ask beyond this machine: (back end, model).

    `tend` books the costs of attempts whose price has become known.
    """

    def __init__(
        self,
        files: PriceFiles,
        store: UsageStore,
        models: Callable[[], Sequence[tuple[str, str]]],
        clock: Callable[[], float] = time.time,
        tend: Callable[[], None] = lambda: None,
    ) -> None:
        self._tend = tend
        self._files = files
        self._store = store
        self._models = models
        self._clock = clock

    @property
    def problem(self) -> str:
        """Why the person's own price file cannot be used; empty when it can, or is not there."""
        return self._files.current().problem

    def listed(self, *, everything: bool = False) -> list[PriceLine]:
        """The rows that apply today, or all with those of the past and the future."""
        prices, now = self._files.current(), self._clock()
        lines = [_line(row, applies=_applies(prices, row, now)) for row in prices.rows]
        return [line for line in lines if everything or line.applies]

    def checked(self) -> list[Finding]:
        """What makes costs unknown or doubtful, a sentence for each, or one that says that all is well."""
        self._tend()
        prices, now = self._files.current(), self._clock()
        found = [
            *_of_file(prices),
            *_of_age(prices, now),
            *self._of_rows(prices),
            *self._of_models(prices, now),
            *self._of_attempts(),
        ]
        if not found:
            rows = [row for row in prices.rows if _applies(prices, row, now)]
            oldest = min((row.checked_on for row in rows if row.checked_on), default="never")
            found = [Finding("ok", "prices", f"{len(rows)} apply today, all checked on {oldest} or later")]
        return found

    def _of_rows(self, prices: Prices) -> Iterator[Finding]:
        """Rows of the person's own file that never apply."""
        backends = {row.provider for row in prices.rows if not row.own} | {name for name, _ in self._models()}
        for row in prices.rows:
            if row.own and row.provider not in backends and (near := get_close_matches(row.provider, backends, 1)):
                yield Finding(
                    "warning",
                    "prices",
                    f"the provider of {row.model!r} is {row.provider!r} in your own prices.toml; did you mean "
                    f"{near[0]!r}?",
                    "correct it, else the row never applies",
                )
        for (provider, model, since), count in Counter(_place(row) for row in prices.rows if row.own).items():
            if count > 1:
                yield Finding(
                    "warning",
                    "prices",
                    f"{count} rows of {model!r} at {provider!r} of your own begin at {since}: the last holds",
                    "keep one of them",
                )

    def _of_models(self, prices: Prices, now: float) -> Iterator[Finding]:
        for backend, model in self._models():
            if not prices.problem and prices.rates(backend, model, now) is None:
                yield Finding(
                    "warning",
                    "prices",
                    f"no price of {model!r} at {backend!r} is known: its cost is booked as unknown, and a budget in "
                    "dollars does not let it be asked",
                    f"add a row to {self._files.path}",
                )

    def _of_attempts(self) -> Iterator[Finding]:
        unpriced = Counter((row.backend, row.model_asked) for row in self._store.unpriced())
        for (backend, model), count in sorted(unpriced.items()):
            yield Finding(
                "warning",
                "prices",
                f"{count} attempt(s) at {model!r} of {backend!r} have no known cost",
                f"add a row that holds for that time to {self._files.path}; their costs are then booked",
            )


def _of_file(prices: Prices) -> Iterator[Finding]:
    if prices.problem:
        yield Finding("error", "prices", f"{prices.problem}; until then every price counts as unknown", "correct it")


def _of_age(prices: Prices, now: float) -> Iterator[Finding]:
    today = datetime.fromtimestamp(now, UTC).date()
    for row in prices.rows:
        if not _applies(prices, row, now):
            continue
        if row.checked_on and (age := (today - _day(row.checked_on)).days) > OLD_AFTER_DAYS:
            yield Finding(
                "warning",
                "prices",
                f"the price of {row.model!r} at {row.provider!r} was checked {age} days ago, on {row.checked_on}",
                "compare it with the provider's list and set checked_on anew"
                if row.own
                else f"compare it with {row.source}; upgrade, or state it anew in your own prices.toml",
            )
        until = row.calendar.holidays_until if row.calendar else None
        if until is not None and until < today:
            yield Finding(
                "warning",
                "prices",
                f"the peak hours of {row.model!r} know holidays up to {until} only: later ones are priced as peak days",
                "state the calendar anew in your own prices.toml",
            )


def _applies(prices: Prices, row: Price, now: float) -> bool:
    return any(prices.row(row.provider, name, now) is row for name in (row.model, *row.aliases))


def _line(row: Price, *, applies: bool) -> PriceLine:
    peak = row.peak
    return PriceLine(
        provider=row.provider,
        model=row.model,
        aliases=row.aliases,
        valid_from=iso(row.valid_from) if row.valid_from else "always",
        applies=applies,
        input_usd=row.rates.input / NANO_PER_USD,
        cached_usd=row.rates.cached / NANO_PER_USD,
        output_usd=row.rates.output / NANO_PER_USD,
        peak_input_usd=_usd(peak, "input"),
        peak_cached_usd=_usd(peak, "cached"),
        peak_output_usd=_usd(peak, "output"),
        peak_hours=_hours(row.calendar) if row.calendar else "",
        source=row.source,
        checked_on=row.checked_on,
        own=row.own,
    )


def _usd(rates: Rates | None, name: str) -> float | None:
    return None if rates is None else float(getattr(rates, name)) / NANO_PER_USD


def _hours(calendar: Calendar) -> str:
    hours = ", ".join(f"{start:%H:%M}-{_end(end)}" for start, end in calendar.windows)
    days = _days(sorted(calendar.weekdays))
    minutes = int(calendar.offset.total_seconds() // 60)
    offset = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    return f"{hours} {days} UTC{offset}"


def _end(moment: time_of_day) -> str:
    return "24:00" if moment == time_of_day.max else f"{moment:%H:%M}"


def _place(row: Price) -> tuple[str, str, str]:
    return row.provider, row.model.casefold(), iso(row.valid_from) if row.valid_from else "the beginning"


def _days(days: list[int]) -> str:
    if len(days) > 2 and days == list(range(days[0], days[-1] + 1)):
        return f"{WEEKDAYS[days[0]]}-{WEEKDAYS[days[-1]]}"
    return ",".join(WEEKDAYS[day] for day in days)


def _day(text: str) -> date:
    return date.fromisoformat(text)
