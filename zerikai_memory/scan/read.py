"""Read one file of the workspace: the bytes, their hash and their times belong together."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.errors import InputError
from zerikai_memory.model import SkippedPath
from zerikai_memory.retrieve.cite import WorkingFile
from zerikai_memory.workspace.opening import open_inside

# A cited file that has grown beyond this is not parsed while a question waits (0.5 s a megabyte at worst).
MAX_CITED_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file as read at one moment."""

    path: str
    content: bytes
    mtime_ns: int
    read_at_ns: int
    sha256: str


ReadFunction = Callable[[Path, str, int], tuple[bytes, int]]


def read_bytes(root: Path, path: str, max_bytes: int) -> tuple[bytes, int]:
    """(content, mtime_ns) of a workspace file; stops one byte beyond `max_bytes`, so that a growing file is noticed."""
    with open_inside(root, path) as file:
        return file.read(max_bytes + 1), os.fstat(file.fileno()).st_mtime_ns


def read_source(root: Path, path: str, max_bytes: int, read: ReadFunction = read_bytes) -> SourceFile | SkippedPath:
    """The file at a workspace path, or why it cannot be had: vanished, unreadable, too large."""
    now = time.time_ns()
    try:
        content, mtime_ns = read(root, path, max_bytes)
    except FileNotFoundError:
        return SkippedPath(path, "vanished", "it was gone when it was to be read")
    except OSError as error:
        return SkippedPath(path, "unreadable", error.strerror or str(error))
    if len(content) > max_bytes:
        return SkippedPath(path, "too_large", f"more than {max_bytes} bytes")
    return SourceFile(path, content, mtime_ns, now, hashlib.sha256(content).hexdigest())


def working_file(root: Path, path: str) -> WorkingFile:
    """A cited file as it is now; unreadable, grown out of measure or led astray by a link is not the same as gone."""
    try:
        content, _ = read_bytes(root, path, MAX_CITED_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return WorkingFile(path, None, None, missing=True)
    except (OSError, InputError):
        return WorkingFile(path, None, None, missing=False)
    if len(content) > MAX_CITED_BYTES:
        return WorkingFile(path, None, None, missing=False)
    return WorkingFile(path, content, hashlib.sha256(content).hexdigest(), missing=False)
