"""Lines of a growing file from a byte offset on: whole ones only, with bounded memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from zerikai_memory.sessions.formats.base import Json

# A longer line is a dump, not discourse; its bytes are skipped in pieces.
MAX_LINE_BYTES = 32_000_000
_PIECE = 1_000_000
# Of the first line this much tells a file from another that took its name.
HEAD_BYTES = 1_024
# What stands before an offset tells one that has grown from one that was written anew: all of it, or of more parts.
WHOLE_BYTES, PARTS, PART_BYTES = 1_000_000, 64, 256
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_JSON = json.JSONDecoder()
# A crash may leave a run of NUL bytes where a line was to be written.
_BLANK = b"\0 \t\r\n"


class Kinship(StrEnum):
    """What a file is to the one that was read under its name."""

    GROWN = "grown"  # all that was read still stands there
    REWRITTEN = "rewritten"  # it begins with the same line, what follows is other
    OTHER = "other"  # its first line is another one


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line at `offset` that ends before `end`; `records` is empty where it holds no JSON object (blank: `blank`).

    It holds several where the line feed between them was lost; `torn`: the rest of one stands before it.
    """

    offset: int
    end: int
    records: tuple[Json, ...] = ()
    blank: bool = False
    torn: bool = False


def raw_lines(path: Path, offset: int) -> Iterator[RawLine]:
    """Every finished line from `offset` on. A last line without its end counts once it is a whole object."""
    with path.open("rb") as file:
        file.seek(offset)
        while raw := file.readline(MAX_LINE_BYTES):
            start, offset = offset, offset + len(raw)
            if raw.endswith(b"\n"):
                records, torn = _parsed(raw), False
                if not records and (rest := _behind_torn(raw)):
                    records, torn = (rest,), True
                yield RawLine(start, offset, records, not raw.strip(), torn)
            elif len(raw) < MAX_LINE_BYTES:
                if records := _parsed(raw):
                    yield RawLine(start, offset, records)
                return
            else:
                skipped = _skip_line(file)
                if skipped is None:
                    return
                offset += skipped
                yield RawLine(start, offset)


def fingerprint(path: Path, offset: int) -> str:
    """What `kinship` compares when the file is met again: of its first line, and of what stands before `offset`."""
    with path.open("rb") as file:
        first = _first_line(file)
        if offset <= WHOLE_BYTES:
            file.seek(0)
            return f"{first} {_digest(file.read(offset))}"
        seen = hashlib.blake2b(digest_size=12)
        for part in range(PARTS + 1):  # the last of them ends at the offset
            file.seek((offset - PART_BYTES) * part // PARTS)
            seen.update(file.read(PART_BYTES))
        return f"{first} {seen.hexdigest()}"


def kinship(path: Path, recorded: str, offset: int) -> Kinship:
    """What the file is to the one of which `fingerprint` made `recorded` when it had been read up to `offset`."""
    now = fingerprint(path, offset)
    if now == recorded:
        return Kinship.GROWN
    return Kinship.REWRITTEN if now.split()[0] == recorded.partition(" ")[0] else Kinship.OTHER


def packed(path: Path) -> str | None:
    """How the file is compressed, by its first bytes; None when it is not."""
    with path.open("rb") as file:
        first = file.read(4)
    return next((name for magic, name in _PACKED.items() if first.startswith(magic)), None)


def _first_line(file: BinaryIO) -> str:
    return _digest(file.readline(HEAD_BYTES).rstrip(b"\r\n"))


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


def _parsed(raw: bytes) -> tuple[Json, ...]:
    """The JSON objects of a line. Bytes that are no UTF-8 cost themselves, not the message they stand in."""
    text = raw.strip(_BLANK).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    try:
        record = json.loads(text)
    except ValueError:
        return _joined(text)
    except RecursionError:
        return ()
    return (record,) if isinstance(record, dict) else ()


def _joined(text: str) -> tuple[Json, ...]:
    """Whole objects that stand one after the other in a line; none where anything else is among them."""
    found, at = list[Json](), 0
    while at < len(text):
        try:
            record, at = _JSON.raw_decode(text, at)
        except (ValueError, RecursionError):
            return ()
        if not isinstance(record, dict):
            return ()
        found.append(record)
        at += len(text[at:]) - len(text[at:].lstrip())
    return tuple(found)


def _behind_torn(raw: bytes) -> Json | None:
    """The object that was written right behind a torn one, as after a crash: whole, and with the same first key."""
    text = raw.strip(_BLANK).decode("utf-8", "replace")
    start = text.rfind(text[: text.find(":") + 1 or None], 1)
    if start < 0 or not text.startswith("{"):
        return None
    found = _joined(text[start:])
    return found[0] if len(found) == 1 else None
