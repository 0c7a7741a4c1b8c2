"""One deadline over everything that is done with a file, checked in every loop that can be long."""

from __future__ import annotations

import time
from collections.abc import Callable

from zerikai_memory.errors import Cancelled


class Late(Exception):
    """Work on one file took longer than its deadline."""


class Deadline:
    """So many seconds of this thread's CPU: then `check` raises Late; Cancelled as soon as `cancelled()` says so.

    CPU, because what a file gives must not depend on what else the machine does meanwhile. The wall clock is asked
    first: it is the cheaper one, and no thread uses more CPU than time passes.
    """

    __slots__ = ("_at", "_cancelled", "_cpu_at")

    def __init__(self, seconds: float, cancelled: Callable[[], bool] | None = None) -> None:
        self._cpu_at = time.thread_time() + seconds
        self._at = time.monotonic() + seconds
        self._cancelled = cancelled

    def check(self) -> None:
        """Go on, or raise Late or Cancelled; takes about a tenth of a microsecond."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("stopped while a file was read")
        if time.monotonic() > self._at:
            left = self._left()
            if left <= 0:
                raise Late
            self._at = time.monotonic() + left

    def sooner(self, seconds: float) -> Deadline:
        """A deadline at most `seconds` from now, and never later than this one."""
        return Deadline(min(seconds, self._left()), self._cancelled)

    def later(self, seconds: float) -> Deadline:
        """A deadline at least `seconds` from now, and never sooner than this one."""
        return Deadline(max(seconds, self._left()), self._cancelled)

    def _left(self) -> float:
        return self._cpu_at - time.thread_time()
