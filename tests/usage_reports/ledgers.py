"""A brain with attempts in it, without a model: rows as the meter books them, and the use cases over them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zerikai_memory.errors import WorkspaceError
from zerikai_memory.meter.price_files import PriceFiles
from zerikai_memory.meter.prices import cost_nano
from zerikai_memory.model import Workspace
from zerikai_memory.model_usage import UsageRow, UsageStatus
from zerikai_memory.settings import Settings
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.tape_usage import Spending
from zerikai_memory.usage_reports.usage import Usage, open_usage

Spent = Callable[..., Spending]
NOW = 1_795_000_000.0  # 2026-11-18 09:06:40 UTC, a Wednesday off-peak
DAY = 86_400
SHOP = Workspace(id="11111111-aaaa-5bbb-8ccc-222222222222", name="shop", path="/home/me/shop")
BAKERY = Workspace(id="33333333-aaaa-5bbb-8ccc-222222222222", name="bakery", path="/home/me/bakery")


def find(text: str) -> Workspace:
    for one in (SHOP, BAKERY):
        if text in (one.name, one.id, one.path):
            return one
    raise WorkspaceError(f"workspace: there is none {text!r}")


class Ledger:
    """A brain's attempts; `usage` are the use cases at `now`."""

    def __init__(self, home: Path, now: float = NOW, spent: Spent = lambda *which: Spending(), **settings: Any) -> None:
        self.brain = Brain(home)
        self.prices = PriceFiles(home)
        own = Settings(home=home, **settings)
        self.usage: Usage = open_usage(self.brain, own, "s-now", find, spent, clock=lambda: now)
        self.number = 0

    def add(self, at: float = NOW, *, cost: int | str | None = "priced", **values: object) -> UsageRow:
        """Book an attempt that ended: remote and ok, at the price of its moment, unless told otherwise."""
        self.number += 1
        facts: dict[str, object] = {
            "seq": 0,
            "request_id": f"q{self.number}",
            "attempt": 1,
            "workspace_id": SHOP.id,
            "session": "s1",
            "task": "",
            "operation": "query",
            "backend": "deepseek",
            "remote": True,
            "free": False,
            "model_asked": "deepseek-flash",
            "model_answered": None,
            "provider_request_id": None,
            "prefix_hash": None,
            "prompt_tokens": 1000,
            "cached_tokens": 400,
            "completion_tokens": 100,
            "reasoning_tokens": None,
            "tool_calls": None,
            "reserved_prompt_tokens": 2000,
            "reserved_completion_tokens": 1024,
            "reserved_nano_usd": 0,
            "price_version": None,
            "estimated": False,
            "status": UsageStatus.OK,
            "failure": None,
            "started_at": at,
            "ended_at": at + 1,
            "duration_s": 1.0,
            "raw_usage": None,
        } | values
        price = self.prices.current().rates(str(facts["backend"]), str(facts["model_asked"]), at)
        if cost == "priced":
            tokens = [int(facts[f"{name}_tokens"] or 0) for name in ("prompt", "cached", "completion")]
            cost = cost_nano(price, *tokens) if price else None
        row = UsageRow(**facts, cost_nano_usd=cost)
        self.brain.usage.add(row, [price] if price else [])
        return row

    def close(self) -> None:
        self.brain.close()


def random_rows(ledger: Ledger, count: int, seed: int = 7) -> list[UsageRow]:
    """Attempts of all kinds over forty days, as they were given to the books."""
    rng, made = random.Random(seed), []
    for _ in range(count):
        status = rng.choices(list(UsageStatus)[1:], (80, 5, 10, 5))[0]
        model = rng.choice(("deepseek-flash", "deepseek-v4-pro", "deepseek-v9-dream", "qwen3:4b"))
        local = model == "qwen3:4b"
        prompt = rng.randint(1, 50_000)
        told = status is not UsageStatus.FAILED or rng.random() < 0.3
        facts: dict[str, object] = {
            "backend": "ollama" if local else "deepseek",
            "remote": not local,
            "free": local,
            "model_asked": model,
            "workspace_id": rng.choice((SHOP.id, BAKERY.id)),
            "session": rng.choice(("s1", "s2", "s3")),
            "task": rng.choice(("", "fix login", "=SUM(A1)")),
            "operation": rng.choice(("query", "brief")),
            "status": status,
            "attempt": rng.choice((1, 1, 1, 2)),
            "prompt_tokens": prompt if told else None,
            "cached_tokens": rng.randint(0, prompt) if told and not local else None,
            "completion_tokens": rng.randint(0, 2_000) if told else None,
        }
        cost: int | str | None = 0 if local or not told else "priced"
        made.append(ledger.add(NOW - rng.random() * 40 * DAY, cost=cost, **facts))
    return made
