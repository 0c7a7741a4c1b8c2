"""The attempts of one question: booked as they are made, with what their budgets have to say beside the answer."""

from __future__ import annotations

import time
from dataclasses import replace

from zerikai_memory.llm.base import Attempt, AttemptEnd, AttemptLog
from zerikai_memory.meter.books import Meter
from zerikai_memory.meter.budget import Need, warnings
from zerikai_memory.meter.ends import Label
from zerikai_memory.model import QueryAnswer
from zerikai_memory.model_usage import BudgetState, UsageStatus


class Booking(AttemptLog):
    """The attempts of one question, and what its budgets have to say beside the answer."""

    def __init__(self, meter: Meter, whose: Label) -> None:
        self._meter = meter
        self._label = whose
        self._states: list[BudgetState] = []
        self._used = Need(0, 0)

    def started(self, attempt: Attempt) -> None:
        """Reserve the worst case; raises ModelError(BUDGET)."""
        self._states, self._used = self._meter.admit(attempt, self._label), Need(0, 0)

    def ended(self, attempt: Attempt, end: AttemptEnd) -> None:
        """Have it settled."""
        settled = self._meter.settle(attempt, end)
        if settled is not None and self._states:
            tokens = (settled.prompt_tokens or 0) + (settled.completion_tokens or 0)
            if settled.status is UsageStatus.UNKNOWN and settled.prompt_tokens is None:
                tokens = attempt.prompt_tokens + attempt.max_tokens
            self._used = Need(settled.cost_nano_usd, tokens)

    def notices(self) -> tuple[str, ...]:
        """A sentence for each budget that is nearly spent after this question."""
        return warnings(self._states, self._used, self._meter.options.percents, time.time())


def noted(answer: QueryAnswer, log: AttemptLog) -> QueryAnswer:
    """The answer with what its budgets have to say."""
    notices = log.notices() if isinstance(log, Booking) else ()
    return replace(answer, warnings=(*answer.warnings, *notices)) if notices else answer
