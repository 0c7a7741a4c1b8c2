"""The records of one workspace as people and answers use them: asked, listed, confirmed, looked over, rolled up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zerikai_memory.errors import InputError
from zerikai_memory.memory import comparing, summarising
from zerikai_memory.memory.exchange import export_records, import_records
from zerikai_memory.memory.ledger import Ledger
from zerikai_memory.memory.notes import CATEGORIES, Draft, asked_category, clean_word, got, storable
from zerikai_memory.memory.pairing import disagreeing_pairs, judged_pairs
from zerikai_memory.memory.rolling import MAX_LOOKED_AT, proposals
from zerikai_memory.model import Workspace
from zerikai_memory.model_notes import (
    MODEL,
    Anchor,
    ImportReport,
    Note,
    NoteEvent,
    NoteHistory,
    NoteReview,
    RollProposal,
)
from zerikai_memory.retrieve.query import Query, understand

REVIEW_LIMIT = 5_000
# The newest ones; each thousand more costs the square of it.
COMPARED_BY_RULES = 1_000


@dataclass(frozen=True, slots=True)
class WorkspaceRecords:
    """The records of one workspace."""

    ledger: Ledger
    target: Workspace

    def recall(self, query: Query, category: str | None, limit: int) -> tuple[Note, ...]:
        """Live records that answer the question, best first."""
        return self.ledger.recall(self.target, query, category, limit)

    def nearest(self, question: Query | str, category: str | None) -> tuple[Note, ...]:
        """The one or two live records that come nearest to a question that none answers; see Ledger.nearest."""
        query = understand(question) if isinstance(question, str) else question
        return self.ledger.nearest(self.target, query, category)

    def latest(self, category: str | None, limit: int) -> tuple[Note, ...]:
        """The newest live records of a category."""
        return self.ledger.latest(self.target, category, limit)

    def about(self, places: Sequence[tuple[str, str]], limit: int) -> tuple[Note, ...]:
        """Live records anchored to any of the entities, given as (path, qualified name)."""
        return self.ledger.about(self.target, places, limit)

    def listed(self, category: str | None, limit: int, **more: Any) -> tuple[Note, ...]:
        """The newest records, superseded ones too; `more` as in Ledger.latest.

        Raises InputError for a category that no record has, and for an entity that is no code.
        """
        self._check_category(category)
        if more.get("run_id"):
            more["run_id"] = storable(more["run_id"])
        return self.ledger.latest(self.target, category, limit, **({"live_only": False} | more))

    def asked(self, question: str, category: str | None, limit: int, as_of: float | None = None) -> tuple[Note, ...]:
        """Live records that answer a question; with `as_of` those that were live then."""
        self._check_category(category)
        return self.ledger.recall(self.target, understand(question), category, limit, as_of)

    def confirm(self, text: str, by: str = "user", reason: str = "") -> Note:
        """Vouch for a record, given by its id."""
        return self.ledger.confirm(self.target, text, by, reason)

    def agree(self, one: str, two: str, by: str = "user") -> tuple[Note, Note]:
        """Say that two records do not disagree, whatever a rule or a model made of them."""
        first, second = self.ledger.find(self.target, one), self.ledger.find(self.target, two)
        if first.id == second.id:
            raise InputError(f"note: {one!r} and {two!r} are the same record")
        self.ledger.store.add_events(
            self.target.id, [NoteEvent(first.id, "agree", 0.0, second.id, by=clean_word("by", by))]
        )
        found = self.ledger.store.get([first.id, second.id])
        return found[0], found[1]

    def history(self, text: str) -> NoteHistory:
        """The chain of a record, given by its id."""
        return self.ledger.history(self.target, text)

    def review(self, *, use_model: bool = False) -> NoteReview:
        """Records whose code has changed, records that disagree, and groups that one summary could replace.

        Rules compare the newest of them, whenever they were written.
        With `use_model` a model, if there is one, first compares records that nobody has compared yet.
        """
        live = self.ledger.store.latest(self.target.id, None, REVIEW_LIMIT, live_only=True)
        self._compare_by_rules(live[:COMPARED_BY_RULES])
        compared, model = self._compare(live) if use_model else (0, None)
        checked = self.ledger.checked(self.target, live)
        stale = tuple(note for note in checked if any(a.state not in ("fresh", "unknown") for a in note.anchors))
        near, vectors = self.ledger.with_vectors(self.target, live[:MAX_LOOKED_AT])
        return NoteReview(stale, self._conflicts(live), proposals(near, vectors), compared, model)

    def summary(self, ids: Sequence[str], *, use_model: bool = False) -> RollProposal:
        """A draft of one record in the place of these, by a model if there is one; nothing is saved."""
        notes = self._live(ids)
        asker = self.ledger.hire(summarising.OPERATION, self.target.id) if use_model else None
        return summarising.summarise(notes, asker)

    def roll(self, ids: Sequence[str], text: str, by: str = "user") -> Note:
        """Save one record in the place of these, about the same code as far as that is still there."""
        notes = self._live(ids)
        category = Counter(note.category for note in notes).most_common(1)[0][0]
        places = dict.fromkeys(_place(anchor) for note in notes for anchor in note.anchors)
        anchors = self.ledger.known_anchors(self.target, tuple(places))
        draft = Draft(text, category, None, [note.id for note in notes], anchors, {"confirmed": by})
        return self.ledger.save(self.target, draft)

    def exported(self, *, markdown: bool = False) -> str:
        """All records as JSON Lines or Markdown."""
        return export_records(self.ledger.store, self.target, markdown=markdown)

    def imported(self, text: str) -> ImportReport:
        """Add records that were exported."""
        return import_records(self.ledger.store, self.target, text)

    def _check_category(self, category: str | None) -> None:
        asked = asked_category(category)
        if asked is None or asked in CATEGORIES:
            return
        used = self.ledger.store.categories(self.target.id)
        if asked not in used:
            known = ", ".join(dict.fromkeys((*CATEGORIES, *used)))
            raise InputError(f"category: no record is a {got(category)}; known are {known}")

    def _compare_by_rules(self, live: Sequence[Note]) -> None:
        """Note disagreements that nobody has judged yet: of merged workspaces, and of records older than a rule."""
        known = judged_pairs(self.ledger.store.events(self.target.id))
        found = disagreeing_pairs(live, {note.id for note in live}, known)
        events = [NoteEvent(newer.id, "conflict", 0.0, older.id, reason=reason) for newer, older, reason in found]
        if events:
            self.ledger.store.add_events(self.target.id, events)

    def _compare(self, live: Sequence[Note]) -> tuple[int, str | None]:
        """How many pairs a model has compared now, and which one."""
        near, vectors = self.ledger.with_vectors(self.target, live[:MAX_LOOKED_AT])
        pairs = comparing.pairs_to_compare(near, vectors, self.ledger.store.events(self.target.id))
        asker = self.ledger.hire(comparing.OPERATION, self.target.id) if pairs else None
        if asker is None:
            return 0, None
        events = list(comparing.compare(asker, pairs))
        self.ledger.store.add_events(self.target.id, events)
        return len(events), asker.model

    def _conflicts(self, live: Sequence[Note]) -> tuple[tuple[Note, Note, str], ...]:
        """Live records that disagree, as (newer, older, reason), until somebody says that they agree."""
        by_id = {note.id: note for note in live}
        found: dict[frozenset[str], tuple[Note, Note, str]] = {}
        for event in self.ledger.store.events(self.target.id):
            if event.other_id not in by_id or event.note_id not in by_id:
                continue
            pair = frozenset((event.note_id, event.other_id))
            if event.kind == "conflict":
                says = f"{event.by} says: " if (event.by or "").startswith(MODEL) else ""
                found[pair] = (by_id[event.note_id], by_id[event.other_id], says + event.reason)
            elif event.kind == "agree":
                found.pop(pair, None)
        return tuple(found.values())

    def _live(self, ids: Sequence[str]) -> list[Note]:
        notes = list({note.id: note for note in (self.ledger.find(self.target, id) for id in ids)}.values())
        if len(notes) < 2:
            raise InputError("give two or more records that one summary is to replace")
        if gone := [note.id for note in notes if note.superseded_by]:
            raise InputError(f"note: {', '.join(gone)} is superseded already; `notes list` shows the live ones")
        return notes


def _place(anchor: Anchor) -> str:
    return anchor.path if anchor.kind == "module" else f"{anchor.path}::{anchor.qualified_name}"
