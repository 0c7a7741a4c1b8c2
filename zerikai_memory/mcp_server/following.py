"""Following a running scan: progress for the client, an answer in time, a stop when nobody waits any more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import anyio
from mcp.server.mcpserver import Context

from zerikai_memory import render
from zerikai_memory.model import ScanReport

if TYPE_CHECKING:
    from zerikai_memory.scan.job import ScanJob

# Often enough to look alive, rarely enough to cost nothing.
POLL_S = 0.1


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
