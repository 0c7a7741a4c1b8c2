"""Fit cited entities into a token budget: signature first, then the docstring's first paragraph, then body lines."""

from __future__ import annotations

from collections.abc import Sequence

from zerikai_memory.model import EntityType
from zerikai_memory.retrieve.cite import Cited

# Wherever tokens are promised without a model's own count, a token is four characters of the text.
CHARS_PER_TOKEN = 4
MAX_SIGNATURE_CHARS = 300
MAX_DOCSTRING_CHARS = 400
MAX_LINE_CHARS = 200
# More of one body than this is what the file itself is for.
MAX_BODY_LINES = 30
# Room for the line that counts what was left out.
REST_CHARS = len("\n... (1000000 more lines)\n")
# The best hit's body may take this share of what is left, so that the others show something too.
FIRST_SHARE = 0.6


def pack(cited: Sequence[Cited], budget_chars: int) -> list[str]:
    """A text per entity, all together within `budget_chars`; later entities lose their texts first."""
    texts: list[str] = []
    left = budget_chars
    for item in cited:
        head = _head(item)
        if len(head) > left:
            head = item.entity.signature[: max(left, 0)]
        texts.append(head)
        left -= len(head)
    for i, item in enumerate(cited):
        share = int(left * FIRST_SHARE) if i < len(cited) - 1 else left
        body = _body(item, share)
        if body:
            texts[i] = f"{texts[i]}\n{body}" if texts[i] else body
            left -= len(body) + 1
    return texts


def _head(item: Cited) -> str:
    entity = item.entity
    parts = ["".join(f"@{decorator}\n" for decorator in entity.decorators) + entity.signature[:MAX_SIGNATURE_CHARS]]
    if entity.docstring:
        parts.append(first_paragraph(entity.docstring))
    return "\n".join(part for part in parts if part)


def first_paragraph(docstring: str) -> str:
    """The first paragraph of a docstring on one line, cut at MAX_DOCSTRING_CHARS."""
    paragraph = " ".join(docstring.strip().split("\n\n", 1)[0].split())
    if len(paragraph) <= MAX_DOCSTRING_CHARS:
        return paragraph
    return paragraph[:MAX_DOCSTRING_CHARS].rsplit(" ", 1)[0] + " ..."


def _body(item: Cited, budget_chars: int) -> str:
    """Lines of the entity after its head, whole lines only."""
    if item.entity.entity_type in (EntityType.MODULE, EntityType.CLASS, EntityType.SECTION):
        return ""  # their members are hits of their own; a whole class or file is no excerpt
    lines = item.lines[_head_lines(item) :]
    taken: list[str] = []
    used = REST_CHARS
    for line in lines[:MAX_BODY_LINES]:
        shown = line.rstrip()[:MAX_LINE_CHARS]
        used += len(shown) + 1
        if used > budget_chars:
            break
        taken.append(shown)
    while taken and not taken[-1].strip():
        taken.pop()
    if taken and len(taken) < len(lines):
        taken.append(f"... ({len(lines) - len(taken)} more lines)")
    return "\n".join(taken)


def _head_lines(item: Cited) -> int:
    """How many of the entity's lines the head already says: the signature's, and a Python docstring's."""
    rest = "".join(item.entity.signature.split())
    for number, line in enumerate(item.lines, start=1):
        rest = rest.removeprefix("".join(line.split()).rstrip("{:"))
        if len(rest) <= 1 or number >= 12:
            return number + _docstring_lines(item, number)
    return len(item.lines)


def _docstring_lines(item: Cited, start: int) -> int:
    following = item.lines[start:]
    if not item.entity.docstring or not following:
        return 0
    opening = following[0].strip().lstrip("rRuUbB")
    for quote in ('"""', "'''"):
        if opening.startswith(quote):
            if opening.count(quote) > 1:
                return 1
            return next((n for n, line in enumerate(following[1:], start=2) if quote in line), 0)
    return 0
