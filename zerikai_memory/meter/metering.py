"""Metering as the app composes it: the books of this process, budgets and prices of a brain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from zerikai_memory.errors import InputError
from zerikai_memory.llm.choose import Backends, Tier
from zerikai_memory.meter.booking import Booking
from zerikai_memory.meter.books import Meter, MeterOptions, text_label
from zerikai_memory.meter.budget import Percents
from zerikai_memory.meter.budget_desk import BudgetDesk, BudgetDraft
from zerikai_memory.meter.price_desk import PriceDesk
from zerikai_memory.meter.price_files import PriceFiles
from zerikai_memory.model import Workspace
from zerikai_memory.model_usage import BudgetAction, BudgetPeriod, BudgetReport, BudgetScope
from zerikai_memory.settings import Settings
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.usage_owner import UsageOwner


class Metering:
    """What a brain's models cost and may cost; nothing is opened before it is used."""

    def __init__(self, settings: Settings, brain: Brain, session: str) -> None:
        self._brain = brain
        self._settings = settings
        self._percents = Percents(settings.budget_warn_percent, settings.budget_stop_percent)
        self._files = PriceFiles(settings.home)
        options = MeterOptions(session, settings.task or "", settings.enable_token_tracking, self._percents)
        self.meter = Meter(brain.usage, UsageOwner(settings.home), self._files, options)

    def booking(self, task: str | None = None) -> Booking:
        """The attempts of one question; raises InputError for a task that is no label."""
        return Booking(self.meter, self.meter.label(task))

    @cached_property
    def budgets(self) -> BudgetDesk:
        """The budgets, as a person sets them."""
        return BudgetDesk(
            self._brain.usage.budgets,
            self._percents,
            lambda: {workspace.id: workspace.name for workspace in self._brain.registry.known()},
            tend=self.meter.tend,
        )

    def set_budget(
        self,
        amount: str,
        unit: str,
        *,
        per: str = "month",
        workspace: Workspace | None = None,
        session: str | None = None,
        task: str | None = None,
        action: str = "refuse",
        warn_percent: float | None = None,
        stop_percent: float | None = None,
    ) -> BudgetReport:
        """Set a budget for all, or for one workspace, session or task; raises InputError for what makes no sense."""
        scope, subject = BudgetScope.ALL, ""
        for name, text in ((BudgetScope.SESSION, session), (BudgetScope.TASK, task)):
            if text is not None:
                scope, subject = name, text_label(str(name), text)
                if not subject:
                    raise InputError(f"{name}: it is empty; give the name it is booked under")
        draft = BudgetDraft(
            amount,
            unit,
            BudgetScope.WORKSPACE if workspace else scope,
            workspace.id if workspace else "",
            subject,
            BudgetPeriod(per),
            BudgetAction(action),
            warn_percent,
            stop_percent,
        )
        return self.budgets.put(draft)

    @cached_property
    def prices(self) -> PriceDesk:
        """The price table, as a person looks at it."""
        return PriceDesk(self._files, self._brain.usage, self._remote_models, tend=self.meter.tend)

    def close(self) -> None:
        """Have everything written."""
        self.meter.close()

    def _remote_models(self) -> Sequence[tuple[str, str]]:
        if self._settings.memory_mode == "local":
            return ()
        backends = Backends(self._settings)
        tiers: tuple[Tier, ...] = ("fast", "pro") if self._settings.enable_deepseek_pro else ("fast",)
        found = [(backend.name, backend.ready().model) for tier in tiers for backend in backends.cloud(tier)]
        return tuple(dict.fromkeys(found))
