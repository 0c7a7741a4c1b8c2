"""What stands before a JavaScript or TypeScript definition: keywords, decorators and its comment."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zerikai_memory.lang.text import Source, fold

# Words of the declaration itself, on the same line before its node.
_KEYWORDS = re.compile(rb"(?:\b(?:export|default|declare|const|let|var)[ \t]+)+$")
_STARS = re.compile(r"^[ \t]*\*(?!\*/)[ \t]?", re.MULTILINE)
# Comments that speak of the file, and those that speak to tools.
_OF_FILE = re.compile(r"@license|@preserve|@fileoverview|@file\b|@module\b|@copyright|copyright ?\(c\)", re.IGNORECASE)
_TO_TOOLS = re.compile(
    r"eslint-|@ts-|__(?:pure|no_side_effects)__|prettier-|istanbul|c8 ignore|#(?:end)?region|webpack"
    r"|@flow\b|@jsx\b|====|----",
    re.IGNORECASE,
)
_LICENCE = re.compile(r"@license|copyright\b|licen[cs]ed", re.IGNORECASE)
_FILE_DOC = re.compile(r"@(?:fileoverview|file|module|packageDocumentation)\b")


@dataclass(slots=True)
class Lead:
    """What leads up to a definition; `head` is where it begins itself, `outer` where its first companion does."""

    head: int
    outer: int
    keywords: str
    decorators: tuple[str, ...]
    decorator_starts: tuple[int, ...]
    docstring: str | None


def lead_of(source: Source, start: int) -> Lead:
    """Keywords, decorators and documentation of the definition whose node starts at `start`."""
    data = source.data
    decorators: list[tuple[int, int]] = []
    inner = _skip_decorators(source, start, decorators)
    keywords = _KEYWORDS.search(data, max(0, start - 80), start)
    first = keywords.start() if keywords else start
    head = first if keywords else inner
    if keywords and data.startswith(b"@", first):
        head = inner
    docs: list[tuple[int, int]] = []
    outer = _walk_back(source, first, decorators, docs)
    if not docs and decorators:
        # A comment between a decorator and the keyword it decorates.
        docs = [c for c in source.marked("comment", min(decorators)[0], head) if _in_front(c, decorators)]
    decorators.sort()
    return Lead(
        head=head,
        outer=outer,
        keywords=keywords.group().decode() if keywords else "",
        decorators=tuple(fold(source.slice(begin + 1, end)) for begin, end in decorators),
        decorator_starts=tuple(begin for begin, _ in decorators),
        docstring=_doc_text(source, docs),
    )


def _in_front(comment: tuple[int, int], decorators: list[tuple[int, int]]) -> bool:
    return not any(begin <= comment[0] < end for begin, end in decorators)


def _skip_decorators(source: Source, start: int, found: list[tuple[int, int]]) -> int:
    """First byte after decorators and comments that the node itself begins with."""
    while source.data.startswith(b"@", start):
        mark = source.marked("decorator", start, start + 1)
        if not mark:
            break
        found.append(mark[0])
        start = _skip_blanks(source, mark[0][1])
    return start


def _skip_blanks(source: Source, at: int) -> int:
    data = source.data
    while True:
        while at < len(data) and data[at] in b" \t\r\n":
            at += 1
        comment = source.marked("comment", at, at + 1)
        if not comment:
            return at
        at = comment[0][1]


def _walk_back(source: Source, start: int, decorators: list[tuple[int, int]], docs: list[tuple[int, int]]) -> int:
    """Collect decorators and doc comments that end right before `start`; the start of the first of them.

    A `/** */` comment wins over the comments between it and the definition, which speak to tools or maintainers.
    """
    outer = at = start
    known = set(decorators)
    while True:
        decorator = source.marked_before("decorator", at)
        comment = source.marked_before("comment", at)
        if decorator and decorator not in known and _touches(source, decorator[1], at):
            decorators.append(decorator)
            known.add(decorator)
            outer = at = decorator[0]
        elif comment and _touches(source, comment[1], at):
            text = source.slice(*comment)
            if text.startswith("/**") and not _OF_FILE.search(text):
                docs[:] = [comment]
                return comment[0]
            if not _starts_line(source, comment[0]):
                return outer
            if _documents(source, text, comment, at, docs):
                docs.insert(0, comment)
                outer = comment[0]
            at = comment[0]
        else:
            return outer


def _starts_line(source: Source, at: int) -> bool:
    return not source.data[source.data.rfind(b"\n", 0, at) + 1 : at].strip()


def _touches(source: Source, end: int, start: int) -> bool:
    return end <= start and not source.data[end:start].strip()


def _documents(source: Source, text: str, comment: tuple[int, int], start: int, docs: list[tuple[int, int]]) -> bool:
    """Whether a plain comment before `start` belongs to it, after what was already found below it."""
    if docs and (docs[0][0] != start or text.startswith("/*") or source.data.startswith(b"/*", docs[0][0])):
        return False
    # Only without a blank line between.
    blank = source.data.count(b"\n", comment[1], start) > 1
    return not (blank or _OF_FILE.search(text) or _TO_TOOLS.search(text))


def _doc_text(source: Source, docs: list[tuple[int, int]]) -> str | None:
    text = "\n".join(clean_comment(source.slice(begin, end)) for begin, end in docs)
    return text.strip() or None


def clean_comment(text: str) -> str:
    """Text of a `/** */`, `/* */` or `//` comment without its marks; stars inside the text stay."""
    if text.startswith("//"):
        return text.lstrip("/").strip()
    body = text.removeprefix("/*").removeprefix("!").removesuffix("*/")
    lines = _STARS.sub("", body.lstrip("*")).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def file_doc(source: Source) -> str | None:
    """The comment about a whole file: its first one, if it says so or if a blank line or an import follows it."""
    comments = source.marks.get("comment", [])
    if not comments:
        return None
    begin, end = comments[0]
    text = source.slice(begin, end)
    if source.data[:begin].strip() and not source.data.startswith(b"#!"):
        return None
    named = _FILE_DOC.search(text)
    if not text.startswith("/*") or (_LICENCE.search(text) and not named):
        return None
    after = source.data[end : end + 200]
    apart = after[: len(after) - len(after.lstrip())].count(b"\n") > 1
    if named or apart or after.lstrip().startswith((b"import ", b"'use strict'", b'"use strict"')):
        return clean_comment(text) or None
    return None
