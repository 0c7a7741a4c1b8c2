"""A mirror's worker as its parent sees it: started on demand, asked over pipes, never waited for without a bound."""

from __future__ import annotations

import base64
import itertools
import json
import logging
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from zerikai_memory.store.mirror_task import WorkerTask, worker_command, worker_environment
from zerikai_memory.store.vectors import MirrorError, Vector

# The worker ends by itself three seconds after the end of its stdin.
STOP_WAIT_S = 4.0

_LOG = logging.getLogger(__name__)


class NotReady(MirrorError):
    """The mirror works and cannot answer yet: it is being filled, or another process holds it."""


class HeldElsewhere(NotReady):
    """Another process holds the mirror's folder, as it should be: one window answers by it, the others exactly."""


class MirrorProcess:
    """One worker process; thread-safe."""

    def __init__(self, task: WorkerTask, delay_s: float = 0.0) -> None:
        self.task = task
        self.left: int | None = None
        self.trouble = ""
        self._numbers = itertools.count(1)
        self._mutex = threading.Lock()
        self._waiting: dict[int, queue.Queue[Mapping[str, Any]]] = {}
        self._drained = threading.Event()
        self._ended = threading.Event()
        self._process = subprocess.Popen(
            worker_command(task, delay_s),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_existing(task.home),  # Chroma reads the .env of the working folder
            env=worker_environment(),
        )
        self._reader = threading.Thread(target=self._read, name="mirror", daemon=True)
        self._reader.start()

    @property
    def alive(self) -> bool:
        """Whether the worker runs."""
        return not self._ended.is_set()

    def wait_drained(self, timeout_s: float, go_on: Callable[[int | None], bool]) -> bool:
        """Wait until the outbox is empty and the mirror verified; `go_on` gets what is left and may stop the wait."""
        deadline = time.monotonic() + timeout_s
        while not self._drained.wait(0.1):
            if self._ended.is_set() or time.monotonic() > deadline or not go_on(self.left):
                break
        return self._drained.is_set()

    def search(self, query: Vector, k: int, timeout_s: float) -> tuple[tuple[str, ...], Vector]:
        """(entity ids, distances) from the mirror; raises NotReady or MirrorError."""
        number = next(self._numbers)
        reply: queue.Queue[Mapping[str, Any]] = queue.Queue()
        vector = base64.b64encode(query.astype("<f4").tobytes()).decode()
        with self._mutex:
            self._waiting[number] = reply
        try:
            self._send({"id": number, "k": k, "vector": vector})
            answer = reply.get(timeout=timeout_s)
        except queue.Empty:
            raise MirrorError(f"no answer within {timeout_s:g} s") from None
        finally:
            with self._mutex:
                self._waiting.pop(number, None)
        return _unpacked(answer)

    def stop(self) -> None:
        """Tell the worker to end; kill it if it does not."""
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(STOP_WAIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(1.0)

    def _send(self, request: Mapping[str, Any]) -> None:
        stdin = self._process.stdin
        if stdin is None or self._ended.is_set():
            raise MirrorError(self.trouble or "the mirror's process has ended")
        try:
            with self._mutex:
                stdin.write(json.dumps(request).encode() + b"\n")
                stdin.flush()
        except (OSError, ValueError) as error:
            raise MirrorError("the mirror's process has ended") from error

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        with stdout:
            for line in stdout:
                self._take(json.loads(line))
        status = self._process.wait()
        if status and not self.trouble:
            self.trouble = f"the mirror's process ended with status {status}"
        if self.trouble:
            _LOG.info("mirror of %s: %s", self.task.workspace_id, self.trouble)
        self._ended.set()
        with self._mutex:
            if self._process.stdin is not None:
                with suppress(OSError):
                    self._process.stdin.close()
            for reply in self._waiting.values():
                reply.put({"trouble": self.trouble or "the mirror's process has ended"})

    def _take(self, message: Mapping[str, Any]) -> None:
        if "id" in message:
            with self._mutex:
                reply = self._waiting.get(message["id"])
            if reply is not None:
                reply.put(message)
            return
        if message["event"] == "draining":
            self.left = int(message["left"])
        elif message["event"] == "trouble":
            self.trouble = str(message["detail"])
        elif message["event"] == "drained":
            self.left = int(message["left"])
            if not self.left:
                self._drained.set()


def _unpacked(answer: Mapping[str, Any]) -> tuple[tuple[str, ...], Vector]:
    if "behind" in answer:
        raise NotReady(f"{answer['behind']} entities are not in the mirror yet")
    if "busy" in answer:
        raise HeldElsewhere("another process holds the mirror")
    if "trouble" in answer:
        raise MirrorError(str(answer["trouble"]))
    return tuple(answer["ids"]), np.array(answer["distances"], np.float32)


def _existing(home: str) -> str | None:
    return home if Path(home).is_dir() else None
