"""Who answers a vector search, by VECTOR_STORE, and which mirrors are kept: the exact index is always there to fall
back to, so no state of Chroma is in the way of an answer.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zerikai_memory.errors import ZerikaiError
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.mirror_process import HeldElsewhere, MirrorProcess, NotReady
from zerikai_memory.store.mirror_state import MirrorState
from zerikai_memory.store.mirror_task import WorkerTask
from zerikai_memory.store.outbox import mirror_token, waiting
from zerikai_memory.store.vectors import MirrorError, Nearest, Vector
from zerikai_memory.store.view import IndexView

# Up to here all distances take a few milliseconds (16,000: 0.34 ms, 500,000: 35 ms), with nothing to keep up to date.
AUTO_EXACT_UP_TO = 200_000
# The first question under an explicit `chroma` waits for the import and the opening; under `auto` none does.
START_WAIT_S = 20.0
SEARCH_WAIT_S = 5.0
# After trouble the exact index answers for so long before the mirror is tried again.
RETRY_S = 60.0
# A worker that a server starts after a scan waits so long before it does anything that costs.
DELAY_S = 1.0

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MirrorOptions:
    """The VECTOR_STORE and CHROMA_URL settings, and the bounds that tests move."""

    store: str
    url: str = ""
    auto_exact_up_to: int = AUTO_EXACT_UP_TO
    start_wait_s: float = START_WAIT_S
    search_wait_s: float = SEARCH_WAIT_S
    retry_s: float = RETRY_S


class Mirrors:
    """The mirrors of one brain, as one process uses them; thread-safe, starts nothing before it is needed."""

    def __init__(self, home: Path, options: MirrorOptions) -> None:
        self._home = home
        self._options = options
        self._mutex = threading.Lock()
        self._workers: dict[str, MirrorProcess] = {}
        self._retired: list[MirrorProcess] = []
        self._not_before: dict[str, float] = {}
        self._positions: dict[str, tuple[IndexView, dict[str, int]]] = {}
        self._closed = False

    @property
    def kept(self) -> bool:
        """Whether scans fill a mirror at all."""
        return self._options.store != "exact"

    def scanned(self, workspace_id: str, index: WorkspaceIndex, *, delay_s: float = DELAY_S) -> MirrorProcess | None:
        """Let a worker bring the mirror up to the index; None when there is nothing to do or no mirror is kept."""
        if not self.kept or not index.exists() or not self._needed(workspace_id, index):
            return None
        with self._mutex:
            running = self._workers.get(workspace_id)
            if running is not None and running.alive and running.task.job == "serve":
                return running  # it looks for changes by itself
            if self._answers(index.counts().entities):
                return self._start(workspace_id, index, "serve", 0.0)
            return self._start(workspace_id, index, "drain", delay_s)

    def follow(self, workspace_id: str, index: WorkspaceIndex, wait_s: float, go_on: Callable[[int, int], bool]) -> str:
        """Bring the mirror up to the index after a scan and wait for it at most `wait_s`; returns a warning or nothing.

        `go_on(done, total)` hears how far it is and may end the wait; the mirroring then goes on as long as we live.
        """
        try:
            worker = self.scanned(workspace_id, index, delay_s=0.0 if wait_s else DELAY_S)
        except (ZerikaiError, OSError) as error:
            return f"the Chroma mirror could not be started ({error}); answers do not depend on it"
        if worker is None or not wait_s:
            return ""
        total = 0

        def heard(left: int | None) -> bool:
            nonlocal total
            total = max(total, left or 0)
            return go_on(total - (left or 0), total)

        if worker.wait_drained(wait_s, heard):
            return ""
        if worker.trouble:
            return f"the Chroma mirror is not up to date ({worker.trouble}); answers do not depend on it"
        return (
            f"{worker.left or 'some'} entities are not in the Chroma mirror yet; answers do not depend on it, and the "
            "next scan or server goes on"
        )

    def nearest(self, workspace_id: str, index: WorkspaceIndex, view: IndexView, query: Vector, k: int) -> Nearest:
        """The nearest entities by the mirror where it must answer and can."""
        if not self._answers(len(view)):
            return Nearest(None)
        try:
            ids, _ = self._asked(workspace_id, index, query, k)
        except HeldElsewhere:
            return Nearest(None)
        except NotReady as error:
            return self._exact(f"the Chroma mirror cannot answer yet ({error})")
        except (ZerikaiError, OSError) as error:
            with self._mutex:
                self._not_before[workspace_id] = time.monotonic() + self._options.retry_s
            return self._exact(f"Chroma did not answer ({error})")
        position = self._position(workspace_id, view)
        return Nearest(np.array([position[i] for i in ids if i in position], np.int64))

    def stop(self, workspace_id: str) -> None:
        """End this process's worker of a workspace."""
        with self._mutex:
            worker = self._workers.pop(workspace_id, None)
            self._positions.pop(workspace_id, None)
        if worker is not None:
            worker.stop()

    def drop(self, workspace_id: str, index: WorkspaceIndex) -> str:
        """End this process's worker and delete what is on a server; returns why that was not possible, or nothing.

        Folders are removed with the workspace's other derived files.
        """
        self.stop(workspace_id)
        if self._options.store != "chroma-http" or not self._state(workspace_id).build:
            return ""
        with self._mutex:
            worker = self._start(workspace_id, index, "drop", 0.0)
        worker.wait_drained(self._options.start_wait_s, lambda _: True)
        self.stop(workspace_id)
        return worker.trouble

    def close(self) -> None:
        """End all workers."""
        with self._mutex:
            self._closed = True
            workers = [*self._workers.values(), *self._retired]
            self._workers, self._retired = {}, []
        for worker in workers:
            worker.stop()

    def _answers(self, entities: int) -> bool:
        """Whether Chroma must answer; then its worker stays."""
        store = self._options.store
        return store in ("chroma", "chroma-http") or (store == "auto" and entities > self._options.auto_exact_up_to)

    def _asked(self, workspace_id: str, index: WorkspaceIndex, query: Vector, k: int) -> tuple[tuple[str, ...], Vector]:
        with self._mutex:
            worker = self._workers.get(workspace_id)
            started = worker is None or not worker.alive or worker.task.job != "serve"
            if worker is None or started:
                if time.monotonic() < self._not_before.get(workspace_id, 0.0):
                    raise MirrorError(worker.trouble if worker else "it failed a moment ago")
                worker = self._start(workspace_id, index, "serve", 0.0)
        if self._options.store == "auto" and worker.left is None:
            raise NotReady("it is being opened")
        wait_s = self._options.start_wait_s if started else self._options.search_wait_s
        return worker.search(query, k, wait_s)

    def _exact(self, reason: str) -> Nearest:
        _LOG.info("%s; the vectors are compared exactly", reason)
        # Who has asked for Chroma is told; under auto the answer is the same and nobody need know.
        asked_for = self._options.store != "auto"
        return Nearest(None, f"{reason}; the vectors were compared exactly" if asked_for else "")

    def _start(self, workspace_id: str, index: WorkspaceIndex, job: str, delay_s: float) -> MirrorProcess:
        if self._closed:
            raise MirrorError("the memory is closed")
        task = WorkerTask(str(self._home), str(index.path), workspace_id, job, self._url())
        before = self._workers.get(workspace_id)
        if before is not None:
            self._retired = [worker for worker in (*self._retired, before) if worker.alive]
        worker = self._workers[workspace_id] = MirrorProcess(task, delay_s)
        return worker

    def _needed(self, workspace_id: str, index: WorkspaceIndex) -> bool:
        """Whether the mirror lacks anything; a scan that changed nothing then starts no process."""
        state = self._state(workspace_id)
        try:
            with index.database.read() as connection:
                token, left = mirror_token(connection), waiting(connection)
            if state.local and not state.build_folder().is_dir():
                return True
            return bool(left or state.get("open")) or not state.knows(token)
        except ZerikaiError:
            return True
        finally:
            state.close()

    def _position(self, workspace_id: str, view: IndexView) -> dict[str, int]:
        with self._mutex:
            known = self._positions.get(workspace_id)
            if known is None or known[0] is not view:
                known = self._positions[workspace_id] = (view, {entity: i for i, entity in enumerate(view.ids)})
            return known[1]

    def _state(self, workspace_id: str) -> MirrorState:
        return MirrorState(self._home, workspace_id, self._url())

    def _url(self) -> str:
        return self._options.url if self._options.store == "chroma-http" else ""
