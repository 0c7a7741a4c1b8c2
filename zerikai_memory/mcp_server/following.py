"""Following slow work: progress for the client, an answer in time, a stop when nobody waits any more."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import anyio
from mcp.server.mcpserver import Context

from zerikai_memory import render
from zerikai_memory.mcp_server.source import MemorySource
from zerikai_memory.model import QueryAnswer, ScanReport

if TYPE_CHECKING:
    from zerikai_memory.app import Memory
    from zerikai_memory.scan.job import ScanJob

# Often enough to look alive, rarely enough to cost nothing.
POLL_S = 0.1
# A model that writes is worth a sign of life this often; an answer from the index alone is there before the first.
WRITING_S = 1.0

# Asks the memory, given where to tell how many characters a model has written, and how to learn that nobody waits.
Asking = Callable[["Memory", Callable[[int], None], Callable[[], bool]], QueryAnswer]


class ScanFollowers:
    """The calls that wait for scans; all on one event loop."""

    def __init__(self) -> None:
        self._waiting: WeakKeyDictionary[ScanJob, int] = WeakKeyDictionary()

    async def follow(self, job: ScanJob, deadline: float, ctx: Context[Any, Any]) -> ScanReport:
        """Watch a scan until the loop's clock says `deadline` and report progress.

        A cancelled call cancels the scan, unless another call is waiting for the same one.
        """
        self._waiting[job] = self._waiting.get(job, 0) + 1
        try:
            with anyio.move_on_at(deadline):
                await _watch(job, ctx)
        except anyio.get_cancelled_exc_class():
            if self._waiting[job] == 1:
                job.cancel()
            raise
        finally:
            self._waiting[job] -= 1
        return job.wait(0)


async def _watch(job: ScanJob, ctx: Context[Any, Any]) -> None:
    shown = 0
    while not job.finished:
        progress = job.progress
        if progress.done > shown:  # the protocol wants each value above the one before
            shown = progress.done
            message = f"{progress.stage} {render.one_line(progress.path)}".strip()
            await ctx.report_progress(shown, progress.total or None, message)
        await anyio.sleep(POLL_S)


async def follow_answer(source: MemorySource, ctx: Context[Any, Any], asking: Asking) -> QueryAnswer:
    """The answer, with progress while a model writes it; a cancelled call stops the model."""
    stop = threading.Event()
    written = [0]

    def write(chars: int) -> None:
        written[0] = chars

    answers: list[QueryAnswer] = []
    errors: list[Exception] = []

    async def ask() -> None:
        try:
            answers.append(await source.use(lambda memory: asking(memory, write, stop.is_set)))
        except Exception as error:  # noqa: BLE001 -- raised again below: a task group would wrap it
            errors.append(error)
        finally:
            group.cancel_scope.cancel()

    try:
        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            group.start_soon(_tell_writing, ctx, written)
    finally:
        stop.set()
    if errors:
        raise errors[0]
    return answers[0]


async def _tell_writing(ctx: Context[Any, Any], written: list[int]) -> None:
    ticks = 0
    while True:
        await anyio.sleep(WRITING_S)
        ticks += 1
        chars = written[0]
        message = f"the model has written {chars} characters" if chars else "waiting for the model"
        await ctx.report_progress(ticks, None, message)
