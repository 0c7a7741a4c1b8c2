"""Markdown extraction against markdown-it-py (CommonMark): headings with level, title and line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from tally import Tally

from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.text import decode_source
from zerikai_memory.model import EntityType

REASONS: dict[str, str] = {
    "other title or level": "nested brackets or unusual inline marks in a heading; the line is right",
    "heading missing": "see the example",
    "heading that is none": "a heading indented below a loose list belongs to the list for CommonMark, not for the "
    "grammar; or it is a picture, named by its text",
}
_FRONT_MATTER = re.compile(rb"\A(?:---|\+\+\+)[ \t]*\n.*?\n(?:---|\+\+\+)[ \t]*(?:\n|\Z)", re.DOTALL)
_LETTERS = re.compile(r"[\W_]+")


def run(paths: Iterable[Path]) -> list[Tally]:
    """Compare all documents; front matter is no Markdown and blanked, headings in lists and quotes are no sections."""
    tally = Tally("markdown-it-py (CommonMark)", "headings with level, title and line", 0.995, REASONS)
    for path in paths:
        data = decode_source(path.read_bytes())
        extraction = extract(path.read_bytes(), path.name)
        if data is None or extraction.skip_reason:
            tally.left_out += 1
            continue
        expected = Counter(headings_of(data))
        found = Counter(
            (len(e.signature.partition(" ")[0]), _letters(e.name), e.start_line)
            for e in extraction.entities
            if e.entity_type is EntityType.SECTION
        )
        tally.files += 1
        tally.expected += sum(expected.values())
        tally.equal += sum((expected & found).values())
        tally.extra += sum((found - expected).values())
        for record in (expected - found).elements():
            near = [other for other in found if other[2] == record[2]]
            tally.differ(
                "other title or level" if near else "heading missing", f"{path}:{record[2]} {record} ours {near}"
            )
        for record in found - expected:
            if not any(other[2] == record[2] for other in expected):
                tally.differ("heading that is none", f"{path}:{record[2]} {record}")
    return [tally]


def headings_of(data: bytes) -> Iterator[tuple[int, str, int]]:
    """(level, letters of the title, line) of every heading of the document itself."""
    text = _FRONT_MATTER.sub(lambda match: b"\n" * match[0].count(b"\n"), data).decode("utf-8", "replace")
    tokens = MarkdownIt("commonmark").parse(text)
    for position, token in enumerate(tokens):
        if token.type == "heading_open" and token.level == 0 and token.map:
            title = _letters(_plain(tokens[position + 1].children or []))
            if title:
                yield int(token.tag[1]), title, token.map[0] + 1


def _plain(children: Sequence[Token]) -> str:
    parts = []
    for child in children:
        if child.type in ("text", "code_inline", "image", "text_special"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return "".join(parts)


def _letters(title: str) -> str:
    """Letters and digits alone, cut as our titles are: marks and blanks are a matter of taste."""
    return _LETTERS.sub("", title)[:100].lower()
