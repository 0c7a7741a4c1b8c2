"""Values of metering that cross module borders: attempts as booked, kept totals, periods, replies, budgets, prices.

Money is a whole number of nano-dollars (1 USD = 1,000,000,000). Times are seconds since the epoch, UTC. None is
"unknown" wherever it stands: a cost of None is that of a model without a known price, never a cost of nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

NANO_PER_USD = 1_000_000_000


class UsageStatus(StrEnum):
    """How far an attempt has come.

    PARTIAL: the answer broke off. FAILED: no usable answer; it cost nothing unless the server counted tokens for it.
    UNKNOWN: perhaps billed, what is booked is the most that it can have cost.
    """

    STARTED = "started"
    OK = "ok"
    PARTIAL = "partial"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class UsageRow:
    """One attempt to get an answer from a model.

    `seq` is the order of booking, whatever the clock did. `request_id` is one per question to a model, `attempt`
    counts its tries from 1; both together are unique. `backend` is the provider's short name; `remote` whether the
    request left this machine, `free` whether it ran at a price of nothing. `cached_tokens` is the part of
    `prompt_tokens` that was read from the server's cache, `reasoning_tokens` part of `completion_tokens`.
    `reserved_*` is the worst case as it was booked before the call. `price_version` names the stored price that
    `cost_nano_usd` was computed with. `estimated`: tokens or cost are ours, not the server's count. `prefix_hash`
    tells system messages apart: equal prefixes can be read from the cache. `raw_usage` is the server's own JSON.
    """

    seq: int
    request_id: str
    attempt: int
    workspace_id: str
    session: str
    task: str
    operation: str
    backend: str
    remote: bool
    free: bool
    model_asked: str
    model_answered: str | None
    provider_request_id: str | None
    prefix_hash: str | None
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    tool_calls: int | None
    reserved_prompt_tokens: int
    reserved_completion_tokens: int
    reserved_nano_usd: int | None
    cost_nano_usd: int | None
    price_version: str | None
    estimated: bool
    status: UsageStatus
    failure: str | None
    started_at: float
    ended_at: float | None
    duration_s: float | None
    raw_usage: str | None

    @property
    def open(self) -> bool:
        """Whether the attempt has not been settled yet."""
        return self.status is UsageStatus.STARTED

    @property
    def unpriced(self) -> bool:
        """Whether the cost is unknown because no price of the model is known."""
        return self.cost_nano_usd is None and self.price_version is None and not self.open

    @property
    def uncounted(self) -> bool:
        """Whether the cost is unknown because the tokens are, although there is a price."""
        return self.cost_nano_usd is None and self.price_version is not None and not self.open


@dataclass(frozen=True, slots=True)
class UsageEnd:
    """How a booked attempt ended; fields as in UsageRow."""

    request_id: str
    attempt: int
    status: UsageStatus
    failure: str | None
    model_answered: str | None
    provider_request_id: str | None
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    reasoning_tokens: int | None
    tool_calls: int | None
    cost_nano_usd: int | None
    price_version: str | None
    estimated: bool
    ended_at: float | None
    duration_s: float | None
    raw_usage: str | None


@dataclass(frozen=True, slots=True)
class UsageTotal:
    """What is kept of purged attempts: sums per quarter of an hour (`at` is its start) and per everything else.

    `cost_nano_usd` is the sum of the known costs, `unpriced` the number of attempts that are not in it.
    """

    at: float
    workspace_id: str
    session: str
    task: str
    operation: str
    backend: str
    model: str
    remote: bool
    free: bool
    status: UsageStatus
    retried: bool
    attempts: int
    unpriced: int
    estimated: int
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    tool_calls: int
    cost_nano_usd: int


@dataclass(frozen=True, slots=True)
class UsagePeriod:
    """A span of time (`end_at` exclusive) whose costs of one back end differ from the provider's own figures."""

    start_at: float
    end_at: float
    backend: str
    state: str
    reason: str
    created_at: float


@dataclass(frozen=True, slots=True)
class ReplySize:
    """Characters that a tool's reply gave to an agent, beside those of the whole files that it cites (None: none)."""

    at: float
    workspace_id: str
    session: str
    task: str
    tool: str
    characters: int
    whole_file_characters: int | None


@dataclass(frozen=True, slots=True)
class PriceRates:
    """A price as it applied to one attempt: nano-dollars for a million tokens, which is whole for six decimals.

    `period` is flat, peak or off-peak. `version` is a name that no other rates share.
    """

    version: str
    provider: str
    model: str
    valid_from: str
    period: str
    input: int
    cached: int
    output: int
    source: str

    @property
    def free(self) -> bool:
        """Whether every token costs nothing."""
        return self.input == self.cached == self.output == 0


class BudgetScope(StrEnum):
    """Whose spending a budget bounds."""

    ALL = "all"
    WORKSPACE = "workspace"
    SESSION = "session"
    TASK = "task"


class BudgetPeriod(StrEnum):
    """How long a budget lasts: days and months of this machine's time zone, or for ever."""

    DAY = "day"
    MONTH = "month"
    TOTAL = "total"


class BudgetAction(StrEnum):
    """What a spent budget leaves: citations alone, a model on this machine, or a cheaper model and then that."""

    REFUSE = "refuse"
    LOCAL = "local"
    CHEAPER = "cheaper"


@dataclass(frozen=True, slots=True)
class Budget:
    """A bound on what paid models may use; `amount` is nano-dollars or tokens, as `unit` (usd, tokens) says.

    `workspace_id` is set for the scope workspace, `subject` is the session or task. Percentages of None are those of
    the settings. `id` is 0 before it is stored.
    """

    id: int
    scope: BudgetScope
    workspace_id: str
    subject: str
    period: BudgetPeriod
    unit: str
    amount: int
    action: BudgetAction
    warn_percent: float | None
    stop_percent: float | None
    created_at: float


@dataclass(frozen=True, slots=True)
class BudgetState:
    """What a budget has left: `spent` by attempts that ended, `reserved` by those that run, in the budget's unit.

    `since` is when its period began (None: for ever). `unpriced` attempts cost something that is not known for want
    of a price, `uncounted` ones for want of tokens or because they were purged unpriced: neither is in `spent`.
    """

    budget: Budget
    since: float | None
    spent: int
    reserved: int
    unpriced: int
    uncounted: int


@dataclass(frozen=True, slots=True)
class BudgetReport:
    """A budget as it stands; `amount`, `spent` and `reserved` are US dollars or tokens, as `unit` (usd, tokens) says.

    `subject` is the workspace's name, the session or the task. `percent` of the amount is spent or reserved by calls
    that run; `state` is ok, warning or stopped. `unpriced` attempts are not in `spent` for want of a price (a budget in
    dollars then stops), `uncounted` ones for want of token counts. `resets_at` is None for a total.
    """

    id: int
    scope: str
    subject: str
    workspace_id: str
    period: str
    unit: str
    amount: float
    spent: float
    reserved: float
    percent: float
    state: str
    action: str
    warn_percent: float
    stop_percent: float
    unpriced: int
    uncounted: int
    since: float | None
    resets_at: float | None


@dataclass(frozen=True, slots=True)
class PriceLine:
    """One row of the price table: US dollars for a million tokens; `peak_*` in the hours of `peak_hours`, else None.

    `valid_from` is UTC as text; `applies`: it is the row of its model today; `own`: from the person's own file.
    """

    provider: str
    model: str
    aliases: tuple[str, ...]
    valid_from: str
    applies: bool
    input_usd: float
    cached_usd: float
    output_usd: float
    peak_input_usd: float | None
    peak_cached_usd: float | None
    peak_output_usd: float | None
    peak_hours: str
    source: str
    checked_on: str
    own: bool
