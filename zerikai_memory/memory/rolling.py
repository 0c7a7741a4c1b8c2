"""Many records on one subject: propose one summary that takes their place. Nothing is changed by a proposal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.model_notes import Note, RollProposal

# Below this many, reading them all is cheaper than a summary.
LEAST_RECORDS = 5
# Squared L2 within which two records are about the same, for the static table.
SAME_SUBJECT = 0.75
MAX_PROPOSALS = 10
# The newest that are looked at: a subject that grows is among them.
MAX_LOOKED_AT = 3_000
LINE_CHARS = 200


def proposals(notes: Sequence[Note], vectors: NDArray[np.float32]) -> tuple[RollProposal, ...]:
    """Groups of live records, aligned with `vectors`, that share an anchored entity or are near each other."""
    groups = _by_anchor(notes)
    taken = {note.id for _, members in groups for note in members}
    rest = [i for i, note in enumerate(notes) if note.id not in taken]
    groups += _by_vector([notes[i] for i in rest], vectors[rest])
    groups.sort(key=lambda group: -len(group[1]))
    return tuple(
        RollProposal(subject, tuple(note.id for note in members), draft(members))
        for subject, members in groups[:MAX_PROPOSALS]
    )


def draft(notes: Sequence[Note]) -> str:
    """A summary by rule: one line per record, oldest first, with its outcome."""
    lines = []
    for note in sorted(notes, key=lambda note: note.created_at):
        first = " ".join(note.content.split())
        text = first if len(first) <= LINE_CHARS else first[:LINE_CHARS].rsplit(" ", 1)[0] + " ..."
        lines.append(f"- {f'{note.outcome}: ' if note.outcome else ''}{text}")
    return "\n".join(lines)


def _by_anchor(notes: Sequence[Note]) -> list[tuple[str, list[Note]]]:
    found: dict[tuple[str, str], list[Note]] = defaultdict(list)
    labels: dict[tuple[str, str], str] = {}
    for note in notes:
        for anchor in note.anchors:
            found[anchor.path, anchor.qualified_name].append(note)
            labels[anchor.path, anchor.qualified_name] = anchor.label
    groups: list[tuple[str, list[Note]]] = []
    taken: set[str] = set()
    for key, members in sorted(found.items(), key=lambda item: -len(item[1])):
        fresh = [note for note in members if note.id not in taken]
        if len(fresh) >= LEAST_RECORDS:
            groups.append((labels[key], fresh))
            taken |= {note.id for note in fresh}
    return groups


def _by_vector(notes: Sequence[Note], vectors: NDArray[np.float32]) -> list[tuple[str, list[Note]]]:
    """Greedy: the record with most near ones takes them, as long as there are enough."""
    if len(notes) < LEAST_RECORDS:
        return []
    near = np.asarray(vectors @ vectors.T >= 1.0 - SAME_SUBJECT / 2)
    near = near & np.asarray(vectors.any(axis=1))[:, None]
    free = np.ones(len(notes), bool)
    groups: list[tuple[str, list[Note]]] = []
    while True:
        counts = (near & free).sum(axis=1) * free
        centre = int(np.argmax(counts))
        if counts[centre] < LEAST_RECORDS:
            return groups
        members = np.flatnonzero(near[centre] & free)
        free[members] = False
        subject = " ".join(notes[centre].content.split())[:60]
        groups.append((subject, [notes[i] for i in members.tolist()]))
