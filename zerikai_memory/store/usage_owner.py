"""Which process books usage: each holds a lock for its life, so that others can tell whether it has ended."""

from __future__ import annotations

import threading
import uuid
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

_PREFIX, _SUFFIX = "usage-", ".lock"


class UsageOwner:
    """This process as a booker; the operating system frees its lock however it ends."""

    def __init__(self, home: Path) -> None:
        self.name = uuid.uuid4().hex
        self._home = home
        self._folder = home / "locks"
        self._lock = self._of(self.name)
        self._mutex = threading.Lock()

    def claim(self) -> None:
        """Hold the lock from now on; where locks do not work, only the age of an attempt tells that it is over."""
        with self._mutex:
            if self._lock.is_locked:
                return
            with suppress(OSError, NotImplementedError):
                self._home.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._folder.mkdir(exist_ok=True, mode=0o700)
                self._lock.acquire(timeout=0)

    def release(self, *, settled: bool) -> None:
        """Give the lock up; its file goes too when no attempt of this process is open any more."""
        with self._mutex:
            if not self._lock.is_locked:
                return
            if settled:
                self.forget(self.name)
            self._lock.release()

    def gone(self, name: str) -> bool | None:
        """Whether the process of this name has ended; None when nothing tells."""
        if name == self.name:
            return False
        if not name or not self._path(name).exists():
            return None
        other = self._of(name)
        try:
            other.acquire(timeout=0)
        except Timeout:
            return False
        except (OSError, NotImplementedError):
            return None
        other.release()
        return True

    def known(self) -> list[str]:
        """Processes whose lock file is there, ended or not."""
        return [
            path.name.removeprefix(_PREFIX).removesuffix(_SUFFIX) for path in self._folder.glob(f"{_PREFIX}*{_SUFFIX}")
        ]

    def forget(self, name: str) -> None:
        """Remove the lock file of a process that has ended and left nothing open."""
        with suppress(OSError):
            self._path(name).unlink()

    def _path(self, name: str) -> Path:
        return self._folder / f"{_PREFIX}{name}{_SUFFIX}"

    def _of(self, name: str) -> FileLock:
        return FileLock(self._path(name), thread_local=False, mode=0o600)
