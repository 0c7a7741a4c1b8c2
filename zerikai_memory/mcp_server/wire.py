"""stdin as the protocol needs it: requests with a lone surrogate are repaired instead of being dropped unanswered.

A model that cuts an emoji in half sends `"\\ud83d"`, which is valid JSON text and no valid Unicode; the SDK ignores
such a line, and the client waits until its time-out.
"""

from __future__ import annotations

import io
import os
import re
import sys
from typing import Any, BinaryIO

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:(?P<pair>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def claim_stdin() -> None:
    """Read requests through the repair from now on; anything else that reads stdin meets its end."""
    wire = os.fdopen(os.dup(0), "rb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(RepairedLines(wire)), encoding="utf-8")


def repair(line: bytes) -> bytes:
    """The same JSON line with each lone surrogate escape replaced by the replacement character."""
    if not _SURROGATE.search(line):
        return line
    return _ESCAPE.sub(lambda match: rb"\ufffd" if match["lone"] else match[0], line)


class RepairedLines(io.RawIOBase):
    """A raw stream of the repaired lines of another one; it has no file descriptor."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._pending = b""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` from the line at hand, waiting for one if need be; 0 at the end."""
        if not self._pending:
            self._pending = repair(self._source.readline())
        part, self._pending = self._pending[: len(buffer)], self._pending[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)
