"""What SQLite and the disk say when something is wrong, as our errors: full, read-only, busy, damaged.

Each message names the file, says whether anything was lost, and what to do.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

from zerikai_memory.errors import BusyError, DamagedError, StoreError, ZerikaiError

# SQLite reports some failed writes on a full disk as I/O errors; below this much free space that is the reason.
FULL_BELOW_BYTES = 256 * 1024

_FULL_ERRNO = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
_READ_ONLY_ERRNO = {errno.EROFS, errno.EACCES, errno.EPERM}
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
# Our SQL is fixed and tested against the schema of the same version, so a schema that lacks a name was altered.
_OTHER_SCHEMA = re.compile(
    r"no such (table|column|index|module|collation)|has no column named|malformed|vtable constructor"
)
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
# What the sqlite3 module raises; its messages may quote bytes of a damaged file that are no text.
SQLITE_FAULTS = (sqlite3.Error, UnicodeDecodeError)
_UNCLEAR = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}


def store_error(path: Path, error: Exception, remedy: Callable[[], str]) -> ZerikaiError:
    """The error to raise for `error` met while working with `path`; `remedy` ends the message of a damaged file."""
    if is_busy(error):
        return BusyError(f"{path.name} is held by another process ({error}); nothing was written, try again")
    if is_damaged(error):
        return DamagedError(f"{path} is damaged ({error}); {remedy()}")
    if is_full(path, error):
        return StoreError(
            f"{path}: the disk is full; nothing that was saved is lost. Free space and call again; nothing else is "
            "needed"
        )
    if _is_read_only(path, error):
        return StoreError(
            f"{path} cannot be written ({error}); reading goes on. Change its permissions, or set ZERIKAI_HOME to a "
            "folder that can be written"
        )
    return StoreError(f"{path}: {error}; run `zerikai-memory doctor` to see what is wrong")


def is_busy(error: Exception) -> bool:
    """Whether another process or thread holds the file."""
    return _code(error) in _BUSY


def is_damaged(error: Exception) -> bool:
    """Whether the content is not what SQLite or we wrote."""
    if _code(error) in _DAMAGED:
        return True
    if isinstance(error, UnicodeDecodeError):  # a message of SQLite that quotes bytes which are no text
        return True
    if not isinstance(error, sqlite3.Error):
        return False
    # Text that is not UTF-8 comes without a code of SQLite.
    return "decode to UTF-8" in str(error) or bool(
        _code(error) == sqlite3.SQLITE_ERROR and _OTHER_SCHEMA.search(str(error))
    )


def is_full(path: Path, error: Exception) -> bool:
    """Whether the disk has no space left."""
    if _code(error) == sqlite3.SQLITE_FULL or (isinstance(error, OSError) and error.errno in _FULL_ERRNO):
        return True
    return _code(error) in _UNCLEAR and _free_bytes(path) < FULL_BELOW_BYTES


def only_for_writers(error: Exception) -> bool:
    """Whether a reader may still get through: the file is there, and what failed is writing beside it."""
    if isinstance(error, OSError):
        return error.errno in _FULL_ERRNO | _READ_ONLY_ERRNO
    return _code(error) in _UNCLEAR | {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_PERM}


def _is_read_only(path: Path, error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in _READ_ONLY_ERRNO
    if _code(error) in _UNCLEAR:
        return path.parent.is_dir() and not os.access(path.parent, os.W_OK)
    return _code(error) in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM}


def _code(error: Exception) -> int:
    """SQLite's primary result code, 0 for other errors."""
    return int(getattr(error, "sqlite_errorcode", 0) or 0) & 0xFF


def _free_bytes(path: Path) -> int:
    try:
        return shutil.disk_usage(path.parent).free
    except OSError:
        return FULL_BELOW_BYTES
