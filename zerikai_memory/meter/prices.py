"""Prices of models by date and hour: the row that applies to a provider, a model and a moment; pure.

A price is chosen by the moment an attempt is sent, in UTC. A provider may count by the moment it ends: then a call that
runs over the edge of a peak window is booked on the other side of it, which `Prices.dearest` allows for beforehand.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from zerikai_memory.meter.calendar import Calendar
from zerikai_memory.model_usage import PriceRates

ANY = "*"
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Rates:
    """Nano-dollars for a million tokens."""

    input: int
    cached: int
    output: int


@dataclass(frozen=True, slots=True)
class Price:
    """One row of a price table. `provider` and `model` may be `*`; `own`: it stands in the person's own file.

    `valid_from` is seconds since the epoch; `peak` applies in the peak hours of `calendar`.
    """

    provider: str
    model: str
    aliases: tuple[str, ...]
    valid_from: float
    rates: Rates
    peak: Rates | None
    calendar: Calendar | None
    source: str
    checked_on: str
    own: bool

    def fits(self, provider: str | None, model: str) -> bool:
        """Whether the row is of this provider (None: whichever) and model, by its whole name or an alias."""
        names = {name.casefold() for name in (self.model, *self.aliases)}
        of_provider = provider is None or self.provider in (ANY, provider.strip().casefold())
        return of_provider and (self.model == ANY or model.strip().casefold() in names)

    def at(self, moment: float) -> PriceRates:
        """The rates of a moment, under a name that no other rates share."""
        peak = self.peak is not None and self.calendar is not None and self.calendar.is_peak(moment)
        rates = self.peak if peak and self.peak is not None else self.rates
        period = "flat" if self.peak is None else "peak" if peak else "off-peak"
        return _named(self, period, rates)


@dataclass(frozen=True, slots=True)
class Prices:
    """All rows that are known; `problem` says why the person's own file, and so no price, can be used."""

    rows: tuple[Price, ...]
    problem: str = ""

    def rates(self, provider: str | None, model: str, moment: float, answered: str | None = None) -> PriceRates | None:
        """The rates for a model at a moment, or None: unknown, which is not nothing.

        `answered` is the name that the server gave itself: it counts where a row knows it, else the name asked for.
        """
        if self.problem:
            return None
        row = self.row(provider, answered, moment, exact=True) if answered else None
        row = row or self.row(provider, model, moment)
        return row.at(moment) if row else None

    def dearest(
        self, provider: str | None, model: str, moment: float, seconds: float, tokens: tuple[int, int]
    ) -> int | None:
        """The most that a prompt and an answer of so many tokens can cost, whenever in `seconds` they are billed."""
        first, last = (self.rates(provider, model, at) for at in (moment, moment + seconds))
        if first is None or last is None:
            return None
        return max(cost_nano(rates, tokens[0], 0, tokens[1]) for rates in (first, last))

    def row(self, provider: str | None, model: str, moment: float, *, exact: bool = False) -> Price | None:
        """The row that applies; with `exact` one for any model does not count."""
        fitting = [row for row in self.rows if row.valid_from <= moment and row.fits(provider, model)]
        fitting = [row for row in fitting if not exact or row.model != ANY]
        if not fitting:
            return None
        best = max(reversed(fitting), key=_precedence)  # of two for the same moment the one stated last
        if provider is None and {row.provider for row in fitting if row.own == best.own} - {best.provider, ANY}:
            return None  # several providers have a model of this name
        return best


def cost_nano(rates: PriceRates, prompt: int, cached: int, completion: int) -> int:
    """Nano-dollars for tokens; `cached` is part of `prompt`. Rounded once, half up."""
    cached = min(cached, prompt)
    total = (prompt - cached) * rates.input + cached * rates.cached + completion * rates.output
    return (total + MILLION // 2) // MILLION


def local_rates() -> PriceRates:
    """What a model on this machine costs: nothing."""
    return PriceRates("local", ANY, ANY, "", "flat", 0, 0, 0, "it runs on this machine")


def iso(moment: float) -> str:
    """A moment as text in UTC, to the second."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _precedence(row: Price) -> tuple[bool, bool, bool, float]:
    """The person's own rows first, then the most exact, then the newest."""
    return row.own, row.model != ANY, row.provider != ANY, row.valid_from


def _named(row: Price, period: str, rates: Rates) -> PriceRates:
    since = iso(row.valid_from)
    facts = f"{row.provider}/{row.model}@{since} {period}"
    digest = hashlib.sha256(f"{facts} {rates.input} {rates.cached} {rates.output}".encode()).hexdigest()[:8]
    return PriceRates(
        f"{facts} #{digest}",
        row.provider,
        row.model,
        since,
        period,
        rates.input,
        rates.cached,
        rates.output,
        row.source,
    )
