"""What an attempt is booked as: before it is sent, when it has ended, and when nobody will say how; pure."""

from __future__ import annotations

from dataclasses import dataclass

from zerikai_memory.llm.base import Attempt, AttemptEnd, TokenUse
from zerikai_memory.meter.prices import Prices, cost_nano, local_rates
from zerikai_memory.model_usage import PriceRates, UsageEnd, UsageRow, UsageStatus
from zerikai_memory.store.usage import ABANDONED

# The longest that a call may run: a provider that counts by its end may use the price of that moment.
LONGEST_CALL_S = 600.0


@dataclass(frozen=True, slots=True)
class Label:
    """Whose an attempt is: the session, and the task if one was named."""

    session: str
    task: str


def rates_for(
    prices: Prices, backend: str | None, model: str, moment: float, *, remote: bool, answered: str | None = None
) -> PriceRates | None:
    """The rates of an attempt: those of the tables, nothing for a model on this machine that is in none of them."""
    return prices.rates(backend, model, moment, answered) or (None if remote else local_rates())


def started_row(attempt: Attempt, label: Label, prices: Prices) -> tuple[UsageRow, PriceRates | None]:
    """The row of an attempt about to be sent, with the most that it can cost, and its rates."""
    rates = rates_for(prices, attempt.backend, attempt.model, attempt.started_at, remote=attempt.remote)
    tokens = (attempt.prompt_tokens, attempt.max_tokens)
    free = rates is not None and rates.free
    most = 0 if free else prices.dearest(attempt.backend, attempt.model, attempt.started_at, LONGEST_CALL_S, tokens)
    row = UsageRow(
        seq=0,
        request_id=attempt.request_id,
        attempt=attempt.number,
        workspace_id=attempt.workspace_id,
        session=label.session,
        task=label.task,
        operation=attempt.operation,
        backend=attempt.backend,
        remote=attempt.remote,
        free=free,
        model_asked=attempt.model,
        model_answered=None,
        provider_request_id=None,
        prefix_hash=attempt.prefix_hash or None,
        prompt_tokens=None,
        cached_tokens=None,
        completion_tokens=None,
        reasoning_tokens=None,
        tool_calls=None,
        reserved_prompt_tokens=attempt.prompt_tokens,
        reserved_completion_tokens=attempt.max_tokens,
        reserved_nano_usd=most,
        cost_nano_usd=None,
        price_version=rates.version if rates else None,
        estimated=False,
        status=UsageStatus.STARTED,
        failure=None,
        started_at=attempt.started_at,
        ended_at=None,
        duration_s=None,
        raw_usage=None,
    )
    return row, rates


def ended(attempt: Attempt, end: AttemptEnd, prices: Prices) -> tuple[UsageEnd, PriceRates | None]:
    """How an attempt is settled, and the rates of its cost.

    The end is the start and what passed since: the clock of the day may have been set back meanwhile.
    """
    status = UsageStatus(end.status)
    answered = end.model if status in (UsageStatus.OK, UsageStatus.PARTIAL) else None
    rates = rates_for(
        prices, attempt.backend, attempt.model, attempt.started_at, remote=attempt.remote, answered=answered
    )
    counted = _counted(attempt, end, status)
    cost, estimated = cost_of(status, counted, (attempt.prompt_tokens, attempt.max_tokens), rates)
    duration = max(end.duration_s, 0.0)
    settled = UsageEnd(
        request_id=attempt.request_id,
        attempt=attempt.number,
        status=status,
        failure=str(end.failure) if end.failure else None,
        model_answered=answered,
        provider_request_id=end.provider_id or None,
        prompt_tokens=counted.prompt,
        cached_tokens=counted.cached,
        completion_tokens=counted.completion,
        reasoning_tokens=counted.reasoning,
        tool_calls=counted.tool_calls,
        cost_nano_usd=cost,
        price_version=rates.version if rates else None,
        estimated=estimated or counted != end.usage or counted.doubtful,
        ended_at=attempt.started_at + duration,
        duration_s=duration,
        raw_usage=end.usage.raw or None,
    )
    return settled, rates


def abandoned(row: UsageRow, rates: PriceRates | None) -> UsageEnd:
    """An attempt whose process has ended without a word: unknown, at the most that it can have cost."""
    reserved = (row.reserved_prompt_tokens, row.reserved_completion_tokens)
    cost, _ = cost_of(UsageStatus.UNKNOWN, TokenUse(), reserved, rates)
    return UsageEnd(
        request_id=row.request_id,
        attempt=row.attempt,
        status=UsageStatus.UNKNOWN,
        failure=ABANDONED,
        model_answered=None,
        provider_request_id=None,
        prompt_tokens=None,
        cached_tokens=None,
        completion_tokens=None,
        reasoning_tokens=None,
        tool_calls=None,
        cost_nano_usd=cost,
        price_version=row.price_version,
        estimated=True,
        ended_at=None,
        duration_s=None,
        raw_usage=None,
    )


def cost_again(row: UsageRow, rates: PriceRates | None) -> int | None:
    """The cost of a booked attempt at these rates; at those of its price version, what is booked."""
    use = TokenUse(row.prompt_tokens, row.cached_tokens, row.completion_tokens)
    return cost_of(row.status, use, (row.reserved_prompt_tokens, row.reserved_completion_tokens), rates)[0]


def cost_of(
    status: UsageStatus, use: TokenUse, reserved: tuple[int, int], rates: PriceRates | None
) -> tuple[int | None, bool]:
    """Nano-dollars of an attempt that ended, None where they are unknown, and whether they are an estimate.

    A failed attempt without counts was not billed; one of unknown outcome cost at most what was reserved for it. A
    provider that says nothing of a cache has read nothing from it.
    """
    if status is UsageStatus.FAILED and use.prompt is None:
        return 0, False
    if rates is None:
        return None, False
    guess = status is UsageStatus.UNKNOWN
    prompt = reserved[0] if use.prompt is None and guess else use.prompt
    completion = reserved[1] if use.completion is None and guess else use.completion
    if prompt is None or (guess and not any(reserved) and use.prompt is None):
        return (0 if rates.free else None), guess
    return cost_nano(rates, prompt, use.cached or 0, completion or 0), guess


def _counted(attempt: Attempt, end: AttemptEnd, status: UsageStatus) -> TokenUse:
    """The server's counts; for an answer that it did not count, ours."""
    use = end.usage
    if status not in (UsageStatus.OK, UsageStatus.PARTIAL):
        return use
    written = attempt.max_tokens if end.text_tokens is None else end.text_tokens
    return TokenUse(
        attempt.prompt_tokens if use.prompt is None else use.prompt,
        use.cached,
        written if use.completion is None else use.completion,
        use.reasoning,
        use.tool_calls,
        use.raw,
        use.doubtful,
    )
