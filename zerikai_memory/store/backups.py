"""Copies of zerikai.db, the recorded data: one a day, one before each change of schema, one before each merge.

A copy is taken by SQLite's backup while others read and write, checked, and only then named; nothing but a whole copy
ever has the name of one. Daily copies are kept for KEEP_DAYS days of use, the others until somebody deletes them.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.errors import DamagedError, StoreError
from zerikai_memory.store.db import read_only
from zerikai_memory.store.faults import store_error

KEEP_DAYS = 3
# Begins the name of a copy that is being written; one that is older than this belongs to a process that was killed.
PARTIAL, PARTIAL_AGE_S = ".partial-", 3600.0

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A finished copy of zerikai.db."""

    name: str
    path: Path
    size_bytes: int
    made_at: float


class Backups:
    """The backup folder of one brain."""

    def __init__(self, source: Path, folder: Path) -> None:
        self._source = source
        self._folder = folder
        self._day = ""

    def daily(self) -> None:
        """Copy zerikai.db unless today's copy exists; before the first write of a day.

        Raises DamagedError when the file to copy is damaged: then nothing more is written to it and no older copy is
        removed. A copy that fails for want of space is logged and tried again at the next write.
        """
        today = time.strftime("%Y-%m-%d", time.gmtime())
        if self._day == today:
            return
        target = self._folder / f"zerikai-{today}.db"
        if self._source.exists() and self._source.stat().st_size and not target.exists():
            try:
                copy_database(self._source, target)
            except DamagedError as error:
                raise DamagedError(f"{error}. {self.remedy()}") from error
            except StoreError as error:
                _LOG.warning("today's backup of zerikai.db was not made: %s", error)
                return
            self._remove_old()
        self._day = today

    def before(self, what: str) -> Path:
        """Copy zerikai.db as it is now under a name that says before what; returns the copy."""
        stamp = time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime())
        target = self._folder / f"zerikai-before-{what}-{stamp}.db"
        copy_database(self._source, target)
        return target

    def all(self) -> list[BackupFile]:
        """Every finished copy, newest first."""
        found = [
            BackupFile(path.name, path, stat.st_size, stat.st_mtime)
            for path in self._folder.glob("zerikai-*.db")
            for stat in stat_of(path)
        ]
        return sorted(found, key=lambda backup: (backup.made_at, backup.name), reverse=True)

    def remedy(self) -> str:
        """What to do when zerikai.db is damaged: it is never made anew by itself."""
        names = [backup.name for backup in self.all()]
        if not names:
            return f"it holds recorded data and is never made anew by itself; no backup is in {self._folder}"
        return (
            f"it holds recorded data and is never made anew by itself. Backups in {self._folder}: "
            f"{', '.join(names[:KEEP_DAYS])}; `zerikai-memory backup restore {names[0]}` puts one in its place and "
            "keeps the damaged file"
        )

    def restore(self, name: str) -> list[Path]:
        """Put the copy called `name` in the place of zerikai.db; the old files are set aside, their paths returned."""
        chosen = next((backup for backup in self.all() if backup.name == name), None)
        if chosen is None:
            names = ", ".join(backup.name for backup in self.all()) or "none"
            raise StoreError(f"backup: {name!r} is not in {self._folder}; there is: {names}")
        fresh = self._source.with_name(PARTIAL + chosen.name)
        copy_database(chosen.path, fresh)
        aside = set_aside(self._source)
        fresh.replace(self._source)
        return aside

    def _remove_old(self) -> None:
        days = sorted(self._folder.glob("zerikai-[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].db"))
        for path in days[:-KEEP_DAYS]:
            path.unlink(missing_ok=True)
        remove_partials(self._folder)


def copy_database(source: Path, target: Path) -> None:
    """Write a checked copy of a database, as one file without a log beside it; `target` appears whole or not at all.

    Raises DamagedError when the copy does not pass SQLite's check, StoreError when it cannot be written.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=PARTIAL, suffix=".db")
    except OSError as error:
        raise store_error(target, error, str) from error
    os.close(handle)
    partial = Path(name)
    try:
        # One step: in small steps a backup starts again whenever somebody writes.
        with closing(_reader(source)) as reading, closing(sqlite3.connect(partial, isolation_level=None)) as writing:
            reading.backup(writing, pages=-1)
            writing.execute("PRAGMA journal_mode=DELETE")
            wrong = writing.execute("PRAGMA quick_check(1)").fetchone()[0]
        if wrong != "ok":
            raise DamagedError(f"{source} is damaged ({wrong})")
        partial.replace(target)
    except (sqlite3.Error, OSError) as error:
        raise store_error(source, error, lambda: "no copy was made") from error
    finally:
        for leftover in (partial, *(partial.with_name(partial.name + end) for end in ("-wal", "-shm", "-journal"))):
            leftover.unlink(missing_ok=True)


def set_aside(path: Path) -> list[Path]:
    """Rename a damaged database and its log to `NAME.damaged-TIME`; nothing is deleted. Returns the new paths.

    The log goes first: an old log beside a new file would be applied to it.
    """
    stamp = time.strftime("%Y-%m-%dT%H%M%SZ", time.gmtime())
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    for number in range(2, 100):
        if not aside.exists():
            break
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{number}")
    moved = []
    for ending in ("-wal", "-shm", ""):
        old = path.with_name(path.name + ending)
        if old.exists():
            moved.append(old.rename(aside.with_name(aside.name + ending)))
    return moved


def remove_partials(folder: Path, *, now: float | None = None) -> list[Path]:
    """Delete copies that a killed process left unfinished; returns them."""
    now = time.time() if now is None else now
    removed = []
    for path in folder.glob(f"{PARTIAL}*"):
        if any(now - stat.st_mtime > PARTIAL_AGE_S for stat in stat_of(path)):
            path.unlink(missing_ok=True)
            removed.append(path)
    return removed


def stat_of(path: Path) -> list[os.stat_result]:
    """What the disk says of a file; nothing when it is gone since it was listed: another process has removed it."""
    try:
        return [path.stat()]
    except FileNotFoundError:
        return []


def _reader(source: Path) -> sqlite3.Connection:
    """A connection that sees what is committed, in the log too; a finished copy is read without leaving traces."""
    if source.with_name(source.name + "-wal").exists():
        return sqlite3.connect(source, isolation_level=None, timeout=15.0)
    return read_only(source)
