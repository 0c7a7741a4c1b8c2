"""Sums of attempts, in all and by what they share; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from zerikai_memory.errors import InputError
from zerikai_memory.model_usage import NANO_PER_USD, UsageRow, UsageStatus, UsageTotal


def _at(one: UsageRow | UsageTotal) -> float:
    return one.at if isinstance(one, UsageTotal) else one.started_at


_KEYS: dict[str, Callable[[UsageRow | UsageTotal], str]] = {
    "operation": lambda one: one.operation,
    "model": lambda one: one.model if isinstance(one, UsageTotal) else one.model_asked,
    "provider": lambda one: one.backend,
    "workspace": lambda one: one.workspace_id,
    "session": lambda one: one.session,
    "task": lambda one: one.task,
    "status": lambda one: str(one.status),
    "day": lambda one: datetime.fromtimestamp(_at(one)).date().isoformat(),
}


@dataclass(frozen=True, slots=True)
class UsageSums:
    """Attempts that share something; `name` says what, `all` is all of them.

    `billed` attempts cost something that is known, `unknown` may have been billed, `failed` were not, `running` have
    not ended. Tokens are those of ended attempts that a server counted or that we estimated for an answer; for attempts
    of unknown outcome those that were reserved. `cost_usd` leaves out the `unpriced` (no price) and `uncounted` (no
    tokens) ones; `estimated` ones are in it.
    """

    name: str
    attempts: int
    billed: int
    failed: int
    unknown: int
    running: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    cost_usd: float
    cost_nano_usd: int
    unpriced: int
    uncounted: int
    estimated: int


def sums_of(found: Sequence[UsageRow | UsageTotal], by: str | None) -> list[UsageSums]:
    """The sum of all attempts, purged ones among them, then one for each group, dearest first."""
    if by is not None and by not in _KEYS:
        raise InputError(f"by: got {by!r}, expected one of {', '.join(_KEYS)}")
    sums = [_sums("all", found)]
    if by is not None:
        groups: dict[str, list[UsageRow | UsageTotal]] = {}
        for one in found:
            groups.setdefault(_KEYS[by](one), []).append(one)
        sums += sorted(
            (_sums(name, members) for name, members in groups.items()),
            key=lambda group: (-group.cost_nano_usd, -group.prompt_tokens, group.name),
        )
    return sums


def _sums(name: str, found: Sequence[UsageRow | UsageTotal]) -> UsageSums:
    ended = [one for one in found if one.status is not UsageStatus.STARTED]
    cost = _total(one.cost_nano_usd for one in ended)
    return UsageSums(
        name=name,
        attempts=sum(map(_attempts, found)),
        billed=sum(_attempts(one) for one in ended if _billed(one)),
        failed=_of(UsageStatus.FAILED, found),
        unknown=_of(UsageStatus.UNKNOWN, found),
        running=_of(UsageStatus.STARTED, found),
        prompt_tokens=_total(_prompt(one) for one in ended),
        cached_tokens=_total(one.cached_tokens for one in ended),
        completion_tokens=_total(_completion(one) for one in ended),
        reasoning_tokens=_total(one.reasoning_tokens for one in ended),
        cost_usd=cost / NANO_PER_USD,
        cost_nano_usd=cost,
        unpriced=_total(one.unpriced for one in found),
        uncounted=sum(one.uncounted for one in found if isinstance(one, UsageRow)),
        estimated=_total(one.estimated for one in found),
    )


def _prompt(one: UsageRow | UsageTotal) -> int | None:
    untold = isinstance(one, UsageRow) and one.prompt_tokens is None and one.status is not UsageStatus.FAILED
    return one.reserved_prompt_tokens if untold else one.prompt_tokens  # type: ignore[union-attr]


def _completion(one: UsageRow | UsageTotal) -> int | None:
    untold = isinstance(one, UsageRow) and one.completion_tokens is None and one.status is not UsageStatus.FAILED
    return one.reserved_completion_tokens if untold else one.completion_tokens  # type: ignore[union-attr]


def _attempts(one: UsageRow | UsageTotal) -> int:
    return one.attempts if isinstance(one, UsageTotal) else 1


def _billed(one: UsageRow | UsageTotal) -> bool:
    answered = one.status in (UsageStatus.OK, UsageStatus.PARTIAL)
    return answered or (one.status is UsageStatus.FAILED and bool(one.prompt_tokens))


def _of(status: UsageStatus, found: Sequence[UsageRow | UsageTotal]) -> int:
    return sum(_attempts(one) for one in found if one.status is status)


def _total(numbers: Iterable[int | None]) -> int:
    return sum(number or 0 for number in numbers)
