"""The brain folder: where everything is, made private on first use."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from filelock import FileLock

from zerikai_memory.errors import StoreError
from zerikai_memory.store.briefs import BriefStore
from zerikai_memory.store.db import Database
from zerikai_memory.store.index import INDEX_FORMAT, WorkspaceIndex
from zerikai_memory.store.memory import NoteStore
from zerikai_memory.store.migrations import migrate
from zerikai_memory.store.registry import Registry
from zerikai_memory.store.view import ViewCache


class Brain:
    """All stores of one brain folder; opens each on first use, thread-safe."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.recorded = Database(home / "zerikai.db", migrate, durable=True)
        self.registry = Registry(self.recorded)
        self.notes = NoteStore(self.recorded)
        self.briefs = BriefStore(self.recorded, home / "contexts")
        self._mutex = threading.Lock()
        self._indexes: dict[str, tuple[WorkspaceIndex, ViewCache]] = {}

    def index(self, workspace_id: str) -> WorkspaceIndex:
        """The index of a workspace; its file need not exist yet."""
        return self._opened(workspace_id)[0]

    def view(self, workspace_id: str) -> ViewCache:
        """The cached arrays of a workspace's index."""
        return self._opened(workspace_id)[1]

    def scan_lock(self, workspace_id: str) -> FileLock:
        """The lock that a scan or drop of the workspace holds; the OS frees it when its process ends."""
        folder = self._folder("locks")
        return FileLock(folder / f"{workspace_id}.scan.lock", thread_local=False, mode=0o600)

    def remove_derived(self, workspace_id: str) -> list[str]:
        """Delete index, vector and snapshot files of a workspace; returns what was there."""
        with self._mutex:
            opened = self._indexes.pop(workspace_id, None)
        if opened:
            opened[0].close()
        removed = []
        for path in sorted((self.home / "index").glob(f"{workspace_id}.f*")):
            path.unlink(missing_ok=True)
            if path.suffix == ".db":
                removed.append(f"index {path.name}")
        for name in ("vector_db", "snapshots"):
            folder = self.home / name / workspace_id
            if folder.is_dir():
                shutil.rmtree(folder)
                removed.append(f"{name}/{workspace_id}")
        return removed

    def size_bytes(self, workspace_id: str) -> int:
        """Bytes on disk of a workspace's index, its write-ahead log included."""
        return sum(path.stat().st_size for path in (self.home / "index").glob(f"{workspace_id}.f*"))

    def close(self) -> None:
        """Close every opened database."""
        with self._mutex:
            opened, self._indexes = list(self._indexes.values()), {}
        for index, _ in opened:
            index.close()
        self.recorded.close()

    def _opened(self, workspace_id: str) -> tuple[WorkspaceIndex, ViewCache]:
        with self._mutex:
            if workspace_id not in self._indexes:
                index = WorkspaceIndex(self.home / "index" / f"{workspace_id}.f{INDEX_FORMAT}.db")
                self._indexes[workspace_id] = (index, ViewCache(index))
            return self._indexes[workspace_id]

    def _folder(self, name: str) -> Path:
        folder = self.home / name
        try:
            self.home.mkdir(parents=True, exist_ok=True, mode=0o700)
            folder.mkdir(exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreError(
                f"the brain folder {self.home} cannot be written ({error.strerror}); set ZERIKAI_HOME to a folder "
                "that can"
            ) from error
        return folder
