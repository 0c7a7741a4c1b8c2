"""Lines of a growing file from a byte offset on: whole ones only, with bounded memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from zerikai_memory.sessions.formats.base import Json

# A longer line is a dump, not discourse; its bytes are skipped in pieces.
MAX_LINE_BYTES = 32_000_000
_PIECE = 1_000_000
# Enough to tell a file from another that took its name; the first line names session and time.
HEAD_BYTES = 1_024


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line at `offset` that ends before `end`; `record` is None where it is no JSON object (blank: `blank`)."""

    offset: int
    end: int
    record: Json | None
    blank: bool = False


def raw_lines(path: Path, offset: int) -> Iterator[RawLine]:
    """Every finished line from `offset` on. A last line without its end counts once it is a whole object."""
    with path.open("rb") as file:
        file.seek(offset)
        while raw := file.readline(MAX_LINE_BYTES):
            start, offset = offset, offset + len(raw)
            if raw.endswith(b"\n"):
                yield RawLine(start, offset, _parsed(raw), not raw.strip())
            elif len(raw) < MAX_LINE_BYTES:
                if (record := _parsed(raw)) is not None:
                    yield RawLine(start, offset, record)
                return
            else:
                rest = _skip_line(file)
                if rest is None:
                    return
                offset += rest
                yield RawLine(start, offset, None)


def head(path: Path) -> str:
    """A fingerprint of the first bytes, with how many they were: `known_head` compares it after the file has grown."""
    with path.open("rb") as file:
        first = file.read(HEAD_BYTES)
    return f"{len(first)}:{_digest(first)}"


def known_head(path: Path, recorded: str) -> bool:
    """Whether the file still begins with the bytes of which `head` made `recorded`."""
    size, _, digest = recorded.partition(":")
    with path.open("rb") as file:
        return _digest(file.read(int(size))) == digest


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=12).hexdigest()


def _skip_line(file: BinaryIO) -> int | None:
    """Bytes up to the end of the line, or None when the file ends before it."""
    skipped = 0
    while piece := file.readline(_PIECE):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            return skipped
    return None


def _parsed(raw: bytes) -> Json | None:
    try:
        record = json.loads(raw.decode("utf-8-sig" if raw.startswith(b"\xef\xbb\xbf") else "utf-8"))
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
