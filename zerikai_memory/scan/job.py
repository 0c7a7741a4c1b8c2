"""A scan that runs in a thread of this process: wait for it, watch it, join it, cancel it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from zerikai_memory.model import ScanProgress, ScanReport

ScanFunction = Callable[[Callable[[ScanProgress], None], Callable[[], bool]], ScanReport]


class ScanJob:
    """One running or finished scan; every caller of the same workspace shares the job."""

    def __init__(self, run: ScanFunction, running_report: Callable[[ScanProgress], ScanReport]) -> None:
        self._running_report = running_report
        self._stop = threading.Event()
        self._finished = threading.Event()
        self._report: ScanReport | None = None
        self._error: BaseException | None = None
        self.progress = ScanProgress("waiting", 0, 0)
        self._thread = threading.Thread(target=self._main, args=(run,), name="scan", daemon=True)
        self._thread.start()

    def wait(self, timeout_s: float | None = None) -> ScanReport:
        """The final report, or one with status `running` when `timeout_s` seconds were not enough."""
        if not self._finished.wait(timeout_s):
            return self._running_report(self.progress)
        if self._error is not None:
            raise self._error
        assert self._report is not None
        return self._report

    @property
    def finished(self) -> bool:
        """Whether the scan has ended, well or not."""
        return self._finished.is_set()

    @property
    def stopping(self) -> bool:
        """Whether the scan was asked to stop: nobody should wait for its report any more."""
        return self._stop.is_set()

    def cancel(self) -> None:
        """Ask the scan to stop after the file at hand; what it has committed stays."""
        self._stop.set()

    def join(self, timeout_s: float = 5.0) -> None:
        """Wait for the thread to end, whatever its outcome."""
        self._thread.join(timeout_s)

    def _main(self, run: ScanFunction) -> None:
        try:
            self._report = run(self._watch, self._stop.is_set)
        except BaseException as error:  # noqa: BLE001 -- handed to whoever waits, in their thread
            self._error = error
        finally:
            self._finished.set()

    def _watch(self, progress: ScanProgress) -> None:
        self.progress = progress
