"""All use cases of metering that are not a call: reports, books kept by hand, and the counting of replies."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from zerikai_memory.errors import InputError
from zerikai_memory.meter.budget import Percents
from zerikai_memory.meter.price_files import PriceFiles
from zerikai_memory.model import Workspace
from zerikai_memory.settings import Settings
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.tape_usage import Spending
from zerikai_memory.store.usage_history import UsageHistory
from zerikai_memory.usage_reports.bookkeeping import Bookkeeping, BookkeepingParts
from zerikai_memory.usage_reports.replies import Replies, ReplyParts
from zerikai_memory.usage_reports.reports import ReportParts, UsageReports
from zerikai_memory.workspace.identity import workspace_root
from zerikai_memory.workspace.opening import open_inside

# A cited file beyond this is no source that an agent would have read whole.
MAX_FILE_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """What was spent and how that is known."""

    reports: UsageReports
    books: Bookkeeping
    replies: Replies


def open_usage(
    brain: Brain,
    settings: Settings,
    session: str,
    find: Callable[[str], Workspace],
    spent: Callable[[float | None, str | None], Spending],
    *,
    tend: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.time,
) -> Usage:
    """The use cases over a brain.

    `find` resolves a workspace, `spent` gives what agents spent by their transcripts, `tend` settles attempts that were
    left behind.
    """
    history = UsageHistory(brain.recorded)
    prices = PriceFiles(brain.home).current
    parts = ReportParts(
        usage=brain.usage,
        history=history,
        prices=prices,
        find=find,
        known=brain.registry.known,
        spent=spent,
        percents=Percents(settings.budget_warn_percent, settings.budget_stop_percent),
        tracking=settings.enable_token_tracking,
        clock=clock,
        tend=tend,
    )
    replies = ReplyParts(history, find, read_cited, session, settings.task or "", settings.enable_token_tracking, clock)
    return Usage(UsageReports(parts), Bookkeeping(BookkeepingParts(history, prices, clock)), Replies(replies))


def read_cited(workspace: Workspace, path: str) -> bytes | None:
    """The bytes of a file that a reply cites; None when it cannot be read or is no file one reads whole."""
    try:
        with open_inside(workspace_root(workspace), path) as file:
            content = file.read(MAX_FILE_BYTES + 1)
    except (OSError, InputError):
        return None
    return content if len(content) <= MAX_FILE_BYTES else None
