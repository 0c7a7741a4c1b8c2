"""stdin as the protocol needs it, where the SDK would leave a client without an answer.

- A model that cuts an emoji in half sends `"\\ud83d"`, which is valid JSON and no valid Unicode; the SDK ignores such a
  line, and the client waits until its time-out. Lone surrogates are replaced.
- A client probes with `server/discover`, gives up while we start and sends `initialize`; the SDK decides by the first
  request it reads and would refuse the handshake for ever. A probe that has been given up is dropped.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from typing import Any

# A pipe's usual capacity: one read returns all that a client has sent while we started.
READ_BYTES = 65_536
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def claim_stdin() -> None:
    """Read requests through `RequestLines` from now on; anything else that reads stdin meets its end."""
    wire = io.FileIO(os.dup(0), "rb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(RequestLines(wire)), encoding="utf-8")


def repair(line: bytes) -> bytes:
    """The same JSON line with each lone surrogate escape replaced by the replacement character."""
    if not _SURROGATE.search(line):
        return line
    return _ESCAPE.sub(lambda match: rb"\ufffd" if match["lone"] else match[0], line)


def without_stale_probe(opening: list[bytes]) -> list[bytes]:
    """The lines of an opening without a leading `server/discover` that an `initialize` has followed."""
    if _method(opening[0]) == "server/discover" and any(_method(line) == "initialize" for line in opening[1:]):
        return opening[1:]
    return opening


class RequestLines(io.RawIOBase):
    """A raw stream of the repaired lines of another one; it has no file descriptor."""

    def __init__(self, source: io.RawIOBase | io.FileIO) -> None:
        self._source = source
        self._unfinished = b""
        self._ready = b""
        self._opened = False

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill `buffer` from the lines at hand, waiting for one if need be; 0 at the end."""
        if not self._ready:
            self._ready = b"".join(self._next_lines())
        part, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)

    def _next_lines(self) -> list[bytes]:
        """All complete lines that have arrived, at least one but at the end."""
        pieces = [self._unfinished]
        while chunk := self._source.read(READ_BYTES):
            pieces.append(chunk)
            if b"\n" in chunk:
                break
        whole, ending, self._unfinished = b"".join(pieces).rpartition(b"\n")
        if not ending:  # the end of stdin, perhaps within a line
            whole, self._unfinished = self._unfinished, b""
        lines = [repair(line) for line in (whole + ending).splitlines(keepends=True)]
        if not self._opened and lines:
            self._opened = True
            lines = without_stale_probe(lines)
        return lines


def _method(line: bytes) -> str | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return message.get("method") if isinstance(message, dict) else None
