"""Run a blocking model call with a wall-clock deadline and a stop that closes its sockets.

A client's read timeout starts anew at every byte, so a server that sends signs of life defeats it (measured); the
deadline here counts from the start. Stopping shuts the connection down, so the server stops working too.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from zerikai_memory.llm.base import Call, FailureKind, ModelError

T = TypeVar("T")

POLL_S = 0.05


class Line:
    """The connections of one call; `watch` is a request hook for httpx and httpx2 clients."""

    def __init__(self) -> None:
        self._sockets: list[socket.socket] = []
        self._lock = threading.Lock()
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether the call was stopped from outside."""
        return self._closed

    def watch(self, request: Any) -> None:
        """Note every connection that this request opens."""
        request.extensions["trace"] = self._trace

    def close(self) -> None:
        """Shut all connections down: a thread that reads from one wakes up."""
        with self._lock:
            self._closed = True
            for connection in self._sockets:
                _shut(connection)

    def _trace(self, event: str, info: dict[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            connection = info["return_value"].get_extra_info("socket")
            if connection is not None:
                with self._lock:
                    self._sockets.append(connection)
                    if self._closed:
                        _shut(connection)


def run_call(work: Callable[[Line], T], call: Call) -> T:
    """The result of `work`, which runs in a thread of its own; raises ModelError at the deadline or when cancelled."""
    line = Line()
    done = threading.Event()
    results: list[T] = []
    errors: list[BaseException] = []

    def main() -> None:
        try:
            results.append(work(line))
        except BaseException as error:  # noqa: BLE001 -- handed to the caller's thread
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=main, name="model-call", daemon=True).start()
    end = time.monotonic() + call.deadline_s
    while not done.wait(POLL_S):
        if call.cancelled():
            line.close()
            raise ModelError(FailureKind.CANCELLED, "the call was cancelled")
        if time.monotonic() >= end:
            line.close()
            raise ModelError(FailureKind.TIMEOUT, f"no complete answer within {call.deadline_s:.0f} s")
    if errors:
        raise errors[0]
    return results[0]


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):  # closed already
        connection.shutdown(socket.SHUT_RDWR)
