"""Chains of records that took each other's place, as an import would make them: no circle, no end that nobody has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set

from zerikai_memory.errors import InputError
from zerikai_memory.model_notes import Note, NoteEvent


def check_chains(stored: Iterable[NoteEvent], imported: Sequence[NoteEvent], ids: Set[str]) -> None:
    """Raise InputError for a place taken by a record that is not among `ids`, or for a circle."""
    for event in imported:
        if event.kind == "supersede" and event.other_id not in ids:
            raise InputError(
                f"record {event.note_id} is superseded by {event.other_id}, which is neither in this text nor among the"
                " records here; nothing was imported. Export both, or take the event out"
            )
    successors: dict[str, list[str]] = defaultdict(list)
    for event in (*stored, *imported):
        if event.kind == "supersede" and event.other_id:
            successors[event.note_id].append(event.other_id)
    if circle := _circle(successors):
        raise InputError(f"records supersede each other in a circle: {' -> '.join(circle)}; nothing was imported")


def split_ends(stored: Iterable[NoteEvent], imported: Sequence[NoteEvent], live: Set[str]) -> Iterator[tuple[str, ...]]:
    """(old record, its live successors) of places that two or more records took: copies went different ways."""
    new = {event.note_id for event in imported if event.kind == "supersede"}
    successors: dict[str, dict[str, None]] = defaultdict(dict)
    for event in (*stored, *imported):
        if event.kind == "supersede" and event.other_id and event.note_id in new and event.other_id in live:
            successors[event.note_id][event.other_id] = None
    for old, ends in successors.items():
        if len(ends) > 1:
            yield (old, *ends)


def superseded_ids(*events: Iterable[NoteEvent]) -> set[str]:
    """Records whose place was taken."""
    return {event.note_id for some in events for event in some if event.kind == "supersede"}


def differing_ids(notes: Sequence[Note], stored: Sequence[Note]) -> tuple[str, ...]:
    """Ids that the store has with another text, category, outcome or detail."""
    here = {note.id: note for note in stored}
    return tuple(note.id for note in notes if note.id in here and _said(note) != _said(here[note.id]))


def _said(note: Note) -> tuple[str, str, str | None, str]:
    return note.content, note.category, note.outcome, note.detail


def _circle(successors: dict[str, list[str]]) -> list[str]:
    """The ids of one circle, its first one again at the end; empty for none."""
    finished: set[str] = set()
    for start in list(successors):
        path: list[str] = []
        on_path: set[str] = set()
        waiting: list[tuple[str, bool]] = [(start, False)]
        while waiting:
            id, done = waiting.pop()
            if done:
                path.pop()
                on_path.discard(id)
                finished.add(id)
            elif id in on_path:
                return [*path[path.index(id) :], id]
            elif id not in finished:
                path.append(id)
                on_path.add(id)
                waiting.append((id, True))
                waiting += [(other, False) for other in successors.get(id, ())]
    return []
