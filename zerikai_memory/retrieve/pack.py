"""Fit cited entities into a token budget: first what each is, then its docstring's first paragraph, then its lines.

What is shown of a body are lines of the working file as they are; what is left out is counted. An entity whose lines
cannot be shown (its file is gone or cannot be told apart) has its stored signature.
"""

from __future__ import annotations

from collections.abc import Sequence

from zerikai_memory.model import EntityType
from zerikai_memory.retrieve.cite import Cited

# Wherever tokens are promised without a model's own count, a token is four characters of the text.
CHARS_PER_TOKEN = 4
MAX_HEAD_CHARS = 400
MAX_HEAD_LINES = 12
MAX_DOCSTRING_CHARS = 400
MAX_LINE_CHARS = 200
# More of one body than this is what the file itself is for; of a class the members are hits of their own.
MAX_BODY_LINES = 30
MAX_CLASS_LINES = 8
# Room for the line that counts what was left out.
REST_CHARS = len("\n... (1000000 more lines)\n")
# The best hit's body may take this share of what is left, so that the others show something too.
FIRST_SHARE = 0.6

# Their lines are their text: there is no signature apart from it.
_VERBATIM = frozenset(
    {EntityType.SECTION, EntityType.RULE, EntityType.ELEMENT, EntityType.CONSTANT, EntityType.PROPERTY}
)


def pack(cited: Sequence[Cited], budget_chars: int) -> list[str]:
    """A text per entity, all together within `budget_chars`; later entities lose their texts first."""
    heads = [_head(item) for item in cited]
    texts: list[str] = []
    left = budget_chars
    for item, (head, _) in zip(cited, heads, strict=True):
        text = head if len(head) <= left else item.entity.signature[: max(left, 0)]
        texts.append(text)
        left -= len(text)
    for i, (item, (head, shown)) in enumerate(zip(cited, heads, strict=True)):
        if texts[i] != head:
            continue  # not even the head has room
        share = int(left * FIRST_SHARE) if i < len(cited) - 1 else left
        body = _body(item, shown, share)
        if body:
            texts[i] = f"{head}\n{body}" if head else body
            left -= len(body) + 1
    return texts


def first_paragraph(docstring: str) -> str:
    """The first paragraph of a docstring on one line, cut at MAX_DOCSTRING_CHARS."""
    paragraph = " ".join(docstring.strip().split("\n\n", 1)[0].split())
    if len(paragraph) <= MAX_DOCSTRING_CHARS:
        return paragraph
    return paragraph[:MAX_DOCSTRING_CHARS].rsplit(" ", 1)[0] + " ..."


def _head(item: Cited) -> tuple[str, int]:
    """(what the entity is and says of itself, how many of its lines that shows)."""
    entity = item.entity
    said = first_paragraph(entity.docstring) if entity.docstring else ""
    if entity.entity_type == EntityType.MODULE:
        return said, len(item.lines)
    if entity.entity_type in _VERBATIM and item.lines:
        return "", 0
    count = signature_lines(item)
    lines = "\n".join(line.rstrip() for line in item.lines[:count])
    if not lines or len(lines) > MAX_HEAD_CHARS:
        lines = entity.signature[:MAX_HEAD_CHARS]
    decorators = "".join(f"@{decorator}\n" for decorator in entity.decorators)
    return "\n".join(part for part in (decorators + lines, said) if part), count + docstring_lines(item, count)


def _body(item: Cited, shown: int, budget_chars: int) -> str:
    """Lines of the entity after those that its head shows, whole lines only; the rest is counted."""
    lines = item.lines[shown:]
    limit = MAX_CLASS_LINES if item.entity.entity_type == EntityType.CLASS else MAX_BODY_LINES
    taken: list[str] = []
    used = REST_CHARS
    for line in lines[:limit]:
        text = line.rstrip()[:MAX_LINE_CHARS]
        used += len(text) + 1
        if used > budget_chars:
            break
        taken.append(text)
    while taken and not taken[-1].strip():
        taken.pop()
    rest = sum(bool(line.strip()) for line in lines[len(taken) :])
    if taken and rest:
        taken.append(f"... ({rest} more lines)")
    return "\n".join(taken)


def signature_lines(item: Cited) -> int:
    """How many of the entity's first lines its signature spans, by counting characters that are not blank."""
    wanted = len("".join(item.entity.signature.split()))
    seen = 0
    for number, line in enumerate(item.lines[:MAX_HEAD_LINES], start=1):
        seen += len("".join(line.split()))
        # The signature leaves out the brace or colon that opens the body, and the line may begin with `export`.
        if seen >= wanted:
            return number
    return min(len(item.lines), 1)


def docstring_lines(item: Cited, start: int) -> int:
    """How many lines after the signature are a Python docstring, whose first paragraph the head already says."""
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
