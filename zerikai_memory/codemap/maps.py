"""The code maps of all workspaces of one process: brought up to the index when they are used, kept in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from zerikai_memory.codemap.build import BuildParts, update_map
from zerikai_memory.codemap.graph import StoredGraph
from zerikai_memory.codemap.resolve import RESOLVER_VERSION
from zerikai_memory.errors import DamagedError, InputError
from zerikai_memory.model import Workspace
from zerikai_memory.model_map import CodeGraph, MapState
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.map import MAP_FORMAT, EdgeRow, MapHead, MapStore
from zerikai_memory.store.map_source import MapSource, read_source
from zerikai_memory.workspace.commit import repo_commit
from zerikai_memory.workspace.identity import workspace_root
from zerikai_memory.workspace.opening import open_inside

# package.json, tsconfig.json and the like; a longer one is no manifest.
_MAX_TEXT_BYTES = 1_000_000
# Another process may write a newer state while this one reads; then it is read again.
_TRIES = 5

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Loaded:
    head: MapHead
    graph: CodeGraph


class CodeMaps:
    """Maps by workspace; thread-safe, opens files on first use."""

    def __init__(self, index: Callable[[str], WorkspaceIndex], store: Callable[[str], MapStore]) -> None:
        self._index = index
        self._store = store
        self._mutex = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._loaded: dict[str, _Loaded] = {}

    def update(
        self,
        target: Workspace,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Progress = lambda done, total: None,
    ) -> None:
        """Bring the stored map up to the index, also where only a file beside the code has changed.

        Raises Cancelled soon after `cancelled()` turns true, StoreError when it cannot be written.
        """
        with self._lock(target.id), read_source(self._index(target.id)) as source:
            self._update(target, source, cancelled, progress)

    def graph(self, target: Workspace) -> CodeGraph:
        """The map of the index as it is now; one that is older is brought up to it first.

        Raises InputError when the workspace has no index yet.
        """
        index = self._index(target.id)
        if not index.exists():
            raise InputError(f"{target.name!r} has no index yet, so there is no map; scan it and wait for the end")
        with self._lock(target.id):
            return self._graph(target, index)

    def forget(self, workspace_id: str) -> None:
        """Give up what is in memory of a workspace that is dropped."""
        with self._mutex:
            self._loaded.pop(workspace_id, None)

    def _graph(self, target: Workspace, index: WorkspaceIndex) -> CodeGraph:
        store = self._store(target.id)
        for attempt in range(_TRIES):
            with read_source(index) as source:
                loaded = self._loaded.get(target.id)
                if loaded is not None and loaded.head.token == source.token and store.path.exists():
                    return loaded.graph
                try:
                    head, edges = self._stored(target, source, store)
                except DamagedError:  # derived data: made anew, once
                    store.remove()
                    head, edges = self._stored(target, source, store)
                if head.token != source.token and attempt < _TRIES - 1:
                    continue  # in the end, edges that lead nowhere are left out
                graph = StoredGraph(MapState(MAP_FORMAT, head.generation, head.commit), source.entity_rows(), edges)
            with self._mutex:
                self._loaded[target.id] = _Loaded(head, graph)
            return graph
        raise AssertionError("the last try returns")

    def _stored(self, target: Workspace, source: MapSource, store: MapStore) -> tuple[MapHead, list[EdgeRow]]:
        if not self._current(store, source):
            self._update(target, source)
        return store.edges()

    def _current(self, store: MapStore, source: MapSource) -> bool:
        head = store.head()
        return head.token == source.token and head.version == str(RESOLVER_VERSION)

    def _update(
        self,
        target: Workspace,
        source: MapSource,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Progress = lambda done, total: None,
    ) -> None:
        root = workspace_root(target)
        store = self._store(target.id)
        parts = BuildParts(root.name, partial(_read, root), partial(repo_commit, root), cancelled, progress)
        try:
            update_map(source, store, parts)
        except DamagedError:
            store.remove()
            update_map(source, store, parts)

    def _lock(self, workspace_id: str) -> threading.Lock:
        with self._mutex:
            return self._locks.setdefault(workspace_id, threading.Lock())


def _read(root: Path, path: str) -> str | None:
    try:
        with open_inside(root, path) as file:
            raw = file.read(_MAX_TEXT_BYTES + 1)
    except (OSError, InputError):
        return None
    return raw.decode("utf-8", "replace") if len(raw) <= _MAX_TEXT_BYTES else None
