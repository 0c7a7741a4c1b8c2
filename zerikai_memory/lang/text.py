"""Source text: bytes with a line table, decoding of odd encodings, and folding of code onto one line."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

# PEP 263 and Emacs share this form; only the first two lines count.
_CODING = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark is a prefix of it
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FOLD_AT_BRACKET = re.compile(r"(?<=[(\[<])[ \t\f]*\n\s*|[ \t\f]*\n\s*(?=[)\]>])")
_FOLD = re.compile(r"[ \t\f]*\n\s*")


class Source:
    """UTF-8 bytes of one file with line numbers; only a line feed ends a line, CRLF is stored as LF.

    A query leaves notes here that hooks read: `marks` (ascending byte ranges of `@mark.x`), `words` (texts of
    `@word.x`) and `bound` (ids of nodes that a definition already stands for). A hook keeps in `table` what it computes
    from all marks at once.
    """

    __slots__ = ("_ends", "bound", "data", "marks", "table", "words")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._ends: list[int] | None = None
        self.clear_notes()

    def clear_notes(self) -> None:
        """Forget what an earlier query left."""
        self.marks: dict[str, list[tuple[int, int]]] = {}
        self.words: dict[str, set[str]] = {}
        self.bound: set[int] = set()
        self.table: dict[int, tuple[int, ...]] = {}

    def marked(self, mark: str, start: int, end: int) -> list[tuple[int, int]]:
        """The ranges with this mark that begin inside `start`..`end`."""
        ranges = self.marks.get(mark, [])
        return ranges[bisect_left(ranges, (start, 0)) : bisect_left(ranges, (end, 0))]

    def marked_before(self, mark: str, end: int) -> tuple[int, int] | None:
        """The last range with this mark that begins before `end`."""
        ranges = self.marks.get(mark, [])
        index = bisect_left(ranges, (end, 0))
        return ranges[index - 1] if index else None

    def line(self, offset: int) -> int:
        """1-based line of a byte offset."""
        if self._ends is None:
            self._ends = [match.start() for match in re.finditer(b"\n", self.data)]
        return bisect_left(self._ends, offset) + 1

    def last_line(self, end: int) -> int:
        """1-based line of the last byte before `end`, line ends not counted."""
        data = self.data
        while end > 0 and data[end - 1] in b"\r\n":
            end -= 1
        return self.line(max(end - 1, 0))

    @property
    def line_count(self) -> int:
        """Number of lines, at least 1."""
        return max(1, self.data.count(b"\n") + (not self.data.endswith(b"\n")))

    def text(self, node: Node) -> str:
        """Text of a node."""
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def slice(self, start: int, end: int) -> str:
        """Text of a byte range."""
        return self.data[start:end].decode("utf-8", "replace")

    def without(self, start: int, end: int, holes: Iterable[tuple[int, int]]) -> str:
        """Text of a byte range without the given byte ranges (ascending, not overlapping)."""
        parts = []
        for hole_start, hole_end in holes:
            if hole_start >= start:
                parts.append(self.data[start:hole_start])
            start = max(start, min(hole_end, end))
        parts.append(self.data[start:end])
        return b"".join(parts).decode("utf-8", "replace")


def decode_source(raw: bytes) -> bytes | None:
    """Normal form of a file's bytes: valid UTF-8 without byte order mark, LF line ends; None when it is binary.

    A byte order mark or a coding comment decides the encoding; bytes that do not fit become U+FFFD.
    """
    for mark, encoding in _BOMS:
        if raw.startswith(mark):
            raw = raw.decode(encoding, "replace").lstrip("\ufeff").encode("utf-8", "replace")
            break
    nuls = raw.count(b"\0")
    # A stray NUL is damage in a text; more than one in a hundred bytes is no text (UTF-16 has one in two).
    if nuls * 100 > len(raw):
        return None
    if nuls:
        raw = raw.replace(b"\0", b" ")
    if not raw.isascii():
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError:
            raw = raw.decode(_declared_encoding(raw), "replace").encode("utf-8", "replace")
    return raw.replace(b"\r\n", b"\n") if b"\r\n" in raw else raw


def _declared_encoding(raw: bytes) -> str:
    for line in raw.split(b"\n", 2)[:2]:
        if match := _CODING.match(line):
            try:
                info = codecs.lookup(match.group(1).decode("ascii", "replace"))
            except (LookupError, ValueError):
                break
            # Transforms such as rot13 or hex are codecs too, but no text encodings.
            if getattr(info, "_is_text_encoding", True):
                return info.name
    return "utf-8"


def fold(text: str) -> str:
    """Code on one line: a line break with its indentation becomes one space, or nothing at a bracket's edge."""
    text = text.strip()
    return _FOLD.sub(" ", _FOLD_AT_BRACKET.sub("", text)) if "\n" in text else text


def shorten(text: str, limit: int = 160) -> str:
    """Text cut to `limit` characters, the cut shown as an ellipsis."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def fold_range(source: Source, start: int, end: int, holes: Sequence[tuple[int, int]] = ()) -> str:
    """`fold` of a byte range without the byte ranges of the comments in it."""
    return fold(source.without(start, end, holes) if holes else source.slice(start, end))
