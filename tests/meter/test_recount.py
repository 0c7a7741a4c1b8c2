"""A thousand random calls: what is booked equals a recount of the server's own log that shares no code with it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.meter.bookkit import at, attempt, books, end
from zerikai_memory.llm.base import FailureKind, TokenUse
from zerikai_memory.llm.token_counts import usage_of

MICRO_CENT = Decimal("0.00000001")
# The prices of the provider's page, stated once more by hand: USD for a million tokens, off-peak and peak.
PAGE = {
    "deepseek-flash": ((0.15, 0.003, 0.60), (0.30, 0.006, 1.20)),
    "deepseek-v4-flash": ((0.15, 0.003, 0.60), (0.30, 0.006, 1.20)),
    "deepseek-v4-pro": ((0.66, 0.022, 1.98), (1.32, 0.044, 3.96)),
}
BEGIN = at("2026-11-02T00:00:00Z")


@dataclass
class Entry:
    """One request as the server saw it: whether it billed it, and what."""

    moment: float
    model: str
    billed: bool
    prompt: int = 0
    hit: int = 0
    written: int = 0


def recount(log: list[Entry]) -> Decimal:
    """Dollars of a log, by the words of the page: peak is 9-12 and 14-18 in Beijing from Monday to Friday."""
    total = Decimal(0)
    for entry in log:
        if not entry.billed:
            continue
        beijing = datetime.fromtimestamp(entry.moment, UTC) + timedelta(hours=8)
        peak = beijing.weekday() < 5 and (9 <= beijing.hour < 12 or 14 <= beijing.hour < 18)
        miss, hit, out = (Decimal(str(usd)) for usd in PAGE[entry.model][peak])
        total += ((entry.prompt - entry.hit) * miss + entry.hit * hit + entry.written * out) / 1_000_000
    return total


def test_a_thousand_calls_cost_what_the_servers_log_says(home: Path) -> None:
    rolled, log = random.Random(7), []
    with books(home) as kept:
        for number in range(1_000):
            moment = BEGIN + rolled.random() * 27 * 86_400
            model = rolled.choice(sorted(PAGE))
            tokens, written = rolled.randrange(1, 30_000), rolled.randrange(1, 1_000)
            hit = rolled.choice((0, rolled.randrange(tokens), tokens))
            usage: dict[str, Any] = {
                "prompt_tokens": tokens,
                "completion_tokens": written,
                "prompt_cache_hit_tokens": hit,
                "prompt_cache_miss_tokens": tokens - hit,
            }
            shape = rolled.randrange(10)
            if shape == 0:  # without its cache fields nothing counts as cached
                del usage["prompt_cache_hit_tokens"], usage["prompt_cache_miss_tokens"]
                hit = 0
            elif shape == 1:
                del usage["prompt_cache_hit_tokens"], usage["prompt_cache_miss_tokens"]
                usage["prompt_tokens_details"] = {"cached_tokens": hit}
            booking, tries = kept.booking(), 1
            if rolled.random() < 0.2:  # refused for being busy, and tried again
                refused = attempt(f"r{number}", 1, model=model, started_at=moment)
                booking.started(refused)
                booking.ended(refused, end(TokenUse(), "failed", FailureKind.BUSY))
                log.append(Entry(moment, model, billed=False))
                tries = 2
            sent = attempt(f"r{number}", tries, model=model, started_at=moment, prompt_tokens=tokens, max_tokens=200)
            booking.started(sent)
            status = rolled.choice(("ok", "ok", "ok", "partial", "failed"))  # failed: useless, and billed
            for _ in range(1 + (rolled.random() < 0.1)):  # some ends are told twice
                booking.ended(sent, end(usage_of(usage)[0], status, model="DeepSeek-V4.1-Flash-1017"))
            log.append(Entry(moment, model, True, tokens, hit, written))
        rows = kept.rows()
    assert len(rows) == len(log)
    booked = Decimal(sum(row.cost_nano_usd or 0 for row in rows)) / 10**9
    assert abs(booked - recount(log)) < MICRO_CENT
    assert sum(row.prompt_tokens or 0 for row in rows) == sum(entry.prompt for entry in log)
    assert sum(row.cached_tokens or 0 for row in rows) == sum(entry.hit for entry in log)
    assert sum(row.completion_tokens or 0 for row in rows) == sum(entry.written for entry in log)
    assert {row.price_version.split()[1] for row in rows if row.price_version} == {"peak", "off-peak"}
