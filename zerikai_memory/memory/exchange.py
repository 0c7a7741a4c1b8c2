"""Records as JSON Lines or Markdown, out and in again without loss: ids, times, chains and events stay.

A line holds one record with the events about it. In Markdown the same stands in a comment above each readable record.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from zerikai_memory.memory.chains import check_chains, differing_ids
from zerikai_memory.memory.export_lines import ANCHOR_FIELDS, heading, record_values, shown_text
from zerikai_memory.memory.notes import (
    clean_category,
    clean_content,
    clean_details,
    clean_name,
    clean_outcome,
    storable,
)
from zerikai_memory.memory.pairing import ImportCompared
from zerikai_memory.model import Workspace
from zerikai_memory.model_notes import Anchor, ImportReport, Note, NoteEvent
from zerikai_memory.redact import mask_name, mask_secrets
from zerikai_memory.store.memory import NoteStore, Seen

MOST = 10_000_000


def export_records(store: NoteStore, target: Workspace, *, markdown: bool = False) -> str:
    """Every record of a workspace with its events, oldest first."""
    notes = store.latest(target.id, None, MOST)[::-1]
    events: dict[str, list[NoteEvent]] = {}
    for event in store.events(target.id):
        events.setdefault(event.note_id, []).append(event)
    lines = [json.dumps(_plain(note, events.get(note.id, [])), ensure_ascii=False) for note in notes]
    if not markdown:
        return "".join(line + "\n" for line in lines)
    parts = [f"# Records of {target.name}\n"]
    parts += [_section(note, line) for note, line in zip(notes, lines, strict=True)]
    return "\n".join(parts)


def import_records(store: NoteStore, target: Workspace, text: str) -> ImportReport:
    """Add exported records to a workspace; those that are there stay as they are.

    A record whose id another workspace has gets one of its own, the same each time. New records are compared with
    each other and with those that are there. Raises InputError with the line of what cannot be read, or for chains
    that go in a circle or end in an unknown record; then nothing is added.
    """
    values = record_values(text)
    ids = [str(value["id"]) for value in values]
    theirs = {note.id for note in store.get(ids) if note.workspace_id != target.id}
    renamed = {id: uuid.uuid5(uuid.NAMESPACE_URL, f"{target.id} {id}").hex[:12] for id in theirs}
    notes = [_note(value, target, renamed) for value in values]
    last = store.last_written()
    stored = store.get([note.id for note in notes])
    told = [event for value in values for event in _events(value, renamed)]
    known_ids = {note.id for note in notes} | _known_others(store, target, told)
    earlier = store.events(target.id)
    check_chains(earlier, told, known_ids)
    # What is said of a record that nobody has here would only point into the void.
    events = [event for event in told if event.other_id is None or event.other_id in known_ids]
    left_out = len(told) - len(events)
    comparing = ImportCompared(store, target.id, notes, stored, [*earlier, *events])
    events += comparing.events(earlier, events)
    added, events_added = store.restore(notes, [(target.id, event) for event in events], Seen(last, comparing.late))
    return ImportReport(
        added,
        len(notes) - added,
        events_added,
        differing_ids(notes, stored),
        len(comparing.found),
        left_out,
    )


def _known_others(store: NoteStore, target: Workspace, events: Sequence[NoteEvent]) -> set[str]:
    others = [event.other_id for event in events if event.other_id]
    return {note.id for note in store.get(others) if note.workspace_id == target.id}


def _plain(note: Note, events: Sequence[NoteEvent]) -> dict[str, Any]:
    names = ("id", "category", "content", "created_at", "outcome", "detail", "importance", "tags", "session", "agent")
    found = {name: getattr(note, name) for name in (*names, "run_id")}
    found["anchors"] = [{name: getattr(anchor, name) for name in ANCHOR_FIELDS} for anchor in note.anchors]
    found["events"] = [
        {f.name: getattr(event, f.name) for f in fields(event) if f.name != "note_id"} for event in events
    ]
    return {name: value for name, value in found.items() if value not in (None, "", [], ())}


def _section(note: Note, line: str) -> str:
    # Two hyphens would end the comment early; in JSON they stand inside of texts alone.
    comment = f"<!-- zerikai {line.replace('--', '-' + chr(92) + 'u002d')} -->"
    state = [f"Superseded by {note.superseded_by}."] if note.superseded_by else []
    body = "\n\n".join((shown_text(note.content, note.detail, [anchor.label for anchor in note.anchors]), *state))
    return f"{heading(note.category, note.outcome, note.created_at, note.id)}\n\n{comment}\n\n{body}\n"


def _note(value: Mapping[str, Any], target: Workspace, renamed: Mapping[str, str]) -> Note:
    details = clean_details({name: value.get(name) for name in ("detail", "tags", "importance", "run_id")})
    return Note(
        id=renamed.get(value["id"], value["id"]),
        category=clean_category(value["category"]),
        content=clean_content(value["content"]),
        created_at=float(value["created_at"]),
        workspace_id=target.id,
        outcome=clean_outcome(value.get("outcome")),
        detail=details.detail,
        importance=0.5 if details.importance is None else details.importance,
        tags=details.tags,
        session=clean_name(value.get("session")),
        agent=clean_name(value.get("agent")),
        run_id=details.run_id,
        anchors=tuple(_anchor(anchor) for anchor in value.get("anchors", [])),
    )


def _anchor(value: Mapping[str, str]) -> Anchor:
    """An anchor without secrets; two paths or names that hold one stay two."""
    return Anchor(**{name: mask_name(storable(value[name])) for name in ANCHOR_FIELDS})  # type: ignore[arg-type]


def _events(value: Mapping[str, Any], renamed: Mapping[str, str]) -> list[NoteEvent]:
    found = []
    for event in value.get("events", []):
        other = event.get("other_id")
        found.append(
            NoteEvent(
                note_id=renamed.get(value["id"], value["id"]),
                kind=event["kind"],
                created_at=float(event["created_at"]),
                other_id=renamed.get(other, other) if other else None,
                by=clean_name(event.get("by")),
                reason=mask_secrets(storable(event.get("reason") or "")),
                session=clean_name(event.get("session")),
                agent=clean_name(event.get("agent")),
                run_id=clean_name(event.get("run_id")),
            )
        )
    return found
