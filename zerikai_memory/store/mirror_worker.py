"""The mirror's own process: holds the mirror's lock for its life, drains the outbox, answers searches over its pipes.

It is the only process that imports chromadb, so that a crash in Chroma's native code ends nothing but it. Requests
come as JSON lines on stdin, replies go as JSON lines to stdout; the end of stdin means that the parent is gone or
wants it to end, and it ends within GRACE_S whatever it is doing. A kill at any moment is without harm.
"""

from __future__ import annotations

import base64
import json
import logging
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from filelock import FileLock, Timeout

from zerikai_memory.errors import StoreError, ZerikaiError
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.mirror_records import records_of
from zerikai_memory.store.mirror_state import MirrorState
from zerikai_memory.store.mirror_sync import STEP, Behind, Mirror, SyncParts
from zerikai_memory.store.mirror_task import WorkerTask, worker_command, worker_environment
from zerikai_memory.store.vectors import MirrorError

# A running call into Chroma is given this long to finish after the end of stdin.
GRACE_S = 3.0
# How often a worker that serves looks for changes of other processes' scans.
POLL_S = 1.0
# A mirror that nobody asked for so long lets its memory and its lock go.
IDLE_S = 900.0
# The last holder of the lock may be about to end with its work done; longer waits are another worker's work.
LOCK_WAIT_S = 60.0
# A worker that was told to end needs so long to close its mirror; who asks meanwhile waits.
CLOSING_S = 2.0
# Draining yields to whatever the person does meanwhile.
NICENESS = 10
# A torn graph file grows without bound when it is read (Chroma issue 7510): no file of the mirror may pass this.
FILE_BYTES_BASE, FILE_BYTES_PER_RECORD = 2_000_000_000, 20_000
CHECK_TIMEOUT_S = 120.0

_LOG = logging.getLogger("zerikai_memory.mirror")


def main(argument: str) -> int:
    """Run one task, given as JSON; exit status 0, or 3 for a check that found damage."""
    task = WorkerTask(**json.loads(argument))
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # nothing that Chroma prints may reach the replies
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's; it closes our stdin
    _log_to(Path(task.home))
    requests = _Requests(sys.stdin.buffer)
    try:
        if task.job == "check":
            return _check(task)
        return _Worker(task, requests, replies).run()
    except (ZerikaiError, OSError) as error:
        _LOG.warning("%s", error)
        _send(replies, {"event": "trouble", "detail": str(error)})
        return 1


class _Requests:
    """Lines of stdin in a queue, read by a thread; at the end of stdin the process has GRACE_S left."""

    def __init__(self, stream: BinaryIO) -> None:
        self._queue: queue.Queue[Mapping[str, Any]] = queue.Queue()
        self.ended = threading.Event()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def next(self, timeout_s: float) -> Mapping[str, Any] | None:
        """The next request, or None when none came."""
        try:
            return self._queue.get(timeout=timeout_s) if timeout_s > 0 else self._queue.get_nowait()
        except queue.Empty:
            return None

    def _read(self, stream: BinaryIO) -> None:
        for line in stream:
            self._queue.put(json.loads(line))
        self.ended.set()
        time.sleep(GRACE_S)
        os._exit(0)


class _Worker:
    """One worker at work."""

    def __init__(self, task: WorkerTask, requests: _Requests, replies: BinaryIO) -> None:
        self._task = task
        self._requests = requests
        self._replies = replies
        self._index = WorkspaceIndex(Path(task.index))
        self._inode = _inode(self._index.path)
        self._state = MirrorState(Path(task.home), task.workspace_id, task.url)
        self._lock = self._state.lock()  # kept here: a lock that nobody refers to is let go
        self._turn = FileLock(Path(task.home) / "locks" / "mirror.turn.lock", thread_local=False, mode=0o600)
        self._mirror = Mirror(
            SyncParts(self._index, self._state, self._open, self._checked, self._forget, self._between)
        )
        self._asked_at = time.monotonic()

    def run(self) -> int:
        """Do the task; the lock is held from here to the end of the process."""
        if not self._index.exists():
            return 0
        if self._task.job == "drop":  # without the lock: whoever holds it ends when the index is gone
            self._forget(self._state.collection() if self._state.build else "")
            self._reply({"event": "drained", "left": 0})
            return 0
        if self._task.job == "drain":
            _yield_to_others()
            if not self._my_turn():
                return 0
        if not self._locked():
            return 0
        _limit_files(self._index.counts().entities)
        self._state.reset_damaged()
        try:
            self._drain()
            if self._task.job == "serve":
                self._serve()
        finally:
            self._mirror.close()
            self._state.close()
            self._index.close()
        return 0

    def _my_turn(self) -> bool:
        """One worker of a brain drains at a time, whoever scans what: each takes a core and hundreds of MB."""
        while not self._requests.ended.is_set() and self._wanted():
            try:
                self._turn.acquire(timeout=0)
            except Timeout:
                self._requests.ended.wait(0.2)
            else:
                return True
        return False

    def _locked(self) -> bool:
        began = time.monotonic()
        deadline = began + LOCK_WAIT_S
        while not self._requests.ended.is_set() and self._wanted():
            asked = bool(self._task.url) and time.monotonic() - self._asked_at < IDLE_S
            if time.monotonic() > deadline and not asked:
                break
            try:
                self._lock.acquire(timeout=0)
            except Timeout:
                # Another worker has the mirror. It drains what we came for, and whoever asks us gets exact answers.
                if time.monotonic() - began > CLOSING_S:
                    self._answer_busy()
                if self._task.job == "drain" and not self._mirror.left():
                    self._reply({"event": "drained", "left": 0})
                    return False
                if self._requests.ended.wait(0.1):
                    return False
            else:
                return True
        return False

    def _drain(self) -> None:
        started = time.monotonic()
        report = self._mirror.sync()
        while report.left and self._go_on():  # the index was restored or scanned meanwhile
            report = self._mirror.sync()
        if self._task.job == "drain":
            self._mirror.close()  # before we say so: whoever looks next must not find it open
        self._reply({"event": "drained", "seconds": round(time.monotonic() - started, 3), **asdict(report)})

    def _serve(self) -> None:
        while self._go_on() and time.monotonic() - self._asked_at < IDLE_S:
            request = self._requests.next(POLL_S)
            if request is not None:
                self._answer(request)
            elif not self._mirror.up_to_date():
                self._drain()

    def _answer(self, request: Mapping[str, Any], *, locked: bool = True) -> None:
        self._asked_at = time.monotonic()
        query = np.frombuffer(base64.b64decode(request["vector"]), "<f4")
        try:
            search = self._mirror.search if locked else self._mirror.search_only
            ids, distances = search(query, request["k"])
        except Behind as error:
            self._reply({"id": request["id"], "behind": int(error.args[0])})
            if locked:
                self._drain()
        except StoreError as error:
            _LOG.warning("%s", error)
            self._reply({"id": request["id"], "trouble": str(error)})
        else:
            self._reply({"id": request["id"], "ids": ids, "distances": [float(d) for d in distances]})

    def _between(self, left: int) -> bool:
        """Between two steps: say where we are, answer who would wait for long, and tell whether to go on."""
        self._reply({"event": "draining", "left": left})
        while left > STEP and (request := self._requests.next(0)) is not None:
            self._reply({"id": request["id"], "behind": left})
        return self._go_on()

    def _answer_busy(self) -> None:
        """Without the lock a folder may not be opened; a server may, and answers if somebody has brought it up."""
        while (request := self._requests.next(0)) is not None:
            if self._task.url:
                self._answer(request, locked=False)
            else:
                self._reply({"id": request["id"], "busy": True})

    def _go_on(self) -> bool:
        return not self._requests.ended.is_set() and self._wanted()

    def _wanted(self) -> bool:
        """Whether the index is still the one we were started for; a drop removes it first and then waits for us."""
        return self._inode is not None and _inode(self._index.path) == self._inode

    def _open(self, state: MirrorState) -> Any:
        return _open_mirror(self._task, state, self._index.counts().entities)

    def _checked(self, state: MirrorState) -> str | None:
        """What a check in a process of its own finds; a crash of that process is a finding."""
        if not state.local:
            return None
        task = replace(self._task, job="check")
        try:
            done = subprocess.run(
                worker_command(task),
                stdin=subprocess.PIPE,
                capture_output=True,
                timeout=CHECK_TIMEOUT_S,
                check=False,
                env=worker_environment(),
                cwd=self._task.home,
            )
        except subprocess.TimeoutExpired:
            return "a check of the mirror did not end"
        return None if done.returncode == 0 else f"a check of the mirror ended with status {done.returncode}"

    def _forget(self, collection: str) -> None:
        if not self._state.local and collection:
            from zerikai_memory.store.vectors_chroma import delete_collection, open_server

            delete_collection(open_server(self._task.url), collection)

    def _reply(self, value: Mapping[str, Any]) -> None:
        _send(self._replies, value)


def _open_mirror(task: WorkerTask, state: MirrorState, entities: int) -> Any:
    from zerikai_memory.store.vectors_chroma import ChromaVectorIndex, open_folder, open_server  # seconds

    client = open_folder(state.build_folder()) if state.local else open_server(task.url)
    return ChromaVectorIndex(
        client,
        state.collection(),
        workspace=task.workspace_id,
        embedding=state.get("embedding"),
        entities=entities,
    )


def _check(task: WorkerTask) -> int:
    """Open the build in use and look for its records; run by the holder of the lock while it has the build closed."""
    index = WorkspaceIndex(Path(task.index))
    state = MirrorState(Path(task.home), task.workspace_id)
    _limit_files(state.count())
    try:
        mirror = _open_mirror(task, state, state.count())
        with index.database.read() as connection:
            samples = records_of(connection, state.sample(32), state.get("embedding"))
        # A step that was killed may be in Chroma and not in the bookkeeping, so the number says nothing here.
        trouble = mirror.verify(samples, mirror.count())
        mirror.close()
    except MirrorError as error:
        trouble = str(error)
    finally:
        state.close()
        index.close()
    if trouble:
        _LOG.warning("check of the mirror of %s: %s", task.workspace_id, trouble)
    return 3 if trouble else 0


def _send(stream: BinaryIO, value: Mapping[str, Any]) -> None:
    with suppress(OSError):  # the parent is gone; the end of stdin ends us
        stream.write(json.dumps(value).encode() + b"\n")


def _yield_to_others() -> None:
    if hasattr(os, "nice"):
        os.nice(NICENESS)


def _limit_files(records: int) -> None:
    try:
        import resource  # not on Windows
    except ImportError:
        return
    limit = FILE_BYTES_BASE + FILE_BYTES_PER_RECORD * records
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit if hard < 0 else min(limit, hard), hard))


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _log_to(home: Path) -> None:
    handler: logging.Handler = logging.NullHandler()
    try:
        descriptor = os.open(home / "server.log", os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        handler = logging.StreamHandler(os.fdopen(descriptor, "a", encoding="utf-8"))
    except OSError:  # a brain that cannot be written: no log, and soon no mirror
        pass
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    logging.getLogger("zerikai_memory").addHandler(handler)
