"""The small block that an agent reads at the start of a session: brief, overview, recent decisions in 1,500 tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence

from zerikai_memory.codemap.views.overview import row_chars
from zerikai_memory.model_views import MapPart

# 1,500 tokens of 4 characters, less what the head of a reply and its words about freshness take.
CHARS = 5_500
DECISIONS_SHARE, OVERVIEW_SHARE = 0.2, 0.35
# What of a decision tells whether to open it.
DECISION_CHARS = 240
# Sections of the brief that the overview tells anew from the map, and better: they give way first.
_TOLD_BY_MAP = ("Key Files", "Data Flow", "Future Roadmap", "Purpose")
_SECTION = re.compile(r"^## ", re.MULTILINE)


def profile_text(brief: str | None, parts: Sequence[MapPart], decisions: Sequence[str], chars: int = CHARS) -> str:
    """Brief, overview and decisions in at most `chars` characters; what is cut says so and where the rest is."""
    decided = _decisions(decisions, int(chars * DECISIONS_SHARE))
    at_a_glance = _overview(parts, int(chars * OVERVIEW_SHARE))
    said = "\n\n".join(part for part in (at_a_glance, decided) if part)
    if not brief:
        return said or "Nothing is known yet: scan the project first."
    return "\n\n".join(part for part in (_brief(brief, chars - len(said) - 4), said) if part)


def _brief(text: str, chars: int) -> str:
    """The sections of a brief that fit, those that the overview repeats left out first, long ones cut at a line."""
    text = text.strip()
    if len(text) <= chars:
        return text
    mark = "... (the whole brief: update_brief)"
    head, *sections = _SECTION.split(text)
    kept = [section.strip() for section in sections if not section.startswith(_TOLD_BY_MAP)] or sections
    pieces = [head.strip(), *(f"## {section}" for section in kept)]
    room = chars - len(mark) - 2 * len(pieces)
    while sum(len(piece) for piece in pieces) > room and max(map(len, pieces)) > len(mark):
        longest = max(range(len(pieces)), key=lambda i: len(pieces[i]))
        over = sum(len(piece) for piece in pieces) - room
        shorter = _cut_lines(pieces[longest], max(len(pieces[longest]) - max(over, 40), 0))
        if shorter == pieces[longest]:
            break
        pieces[longest] = shorter
    shown = "\n\n".join(piece for piece in pieces if piece)
    return f"{shown[: max(chars - len(mark) - 1, 0)].rstrip()}\n{mark}"


def _cut_lines(text: str, chars: int) -> str:
    """As many whole lines as fit, but at least a part of the first."""
    if len(text) <= chars:
        return text
    whole = text[: chars + 1].rpartition("\n")[0]
    return (whole or text[:chars]).rstrip()


def _overview(parts: Sequence[MapPart], chars: int) -> str:
    lines: list[str] = []
    shares = {"modules": 0.6, "parts": 0.8, "entry points": 1.0}
    spent = 0
    for part in parts:
        head = f"## {part.title.capitalize()}"
        told, left = [head], int(chars * shares.get(part.title, 1.0)) - spent
        for row in part.rows:
            left -= row_chars(row)
            if left < 0:
                break
            told.append(f"- {row.name}: {row.detail}" if row.detail else f"- {row.name}")
        if len(told) > 1:
            spent += sum(len(line) + 1 for line in told)
            lines += told
    return "\n".join(lines)


def _decisions(decisions: Sequence[str], chars: int) -> str:
    told, left = ["## Recent decisions"], chars
    for decision in decisions:
        line = "- " + " ".join(decision.split())
        line = line if len(line) <= DECISION_CHARS else line[: DECISION_CHARS - 4].rstrip() + " ..."
        left -= len(line) + 1
        if left < 0:
            break
        told.append(line)
    return "\n".join(told) if len(told) > 1 else ""
