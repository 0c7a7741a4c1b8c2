"""Hold the citations that a model wrote against what it was given: an invented one is removed and counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from zerikai_memory.lang.registry import language_of
from zerikai_memory.model import Hit, Note

_LINES = r":(?P<start>\d{1,7})(?:\s?[-\u2013]\s?L?(?P<end>\d{1,7}))?"
_NOTE = re.compile(r"\bnote:(?P<id>[A-Za-z0-9_-]{1,64})")
_EMPTY_BRACKETS = re.compile(r"[ \t]*(?:\(\s*[,;]?\s*\)|\[\s*[,;]?\s*\]|``)")
_GAP = re.compile(r"(?<=\S)[ \t]{2,}(?=\S)")
_BEFORE_STOP = re.compile(r"[ \t]+([.,;:!?)\]])")


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer whose every citation was given; `removed` are the ones that were not."""

    text: str
    removed: tuple[str, ...]


def check_citations(text: str, hits: Sequence[Hit], notes: Sequence[Note]) -> Checked:
    """Keep `#path:line` inside the lines of a hit and `note:ID` of a note; a bare file name gets its whole path."""
    removed: list[str] = []

    def file(match: re.Match[str]) -> str:
        path = _known_path(match["path"], hits)
        if path is None and not match["mark"] and language_of(match["path"]) is None:
            return match[0]  # `localhost.example:8080` is no citation
        if path is None or not _inside(path, match, hits):
            removed.append(match[0])
            return ""
        return match[0] if path == match["path"] else match[0].replace(match["path"], path, 1)

    def note(match: re.Match[str]) -> str:
        if any(note.id == match["id"] for note in notes):
            return match[0]
        removed.append(match[0])
        return ""

    checked = _NOTE.sub(note, _pattern(hits).sub(file, text))
    return Checked(_tidy(checked) if removed else checked, tuple(removed))


def _pattern(hits: Sequence[Hit]) -> re.Pattern[str]:
    """`#path:line`, with or without the mark; paths that were given may hold any characters."""
    given = sorted({hit.file_path for hit in hits}, key=len, reverse=True)
    paths = "|".join([*map(re.escape, given), r"[\w@./\\\[\]-]*\w\.\w{1,10}"])
    return re.compile(rf"(?<![\w/:@.])(?P<mark>#?)(?P<path>{paths}){_LINES}")


def _known_path(path: str, hits: Sequence[Hit]) -> str | None:
    """The hit's path that is meant, also by its end alone when only one has it."""
    plain = path.replace("\\", "/").removeprefix("./")
    paths = {hit.file_path for hit in hits}
    if plain in paths:
        return plain
    ends = [known for known in paths if known.endswith(f"/{plain}")]
    return ends[0] if len(ends) == 1 else None


def _inside(path: str, match: re.Match[str], hits: Sequence[Hit]) -> bool:
    start = int(match["start"])
    end = int(match["end"] or start)
    return start <= end and any(
        hit.file_path == path and hit.start_line <= start and end <= hit.end_line for hit in hits
    )


def _tidy(text: str) -> str:
    """Text without the brackets and blanks that a removed citation leaves."""
    text = _EMPTY_BRACKETS.sub("", _EMPTY_BRACKETS.sub("", text))  # brackets in backticks
    return _BEFORE_STOP.sub(r"\1", _GAP.sub(" ", text)).strip()
