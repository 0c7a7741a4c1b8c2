"""Text of record lists, histories and reviews."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from zerikai_memory.model_notes import ImportReport, Note, NoteEvent, NoteHistory, NoteReview, RollProposal
from zerikai_memory.render import note_marks, one_line, safe_text

LINE_CHARS = 160


def note_list(notes: Sequence[Note]) -> str:
    """One record a line, outcome first, what is to be known about it below."""
    if not notes:
        return "No records."
    return "\n".join(_entry(note) for note in notes)


def answering_notes(notes: Sequence[Note], nearest: Sequence[Note]) -> str:
    """The records that answer a question; where none does, those that come nearest, told as such."""
    if notes or not nearest:
        return note_list(notes)
    return f"No records. The nearest, too far to be an answer:\n{note_list(nearest)}"


def note_history(history: NoteHistory) -> str:
    """The chain, oldest first, then everything that happened to it."""
    lines = [_entry(note) for note in history.notes]
    return "\n".join([*lines, *(_event(event) for event in history.events)])


def note_review(review: NoteReview) -> str:
    """What a person should look at, with the command that settles it."""
    parts = []
    if review.stale:
        parts.append("Code has changed since then (save what holds now, in the same words or not, with --supersedes):")
        parts.append(note_list(review.stale))
    if review.conflicts:
        parts.append("These disagree (save the right one with --supersedes of the other, or `notes agree` both):")
        parts += [
            f"{_head(newer)} {_short(newer.content)}\n{_head(older)} {_short(older.content)}\n  {one_line(reason)}"
            for newer, older, reason in review.conflicts
        ]
    for proposal in review.proposals:
        ids = " ".join(proposal.note_ids)
        parts.append(
            f"{len(proposal.note_ids)} records on one subject, {one_line(proposal.subject)}. To replace them by one: "
            f"zerikai-memory notes roll {ids}\n{safe_text(proposal.summary)}"
        )
    if review.model:
        parts.append(f"{one_line(review.model)} has compared {review.compared} pairs of records that were new to it.")
    elif not parts:
        parts.append("Nothing to review: no record is out of date, in conflict or one of many.")
    return "\n\n".join(parts)


def roll_draft(proposal: RollProposal) -> str:
    """The draft of a summary and whose words it is in."""
    drafted = f"drafted by {one_line(proposal.drafted_by)}" if proposal.drafted_by else "drafted by rule"
    return f"{len(proposal.note_ids)} records as one ({drafted}):\n{safe_text(proposal.summary)}"


def roll_proposal(proposal: RollProposal) -> str:
    """The draft, and how to save it."""
    ids = " ".join(proposal.note_ids)
    return f'{roll_draft(proposal)}\n\nTo save it: zerikai-memory notes roll {ids} --text "SUMMARY"'


def import_report(report: ImportReport) -> str:
    """What an import added, and what a person should know about it."""
    lines = [f"Imported {report.added} records and {report.events} events; {report.known} records were known."]
    if report.differing:
        ids = ", ".join(one_line(id) for id in report.differing)
        lines.append(f"Warning: known with another text, which stayed: {ids}. To change one save it with --supersedes.")
    if report.conflicts:
        lines.append(f"Warning: {report.conflicts} pairs disagree; `zerikai-memory notes review` shows them.")
    if report.left_out:
        lines.append(f"Warning: {report.left_out} events about records that are not here were left out.")
    return "\n".join(lines)


def _entry(note: Note) -> str:
    lines = [f"{_head(note)} {_short(note.content)}"]
    lines += [f"  {_short(mark)}" for mark in note_marks(note)]
    return "\n".join(lines)


def _head(note: Note) -> str:
    outcome = f" {note.outcome}" if note.outcome else ""
    return f"{one_line(note.id)}  {_time(note.created_at)}  {one_line(note.category)}{outcome}:"


def _event(event: NoteEvent) -> str:
    other = f" {one_line(event.other_id)}" if event.other_id else ""
    by = f" by {one_line(event.by)}" if event.by else ""
    reason = f" ({one_line(event.reason)})" if event.reason else ""
    return f"{_time(event.created_at)}  {one_line(event.note_id)} {event.kind}{other}{by}{reason}"


def _short(text: str) -> str:
    line = one_line(" ".join(text.split()))
    return line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 4] + " ..."


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
