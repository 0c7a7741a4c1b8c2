"""Attempts that were left behind: settled when their process is surely gone, priced when a price becomes known."""

from __future__ import annotations

import logging

from zerikai_memory.errors import BusyError, StoreError
from zerikai_memory.meter.ends import abandoned, cost_again, rates_for
from zerikai_memory.meter.prices import Prices
from zerikai_memory.store.usage import UsageStore
from zerikai_memory.store.usage_owner import UsageOwner

# An attempt of a process that nothing is known of is over after this; calls take minutes.
ABANDONED_AFTER_S = 86_400.0

_LOG = logging.getLogger(__name__)


def tend(store: UsageStore, owner: UsageOwner, prices: Prices, now: float) -> None:
    """Do both; a brain that cannot be written stays as it is."""
    try:
        settle_abandoned(store, owner, now)
        price_late(store, prices)
    except (StoreError, BusyError) as error:
        _LOG.warning("open attempts were not looked after: %s", error)


def settle_abandoned(store: UsageStore, owner: UsageOwner, now: float) -> int:
    """Settle the open attempts of processes that have ended as unknown, at the most they can have cost; how many."""
    gone = {name for name in owner.known() if owner.gone(name)}
    over = []
    for row, name in store.open_rows():
        old = now - row.started_at > ABANDONED_AFTER_S
        if name in gone or (old and owner.gone(name) is None):
            rates = store.price(row.price_version) if row.price_version else None
            over.append(abandoned(row, rates))
    if over:
        store.settle(over)
        _LOG.info("%d attempt(s) of processes that have ended were settled as unknown", len(over))
    for name in gone:
        owner.forget(name)
    return len(over)


def price_late(store: UsageStore, prices: Prices) -> int:
    """Book the costs of attempts whose price was not known when they ended and is now; how many."""
    priced = 0
    for row in store.unpriced():
        rates = rates_for(
            prices, row.backend, row.model_asked, row.started_at, remote=row.remote, answered=row.model_answered
        )
        cost = cost_again(row, rates)
        if rates is not None and cost is not None:
            store.put_price(row.request_id, row.attempt, cost, rates)
            priced += 1
    return priced
