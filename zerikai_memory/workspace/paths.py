"""Stored paths: file names as valid UTF-8 text with forward slashes, and back to the name on disk.

A POSIX name is any bytes. Bytes that are not UTF-8 are stored as `\\xff` escapes; a backslash is stored as it is
unless it would read as such an escape, then it becomes `\\x5c`. So every name has one text and every text one name.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from zerikai_memory.errors import InputError

_LOOKS_ESCAPED = re.compile(rb"\\(?=x(?:[89a-f][0-9a-f]|5c))")
_ESCAPE = re.compile(rb"\\x([89a-f][0-9a-f]|5c)")


def from_disk(name: str) -> str:
    """The stored text of a file name or relative path as `os` functions return it (surrogate escapes allowed)."""
    if name.isascii() and "\\" not in name:
        return name
    raw = os.fsencode(name)
    if os.sep == "/":
        raw = _LOOKS_ESCAPED.sub(rb"\\x5c", raw)
    return raw.decode("utf-8", "backslashreplace").replace(os.sep, "/")


def disk_name(path: str) -> str:
    """The name on disk of a stored path: the inverse of `from_disk`."""
    if "\\" not in path:
        return path
    return os.fsdecode(_ESCAPE.sub(lambda m: bytes([int(m[1], 16)]), path.encode("utf-8", "surrogatepass")))


def to_disk(root: Path, path: str) -> Path:
    """The file that a stored path names, to open it; raises InputError when the path would leave `root`."""
    name = disk_name(path)
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name or Path(name).is_absolute():
        raise InputError(f"The path {path!r} is not inside the workspace; give one relative to {str(root)!r}.")
    return root.joinpath(*parts)


def is_case_insensitive(path: Path) -> bool:
    """Whether the file system ignores case, told by another spelling of an existing path."""
    for part in (path, *path.parents):
        if part.name.swapcase() != part.name:
            try:
                return part.with_name(part.name.swapcase()).samefile(part)
            except OSError:
                return False
    return False
