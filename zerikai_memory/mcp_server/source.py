"""The memory behind the tools, loaded on first use: importing it takes longer than a first reply may."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread

if TYPE_CHECKING:
    from zerikai_memory.app import Memory

T = TypeVar("T")


class MemorySource:
    """Holds the one memory of a server; thread-safe."""

    def __init__(self, load: Callable[[], Memory]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._memory: Memory | None = None

    def get(self) -> Memory:
        """The memory, loaded now if nobody has asked before (imports: call it in a worker thread)."""
        with self._lock:
            if self._memory is None:
                self._memory = self._load()
            return self._memory

    async def use(self, work: Callable[[Memory], T]) -> T:
        """The result of `work` on the memory, in a worker thread.

        Abandoned on cancellation: a client that gives up or a closed stdin must not wait for a slow call.
        """
        return await to_thread.run_sync(lambda: work(self.get()), abandon_on_cancel=True)
