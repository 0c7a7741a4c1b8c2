"""Open a file of a workspace without being led out of it: no link on the way is followed, and only files are opened."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from zerikai_memory.workspace.paths import to_disk

_FILE = sum(getattr(os, flag, 0) for flag in ("O_RDONLY", "O_NONBLOCK", "O_NOFOLLOW", "O_BINARY", "O_CLOEXEC"))
_FOLDER = sum(getattr(os, flag, 0) for flag in ("O_RDONLY", "O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC"))
_BY_HANDLE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


def open_inside(root: Path, path: str) -> BinaryIO:
    """The regular file at a workspace path, opened for reading; raises OSError when it is not there or not one.

    A folder or file that was swapped for a link since it was listed is not followed, a pipe is not waited for.
    """
    target = to_disk(root, path)
    return _regular(_open_by_handles(root, target) if _BY_HANDLE else _open_checked(root, target))


def open_file(path: Path) -> BinaryIO:
    """A regular file of which only the last name is checked: no link is followed, a pipe is not waited for."""
    if not _BY_HANDLE and path.is_symlink():
        raise OSError("a link, which is not followed")
    return _regular(os.open(path, _FILE))


def _regular(handle: int) -> BinaryIO:
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("not a regular file")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _open_by_handles(root: Path, target: Path) -> int:
    """Walk down from the root folder, each step relative to the folder that is open, so that no name can be swapped."""
    *folders, name = target.relative_to(root).parts
    folder = os.open(root, os.O_RDONLY)
    try:
        for part in folders:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        return os.open(name, _FILE, dir_fd=folder)
    finally:
        os.close(folder)


def _open_checked(root: Path, target: Path) -> int:
    """Where folders cannot be opened: refuse what does not resolve to itself inside the root."""
    resolved = Path(os.path.realpath(target))
    if not resolved.is_relative_to(os.path.realpath(root)) or target.is_symlink():
        raise OSError("it leads out of the workspace")
    return os.open(target, _FILE)
