"""Notes of work to do that comments hold: TODO, FIXME, XXX and HACK, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from zerikai_memory.lang.spec import ROOT, Draft
from zerikai_memory.lang.text import Source, shorten
from zerikai_memory.model import EntityType

if TYPE_CHECKING:
    from tree_sitter import Node

# The word begins the comment line, or a colon or a name in brackets follows it: "XXX" alone may be prose.
_NOTE = re.compile(
    rb"(?:(?<![\w\"'])(?P<word>TODO|FIXME|XXX|HACK)\b(?P<mark>[:(]|\s*-\s)?|@todo\b)[^\n]*",
)
_WORDS = (b"TODO", b"FIXME", b"XXX", b"HACK", b"@todo")  # ten times faster than the pattern, and most files have none
_BEFORE = re.compile(rb"[^\w\"']*\Z")  # comment marks and blanks
_END = re.compile(r"\s*(?:\*/|-->|#\}|%\})\s*$")
_COMMENTS = ("comment", "html_block", "js_comment")  # node types end with one of them
_MAX_NOTE = 200  # characters
_MAX_NOTES = 1_000  # of one file: more is data, and finding the comment of each costs a search in the tree


def todo_notes(root: Node, source: Source) -> Iterator[Draft]:
    """Drafts of the notes in the comments of a file; the signature is the note as written, without comment marks."""
    if not any(word in source.data for word in _WORDS):
        return
    for found in islice(_NOTE.finditer(source.data), _MAX_NOTES):
        if not found["mark"] and not _begins(source.data, found.start()):
            continue
        leaf = root.descendant_for_byte_range(found.start(), found.start() + 1)
        if leaf is None or not leaf.type.endswith(_COMMENTS):
            continue
        end = min(found.end(), leaf.end_byte)
        text = _END.sub("", source.slice(found.start(), end)).strip()
        word = (found["word"] or b"TODO").decode()
        yield Draft(EntityType.TODO, word, found.start(), end, shorten(text, _MAX_NOTE), owner=ROOT, in_parent=True)


def _begins(data: bytes, at: int) -> bool:
    """Whether only comment marks stand before this place of its line, or code and a comment mark right before it."""
    line = data[data.rfind(b"\n", 0, at) + 1 : at]
    return bool(_BEFORE.fullmatch(line)) or line.rstrip().endswith((b"#", b"//", b"/*", b"<!--"))
