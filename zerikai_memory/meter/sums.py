"""Sums of attempts, in all and by what they share; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from zerikai_memory.errors import InputError
from zerikai_memory.model_usage import NANO_PER_USD, UsageRow, UsageStatus

_KEYS: dict[str, Callable[[UsageRow], str]] = {
    "operation": lambda row: row.operation,
    "model": lambda row: row.model_asked,
    "provider": lambda row: row.backend,
    "workspace": lambda row: row.workspace_id,
    "session": lambda row: row.session,
    "task": lambda row: row.task,
    "status": lambda row: str(row.status),
}


@dataclass(frozen=True, slots=True)
class UsageSums:
    """Attempts that share something; `name` says what, `all` is all of them.

    `billed` attempts cost something that is known, `unknown` may have been billed, `failed` were not, `running` have
    not ended. Tokens are those that a server counted or that we estimated for an answer. `cost_usd` leaves out the
    `unpriced` (no price) and `uncounted` (no tokens) ones; `estimated` ones are in it.
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


def sums_of(rows: Sequence[UsageRow], by: str | None) -> list[UsageSums]:
    """The sum of all rows, then one for each group, dearest first."""
    if by is not None and by not in _KEYS:
        raise InputError(f"by: got {by!r}, expected one of {', '.join(_KEYS)}")
    found = [_sums("all", rows)]
    if by is not None:
        groups: dict[str, list[UsageRow]] = {}
        for row in rows:
            groups.setdefault(_KEYS[by](row), []).append(row)
        found += sorted(
            (_sums(name, members) for name, members in groups.items()),
            key=lambda sums: (-sums.cost_nano_usd, -sums.prompt_tokens, sums.name),
        )
    return found


def _sums(name: str, rows: Sequence[UsageRow]) -> UsageSums:
    cost = _total(row.cost_nano_usd for row in rows if not row.open)
    counts = [row.status for row in rows]
    return UsageSums(
        name=name,
        attempts=len(rows),
        billed=sum(row.status in (UsageStatus.OK, UsageStatus.PARTIAL) or bool(row.prompt_tokens) for row in rows),
        failed=counts.count(UsageStatus.FAILED),
        unknown=counts.count(UsageStatus.UNKNOWN),
        running=counts.count(UsageStatus.STARTED),
        prompt_tokens=_total(row.prompt_tokens for row in rows),
        cached_tokens=_total(row.cached_tokens for row in rows),
        completion_tokens=_total(row.completion_tokens for row in rows),
        reasoning_tokens=_total(row.reasoning_tokens for row in rows),
        cost_usd=cost / NANO_PER_USD,
        cost_nano_usd=cost,
        unpriced=sum(row.unpriced for row in rows),
        uncounted=sum(row.uncounted for row in rows),
        estimated=sum(row.estimated for row in rows),
    )


def _total(numbers: Iterable[int | None]) -> int:
    return sum(number or 0 for number in numbers)
