"""One SQLite file: a small pool of connections, short transactions, safe beside other threads and processes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from zerikai_memory.errors import StoreError

# Long enough for another process's short write; a scan's transactions last milliseconds.
BUSY_TIMEOUT_S = 15.0
# Idle connections kept open; more threads than this open and close their own.
POOL_SIZE = 4


class Database:
    """A SQLite file in WAL mode. `prepare` brings the schema up and runs once per opened file.

    Raises StoreError when the file cannot be opened, is damaged, or the disk refuses the write.
    """

    def __init__(self, path: Path, prepare: Callable[[sqlite3.Connection], None], *, durable: bool = False) -> None:
        self.path = path
        self._prepare = prepare
        # FULL also survives a power cut; NORMAL survives any kill of the process and is enough for derived data.
        self._synchronous = "FULL" if durable else "NORMAL"
        self._mutex = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._inode: tuple[int, int] | None = None

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one read transaction: every statement sees the same state."""
        yield from self._transaction("BEGIN")

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A connection inside one write transaction, committed at the end or rolled back whole.

        IMMEDIATE because a transaction that reads first and writes later fails at once when another writer came
        between, whatever the busy timeout.
        """
        yield from self._transaction("BEGIN IMMEDIATE")

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A bare connection, for pragmas and VACUUM that must run outside a transaction."""
        connection = self._acquire()
        try:
            yield connection
        except sqlite3.Error as error:
            raise self._store_error(error) from error
        finally:
            self._release(connection)

    def damage(self) -> str | None:
        """What SQLite's quick check finds wrong with the file, or None."""
        with self.connection() as connection:
            row = connection.execute("PRAGMA quick_check(1)").fetchone()
        return None if row is None or row[0] == "ok" else str(row[0])

    def close(self) -> None:
        """Close the idle connections; one that is in use closes when it is given back."""
        with self._mutex:
            idle, self._idle, self._inode = self._idle, [], None
        for connection in idle:
            connection.close()

    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        connection = self._acquire()
        try:
            connection.execute(begin)
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise self._store_error(error) from error
        finally:
            self._release(connection)

    def _acquire(self) -> sqlite3.Connection:
        with self._mutex:
            stale = []
            if self._inode != _inode(self.path):
                # Dropped, restored or made anew by another process: the old file no longer counts.
                stale, self._idle = self._idle, []
            connection = self._idle.pop() if self._idle else None
        for old in stale:
            old.close()
        return connection or self._open()

    def _release(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._mutex:
            if self._inode is not None and len(self._idle) < POOL_SIZE and self._inode == _inode(self.path):
                self._idle.append(connection)
                return
        connection.close()

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            connection = sqlite3.connect(
                self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise self._store_error(error) from error
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute(f"PRAGMA synchronous={self._synchronous}")
            connection.execute("PRAGMA foreign_keys=ON")
            self._prepare(connection)
            self.path.chmod(0o600)
        except (OSError, sqlite3.Error) as error:
            connection.close()
            raise self._store_error(error) from error
        except BaseException:
            connection.close()
            raise
        with self._mutex:
            self._inode = _inode(self.path)
        return connection

    def _store_error(self, error: Exception) -> StoreError:
        return StoreError(f"{self.path}: {error}; run `zerikai-memory doctor` to see what is wrong")


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
