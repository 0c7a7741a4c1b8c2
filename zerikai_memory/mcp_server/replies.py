"""Replies of a size that is worth its tokens: long texts in them are cut, and say by how much.

Only what a reply shows is cut, never what is stored; the command line and the resources show it whole.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mcp.types import CallToolResult, TextContent

from zerikai_memory import render
from zerikai_memory.model import Brief, Note, QueryAnswer, ScanReport

# A reply that costs more than the code it saves reading is no help; clients cut at 20 KB and more.
REPLY_BYTES = 8_000
# Some clients read a line of at most 64 KiB, and a reply is one line that holds text and data.
MOST_BYTES = 28_000
# How much of a note or a section a crowded answer shows, as little of it as makes the reply fit.
TEXT_CHARS = (2_000, 1_000, 500, 250, 100)
# What each result above ten adds to the size of an answer, as the answering itself counts.
BYTES_PER_EXTRA_RESULT = 700
# Room for the words that say what was cut.
MARK_CHARS = 100


def reply(text: str, value: Any) -> CallToolResult:
    """Text for clients that forward text and the same as data for those that forward data."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=render.as_json(value))


def fitting_report(report: ScanReport) -> render.ScanSummary:
    """The report with as many paths per list as fit into a reply."""
    for most in (50, 20, 5):
        summary = render.scan_summary(report, most)
        if _bytes(summary) <= REPLY_BYTES:
            return summary
    return render.scan_summary(report, 0)


def fitting_brief(brief: Brief) -> Brief:
    """The brief, its end cut off where it is far longer than a brief should be."""
    over = _bytes(brief) - REPLY_BYTES
    if over <= 0:
        return brief
    kept = brief.text[: max(0, len(brief.text) - over - MARK_CHARS)]
    more = len(brief.text) - len(kept)
    mark = f"\n\n... ({more} more characters, see `zerikai-memory brief show`; do not write this cut text back)"
    return replace(brief, text=kept + mark)


def fitting_note(note: Note) -> Note:
    """The note, a long content cut: the caller has just written it."""
    return replace(note, content=_cut(note.content, TEXT_CHARS[0]), detail=_cut(note.detail, TEXT_CHARS[2]))


def fitting_answer(answer: QueryAnswer, limit: int, budget_tokens: int | None) -> QueryAnswer:
    """The answer with its notes and brief sections cut as far as the size of a reply asks for."""
    most = REPLY_BYTES + BYTES_PER_EXTRA_RESULT * max(limit - 10, 0) + 8 * (budget_tokens or 0)
    most = min(most, MOST_BYTES)
    shown = answer
    for chars in TEXT_CHARS:
        if _bytes(shown) <= most:
            break
        shown = _with_cut_texts(answer, chars)
    return shown


def _with_cut_texts(answer: QueryAnswer, chars: int) -> QueryAnswer:
    text = answer.answer
    for long in [note.content for note in answer.notes] + [section.text for section in answer.sections]:
        text = text.replace(long, _cut(long, chars))
    return replace(
        answer,
        answer=text,
        notes=tuple(
            replace(note, content=_cut(note.content, chars), detail=_cut(note.detail, chars)) for note in answer.notes
        ),
        sections=tuple(replace(section, text=_cut(section.text, chars)) for section in answer.sections),
    )


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars + MARK_CHARS else f"{text[:chars]} ... ({len(text) - chars} more characters)"


def _bytes(value: Any) -> int:
    return len(render.json_line(value).encode())
