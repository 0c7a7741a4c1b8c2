"""Values of usage reports: what was spent on models, by us and by agents, and what our own answers cost an agent.

Money is in US dollars, as a number with at most nine decimals; None is "unknown", never "nothing". A sum of money
leaves out what has no known price, and `unpriced` says how many attempts that are. Days are dates of the report's time
zone as text, `2026-11-30`. Rates are 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

By = Literal["operation", "model", "workspace", "session", "task", "day"]
BY: tuple[By, ...] = ("operation", "model", "workspace", "session", "task", "day")
AgentsBy = Literal["agent", "model", "project", "day"]
AGENTS_BY: tuple[AgentsBy, ...] = ("agent", "model", "project", "day")


@dataclass(frozen=True, slots=True)
class UsageLine:
    """Attempts that share an operation, a model, a day ...

    `failed` brought no answer and were not billed, unless the server counted tokens for them; `unknown` were perhaps
    billed, and their worst case is in the sums; `running` have not ended and are in no sum. `cached_tokens` is part of
    `prompt_tokens`. `retried_usd` is what tries after the first cost, `wasted_usd` what was paid without a whole answer
    in return, `saved_usd` what tokens out of the provider's cache would have cost more without it.
    """

    name: str
    attempts: int
    failed: int
    unknown: int
    retried: int
    running: int
    prompt_tokens: int | None
    cached_tokens: int | None
    completion_tokens: int | None
    cache_hit_rate: float | None
    cost_usd: float | None
    unpriced: int
    estimated: int
    saved_usd: float | None
    retried_usd: float | None
    wasted_usd: float | None


@dataclass(frozen=True, slots=True)
class BudgetBar:
    """How much of a budget is used. `unit` usd or tokens; `share` is used / amount; `state` ok, warning or reached.

    `used` is None when it could not be read. `resets_at` is seconds since the epoch, None for a budget in all.
    """

    name: str
    unit: str
    amount: float
    used: float | None
    share: float | None
    state: str
    action: str
    resets_at: float | None


@dataclass(frozen=True, slots=True)
class ReplyCost:
    """Characters that our replies gave to agents, beside those of the whole files that they cite.

    Both are counted, not estimated: the text of each reply, and the files as they were when it was given. Replies that
    cite no file are in `replies` and `characters` alone; `compared_characters` and `whole_file_characters` are of the
    `compared` others. A token is 4 characters.
    """

    replies: int
    characters: int
    compared: int
    compared_characters: int
    whole_file_characters: int


@dataclass(frozen=True, slots=True)
class EstimatedPeriod:
    """A day (UTC) whose figures differ from the provider's own by more than the tolerance."""

    day: str
    backend: str
    reason: str


@dataclass(frozen=True, slots=True)
class UsageReport:
    """What was spent on models from `since` to `until` (days, both included); `workspace` is empty for all."""

    by: str
    workspace: str
    since: str
    until: str
    zone: str
    lines: tuple[UsageLine, ...]
    total: UsageLine
    top_tasks: tuple[UsageLine, ...]
    budgets: tuple[BudgetBar, ...]
    replies: ReplyCost
    estimated_periods: tuple[EstimatedPeriod, ...] = ()
    omitted: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentLine:
    """Responses of agents that share an agent, a model, a project or a day.

    `input_tokens` were neither read from a cache nor written to one. None: the transcripts do not tell; where only some
    responses do not, the sums are of the others and `untold` counts them. `silent_sessions` tell no tokens at all.
    `stated` responses carry a cost of the agent's own, the others are priced by our table; `unpriced` are not in
    `cost_usd`.
    """

    name: str
    sessions: int
    responses: int
    input_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    stated: int
    unpriced: int
    untold: int
    silent_sessions: int


@dataclass(frozen=True, slots=True)
class AgentsReport:
    """What agents spent by their own transcripts; lines without a day told are named `unknown day`."""

    by: str
    workspace: str
    since: str
    until: str
    zone: str
    lines: tuple[AgentLine, ...]
    total: AgentLine
    omitted: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spend:
    """What a model cost on a day; the cells of a plot."""

    day: str
    model: str
    cost_usd: float | None
    tokens: int
    unpriced: int


@dataclass(frozen=True, slots=True)
class UsagePage:
    """All that a page about usage shows: reports by several keys, cells of plots, and agents where they were asked."""

    title: str
    made_at: float
    reports: tuple[UsageReport, ...]
    days: tuple[str, ...]
    spends: tuple[Spend, ...]
    agents: tuple[AgentsReport, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """A day (UTC) and model in our rows and in a provider's export; None where one of them says nothing.

    `off` is the greatest relative difference of what both tell; a side that has nothing is off by 1.
    """

    day: str
    backend: str
    model: str
    ours_prompt: int | None
    theirs_prompt: int | None
    ours_completion: int | None
    theirs_completion: int | None
    ours_usd: float | None
    theirs_usd: float | None
    off: float
    beyond: bool


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What a comparison with a provider's export found; `marked` days are now estimated, `cleared` no longer."""

    source: str
    tolerance: float
    rows: int
    differences: tuple[Difference, ...]
    marked: tuple[EstimatedPeriod, ...]
    cleared: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PurgeReport:
    """Usage rows that were, or would be (`dry_run`), replaced by sums; `kept_usd` stays in every report."""

    before: str
    attempts: int
    kept_sums: int
    kept_usd: float | None
    dry_run: bool = False
