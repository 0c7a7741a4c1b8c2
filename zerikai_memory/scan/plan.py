"""What a scan has to do, as a pure comparison of the files on disk with what the index holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from zerikai_memory.model import DiskFile
from zerikai_memory.store.records import FileState

# File systems stamp writes with a clock tick, some of two seconds: a file written within the tick in which it was
# read can change again without its mtime moving, so such a file is hashed at every scan.
RACY_NS = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Freshness:
    """What a file's records depend on beside its bytes."""

    extractor: int
    embedding: str


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """Paths by what must happen to them, each list sorted; applying a plan and planning again gives only `keep`."""

    add: tuple[str, ...]
    change: tuple[str, ...]
    remove: tuple[str, ...]
    keep: tuple[str, ...]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (self.add or self.change or self.remove)


def files_to_hash(disk: Iterable[DiskFile], stored: Mapping[str, FileState], freshness: Freshness) -> list[DiskFile]:
    """Known files whose size or time moved, or whose time is too near their last reading to be trusted."""
    return [
        file
        for file in disk
        if (state := stored.get(file.path)) is not None
        and _records_current(state, freshness)
        and not _surely_unchanged(file, state)
    ]


def plan_scan(
    disk: Iterable[DiskFile],
    stored: Mapping[str, FileState],
    hashes: Mapping[str, str],
    freshness: Freshness,
) -> ScanPlan:
    """Compare; `hashes` holds today's sha256 of the paths in `files_to_hash` (absent: it could not be read)."""
    add, change, keep = [], [], []
    seen = set()
    for file in disk:
        seen.add(file.path)
        state = stored.get(file.path)
        if state is None:
            add.append(file.path)
        elif _records_current(state, freshness) and (
            _surely_unchanged(file, state) or hashes.get(file.path) == state.sha256
        ):
            keep.append(file.path)
        else:
            change.append(file.path)
    remove = sorted(stored.keys() - seen)
    return ScanPlan(tuple(sorted(add)), tuple(sorted(change)), tuple(remove), tuple(sorted(keep)))


def _records_current(state: FileState, freshness: Freshness) -> bool:
    return state.extractor == freshness.extractor and state.embedding == freshness.embedding


def _surely_unchanged(file: DiskFile, state: FileState) -> bool:
    return file.size == state.size and file.mtime_ns == state.mtime_ns and file.mtime_ns + RACY_NS < state.hashed_at_ns
