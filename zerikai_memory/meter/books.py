"""The books of one process: an attempt is reserved before it is sent, settled once, held back by a spent budget."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from zerikai_memory.errors import BusyError, InputError, StoreError
from zerikai_memory.llm.base import Attempt, AttemptEnd, FailureKind, ModelError
from zerikai_memory.meter import ends
from zerikai_memory.meter.background import Background
from zerikai_memory.meter.budget import Need, Percents, Refusal, judge, period_start
from zerikai_memory.meter.ends import Label
from zerikai_memory.meter.price_files import PriceFiles
from zerikai_memory.meter.prices import Prices
from zerikai_memory.meter.tending import tend
from zerikai_memory.model_usage import BudgetState, PriceRates, UsageEnd, UsageRow
from zerikai_memory.store.usage import UsageStore
from zerikai_memory.store.usage_owner import UsageOwner

MAX_LABEL_CHARS = 100
# How reports call what has no name.
UNNAMED = "(none)"

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MeterOptions:
    """What the settings say: whether attempts are booked, the names they get, when budgets warn and stop."""

    session: str
    task: str = ""
    tracking: bool = True
    percents: Percents = field(default_factory=Percents)


class Meter:
    """The books of one process; thread-safe."""

    def __init__(
        self,
        store: UsageStore,
        owner: UsageOwner,
        prices: PriceFiles,
        options: MeterOptions,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.options = options
        self.store = store
        self._owner = owner
        self._prices = prices
        self._clock = clock
        self._background = Background("usage")
        # Held while ends are on their way into the store, so that an admission never counts them as still running.
        self._writing = threading.Lock()
        self._ends: list[tuple[UsageEnd, PriceRates | None]] = []
        self._tended: Prices | None = None

    def label(self, task: str | None = None) -> Label:
        """What the attempts of a question are booked under; raises InputError for a task that is no label."""
        return Label(self.options.session, text_label("task", task) or self.options.task)

    def admit(self, attempt: Attempt, whose: Label) -> list[BudgetState]:
        """Book an attempt, or raise ModelError(BUDGET); gives the budgets that bound it, as they were before it."""
        prices = self._current_prices()
        row, rates = ends.started_row(attempt, whose, prices)
        try:
            if not self.options.tracking:
                self._without_books(row)
                return []
            need = _need(row, prices, self._prices.path)
            states, refusal = self._admit(row, rates, need)
            if refusal is not None:
                # A price that was stated since may tell what was spent.
                self.tend()
                states, refusal = self._admit(row, rates, need)
        except (StoreError, BusyError) as error:
            if not row.free:
                raise ModelError(
                    FailureKind.BUDGET,
                    f"paid models are not asked while usage cannot be booked: {error}",
                    instead="local",
                ) from error
            _LOG.warning("an attempt at a model on this machine was not booked: %s", error)
            return []
        if refusal is not None:
            raise ModelError(FailureKind.BUDGET, refusal.message, instead=refusal.instead)
        return states

    def settle(self, attempt: Attempt, end: AttemptEnd) -> UsageEnd | None:
        """Have the end of an attempt written, soon; nobody waits for it."""
        if not self.options.tracking:
            return None
        settled, rates = ends.ended(attempt, end, self._prices.current())
        with self._writing:
            self._ends.append((settled, rates))
        self._background.do(self._write_ends)
        return settled

    def flush(self) -> None:
        """Wait until everything is written that can be."""
        self._background.wait()
        self._write_ends()

    def tend(self) -> None:
        """Settle attempts whose process has ended without a word, and book costs whose price has become known."""
        tend(self.store, self._owner, self._prices.current(), self._clock())

    def close(self) -> None:
        """Write what is left and give the lock up."""
        self.flush()
        self._owner.release(settled=not self._ends)

    def _current_prices(self) -> Prices:
        prices = self._prices.current()
        if prices is not self._tended and self.options.tracking:
            self._tended = prices
            self._background.do(self.tend)
        return prices

    def _admit(self, row: UsageRow, rates: PriceRates | None, need: Need) -> tuple[list[BudgetState], Refusal | None]:
        self._owner.claim()
        now = self._clock()

        def objection(states: Sequence[BudgetState]) -> Refusal | None:
            return judge(states, need, self.options.percents, now)

        with self._writing:
            waiting, self._ends = self._ends, []
            known = [each for each in (rates, *(price for _, price in waiting)) if each is not None]
            try:
                return self.store.admit(
                    row,
                    self._owner.name,
                    [end for end, _ in waiting],
                    known,
                    lambda budget: period_start(budget.period, now),
                    objection,
                )
            except BaseException:
                self._ends = [*waiting, *self._ends]
                raise

    def _without_books(self, row: UsageRow) -> None:
        """Without tracking nothing is known of what was spent, so a budget allows nothing that costs."""
        if not row.free and (budgets := self.store.budgets.all()):
            raise ModelError(
                FailureKind.BUDGET,
                f"{len(budgets)} budget(s) are set and need ENABLE_TOKEN_TRACKING=true: paid models are not asked",
                instead="local",
            )

    def _write_ends(self) -> None:
        with self._writing:
            waiting, self._ends = self._ends, []
            if not waiting:
                return
            try:
                self.store.settle([end for end, _ in waiting], [price for _, price in waiting if price is not None])
            except (StoreError, BusyError) as error:
                self._ends = waiting
                _LOG.warning("%d attempt(s) are not settled yet: %s", len(waiting), error)


def text_label(what: str, given: str | None, longest: int = MAX_LABEL_CHARS) -> str:
    """The name of a task or session as it is booked, empty for none; raises InputError unless it is one short line."""
    text = given.strip() if isinstance(given, str) else given or ""
    if not isinstance(text, str) or len(text) > longest or not text.isprintable() or text == UNNAMED:
        shown = text if not isinstance(text, str) or len(text) <= 40 else text[:37] + "..."
        raise InputError(f"{what}: got {shown!r}, expected one line of at most {longest} characters, not {UNNAMED}")
    return text


def _need(row: UsageRow, prices: Prices, own_file: Path) -> Need:
    tokens = row.reserved_prompt_tokens + row.reserved_completion_tokens
    if row.reserved_nano_usd is not None:
        return Need(row.reserved_nano_usd, tokens)
    reason = prices.problem or (
        f"no price of {row.model_asked!r} at {row.backend!r} is known; add one to {own_file} "
        "(`zerikai-memory prices list` shows the known ones)"
    )
    return Need(None, tokens, reason)
