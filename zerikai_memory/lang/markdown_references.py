"""Markdown mentions: links to files and headings, and code spans that may name something of the project."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from zerikai_memory.lang.spec import Match, Mention
from zerikai_memory.lang.text import Source
from zerikai_memory.model import ReferenceKind

_MAX_TEXT = 20_000  # characters of one paragraph that are looked at
_CODE = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"(?<!\\)\]\(\s*(?:<([^<>\n]{1,500})>|([^\s()<>]{1,500}(?:\([^\s()]{0,200}\)[^\s()]{0,200})?))")
_ANCHOR = re.compile(r"<a\b[^<>]{0,200}?\bhref=[\"']([^\"'<>]{1,500})[\"']", re.IGNORECASE)
_REMOTE = re.compile(r"(?:[a-zA-Z][a-zA-Z0-9+.-]*:|//)")
# A name, dotted, with brackets of a call or a path with a suffix and perhaps a line.
_NAMING = re.compile(r"[A-Za-z_$@.][\w$]*(?:(?:[./#-]|::)[\w$-]+)*(?:\(\))?(?::\d+(?:-\d+)?)?")


def refer(match: Match, source: Source) -> Iterator[Mention]:
    """Links without a host, and code spans in the form of a name or a path."""
    start, end = match.node.byte_range
    text = source.slice(start, end)[:_MAX_TEXT]
    if match.label == "reference.destination":
        yield from _link(text.strip("<>"), start)
        return
    if match.node.type != "html_block":
        for found in _CODE.finditer(text):
            name = found[2].strip()
            if len(name) > 2 and _NAMING.fullmatch(name):
                yield Mention(ReferenceKind.USE, name, name, start + _bytes(text, found.start()))
        # Of the same length, so that places stay: a link inside code is none.
        text = _CODE.sub(lambda found: " " * len(found[0]), text)
        for found in _LINK.finditer(text):
            yield from _link(found[1] or found[2], start + _bytes(text, found.start()))
    for found in _ANCHOR.finditer(text):
        yield from _link(found[1], start + _bytes(text, found.start()))


def _link(target: str, at: int) -> Iterator[Mention]:
    target = html.unescape(target)
    if not _REMOTE.match(target):
        yield Mention(ReferenceKind.LINK, target, target, at)


def _bytes(text: str, at: int) -> int:
    return at if text.isascii() else len(text[:at].encode("utf-8"))
