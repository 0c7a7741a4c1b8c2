"""Snapshots of a workspace's index, one before each scan that changes something, and undo by restoring one.

A restore is a backup INTO the live database, one write transaction of SQLite: readers see the old state or the
restored one, and other processes' open connections stay valid. Replacing the file would let an old log be applied to
it. The restored state gets a generation above the live one, so that every cache loads it.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.errors import DamagedError, InputError, StoreError
from zerikai_memory.model_upkeep import Snapshot
from zerikai_memory.store.backups import PARTIAL, copy_database, remove_partials, stat_of
from zerikai_memory.store.db import read_only
from zerikai_memory.store.faults import store_error
from zerikai_memory.store.index import INDEX_FORMAT, WorkspaceIndex

# All snapshots of one workspace together; an index that is larger by itself gets none.
MAX_TOTAL_BYTES = 2_000_000_000
_NAME = re.compile(r"(?P<ns>\d{19})-(?P<why>scan|undo)\.f(?P<format>\d+)\.db")


@dataclass(frozen=True, slots=True)
class _Stored:
    path: Path
    why: str
    made_at: float
    format: int


class Snapshots:
    """The snapshot folder of one workspace; the caller holds the workspace's scan lock when it takes or restores."""

    def __init__(self, folder: Path, keep: int) -> None:
        self._folder = folder
        self._keep = keep

    def take(self, index: WorkspaceIndex, why: str = "scan") -> None:
        """Copy the index unless it is empty or a scan was interrupted in it (the copy before that scan exists)."""
        if not self._keep or not index.exists() or index.meta("incomplete") or not index.counts().files:
            return
        size = index.path.stat().st_size
        if size > MAX_TOTAL_BYTES:
            raise StoreError(f"the index is larger than all snapshots may be ({size} of {MAX_TOTAL_BYTES} bytes)")
        copy_database(index.path, self._folder / f"{time.time_ns():019d}-{why}.f{INDEX_FORMAT}.db")
        self._prune()

    def all(self) -> list[Snapshot]:
        """Snapshots that this version can restore, newest first, numbered as `undo --to` takes them."""
        return [_described(number, stored) for number, stored in enumerate(self._stored(), start=1)]

    def restore(self, index: WorkspaceIndex, number: int | None) -> Snapshot:
        """Bring the index back to a snapshot; None: the newest that lies before what was last restored.

        Raises InputError when there is no such snapshot, DamagedError when it does not pass its check; then the index
        is as it was.
        """
        stored = self._stored()
        # An index that is gone or was set aside can be brought back too.
        restored_from, generation = (index.meta("restored_from"), index.generation()) if index.exists() else ("", 0)
        chosen = self._chosen(stored, restored_from, number)
        described = _described(stored.index(chosen) + 1, chosen)
        if described.files is None:
            raise DamagedError(f"snapshot {chosen.path.name} is damaged and cannot be restored; the index is as it was")
        ready = chosen.path.with_name(f"{PARTIAL}restore-{chosen.path.name}")
        try:
            copy_database(chosen.path, ready)
            _prepare_restore(ready, generation + 1, chosen.path.name)
            if not restored_from:  # else the state at hand is itself a snapshot
                self.take(index, "undo")
            _copy_into(ready, index)
        finally:
            ready.unlink(missing_ok=True)
        _verify(index, described)
        return described

    def damaged(self) -> list[Path]:
        """Snapshots that do not pass SQLite's check."""
        return [stored.path for stored in self._stored() if not _intact(stored.path)]

    def _chosen(self, stored: Sequence[_Stored], restored_from: str, number: int | None) -> _Stored:
        if not stored:
            raise InputError("there is no snapshot: one is taken before each scan that changes an index")
        if number is None:
            found = [item for item in stored if item.why == "scan" and item.path.name < (restored_from or "~")]
            if not found:
                raise InputError(
                    "there is no older snapshot; `workspace snapshots` lists them, `undo --to N` takes one"
                )
            return found[0]
        if not 1 <= number <= len(stored):
            raise InputError(f"--to: got {number}, there are snapshots 1 to {len(stored)}")
        return stored[number - 1]

    def _stored(self) -> list[_Stored]:
        found = []
        for path in self._folder.glob("*.db"):
            match = _NAME.fullmatch(path.name)
            if match and int(match["format"]) == INDEX_FORMAT:
                found.append(_Stored(path, match["why"], int(match["ns"]) / 1e9, int(match["format"])))
        return sorted(found, key=lambda item: item.path.name, reverse=True)

    def _prune(self) -> None:
        total, kept = 0, Counter[str]()
        for item in self._stored():
            total += sum(stat.st_size for stat in stat_of(item.path))
            kept[item.why] += 1
            if kept[item.why] > (self._keep if item.why == "scan" else 1) or total > MAX_TOTAL_BYTES:
                item.path.unlink(missing_ok=True)
        remove_partials(self._folder)


def _described(number: int, stored: _Stored) -> Snapshot:
    """The snapshot with its counts; `files` and `entities` are None when it cannot be read."""
    files: int | None
    entities: int | None
    try:
        with closing(read_only(stored.path)) as connection:
            files = connection.execute("SELECT count(*) FROM files WHERE skip_reason IS NULL").fetchone()[0]
            entities = connection.execute("SELECT count(*) FROM entities").fetchone()[0]
    except (sqlite3.Error, StoreError):
        files = entities = None
    return Snapshot(
        number=number,
        made_at=stored.made_at,
        before=stored.why,
        files=files,
        entities=entities,
        size_bytes=stored.path.stat().st_size,
    )


def _intact(path: Path) -> bool:
    try:
        with closing(read_only(path)) as connection:
            return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except (sqlite3.Error, StoreError):
        return False


def _prepare_restore(path: Path, generation: int, name: str) -> None:
    """Give the copy a generation that no cache holds and the name of the snapshot, for the next undo to go further."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [("generation", str(generation)), ("restored_from", name)],
            )
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise store_error(path, error, lambda: "the index is as it was") from error


def _copy_into(ready: Path, index: WorkspaceIndex) -> None:
    with index.database.connection(writing=True) as live, closing(read_only(ready)) as source:
        source.backup(live, pages=-1)


def _verify(index: WorkspaceIndex, wanted: Snapshot) -> None:
    counts = index.counts()
    if (trouble := index.database.damage()) or (counts.files, counts.entities) != (wanted.files, wanted.entities):
        raise index.database.damaged(trouble or f"it holds {counts.files} files after restoring {wanted.files}")
