"""Metering on its own: record attempts at models and sum them up, in any folder, without an index."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from zerikai_memory.errors import InputError
from zerikai_memory.llm.base import TokenUse
from zerikai_memory.llm.token_counts import usage_of
from zerikai_memory.meter.books import text_label
from zerikai_memory.meter.ends import cost_of, rates_for
from zerikai_memory.meter.price_files import PriceFiles
from zerikai_memory.meter.prices import ANY
from zerikai_memory.meter.sums import UsageSums, sums_of
from zerikai_memory.meter.tending import tend
from zerikai_memory.model_usage import PriceRates, UsageRow, UsageStatus, UsageTotal
from zerikai_memory.settings import Settings, source_checkout
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.usage_owner import UsageOwner

# Nothing of it was reserved, and its prompt is not known.
_NOT_SENT_BY_US: dict[str, Any] = {
    "seq": 0,
    "prefix_hash": None,
    "reserved_prompt_tokens": 0,
    "reserved_completion_tokens": 0,
}


def record(
    request_id: str,
    *,
    model: str,
    usage: Mapping[str, Any] | None = None,
    provider: str | None = None,
    operation: str = "call",
    workspace: str = "",
    session: str | None = None,
    task: str | None = None,
    attempt: int = 1,
    status: str = "ok",
    failure: str | None = None,
    remote: bool = True,
    answered: str | None = None,
    response_id: str | None = None,
    at: float | None = None,
    duration_s: float | None = None,
    home: Path | str | None = None,
) -> UsageRow:
    """Record the tokens and cost of one attempt at a model; the same `request_id` and `attempt` count once.

    `usage` is the provider's own usage object: DeepSeek's, OpenAI's, Anthropic's or Ollama's. `provider` chooses the
    price where several have a model of this name; `remote=False` is a model on this machine, which costs nothing unless
    a price says so. `status` is started, ok, partial, failed or unknown; `at` the moment it was sent, in seconds since
    the epoch. `home` is the brain folder, else that of the settings. Returns the row as it is stored, which after a
    second report is still the first one; its cost is None where it is not known. Raises InputError.
    """
    settings = _settings(home)
    sent = time.time() if at is None else _moment(at)
    known = PriceFiles(settings.home).current()
    rates = rates_for(known, provider, _required("model", model), sent, remote=remote, answered=answered)
    use, _ = usage_of(usage)
    state = _status(status)
    cost, guessed = (None, False) if state is UsageStatus.STARTED else cost_of(state, use, (0, 0), rates)
    row = UsageRow(
        **_NOT_SENT_BY_US,
        **_counted(use),
        request_id=_required("request_id", request_id),
        attempt=_attempt(attempt),
        **_whose(settings, workspace, session, task, operation),
        backend=text_label("provider", provider) or _provider_of(rates),
        remote=remote,
        free=rates is not None and rates.free,
        model_asked=model.strip(),
        model_answered=_optional("answered", answered),
        provider_request_id=_optional("response_id", response_id),
        reserved_nano_usd=None if rates is None else 0,
        cost_nano_usd=cost,
        price_version=rates.version if rates else None,
        estimated=(guessed and cost is not None) or use.doubtful,
        status=state,
        failure=_optional("failure", failure),
        **_times(sent, duration_s, state),
    )
    with _brain(settings) as brain:
        brain.usage.add(row, [] if rates is None else [rates])
        return brain.usage.find(row.request_id, row.attempt) or row


def _whose(settings: Settings, workspace: str, session: str | None, task: str | None, operation: str) -> dict[str, Any]:
    """The columns that say what an attempt was made for."""
    return {
        "workspace_id": text_label("workspace", workspace, 1_000),
        "session": text_label("session", session or settings.session),
        "task": text_label("task", task or settings.task),
        "operation": text_label("operation", operation),
    }


def _times(sent: float, duration_s: float | None, state: UsageStatus) -> dict[str, Any]:
    """The columns that say when an attempt began and ended, and how long it took."""
    lasted = None if duration_s is None else max(duration_s, 0.0)
    ended = None if lasted is None or state is UsageStatus.STARTED else sent + lasted
    return {"started_at": sent, "ended_at": ended, "duration_s": lasted}


def _optional(name: str, text: str | None) -> str | None:
    return text_label(name, text, 500) or None


def _counted(use: TokenUse) -> dict[str, Any]:
    """The columns of a row that the provider's own count fills."""
    return {
        "prompt_tokens": use.prompt,
        "cached_tokens": use.cached,
        "completion_tokens": use.completion,
        "reasoning_tokens": use.reasoning,
        "tool_calls": use.tool_calls,
        "raw_usage": use.raw or None,
    }


def report(
    *,
    by: str | None = None,
    since: float | None = None,
    until: float | None = None,
    workspace: str | None = None,
    home: Path | str | None = None,
) -> list[UsageSums]:
    """Sums of the attempts that started from `since` on and before `until`: first of all, then for each group of `by`.

    `by` is operation, model, provider, workspace, session, task, status or day (of this machine's time
    zone). A brain without attempts gives sums of none.
    Raises InputError.
    """
    settings = _settings(home)
    found: list[UsageRow | UsageTotal] = []
    if (settings.home / "zerikai.db").exists():
        with _brain(settings) as brain:
            tend(brain.usage, UsageOwner(settings.home), PriceFiles(settings.home).current(), time.time())
            found += brain.usage.rows(since, until, workspace)
            found += brain.usage.purged(since, until, workspace)
    return sums_of(found, by)


def _settings(home: Path | str | None) -> Settings:
    settings = Settings.from_env(os.environ, source_checkout())
    return settings if home is None else replace(settings, home=Path(home).expanduser().absolute())


@contextmanager
def _brain(settings: Settings) -> Iterator[Brain]:
    brain = Brain(settings.home)
    try:
        yield brain
    finally:
        brain.close()


def _provider_of(rates: PriceRates | None) -> str:
    return rates.provider if rates is not None and rates.provider != ANY else ""


def _required(name: str, text: str) -> str:
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{name}: got {text!r}, expected a text")
    return text_label(name, text, 500)


def _attempt(number: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number < 10**9:
        raise InputError(f"attempt: got {number!r}, expected a whole number from 1")
    return number


def _status(text: str) -> UsageStatus:
    try:
        return UsageStatus(text)
    except ValueError:
        raise InputError(f"status: got {text!r}, expected one of {', '.join(UsageStatus)}") from None


def _moment(at: float) -> float:
    # Up to the year 9999: what a date can say.
    if (
        isinstance(at, bool)
        or not isinstance(at, int | float)
        or not math.isfinite(at)
        or not 0 <= at < 253_402_300_800
    ):
        raise InputError(f"at: got {at!r}, expected seconds since the epoch")
    return float(at)
