"""One deadline over everything that is done with a file, checked in every loop that can be long."""

from __future__ import annotations

import time
from collections.abc import Callable

from zerikai_memory.errors import Cancelled


class Late(Exception):
    """Work on one file took longer than its deadline."""


class Deadline:
    """A moment after which `check` raises Late; it raises Cancelled as soon as `cancelled()` says so."""

    __slots__ = ("_at", "_cancelled")

    def __init__(self, seconds: float, cancelled: Callable[[], bool] | None = None) -> None:
        self._at = time.monotonic() + seconds
        self._cancelled = cancelled

    def check(self) -> None:
        """Go on, or raise Late or Cancelled; takes about a tenth of a microsecond."""
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("stopped while a file was read")
        if time.monotonic() > self._at:
            raise Late

    def sooner(self, seconds: float) -> Deadline:
        """A deadline at most `seconds` from now, and never later than this one."""
        return Deadline(min(seconds, self._at - time.monotonic()), self._cancelled)

    def later(self, seconds: float) -> Deadline:
        """A deadline at least `seconds` from now, and never sooner than this one."""
        return Deadline(max(seconds, self._at - time.monotonic()), self._cancelled)
