"""The brain folder: where everything is, made private on first use."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from filelock import FileLock

from zerikai_memory.errors import DamagedError, StoreError
from zerikai_memory.store.backups import Backups, copy_database, set_aside, stat_of
from zerikai_memory.store.briefs import BriefStore
from zerikai_memory.store.db import Database
from zerikai_memory.store.index import INDEX_FORMAT, WorkspaceIndex
from zerikai_memory.store.map import MAP_FORMAT, MapStore
from zerikai_memory.store.memory import NoteStore
from zerikai_memory.store.migrations import migrate
from zerikai_memory.store.mirror_state import remove_mirrors
from zerikai_memory.store.registry import Registry
from zerikai_memory.store.sketch import Sketch
from zerikai_memory.store.snapshots import Snapshots
from zerikai_memory.store.tape import TapeStore
from zerikai_memory.store.usage import UsageStore
from zerikai_memory.store.view import ViewCache


class Brain:
    """All stores of one brain folder; opens each on first use, thread-safe."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.backups = Backups(home / "zerikai.db", home / "backups")
        self.recorded = Database(
            home / "zerikai.db",
            lambda connection: migrate(connection, self._back_up_schema),
            durable=True,
            before_write=self.backups.daily,
            on_empty=lambda writing: self._refuse_to_forget(),
            remedy=self.backups.remedy,
        )
        self.registry = Registry(self.recorded)
        self.notes = NoteStore(self.recorded)
        self.briefs = BriefStore(
            self.recorded, home / "contexts", lambda name: self._lock(f"{name}.brief"), self._entity_sketch
        )
        self.usage = UsageStore(self.recorded)
        self.tape = TapeStore(home)
        self._mutex = threading.Lock()
        self._indexes: dict[str, tuple[WorkspaceIndex, ViewCache]] = {}
        self._maps: dict[str, MapStore] = {}

    def index(self, workspace_id: str) -> WorkspaceIndex:
        """The index of a workspace; its file need not exist yet."""
        return self._opened(workspace_id)[0]

    def view(self, workspace_id: str) -> ViewCache:
        """The cached arrays of a workspace's index."""
        return self._opened(workspace_id)[1]

    def map(self, workspace_id: str) -> MapStore:
        """The code map of a workspace; its file need not exist yet."""
        with self._mutex:
            if workspace_id not in self._maps:
                path = self.home / "maps" / f"{workspace_id}.f{MAP_FORMAT}.db"
                self._maps[workspace_id] = MapStore(path)
            return self._maps[workspace_id]

    def scanned_view(self, workspace_id: str) -> ViewCache | None:
        """The cached arrays of a workspace that has an index, None of one that has not."""
        index, view = self._opened(workspace_id)
        return view if index.exists() else None

    def _entity_sketch(self, workspace_id: str) -> Sketch | None:
        """That of the workspace's entities; a hint is not worth failing for a damaged index."""
        index = self.index(workspace_id)
        try:
            return index.sketch() if index.exists() else None
        except StoreError:
            return None

    def scan_lock(self, workspace_id: str) -> FileLock:
        """The lock that a scan or drop of the workspace holds; the OS frees it when its process ends."""
        return self._lock(f"{workspace_id}.scan")

    def tape_lock(self) -> FileLock:
        """The lock that an index run over transcripts holds."""
        return self._lock("sessions")

    def scan_status(self, workspace_id: str) -> Path:
        """Where the process that holds the scan lock says who it is and how far it has come; it only informs."""
        return self.home / "locks" / f"{workspace_id}.scan.json"

    def snapshots(self, workspace_id: str, keep: int) -> Snapshots:
        """The snapshots of a workspace's index, of which `keep` are kept."""
        return Snapshots(self.home / "snapshots" / workspace_id, keep)

    def set_index_aside(self, workspace_id: str) -> list[Path]:
        """Rename a damaged index so that a scan makes it anew; the caller holds the scan lock. Gives the new paths."""
        index = self._forget(workspace_id) or self.index(workspace_id)
        index.close()
        self._forget(workspace_id)
        try:
            index.suspicion.unlink(missing_ok=True)
            return set_aside(index.path)
        except OSError as error:
            raise StoreError(f"{index.path} is damaged and cannot be renamed: {error}") from error

    def remove_derived(self, workspace_id: str) -> list[str]:
        """Delete index, vector and snapshot files of a workspace; returns what was there."""
        if opened := self._forget(workspace_id):
            opened.close()
        if code_map := self._forget_map(workspace_id):
            code_map.close()
        removed = []
        for path in sorted((self.home / "index").glob(f"{workspace_id}.f*")):
            path.unlink(missing_ok=True)
            if path.suffix == ".db":
                removed.append(f"index {path.name}")
        for path in sorted((self.home / "maps").glob(f"{workspace_id}.f*")):
            path.unlink(missing_ok=True)
            if path.suffix == ".db":
                removed.append(f"map {path.name}")
        self.scan_status(workspace_id).unlink(missing_ok=True)
        if remove_mirrors(self.home, workspace_id):
            removed.append(f"vector_db/{workspace_id}")
        snapshots = self.home / "snapshots" / workspace_id
        if snapshots.is_dir():
            shutil.rmtree(snapshots)
            removed.append(f"snapshots/{workspace_id}")
        return removed

    def copy_index(self, old_id: str, new_id: str) -> None:
        """Copy the index of one workspace to another's place; raises StoreError when it is damaged."""
        old, new = self.index(old_id).path, self.index(new_id).path
        if old.exists():
            if forgotten := self._forget(new_id):
                forgotten.close()
            self.remove_derived(new_id)
            copy_database(old, new)

    def move_snapshots(self, old_id: str, new_id: str) -> None:
        """Give the snapshots of one workspace to another that has none."""
        old, new = (self.home / "snapshots" / name for name in (old_id, new_id))
        if old.is_dir() and not new.exists():
            old.rename(new)

    def size_bytes(self, workspace_id: str) -> int:
        """Bytes on disk of a workspace's index, its write-ahead log included."""
        files = (self.home / "index").glob(f"{workspace_id}.f*.db*")  # a log goes when its last user closes it
        return sum(stat.st_size for path in files for stat in stat_of(path))

    def close(self) -> None:
        """Close every opened database."""
        with self._mutex:
            opened, self._indexes = list(self._indexes.values()), {}
            maps, self._maps = list(self._maps.values()), {}
        for index, _ in opened:
            index.close()
        for code_map in maps:
            code_map.close()
        self.tape.close()
        self.recorded.close()

    def _opened(self, workspace_id: str) -> tuple[WorkspaceIndex, ViewCache]:
        with self._mutex:
            if workspace_id not in self._indexes:
                index = WorkspaceIndex(self.home / "index" / f"{workspace_id}.f{INDEX_FORMAT}.db")
                self._indexes[workspace_id] = (index, ViewCache(index))
            return self._indexes[workspace_id]

    def _forget(self, workspace_id: str) -> WorkspaceIndex | None:
        """Open the index anew next time; returns the one that was open."""
        with self._mutex:
            opened = self._indexes.pop(workspace_id, None)
        return opened[0] if opened else None

    def _forget_map(self, workspace_id: str) -> MapStore | None:
        with self._mutex:
            return self._maps.pop(workspace_id, None)

    def _back_up_schema(self, old: int, new: int) -> None:
        self.backups.before(f"schema-{new}")

    def _refuse_to_forget(self) -> None:
        """A missing or empty zerikai.db in a brain that was used is a loss, not a beginning."""
        if self.backups.all() or any((self.home / "index").glob("*.db")):
            raise DamagedError(f"{self.home / 'zerikai.db'} is missing or empty; {self.backups.remedy()}")

    def _lock(self, name: str) -> FileLock:
        return FileLock(self._folder("locks") / f"{name}.lock", thread_local=False, mode=0o600)

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
