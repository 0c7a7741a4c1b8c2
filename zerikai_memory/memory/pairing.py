"""Which records are compared with each other: all that could disagree, without comparing each with each.

Two claims that disagree say the same up to a few words (values.MOST_VALUE_WORDS of each), so words that are shared
are counted first.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set

import numpy as np

from zerikai_memory.memory.chains import split_ends, superseded_ids
from zerikai_memory.memory.claims import Claim, claims
from zerikai_memory.memory.conflicts import APART, LEAST_SHARED, disagreement
from zerikai_memory.model_notes import Note, NoteEvent
from zerikai_memory.retrieve.query import understand
from zerikai_memory.store.memory import NoteStore, Seen

# How many near records a new one is held against.
CONFLICT_CANDIDATES = 60
# All of them: an import is compared with every live record.
MOST_RECORDS = 10_000_000
Pair = frozenset[str]


class PairIndex:
    """Records by the words of their claims, in memory."""

    def __init__(self, notes: Sequence[Note]) -> None:
        self._notes = notes
        self._claims = [(i, claim) for i, note in enumerate(notes) for claim in claims(note.content)]
        self._sizes = np.array([len(claim.sought) for _, claim in self._claims], np.int64)
        with_key: dict[str, list[int]] = defaultdict(list)
        self._rejecting: dict[str, list[int]] = defaultdict(list)
        for number, (_, claim) in enumerate(self._claims):
            for key in claim.sought:
                with_key[key].append(number)
            for key in claim.rejected:
                self._rejecting[key].append(number)
        self._with = {key: np.array(numbers, np.int64) for key, numbers in with_key.items()}
        self._at: dict[tuple[str, str], list[int]] = defaultdict(list)
        for i, note in enumerate(notes):
            for anchor in note.anchors:
                self._at[anchor.path, anchor.qualified_name].append(i)

    def near(self, note: Note) -> list[Note]:
        """Every record whose claims could disagree with one's, in their order, itself left out."""
        found = {i for anchor in note.anchors for i in self._at.get((anchor.path, anchor.qualified_name), ())}
        for claim in claims(note.content):
            found |= {self._claims[number][0] for number in self._alike(claim)}
        return [self._notes[i] for i in sorted(found) if self._notes[i].id != note.id]

    def _alike(self, claim: Claim) -> set[int]:
        """Claims that say the same up to a few words, and those where one rejects what the other chooses."""
        found = {number for key in claim.sought for number in self._rejecting.get(key, ())}
        found |= {number for key in claim.rejected for number in self._with.get(key, ())}
        holding = [self._with[key] for key in claim.sought if key in self._with]
        if holding:
            shared = np.bincount(np.concatenate(holding), minlength=len(self._claims))
            most, least = np.maximum(self._sizes, len(claim.sought)), np.minimum(self._sizes, len(claim.sought))
            near = (shared > 0) & (most - shared <= APART) & (LEAST_SHARED * shared >= least)
            found |= set(np.flatnonzero(near).tolist())
        return found


def disagreeing_pairs(notes: Sequence[Note], of: Set[str], known: Set[Pair]) -> Iterator[tuple[Note, Note, str]]:
    """(later, earlier, reason) of live records that disagree, at least one of them in `of`, none of them `known`."""
    index = PairIndex(notes)
    done: set[Pair] = set()
    for note in notes:
        if note.id not in of:
            continue
        for other in index.near(note):
            pair = frozenset((note.id, other.id))
            if pair in known or pair in done:
                continue
            done.add(pair)
            later, earlier = (note, other) if note.created_at >= other.created_at else (other, note)
            if reason := disagreement(later, earlier):
                yield later, earlier, reason


def judged_pairs(events: Sequence[NoteEvent]) -> set[Pair]:
    """Pairs of which something was said already: that they disagree, agree, or that one took the other's place."""
    kinds = ("conflict", "agree", "supersede")
    return {frozenset((event.note_id, event.other_id)) for event in events if event.kind in kinds and event.other_id}


def disagreeing(store: NoteStore, note: Note, leave_out: Set[str]) -> list[tuple[Note, str]]:
    """(live record, reason) of those in the store that disagree with `note`, which need not be stored yet."""
    words = understand(note.content).words
    places = [(anchor.path, anchor.qualified_name) for anchor in note.anchors]
    found = store.search(note.workspace_id, words, None, CONFLICT_CANDIDATES, alike=True)
    near = {other.id: other for other, _ in found}
    near |= {other.id: other for other in store.anchored(note.workspace_id, places, CONFLICT_CANDIDATES)}
    return against(note, [other for other in near.values() if other.id not in leave_out])


def against(note: Note, others: Sequence[Note]) -> list[tuple[Note, str]]:
    """(record, reason) of those that disagree with `note`."""
    found = [(other, disagreement(note, other)) for other in others if other.id != note.id]
    return [(other, reason) for other, reason in found if reason]


class Compared:
    """What a new record disagrees with: first in what is stored, then, under the lock, in what came since."""

    def __init__(self, store: NoteStore, note: Note, leave_out: Set[str], at: float = 0.0) -> None:
        self._note, self._leave_out, self._at = note, leave_out, at
        # Read before the search, so that a record that comes between is met twice and never missed.
        last = store.last_written()
        self.found = disagreeing(store, note, leave_out)
        self.seen = Seen(last, self._late)

    def events(self) -> list[NoteEvent]:
        """What was found so far as events about the new record."""
        return [self._event(other, reason) for other, reason in self.found]

    def _late(self, came: Sequence[Note]) -> list[NoteEvent]:
        met = self._leave_out | {other.id for other, _ in self.found}
        late = against(self._note, [other for other in came if other.id not in met])
        self.found += late
        return [self._event(other, reason) for other, reason in late]

    def _event(self, other: Note, reason: str) -> NoteEvent:
        return NoteEvent("", "conflict", self._at, other.id, reason=reason)


class ImportCompared:
    """What imported records disagree with: each other, what is stored, and, under the lock, what came since."""

    def __init__(
        self,
        store: NoteStore,
        workspace_id: str,
        notes: Sequence[Note],
        stored: Sequence[Note],
        events: Sequence[NoteEvent],
    ) -> None:
        there = {note.id for note in stored}
        gone = superseded_ids(events)
        self._known = judged_pairs(events)
        self._new = [note for note in notes if note.id not in there and note.id not in gone]
        self._gone = gone
        ids = {note.id for note in self._new}
        live = store.latest(workspace_id, None, MOST_RECORDS, live_only=True) if self._new else []
        self._live = [note for note in live if note.id not in gone | ids]
        self.found = list(disagreeing_pairs([*self._live, *self._new], ids, self._known))

    def events(self, stored: Sequence[NoteEvent], imported: Sequence[NoteEvent]) -> list[NoteEvent]:
        """The disagreements as events; records that took one place are told as such, whatever they say."""
        notes = {note.id: note for note in (*self._live, *self._new)}
        met = self._known | {frozenset((one.id, other.id)) for one, other, _ in self.found}
        for old, *ends in split_ends(stored, imported, notes.keys()):
            for one, other in itertools.combinations(sorted(ends, key=lambda id: -notes[id].created_at), 2):
                if frozenset((one, other)) not in met:
                    self.found.append((notes[one], notes[other], f"both took the place of note:{old}"))
        return [_conflict(*found) for found in self.found]

    def late(self, came: Sequence[Note]) -> list[NoteEvent]:
        """Disagreements with records that were written while the import was prepared."""
        ids = {note.id for note in self._new}
        fresh = [note for note in came if note.id not in ids | self._gone]
        met = self._known | {frozenset((one.id, other.id)) for one, other, _ in self.found}
        found = list(disagreeing_pairs([*fresh, *self._new], {note.id for note in fresh}, met)) if fresh else []
        # Those that came since were compared with each other when they were written.
        late = [pair for pair in found if {pair[0].id, pair[1].id} & ids]
        self.found += late
        return [_conflict(*pair) for pair in late]


def _conflict(newer: Note, older: Note, reason: str) -> NoteEvent:
    """At the time of the later record, so that a second import of the same says nothing new."""
    return NoteEvent(newer.id, "conflict", newer.created_at, older.id, reason=reason)
