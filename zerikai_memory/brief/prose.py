"""Prose of a project: README paragraphs without badges and code, licence, first sentences, roadmap items."""

from __future__ import annotations

import re
from collections.abc import Sequence

from zerikai_memory.brief.facts import Readme, ReadText, Remark

_README = re.compile(r"(?i)^readme(\.(md|markdown|rst|txt))?$")
_ROADMAP = re.compile(r"(?i)^(?:docs?/)?(roadmap|todo)(\.(md|rst|txt))?$")
_WHY = re.compile(
    r"(?i)^(why\b|purpose|motivation|about|features?|goals?|what is|key features|highlights|philosophy|introduction)"
)
_PLANS = re.compile(r"(?i)\b(roadmap|future (plans|work)|planned|todo|what's next|next steps|upcoming)\b")
# Short paragraphs that only send the reader elsewhere.
_ELSEWHERE = re.compile(
    r"(?i)code of conduct|documentation|can be found|^(see|read|visit|click|follow|join|please)\b|sponsor|donat"
)
_LICENCES = (
    ("Apache-2.0", r"Apache License,?\s+Version 2\.0"),
    ("AGPL-3.0", r"GNU AFFERO GENERAL PUBLIC LICENSE"),
    ("LGPL", r"GNU LESSER GENERAL PUBLIC LICENSE"),
    ("GPL-3.0", r"GNU GENERAL PUBLIC LICENSE\s+Version 3"),
    ("GPL-2.0", r"GNU GENERAL PUBLIC LICENSE\s+Version 2"),
    ("MPL-2.0", r"Mozilla Public License,? (?:Version|v\.) ?2\.0"),
    ("MIT", r"Permission is hereby granted, free of charge, to any person obtaining\s+a copy"),
    (
        "BSD-3-Clause",
        r"Redistribution and use[\s\S]+Neither the name|Redistribution and use[\s\S]+names? of (?:the|its)",
    ),
    ("BSD-2-Clause", r"Redistribution and use in source and binary forms"),
    ("ISC", r"Permission to use, copy, modify, and/or distribute this software"),
    ("Unlicense", r"This is free and unencumbered software"),
)


def read_readme(files: Sequence[str], read: ReadText) -> Readme | None:
    """Prose of the README at the top of the workspace, or None."""
    path = next((path for path in sorted(files) if _README.match(path)), None)
    text = read(path) if path else None
    if path is None or not text:
        return None
    sections = _sections(text)
    intro = tuple(_paragraphs(sections[0][1]))
    if not intro and len(sections) > 1:
        intro = tuple(_paragraphs(sections[1][1]))
    why = [p for title, body in sections[1:] if _WHY.match(title) for p in _paragraphs(body, items=True)]
    plans = [p for title, body in sections[1:] if _PLANS.search(title) for p in _items(body)]
    return Readme(path, intro[:3], tuple(p for p in why if p not in intro)[:4], tuple(plans)[:6])


def licence_kind(files: Sequence[str], read: ReadText) -> str:
    """SPDX name of the licence file at the top, recognised by its own wording; empty when it is not."""
    for path in sorted(files):
        if re.match(r"(?i)^(licen[cs]e|copying)[\w.-]*$", path) and (text := read(path)):
            for name, pattern in _LICENCES:
                if re.search(pattern, text):
                    return f"{name} ({path})"
    return ""


def read_roadmap(readme: Readme | None, files: Sequence[str], read: ReadText) -> tuple[Remark, ...]:
    """Items of the README's plans, then of roadmap documents; a changelog, its unreleased part too, is of the past."""
    found = [Remark(text, readme.path, 0) for text in readme.roadmap] if readme else []
    for path in sorted(files):
        if _ROADMAP.match(path) and (text := read(path)):
            found += [Remark(item, path, 0) for item in _items(text)[:6]]
    return tuple(found)


def first_sentence(text: str | None, limit: int = 110) -> str:
    """The first sentence of a docstring or comment, one line, at most `limit` characters, without markup."""
    if not text:
        return ""
    paragraph = re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0]
    if re.search(r"(?i)copyright|licen[cs]e|SPDX|eslint|@ts-|jshint|istanbul|noqa|!/", paragraph):
        return ""
    underlined = re.sub(r"(?<=\S)\n\s*[=~^-]{3,}\s*(\n|$)", ". ", paragraph)
    plain = _inline(re.sub(r"[=~*#-]{3,}", " ", underlined))
    match = re.match(r"(.+?[.!?])(?=\s|$)", plain)
    return clip((match[1] if match else plain).rstrip(".: "), limit)


def clip(text: str, limit: int) -> str:
    """Text cut at a word border to at most `limit` characters."""
    if len(text) <= limit:
        return text
    return text[: limit - 3].rsplit(" ", 1)[0].rstrip(",;:(") + "..."


def _sections(text: str) -> list[tuple[str, str]]:
    """[(heading, body)]; the first is what stands under the title. Fenced code is left out."""
    text = re.sub(r"(?ms)^ {0,3}(```|~~~).*?^ {0,3}\1\s*$", "", text)
    text = re.sub(r"(?s)<!--.*?-->", "", text)
    text = re.sub(r"(?m)^([^\n]+)\n(=|-|~|\^)\2{2,}\s*$", r"## \1", text)
    parts = re.split(r"(?m)^#{1,4}\s+(.+?)\s*#*$", text)
    titled = list(zip(parts[1::2], parts[2::2], strict=True))
    before = parts[0]
    if titled and not _paragraphs(before):
        return titled
    return [("", before), *titled]


def _paragraphs(body: str, items: bool = False) -> list[str]:
    """Sentences of prose; lists only when `items`, badges, tables, images, directives and HTML blocks never."""
    found = []
    for block in re.split(r"\n\s*\n", body):
        lines = block.strip().splitlines()
        if not lines or re.match(r"\s*(\||\.\. |>|<(?!a\b|b>|p>|strong)|:\w+:|\[?!\[|\[.*\]:|\$ )", block):
            continue
        if block.startswith(("    ", "\t")) or re.match(r"\s*([-*+]|\d+\.)\s", block):
            found += _items(block) if items and not block.startswith("    ") else []
            continue
        text = _inline(" ".join(lines))
        if len(text) < 160 and _ELSEWHERE.search(text):
            continue
        if len(text) >= 30 and re.search(r"[a-z]{3,} [a-z]{2,}", text):
            found.append(text)
    return found


def _items(body: str) -> list[str]:
    """Text of list items, done ones (`[x]`) left out."""
    found = []
    for match in re.finditer(r"(?m)^\s{0,3}(?:[-*+]|\d+[.)])\s+(.+(?:\n {2,}(?![-*+]\s).+)*)", body):
        if re.match(r"\[[xX]\]", match[1]):
            continue
        text = _inline(re.sub(r"^\[ \]\s*", "", " ".join(match[1].split())))
        if len(text) >= 12:
            found.append(text)
    return found


def _inline(text: str) -> str:
    """Markdown and reStructuredText inline markup removed, white space made single."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)|!\[[^\]]*\]\[[^\]]*\]", "", text)
    text = re.sub(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])", r"\1", text)
    text = re.sub(r"\[(?!masked\])([^\]\[]{2,})\](?![(:\[])", r"\1", text)
    text = re.sub(r"<(https?://[^>\s]+|[\w.+-]+@[\w.-]+)>", r"\1", text)
    text = re.sub(r"</?[a-zA-Z][^>]*>", "", text)
    text = re.sub(r":[\w:]+:`~?([^`<]+?)(?:\s*<[^>]*>)?`", r"\1", text)
    text = re.sub(r"`([^`<]+?)\s*<[^>]+>`_{0,2}", r"\1", text)
    text = re.sub(r"``([^`]+)``", r"`\1`", text)
    text = re.sub(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", r"\2", text)
    return " ".join(text.replace("`_", "").split())
