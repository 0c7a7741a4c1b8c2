"""Work that nobody waits for, done in order in one thread that ends when there is none."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable


class Background:
    """Jobs of one process. The thread is no daemon: a normal exit lets it finish, which takes milliseconds."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._mutex = threading.Lock()
        self._jobs: deque[Callable[[], None]] = deque()
        self._thread: threading.Thread | None = None

    def do(self, job: Callable[[], None]) -> None:
        """Do `job` after those before it; it must not raise."""
        with self._mutex:
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name)
                self._thread.start()

    def wait(self) -> None:
        """Wait until everything that was given so far is done."""
        with self._mutex:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._mutex:
                if not self._jobs:
                    self._thread = None
                    return
                job = self._jobs.popleft()
            job()
