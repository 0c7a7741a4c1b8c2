"""Read one file of the workspace: the bytes, their hash and their times belong together."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.errors import InputError
from zerikai_memory.model import SkippedPath
from zerikai_memory.retrieve.cite import WorkingFile
from zerikai_memory.workspace.paths import to_disk

_CAREFUL = sum(getattr(os, flag, 0) for flag in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY", "O_CLOEXEC"))
# A cited file that has grown beyond this is not read whole to find an entity again.
MAX_CITED_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as read at one moment."""

    path: str
    content: bytes
    mtime_ns: int
    read_at_ns: int
    sha256: str


ReadFunction = Callable[[Path, int], tuple[bytes, int]]


def read_bytes(path: Path, max_bytes: int) -> tuple[bytes, int]:
    """(content, mtime_ns) of a regular file; stops one byte beyond `max_bytes`, so that a growing file is noticed.

    Opened without blocking or following a link, and checked after opening: a name that has become a pipe or a link
    since it was listed is refused.
    """
    handle = os.open(path, os.O_RDONLY | _CAREFUL)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("not a regular file any more")
        return file.read(max_bytes + 1), status.st_mtime_ns


def read_source(root: Path, path: str, max_bytes: int, read: ReadFunction = read_bytes) -> SourceFile | SkippedPath:
    """The file at a workspace path, or why it cannot be had: vanished, unreadable, too large."""
    now = time.time_ns()
    try:
        content, mtime_ns = read(to_disk(root, path), max_bytes)
    except FileNotFoundError:
        return SkippedPath(path, "vanished", "it was gone when it was to be read")
    except OSError as error:
        return SkippedPath(path, "unreadable", error.strerror or str(error))
    if len(content) > max_bytes:
        return SkippedPath(path, "too_large", f"more than {max_bytes} bytes")
    return SourceFile(path, content, mtime_ns, now, hashlib.sha256(content).hexdigest())


def working_file(root: Path, path: str) -> WorkingFile:
    """A cited file as it is now, whatever its size at the scan; unreadable is not the same as gone."""
    try:
        content, _ = read_bytes(to_disk(root, path), MAX_CITED_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return WorkingFile(path, None, None, missing=True)
    except (OSError, InputError):
        return WorkingFile(path, None, None, missing=False)
    return WorkingFile(path, content, hashlib.sha256(content).hexdigest(), missing=False)
