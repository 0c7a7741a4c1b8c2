"""Lines of a usage report: booked sums put together by operation, model, workspace, session, task or day; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from zerikai_memory.meter.books import UNNAMED
from zerikai_memory.meter.prices import MILLION
from zerikai_memory.model_usage import NANO_PER_USD, PriceRates, UsageStatus, UsageTotal
from zerikai_memory.model_usage_report import UsageLine
from zerikai_memory.usage_reports.days import Zone, day_of

RatesAt = Callable[[str | None, str, float], PriceRates | None]
# What was paid for these brought no whole answer.
_WASTED = frozenset({UsageStatus.FAILED, UsageStatus.PARTIAL, UsageStatus.UNKNOWN})


@dataclass(frozen=True, slots=True)
class LineParts:
    """What lines are made with: names of workspaces by id, prices, and the zone of days."""

    names: Mapping[str, str]
    rates: RatesAt
    zone: Zone = None

    def key(self, by: str) -> Callable[[UsageTotal], str]:
        """What a sum is put under."""
        keys: dict[str, Callable[[UsageTotal], str]] = {
            "operation": lambda one: one.operation or UNNAMED,
            "model": lambda one: one.model or UNNAMED,
            "workspace": lambda one: self.names.get(one.workspace_id, one.workspace_id) or UNNAMED,
            "session": lambda one: one.session or UNNAMED,
            "task": lambda one: one.task or UNNAMED,
            "day": lambda one: day_of(one.at, self.zone),
        }
        return keys[by]


def usage_lines(totals: Iterable[UsageTotal], by: str, parts: LineParts) -> list[UsageLine]:
    """One line per key: days in their order, everything else by what it cost, then by its tokens."""
    groups, key = defaultdict[str, list[UsageTotal]](list), parts.key(by)
    for one in totals:
        groups[key(one)].append(one)
    lines = [usage_line(name, group, parts.rates) for name, group in groups.items()]
    return sorted(lines, key=lambda line: line.name) if by == "day" else sorted(lines, key=_weight)


def usage_line(name: str, totals: Sequence[UsageTotal], rates: RatesAt) -> UsageLine:
    """All sums as one line."""
    ended = [one for one in totals if one.status is not UsageStatus.STARTED]
    prompt, cached = _tokens(ended, "prompt_tokens"), sum(one.cached_tokens for one in ended)
    return UsageLine(
        name=name,
        attempts=sum(one.attempts for one in totals),
        failed=_attempts(ended, UsageStatus.FAILED),
        unknown=_attempts(ended, UsageStatus.UNKNOWN),
        retried=sum(one.attempts for one in totals if one.retried),
        running=_attempts(totals, UsageStatus.STARTED),
        prompt_tokens=prompt,
        cached_tokens=None if prompt is None else cached,
        completion_tokens=None if prompt is None else sum(one.completion_tokens for one in ended),
        cache_hit_rate=_hit_rate(ended),
        cost_usd=_cost(ended),
        unpriced=sum(one.unpriced for one in ended),
        estimated=sum(one.estimated for one in ended),
        saved_usd=_saved(ended, rates),
        retried_usd=_cost([one for one in ended if one.retried]),
        wasted_usd=_cost([one for one in ended if one.status in _WASTED]),
    )


def _attempts(totals: Sequence[UsageTotal], status: UsageStatus) -> int:
    return sum(one.attempts for one in totals if one.status is status)


def _tokens(ended: Sequence[UsageTotal], name: str) -> int | None:
    """A prompt always has tokens, so none at all means that nobody counted, except where nothing was answered."""
    count = sum(getattr(one, name) for one in ended)
    answered = any(one.status is not UsageStatus.FAILED for one in ended)
    return None if answered and not count else count


def _hit_rate(ended: Sequence[UsageTotal]) -> float | None:
    """Of what was sent to other machines: models on this one tell nothing that could be compared."""
    sent = [one for one in ended if one.remote and one.status is not UsageStatus.UNKNOWN]
    prompt = sum(one.prompt_tokens for one in sent)
    return round(sum(one.cached_tokens for one in sent) / prompt, 4) if prompt else None


def _cost(totals: Sequence[UsageTotal]) -> float | None:
    """US dollars of what has a price, 0 where there is nothing.

    None where nothing that cost anything has a price: attempts that failed unbilled make an unknown sum no known one.
    """
    nano = sum(one.cost_nano_usd for one in totals)
    free = any(one.free and one.attempts > one.unpriced for one in totals)
    unknown = any(one.unpriced for one in totals) and not nano and not free
    return None if unknown else nano / NANO_PER_USD


def _saved(ended: Sequence[UsageTotal], rates: RatesAt) -> float | None:
    nano, known = 0, True
    for one in ended:
        if one.cached_tokens and not one.free:
            price = rates(one.backend, one.model, one.at)
            known = known and price is not None
            nano += one.cached_tokens * (price.input - price.cached) // MILLION if price else 0
    return nano / NANO_PER_USD if known or nano else None


def _weight(line: UsageLine) -> tuple[float, int, str]:
    return -(line.cost_usd or 0.0), -((line.prompt_tokens or 0) + (line.completion_tokens or 0)), line.name
