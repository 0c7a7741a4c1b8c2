"""What a short reply shows of each cited entity: what it is, and of its lines those that help the question.

The first entity of a file shows its signature, the first sentences of its docstring and the lines that hold words of
the question, or the line that was asked for with what is around it. Others of the same file are one short line each.
What is left out between shown lines is marked by `...`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from zerikai_memory.model import EntityType
from zerikai_memory.retrieve.cite import Cited
from zerikai_memory.retrieve.names import stem
from zerikai_memory.retrieve.pack import docstring_lines, first_paragraph, signature_lines
from zerikai_memory.store.words import split_words

# Five results with their citations are about 400 tokens of four characters, and ten twice that.
CHARS_PER_RESULT = 320
# A lone result may show as much as four.
LEAST_CHARS = 4 * CHARS_PER_RESULT
MAX_SIGNATURE_CHARS = 180
MAX_SAID_CHARS = 220
MAX_SHORT_CHARS = 100
MAX_LINE_CHARS = 120
MAX_DECORATORS, MAX_DECORATOR_CHARS = 2, 60
# The best result may take this share of the room for bodies.
FIRST_SHARE = 0.5
# Lines shown around one that was asked for.
AROUND = 2
# Of an entity that says nothing of itself, of one whose lines are its text, and all of one that has no more.
OPENING_LINES = 4
# More single lines than these are no help but a puzzle; members of a class are results of their own.
MAX_USEFUL_LINES, MAX_CLASS_LINES = 8, 4
GAP = "..."


@dataclass(frozen=True, slots=True)
class Wanted:
    """A cited entity and the line of it that the question asks for, if it does."""

    cited: Cited
    line: int | None = None


def digest(items: Sequence[Wanted], words: Iterable[str], room_chars: int) -> list[str]:
    """A text per item, together within `room_chars`; bodies go first when it is tight, then docstrings."""
    leads = [i == 0 or item.line is not None or _path(items[i - 1]) != _path(item) for i, item in enumerate(items)]
    texts = [_fitting(item.cited, lead) for item, lead in zip(items, leads, strict=True)]
    left = room_chars - sum(map(len, texts))
    for i in reversed(range(len(texts))):
        if left >= 0:
            break
        short = _short(items[i].cited)[: max(0, len(texts[i]) + left)]
        left += len(texts[i]) - len(short)
        texts[i] = short
    asked = frozenset(stem(word) for word in words)
    open_leads = [i for i, lead in enumerate(leads) if lead and texts[i] == _fitting(items[i].cited, True)]
    for number, i in enumerate(open_leads):
        share = int(left * FIRST_SHARE) if number == 0 and len(open_leads) > 1 else left // (len(open_leads) - number)
        if body := _body(items[i], asked, share):
            texts[i] = f"{texts[i]}\n{body}" if texts[i] else body
            left -= len(body) + 1
    return texts


def _path(item: Wanted) -> str:
    return item.cited.entity.file_path


def _fitting(cited: Cited, lead: bool) -> str:
    return _head(cited) if lead else _short(cited)


def _short(cited: Cited) -> str:
    """One line that tells what it is."""
    entity = cited.entity
    line = " ".join(entity.signature.split()) or (first_paragraph(entity.docstring) if entity.docstring else "")
    return _clipped(line or f"{entity.entity_type} {entity.name}", MAX_SHORT_CHARS)


def _head(cited: Cited) -> str:
    """Decorators, signature and the first sentences of the docstring; nothing where the lines are the text."""
    entity = cited.entity
    if entity.entity_type in _OWN_TEXT and cited.lines:
        return ""
    said = _clipped(first_paragraph(entity.docstring), MAX_SAID_CHARS) if entity.docstring else ""
    if entity.entity_type == EntityType.MODULE:
        return said
    decorators = [f"@{_clipped(' '.join(text.split()), MAX_DECORATOR_CHARS)}" for text in entity.decorators]
    signature = _clipped(" ".join(entity.signature.split()), MAX_SIGNATURE_CHARS)
    return "\n".join(part for part in (*decorators[:MAX_DECORATORS], signature, said) if part)


_OWN_TEXT = frozenset(
    {EntityType.SECTION, EntityType.RULE, EntityType.ELEMENT, EntityType.CONSTANT, EntityType.PROPERTY}
)


def _body(item: Wanted, asked: frozenset[str], room: int) -> str:
    """The entity's most helpful lines, in order, with marks where lines are left out."""
    cited = item.cited
    own = cited.entity.entity_type in _OWN_TEXT
    # What the head or the header above it says already.
    start = 0 if own else signature_lines(cited)
    start += 0 if own else docstring_lines(cited, start)
    if cited.entity.entity_type == EntityType.SECTION:
        start = 1
    chosen: set[int] = set()
    for line in _by_use(item, asked, start):
        cost = sum(len(_shown(cited, n)) + 1 for n in {line} - chosen)
        if chosen and line - 1 not in chosen and line + 1 not in chosen:
            cost += len(GAP) + 1
        if cost + len(GAP) + 1 > room:
            continue
        room -= cost
        chosen.add(line)
    return "\n".join(_with_gaps(cited, sorted(chosen), start)) if chosen else ""


def _by_use(item: Wanted, asked: frozenset[str], start: int) -> list[int]:
    """Positions of lines from `start` on, the most helpful first; those that help nothing are not there."""
    cited = item.cited
    lines = range(start, len(cited.lines))
    if item.line is not None:
        at = item.line - cited.entity.start_line
        return sorted((n for n in lines if abs(n - at) <= AROUND), key=lambda n: (abs(n - at), n))
    told = {stem(word) for word in split_words(_head(cited) + " " + cited.entity.name)}
    fresh = asked - told
    # Stemming changes the end of a word alone, so most lines are ruled out by how the asked words begin.
    beginnings = tuple({word[:3] for word in asked})
    holding = {}
    for n in lines:
        if _holds_any(cited.lines[n].lower(), beginnings) and (held := _stems(cited.lines[n]) & asked):
            holding[n] = held
    useful = sorted(holding, key=lambda n: (-len(holding[n] & fresh), -len(holding[n]), n))
    useful = [n for n in useful if holding[n] & fresh or len(holding[n]) > 1]
    useful = useful[: MAX_CLASS_LINES if cited.entity.entity_type == EntityType.CLASS else MAX_USEFUL_LINES]
    written = [n for n in lines if cited.lines[n].strip()]
    opening = written[:OPENING_LINES]
    if cited.entity.docstring and cited.entity.entity_type not in _OWN_TEXT and written != opening:
        return useful
    return list(dict.fromkeys([*useful, *opening]))


def _holds_any(text: str, parts: Iterable[str]) -> bool:
    for part in parts:  # noqa: SIM110 -- a third of the time of any(), for every line of every card
        if part in text:
            return True
    return False


def _stems(line: str) -> set[str]:
    return {stem(word) for word in split_words(line)}


def _with_gaps(cited: Cited, chosen: Sequence[int], start: int) -> Iterable[str]:
    before = start - 1
    for n in chosen:
        between = [m for m in range(before + 1, n) if cited.lines[m].strip()]
        if len(between) == 1 and len(_shown(cited, between[0])) <= len(GAP):
            yield _shown(cited, between[0])  # a bracket is as short as the mark
        elif between:
            yield GAP
        yield _shown(cited, n)
        before = n
    if any(line.strip() for line in cited.lines[before + 1 :]):
        yield GAP


def _shown(cited: Cited, n: int) -> str:
    """A line as far in as its entity's first line is not."""
    first, line = cited.lines[0], cited.lines[n].rstrip()
    margin = first[: len(first) - len(first.lstrip())]
    return _clipped(line.removeprefix(margin), MAX_LINE_CHARS)


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 4].rsplit(' ', 1)[0]} ..."
