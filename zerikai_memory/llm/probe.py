"""Remember for a short while whether a server is there, so that a question does not pay for finding out again."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")

REMEMBERED_S = 30.0
PROBE_S = 0.5


class Remembered(Generic[T]):
    """The result of `look`, at most REMEMBERED_S old; thread-safe, one thread looks while the others wait."""

    def __init__(self, look: Callable[[], T], clock: Callable[[], float] = time.monotonic) -> None:
        self._look = look
        self._clock = clock
        self._lock = threading.Lock()
        self._found: tuple[float, T] | None = None

    def get(self) -> T:
        """What was found, now or a moment ago."""
        with self._lock:
            if self._found is None or self._clock() - self._found[0] >= REMEMBERED_S:
                self._found = (self._clock(), self._look())
            return self._found[1]

    def forget(self) -> None:
        """Look again the next time."""
        with self._lock:
            self._found = None


def listens(url: str) -> bool:
    """Whether something accepts connections there; half a second at most."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), PROBE_S).close()
    except OSError:
        return False
    return True
