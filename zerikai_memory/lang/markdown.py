"""Markdown: sections under their headings, with the first paragraph as documentation."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from zerikai_memory.lang.markdown_references import refer
from zerikai_memory.lang.spec import Draft, Grammar, LanguageSpec, Match
from zerikai_memory.lang.text import Source, shorten
from zerikai_memory.model import EntityType

if TYPE_CHECKING:
    from tree_sitter import Node

_ATX = re.compile(r"[ \t]*(#{1,6})(?=[ \t\n]|$)[ \t]*(.*?)(?:[ \t]+#+|(?<![^ \t])#+)?[ \t]*(?:\n|$)")
_SETEXT_LINE = re.compile(r"[ \t]*(=+|-+)[ \t]*$")
# `{#id}` and `{.class}` after a heading are an extension of several site generators.
_ATTRIBUTES = re.compile(r"[ \t]*\{[ \t]*:?[ \t]*[#.][^{}]*\}[ \t]*$")
_ALT = re.compile(r"\balt=[\"']([^\"']+)", re.IGNORECASE)
_FRONT_MATTER_FIELD = re.compile(r"^(title|description|summary):[ \t]*(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?)\n\1[ \t]*(?:\n|\Z)", re.DOTALL)
_CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_SET_ASIDE = re.compile("\ue000([0-9]{1,6})\ue001")  # private use characters stand for code spans meanwhile
# Inline marks, in this order: what they enclose stays, the mark goes.
_INLINE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]*>", re.DOTALL), ""),
    (re.compile(r"!\[([^\[\]]*)\](?:\([^()\s]*(?:\s[^()]*)?\)|\[[^\[\]]*\])"), r"\1"),
    (re.compile(r"\[([^\[\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[(?!\s*[,.|])[^\[\]]*\])"), r"\1"),
    (re.compile(r"(?<![\\*])(\*{1,3})(?=\S)([^*]+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w\\])(_{1,3})(?=\S)([^_]+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"~~(?=\S)(.+?)~~"), r"\1"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)
_MAX_PLAIN = 4_000  # characters that are looked at; the patterns are quadratic on hostile text
_MAX_DOC = 600  # characters of the first paragraph; the whole section is its body


def describe(match: Match, source: Source) -> Draft | None:
    """Draft of a section: from its heading to the line before the next heading of the same or a higher level."""
    start, heading_end = match.node.byte_range
    found = _headings(source).get(start)
    if found is None or not found[0] or not (title := _heading_title(source, start, heading_end)):
        return None
    level, end, own_end = found
    return Draft(
        EntityType.SECTION,
        shorten(title, 200),
        start,
        end,
        f"{'#' * level} {shorten(title, 200)}",
        docstring=_first_paragraph(source, heading_end, own_end),
        whole_lines=end < len(source.data),
    )


def module_doc(root: Node, source: Source) -> str | None:
    """Title and introduction of a document: its front matter, else its first heading, and its first paragraph."""
    text = source.slice(0, len(source.data))
    matter = _FRONT_MATTER.match(text)
    fields = {
        key.lower(): value.strip("\"'") for key, value in _FRONT_MATTER_FIELD.findall(matter[2] if matter else "")
    }
    title = fields.get("title") or next(_titles(source), "")
    intro = fields.get("description") or fields.get("summary") or _first_paragraph(source, 0, len(source.data)) or ""
    return "\n\n".join(part for part in (title, intro) if part) or None


def plain(text: str) -> str:
    """Text of a heading or paragraph on one line, without its inline marks."""
    spans: list[str] = []
    text = text[:_MAX_PLAIN]

    def set_aside(match: re.Match[str]) -> str:
        spans.append(match[2])
        return f"\ue000{len(spans) - 1}\ue001"

    text = _CODE.sub(set_aside, text)
    for pattern, kept in _INLINE:
        text = pattern.sub(kept, text)
    text = html.unescape(text)
    text = _SET_ASIDE.sub(lambda match: spans[int(match[1])] if int(match[1]) < len(spans) else "", text)
    return " ".join(text.split())


def _headings(source: Source) -> dict[int, tuple[int, ...]]:
    """{start of a heading: its level, the end of its section, the start of the next heading}.

    Without those in lists and quotes. Computed once, from the end: a search from every heading is quadratic.
    """
    if not source.table:
        size = len(source.data)
        nexts, following = [size] * 7, size  # where the next heading of each level begins, and the next of any
        for start, end in reversed(source.marks.get("heading", [])):
            if not _contained(source, start):
                level = _level(source.slice(start, end))
                source.table[start] = (level, min(nexts[: level + 1]), following)
                following = nexts[level] = start
                nexts[0] = size  # what is no heading after all ends no section
    return source.table


def _titles(source: Source) -> Iterator[str]:
    """Headings by level, the first of the highest level first."""
    levels = sorted((found[0], start) for start, found in _headings(source).items() if found[0])
    ends = dict(source.marks.get("heading", []))
    titles = (_heading_title(source, start, ends[start]) for _, start in levels)
    return (title for title in titles if title)


def _level(text: str) -> int:
    """Level of a heading; 0 when it is none after all."""
    if match := _ATX.match(text):
        return len(match[1])
    lines = text.rstrip().split("\n")
    underline = _SETEXT_LINE.match(lines[-1])
    if underline is None or len(lines) < 2:
        return 0
    return 1 if underline[1][0] == "=" else 2


def _heading_title(source: Source, start: int, end: int) -> str:
    """Plain title of a heading."""
    text = source.slice(start, end)
    if match := _ATX.match(text):
        return _title(match[2])
    return _title("\n".join(text.rstrip().split("\n")[:-1]))


def _title(text: str) -> str:
    """Plain text of a heading; of one that is only a picture, what the picture shows."""
    alternative = _ALT.search(text)
    return plain(_ATTRIBUTES.sub("", text)) or (alternative[1].strip() if alternative else "")


def _contained(source: Source, at: int) -> bool:
    """Whether a list or a quote encloses this place."""
    around = source.marked_before("container", at + 1)
    return around is not None and around[1] > at


def _first_paragraph(source: Source, start: int, end: int) -> str | None:
    for first, last in source.marked("paragraph", start, end):
        if _SETEXT_LINE.match(source.slice(last, last + 80).split("\n")[0]):
            continue  # the text of a heading
        if text := plain(source.slice(first, last)):
            return shorten(text, _MAX_DOC)
    return None


MARKDOWN = LanguageSpec(
    name="markdown",
    extensions=(".md", ".markdown", ".mdx", ".mdc", ".mkd"),
    grammar=Grammar("tree_sitter_markdown"),
    queries=("markdown.scm",),
    describe=describe,
    refer=refer,
    module_doc=module_doc,
    machine_made=False,
)
