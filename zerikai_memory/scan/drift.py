"""Which files of the work tree differ from the index now, without a scan: known files by their stat, then by hash."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.model import SkippedPath
from zerikai_memory.scan.plan import RACY_NS
from zerikai_memory.scan.read import read_source
from zerikai_memory.store.records import FileState
from zerikai_memory.workspace.paths import disk_name

# With more files than this whose times moved (a checkout) hashing them all takes longer than an answer may.
MOST_HASHED = 300


@dataclass(frozen=True, slots=True)
class Stat:
    """What tells whether a file must be read again."""

    size: int
    mtime_ns: int


class Drift:
    """Differences between the work tree of one workspace and its index; remembers what it has compared. Thread-safe."""

    def __init__(self, root: Path, walk: Callable[[], Iterable[str]], max_bytes: int) -> None:
        self._root = root
        self._top = str(root)
        self._walk = walk
        self._max_bytes = max_bytes
        self._mutex = threading.Lock()
        self._compared: dict[tuple[str, Stat, str], bool] = {}
        self._folders: dict[str, int] = {}
        self._found: frozenset[str] = frozenset()

    def changed(self, stored: Mapping[str, FileState]) -> tuple[str, ...]:
        """Paths that were changed, removed or added since they were indexed, sorted."""
        with self._mutex:
            differing = []
            unsure: list[tuple[str, Stat]] = []
            for path, state in stored.items():
                now = self._stat(path)
                if now is None:
                    differing.append(path)
                elif now != Stat(state.size, state.mtime_ns) or state.mtime_ns + RACY_NS >= state.hashed_at_ns:
                    unsure.append((path, now))
            differing += [path for path, now in unsure if self._differs(path, now, stored[path], len(unsure))]
            differing += self._added(stored)
            return tuple(sorted(differing))

    def _stat(self, path: str) -> Stat | None:
        try:
            # A Path for each of thousands of files would double the time.
            found = os.stat(f"{self._top}/{disk_name(path)}", follow_symlinks=False)  # noqa: PTH116
        except (OSError, ValueError):
            return None
        return Stat(found.st_size, found.st_mtime_ns)

    def _differs(self, path: str, now: Stat, state: FileState, unsure: int) -> bool:
        if now.size != state.size:
            return True
        key = (path, now, state.sha256)
        known = self._compared.get(key)
        if known is None:
            if unsure > MOST_HASHED and now.mtime_ns != state.mtime_ns:
                return True
            file = read_source(self._root, path, self._max_bytes)
            known = isinstance(file, SkippedPath) or file.sha256 != state.sha256
            # A file that was written just now may be written again within the same tick of the clock.
            if isinstance(file, SkippedPath) or file.read_at_ns > now.mtime_ns + RACY_NS:
                self._compared[key] = known
        return known

    def _added(self, stored: Mapping[str, FileState]) -> list[str]:
        """Files that a scan would add; the tree is walked again only when a folder has changed."""
        folders = {folder: found.mtime_ns if (found := self._stat(folder)) else 0 for folder in _folders(stored)}
        if folders != self._folders:
            self._found = frozenset(self._walk())
            self._folders = folders
        return [path for path in self._found if path not in stored and self._stat(path) is not None]


def _folders(paths: Iterable[str]) -> set[str]:
    """Every folder above the paths, the root as an empty name."""
    found = {""}
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return found
