"""One SQLite file: a small pool of connections, short transactions, safe beside other threads and processes."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from zerikai_memory.errors import BusyError, DamagedError, StoreError
from zerikai_memory.store.faults import SQLITE_FAULTS, is_busy, only_for_writers, store_error

# Long enough for another process's short write; a scan's transactions last milliseconds.
BUSY_TIMEOUT_S = 15.0
# Idle connections kept open; more threads than this open and close their own.
POOL_SIZE = 4
# SQLite does not wait when two processes create the same file at once; we do.
OPEN_RETRY_S = 0.02

_LOG = logging.getLogger(__name__)


class Database:
    """A SQLite file in WAL mode. `prepare` brings the schema up and runs once per opened file.

    `before_write` runs before every write transaction; `on_empty(writing)` before a missing or empty file is made, and
    may refuse it; `on_damage` runs when a call meets damaged content, `remedy` says what to do then. On a disk that
    cannot be written, reading goes on. Raises StoreError when the file cannot be opened or written, DamagedError for a
    damaged one, BusyError when another process holds it for longer than BUSY_TIMEOUT_S.
    """

    def __init__(
        self,
        path: Path,
        prepare: Callable[[sqlite3.Connection], None],
        *,
        durable: bool = False,
        before_write: Callable[[], None] = lambda: None,
        on_empty: Callable[[bool], None] = lambda writing: None,
        on_damage: Callable[[], None] = lambda: None,
        remedy: Callable[[], str] = lambda: "run `zerikai-memory doctor` to see what is wrong",
    ) -> None:
        self.path = path
        self._prepare = prepare
        # FULL also survives a power cut; NORMAL survives any kill of the process and is enough for derived data.
        self._synchronous = "FULL" if durable else "NORMAL"
        self._before_write = before_write
        self._on_empty = on_empty
        self._on_damage = on_damage
        self._remedy = remedy
        self._mutex = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._inode: tuple[int, int] | None = None

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one read transaction: every statement sees the same state."""
        yield from self._transaction("BEGIN", writing=False)

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one write transaction, committed at the end or rolled back whole.

        IMMEDIATE because a transaction that reads first and writes later fails at once when another writer came
        between, whatever the busy timeout.
        """
        self._before_write()
        yield from self._transaction("BEGIN IMMEDIATE", writing=True)

    @contextmanager
    def connection(self, *, writing: bool = False) -> Iterator[sqlite3.Connection]:
        """A bare connection, for pragmas, backup and VACUUM that must run outside a transaction."""
        connection = self._acquire(writing)
        try:
            yield connection
        except SQLITE_FAULTS as error:
            connection.close()
            raise self.error(error) from error
        except BaseException:
            self._release(connection)
            raise
        self._release(connection)

    def damage(self) -> str | None:
        """What SQLite's quick check finds wrong with the file, or None; opens it read-only and never makes it."""
        try:
            if self.path.stat().st_size == 0:
                return "the file is empty"
            connection = self._open_read_only()
        except OSError as error:
            raise self.error(error) from error
        except SQLITE_FAULTS as error:
            fault = store_error(self.path, error, self._remedy)
            if isinstance(fault, DamagedError):
                return str(error)
            raise fault from error
        try:
            row = connection.execute("PRAGMA quick_check(1)").fetchone()
        except SQLITE_FAULTS as error:
            return str(error)
        finally:
            connection.close()
        return None if row is None or row[0] == "ok" else str(row[0])

    def compact(self) -> None:
        """Write the file anew without what was deleted, log included: deleted text is gone from the disk.

        Best effort: while another process holds the file, its pages are overwritten as they are used again.
        """
        try:
            with self.connection(writing=True) as connection:
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except (BusyError, StoreError) as error:
            _LOG.warning("%s was not compacted: %s", self.path, error)

    def made(self) -> bool:
        """Whether the file exists; raises what `on_empty` raises where it is missing and should not be."""
        if self.path.exists():
            return True
        self._on_empty(False)
        return False

    def close(self) -> None:
        """Close the idle connections; one that is in use closes when it is given back."""
        with self._mutex:
            idle, self._idle, self._inode = self._idle, [], None
        for connection in idle:
            connection.close()

    def error(self, error: Exception) -> Exception:
        """An error of SQLite or the disk as one of ours, with the file's name and what to do."""
        fault = store_error(self.path, error, self._remedy)
        if isinstance(fault, DamagedError):
            self._on_damage()
        return fault

    @contextmanager
    def decoding(self) -> Iterator[None]:
        """Around code that turns stored values into ours: what cannot be decoded raises DamagedError."""
        try:
            yield
        except (ValueError, KeyError, TypeError, IndexError, OverflowError, zlib.error) as error:
            raise self.damaged(f"a stored value cannot be read: {type(error).__name__} {error}") from error

    def damaged(self, what: str) -> DamagedError:
        """An error for content that SQLite accepts and we cannot have written."""
        self._on_damage()
        return DamagedError(f"{self.path} is damaged ({what}); {self._remedy()}")

    def _transaction(self, begin: str, *, writing: bool) -> Iterator[sqlite3.Connection]:
        connection = self._acquire(writing)
        try:
            connection.execute(begin)
            yield connection
            connection.execute("COMMIT")
        except SQLITE_FAULTS as error:
            connection.close()  # rolls back, and an error may have left more behind than a transaction
            raise self.error(error) from error
        except BaseException:
            self._release(connection)
            raise
        self._release(connection)

    def _acquire(self, writing: bool) -> sqlite3.Connection:
        with self._mutex:
            stale = []
            if self._inode != _inode(self.path):
                # Dropped, restored or made anew by another process: the old file no longer counts.
                stale, self._idle = self._idle, []
            connection = self._idle.pop() if self._idle else None
        for old in stale:
            old.close()
        return connection or self._open(writing)

    def _release(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            lasting = not connection.execute("PRAGMA query_only").fetchone()[0]
        except sqlite3.Error:
            lasting = False
        with self._mutex:
            current = self._inode is not None and self._inode == _inode(self.path)
            if lasting and current and len(self._idle) < POOL_SIZE:
                self._idle.append(connection)
                return
        connection.close()

    def _open(self, writing: bool) -> sqlite3.Connection:
        if not self.path.exists() or self.path.stat().st_size == 0:
            self._on_empty(writing)
        try:
            connection = self._open_for_writing()
        except (OSError, *SQLITE_FAULTS) as error:
            if writing or not only_for_writers(error):
                raise self.error(error) from error
            try:
                connection = self._open_read_only()
                self._prepare(connection)
            except (OSError, *SQLITE_FAULTS):
                raise self.error(error) from error
        with self._mutex:
            self._inode = _inode(self.path)
        return connection

    def _open_for_writing(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        deadline = time.monotonic() + BUSY_TIMEOUT_S
        while True:
            # Before SQLite sees it: it gives its log and its shared memory the mode that the file has then.
            _make_private(self.path)
            connection = sqlite3.connect(
                self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute(f"PRAGMA synchronous={self._synchronous}")
                connection.execute("PRAGMA foreign_keys=ON")
                self._prepare(connection)
                return connection
            except SQLITE_FAULTS as error:
                connection.close()
                if not is_busy(error) or time.monotonic() > deadline:
                    raise
                time.sleep(OPEN_RETRY_S)
            except BaseException:
                connection.close()
                raise

    def _open_read_only(self) -> sqlite3.Connection:
        """A connection that changes nothing, for a disk that is read-only or full; never kept in the pool."""
        try:
            return _connect(self.path, "mode=ro")
        except sqlite3.OperationalError:
            # A read-only folder gives SQLite no place for its shared memory. Without a log beside the file that
            # nobody can write there is nothing to share.
            log = self.path.with_name(self.path.name + "-wal")
            if log.exists() and log.stat().st_size:
                raise
            return _connect(self.path, "immutable=1")


def make_schema(connection: sqlite3.Connection, statements: Sequence[str]) -> None:
    """Make the tables of a derived file whose schema never changes under one name, `meta` among them, once."""
    present = "SELECT 1 FROM sqlite_master WHERE name = 'meta'"
    if connection.execute(present).fetchone():
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not connection.execute(present).fetchone():  # another process may have made them meanwhile
            for statement in statements:
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def read_only(path: Path) -> sqlite3.Connection:
    """A connection to a finished file that nobody writes, such as a backup or snapshot; leaves nothing beside it."""
    if not path.is_file():
        raise StoreError(f"{path}: there is no such file")
    try:
        return _connect(path, "immutable=1")
    except SQLITE_FAULTS as error:
        raise store_error(path, error, lambda: "it cannot be used") from error


def _connect(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        connection.execute("PRAGMA query_only=ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _make_private(path: Path) -> None:
    """Make sure that a file and what SQLite keeps beside it are for their owner alone; an empty file is a database.

    A file that exists is never opened here: closing it would give up the locks that SQLite holds on it.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    for each in (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm", "-journal"))):
        with suppress(FileNotFoundError):
            if each.stat().st_mode & 0o077:
                each.chmod(0o600)


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
