"""Tokens as transcripts tell them, each format with its own names and its own way of counting, in one shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Counting(StrEnum):
    """How a figure relates to those around it."""

    RESPONSE = "response"  # one response; lines and copies of its identity count once, with the greatest figures
    RUNNING = "running"  # a counter over all responses so far; `last` is the part of the newest one
    RECORD = "record"  # one response that a running counter holds too
    PART = "part"  # of a stretch of work: one response, perhaps without its input
    MEASURED = "measured"  # of a stretch: one response in full; it replaces parts
    SUMMARY = "summary"  # a whole stretch, which ends here; it replaces parts and measured responses


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a response; None where the transcript does not say.

    `input` is what was neither read from a cache nor written to one; `reasoning` is part of `output`.
    """

    input: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    output: int | None = None
    reasoning: int | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing was counted."""
        return not (self.input or self.cache_read or self.cache_write or self.output)


@dataclass(frozen=True, slots=True)
class Spent:
    """A figure of a transcript. `cost_usd` is what the agent itself booked, None where it says nothing or 0.

    `identity` is what copies share; a running counter needs none. `weak`: other responses may have it too. `model`
    empty: the one last named in the session.
    """

    tokens: Tokens
    counting: Counting = Counting.RESPONSE
    at: float | None = None
    identity: str = ""
    model: str = ""
    last: Tokens | None = None
    requests: int = 1
    cost_usd: float | None = None
    weak: bool = False


def count(record: Mapping[str, Any], *names: str) -> int | None:
    """The first of these fields that is a count, else None."""
    for name in names:
        value = record.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e15:
            return int(value)
    return None


def amount(value: Any) -> float | None:
    """A stated cost in USD; a free call cannot be told from one that the agent had no price for, so 0 says nothing."""
    known = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e9
    return float(value) if known else None


def without_cache(tokens: Tokens) -> Tokens:
    """The same figures where `input` was told with the cached part in it."""
    if tokens.input is None:
        return tokens
    fresh = max(0, tokens.input - (tokens.cache_read or 0) - (tokens.cache_write or 0))
    return Tokens(fresh, tokens.cache_read, tokens.cache_write, tokens.output, tokens.reasoning)
