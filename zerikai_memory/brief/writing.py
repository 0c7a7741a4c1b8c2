"""Have a model write the brief, in the background: what the rules wrote is live until it is done."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from zerikai_memory.brief.frozen import FrozenBrief
from zerikai_memory.brief.written import MAX_SECTION_TOKENS, write_sections
from zerikai_memory.errors import ZerikaiError
from zerikai_memory.llm.attempts import Purpose, ask_model
from zerikai_memory.llm.base import AttemptLog, Backend, Call, FailureKind, ModelError, Prompt, Ready
from zerikai_memory.llm.choose import Backends
from zerikai_memory.model import Brief, Workspace

_LOG = logging.getLogger(__name__)

SECTION_WAIT_S = 120.0
# A local server answers one at a time; DeepSeek takes far more, but a brief is not urgent.
CLOUD_PARALLEL = 4


@dataclass(frozen=True, slots=True)
class Material:
    """What a brief is written from: the rule-made brief as it was stored, the README, the project's files."""

    workspace: Workspace
    brief: Brief
    readme: str
    paths: Collection[str]


@dataclass(slots=True)
class _Writing:
    thread: threading.Thread
    stop: threading.Event = field(default_factory=threading.Event)


class BriefWriter:
    """Writes briefs of all workspaces in threads of its own, one at a time for each."""

    def __init__(self, backends: Backends, briefs: FrozenBrief, log: AttemptLog, *, mode: str) -> None:
        self._backends = backends
        self._briefs = briefs
        self._log = log
        self._mode = mode
        self._mutex = threading.Lock()
        self._writing: dict[str, _Writing] = {}

    def start(self, material: Material) -> str | None:
        """Begin if a model can be asked now; returns its name, or None when the rules' brief stays."""
        chosen = self._chosen()
        if chosen is None:
            return None
        backend, ready = chosen
        stop = threading.Event()
        thread = threading.Thread(
            target=self._write, args=(material, backend, ready, stop.is_set), name="brief", daemon=True
        )
        with self._mutex:
            if before := self._writing.get(material.workspace.id):
                before.stop.set()
            self._writing[material.workspace.id] = _Writing(thread, stop)
        thread.start()
        return ready.model

    def wait(self, workspace_id: str, timeout_s: float) -> bool:
        """Wait for the workspace's brief to be written, if one is; returns whether none is being written any more."""
        with self._mutex:
            writing = self._writing.get(workspace_id)
        if writing is None:
            return True
        writing.thread.join(timeout_s)
        return not writing.thread.is_alive()

    def close(self) -> None:
        """Stop all writing; what is not finished is not stored."""
        with self._mutex:
            running = list(self._writing.values())
        for writing in running:
            writing.stop.set()
        for writing in running:
            writing.thread.join(5.0)

    def _chosen(self) -> tuple[Backend, Ready] | None:
        """The best model that can be asked: a brief is written once and read with every question."""
        cloud = () if self._mode == "local" else self._backends.cloud("fast")
        for backend in (*cloud, *self._backends.local):
            try:
                if self._backends.paused(backend) is None:
                    return backend, backend.ready()
            except ModelError:
                continue
        return None

    def _write(self, material: Material, backend: Backend, ready: Ready, cancelled: Callable[[], bool]) -> None:
        purpose = Purpose("brief", material.workspace.id, self._log)
        held_back = threading.Event()

        def ask(system: str, user: str) -> str | None:
            if cancelled() or held_back.is_set() or self._backends.paused(backend):
                return None
            try:
                prompt = Prompt(system, user, MAX_SECTION_TOKENS)
                return ask_model(backend, ready, prompt, Call(SECTION_WAIT_S, cancelled), purpose).text
            except ModelError as error:
                self._backends.failed(backend, error)
                if error.kind == FailureKind.BUDGET:
                    held_back.set()
                _LOG.warning("a section of the brief was not written by %s: %s", backend.name, error)
                return None

        parallel = CLOUD_PARALLEL if backend.remote else 1
        text = write_sections(material.brief.text, material.readme, material.paths, ask, parallel)
        if text is None or cancelled():
            return
        try:
            self._store(material, text)
        except ZerikaiError as error:
            _LOG.warning("the brief by %s was not stored: %s", backend.name, error)

    def _store(self, material: Material, text: str) -> None:
        """Make it live, unless somebody has put another brief there meanwhile: theirs is locked."""
        live = self._briefs.live(material.workspace)
        if live is not None and live.version == material.brief.version:
            self._briefs.replace(material.workspace, text, "model")
