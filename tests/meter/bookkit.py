"""Books of a brain in a temporary folder, with a clock that a test moves, and attempts to put into them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from zerikai_memory.llm.base import Attempt, AttemptEnd, FailureKind, TokenUse
from zerikai_memory.meter.booking import Booking
from zerikai_memory.meter.books import Meter, MeterOptions
from zerikai_memory.meter.budget import Percents
from zerikai_memory.meter.price_files import PriceFiles
from zerikai_memory.model_usage import Budget, BudgetAction, BudgetPeriod, BudgetScope, UsageRow
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.usage_owner import UsageOwner

_numbers = itertools.count(1)


def at(text: str) -> float:
    """Seconds since the epoch of a moment as text; a time without an offset is UTC."""
    moment = datetime.fromisoformat(text.replace("Z", "+00:00") if text.endswith("Z") else f"{text}+00:00")
    return moment.timestamp()


# A Monday, off-peak: flash costs 150 nano-dollars a token of input, 3 from the cache, 600 of output.
NOON = at("2026-11-30T12:00:00Z")
USED, NOTHING, USUAL = TokenUse(1000, 400, 10), TokenUse(), Percents()
# What USED costs: 600 x 150 + 400 x 3 + 10 x 600.
COST = 97_200
# What is reserved for an attempt: 1000 x 150 + 100 x 600.
RESERVED = 210_000


@dataclass
class Books:
    """A meter and what it writes to; `now` is its clock."""

    home: Path
    brain: Brain
    meter: Meter
    now: list[float]

    def booking(self, task: str | None = None) -> Booking:
        return Booking(self.meter, self.meter.label(task))

    def rows(self) -> list[UsageRow]:
        self.meter.flush()
        return self.brain.usage.rows()

    def run(self, usage: TokenUse = USED, status: str = "ok", **more: Any) -> UsageRow:
        """One whole attempt."""
        sent, booking = attempt(**more), self.booking(more.get("task"))
        booking.started(sent)
        booking.ended(sent, end(usage, status, model=sent.model))
        self.meter.flush()
        found = self.brain.usage.find(sent.request_id, sent.number)
        assert found is not None
        return found


@contextmanager
def books(
    home: Path,
    *,
    now: float = NOON,
    tracking: bool = True,
    session: str = "s",
    task: str = "",
    percents: Percents = USUAL,
) -> Iterator[Books]:
    clock = [now]
    brain = Brain(home)
    options = MeterOptions(session, task, tracking, percents)
    meter = Meter(brain.usage, UsageOwner(home), PriceFiles(home), options, lambda: clock[0])
    try:
        yield Books(home, brain, meter, clock)
    finally:
        meter.close()
        brain.close()


def attempt(request_id: str = "", number: int = 1, **more: Any) -> Attempt:
    more.pop("task", None)
    values: dict[str, Any] = {
        "request_id": request_id or f"r{next(_numbers)}",
        "number": number,
        "operation": "query",
        "workspace_id": "w",
        "backend": "deepseek",
        "model": "deepseek-flash",
        "remote": True,
        "prompt_tokens": 1_000,
        "max_tokens": 100,
        "started_at": NOON,
    }
    return Attempt(**{**values, **more})


LOCAL = {"backend": "ollama", "model": "llama3", "remote": False}


def end(usage: TokenUse = NOTHING, status: str = "ok", failure: FailureKind | None = None, **more: Any) -> AttemptEnd:
    made = AttemptEnd(status, usage, "deepseek-flash", NOON + 1, failure, duration_s=1.0)
    return replace(made, **more)


def budget(
    amount: int,
    unit: str = "usd",
    scope: str = "all",
    subject: str = "",
    period: str = "day",
    action: str = "refuse",
    warn: float | None = None,
    stop: float | None = None,
) -> Budget:
    """A budget; a workspace's `subject` is its id, dollars are nano-dollars."""
    workspace = subject if scope == "workspace" else ""
    return Budget(
        id=0,
        scope=BudgetScope(scope),
        workspace_id=workspace,
        subject="" if workspace else subject,
        period=BudgetPeriod(period),
        unit=unit,
        amount=amount,
        action=BudgetAction(action),
        warn_percent=warn,
        stop_percent=stop,
        created_at=NOON,
    )


def own_prices(home: Path, rows: Sequence[dict[str, Any]], more: str = "") -> None:
    """Write the person's own price file: {model, input, cached, output, ...} each."""
    home.mkdir(parents=True, exist_ok=True)
    lines = []
    for row in rows:
        lines.append("[[prices]]")
        lines += [f'{name} = "{value}"' for name, value in row.items()]
    (home / "prices.toml").write_text("\n".join(lines) + f"\n{more}", encoding="utf-8")
