"""Whose turn it is to scan a workspace: one process at a time, the others see who scans and how far it has come.

The lock is the operating system's, freed when its process ends, however it ends. What stands beside it (process, start,
progress) only informs: nobody decides anything by it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from zerikai_memory.errors import BusyError, Cancelled, StoreError
from zerikai_memory.model import ScanProgress, Workspace

# How often a scan that waits for another process's scan looks again.
POLL_S = 0.2
# How often the running scan says how far it has come.
TELL_EVERY_S = 0.5

ProgressFunction = Callable[[ScanProgress], None]


@dataclass(frozen=True, slots=True)
class OtherScan:
    """The scan that another process has said it runs."""

    pid: int
    started_at: float
    progress: ScanProgress

    @property
    def who(self) -> str:
        """`process 123 since 14:03:22 UTC`."""
        return f"process {self.pid} since {datetime.fromtimestamp(self.started_at, UTC):%H:%M:%S} UTC"


class ScanTurn:
    """The turn of one workspace: take it, tell the others, wait for it."""

    def __init__(self, lock: FileLock, status: Path) -> None:
        self._lock = lock
        self._status = status
        self._started_at = 0.0
        self._told_at = 0.0

    @contextmanager
    def hold(self, progress: ProgressFunction, cancelled: Callable[[], bool]) -> Iterator[ProgressFunction]:
        """Hold the turn, waiting for as long as another process has it; yields the progress function to report to.

        Raises Cancelled when `cancelled` turns true while waiting, StoreError when the lock cannot be made.
        """
        while not self._taken(POLL_S):
            progress(self._waiting())
            if cancelled():
                raise Cancelled("stopped while another process was scanning; nothing was written")
        try:
            yield lambda step: self._tell(step, progress)
        finally:
            self._give_back()

    @contextmanager
    def hold_briefly(self, workspace: Workspace, wait_s: float) -> Iterator[None]:
        """Hold the turn for a change that is no scan; raises BusyError when a scan still runs after `wait_s`."""
        if not self._taken(wait_s):
            other = self.other()
            raise BusyError(
                f"{workspace.name!r} is being scanned ({other.who if other else 'by another process'}); try again when "
                "that has ended"
            )
        try:
            yield
        finally:
            self._give_back()

    def other(self) -> OtherScan | None:
        """What the holder of the turn says of itself; None when nobody has it or nothing readable is there."""
        found = self._said()
        if found and self._taken(0):  # left behind by a process that was killed
            self._give_back()
            return None
        return found

    def _taken(self, wait_s: float) -> bool:
        try:
            self._lock.acquire(timeout=wait_s, poll_interval=0.05)
        except Timeout:
            return False
        except OSError as error:
            raise StoreError(
                f"{self._lock.lock_file} cannot be made ({error.strerror}); the brain cannot be written, only read"
            ) from error
        self._started_at, self._told_at = time.time(), 0.0
        return True

    def _give_back(self) -> None:
        with suppress(OSError):
            self._status.unlink(missing_ok=True)
        self._lock.release()

    def _waiting(self) -> ScanProgress:
        other = self._said()
        if other is None:
            return ScanProgress("waiting for the scan of another process", 0, 0)
        return ScanProgress(f"waiting for the scan of {other.who}", other.progress.done, other.progress.total)

    def _said(self) -> OtherScan | None:
        try:
            said = json.loads(self._status.read_text(encoding="utf-8"))
            progress = ScanProgress(str(said["stage"]), int(said["done"]), int(said["total"]))
            return OtherScan(int(said["pid"]), float(said["started_at"]), progress)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _tell(self, step: ScanProgress, progress: ProgressFunction) -> None:
        progress(step)
        now = time.monotonic()
        if self._told_at and now - self._told_at < TELL_EVERY_S:
            return
        self._told_at = now
        said = {
            "pid": os.getpid(),
            "started_at": self._started_at,
            "stage": step.stage,
            "done": step.done,
            "total": step.total,
        }
        with suppress(OSError):  # a full disk must not end a scan for the sake of a courtesy
            self._status.write_text(json.dumps(said), encoding="utf-8")
