"""The ledger of one brain: save what code cannot say, recall it, confirm it, list it, look it over."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.embed.base import Embedder
from zerikai_memory.errors import InputError
from zerikai_memory.memory.anchors import FileToday, check_anchor, resolve_anchors
from zerikai_memory.memory.notes import (
    Draft,
    asked_category,
    asked_id,
    clean_category,
    clean_content,
    clean_details,
    clean_name,
    clean_outcome,
    clean_word,
    saving_warnings,
    unclear_id,
)
from zerikai_memory.memory.pairing import Compared, disagreeing
from zerikai_memory.memory.recall import COVERAGE, DecayDays, asked_for, coverage
from zerikai_memory.memory.salience import importance, tentative
from zerikai_memory.memory.searching import RECALL_CANDIDATES, RecordSearch
from zerikai_memory.memory.subject import places_meant
from zerikai_memory.model import CodeEntity, Extraction, Workspace
from zerikai_memory.model_asking import Asker, HireFunction, nobody
from zerikai_memory.model_notes import AGENT, Anchor, Note, NoteEvent, NoteHistory
from zerikai_memory.retrieve.cite import WorkingFile
from zerikai_memory.retrieve.frames import frame_entities
from zerikai_memory.retrieve.query import Query
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.memory import NoteStore
from zerikai_memory.store.note_table import NoteTable
from zerikai_memory.store.view import IndexView, pack_vector

# A record said again in this many sessions is confirmed by that.
SESSIONS_TO_CONFIRM = 3
CONFIRMED_BY_RULE = f"rule: the same was saved in {SESSIONS_TO_CONFIRM} sessions"
FRAME_RECORDS = 20
LEAST_PREFIX = 6


@dataclass(frozen=True, slots=True)
class LedgerParts:
    """What the ledger works with; `view` and `index` of a workspace may be missing files before the first scan."""

    notes: NoteStore
    embedder: Embedder
    decay: DecayDays
    session: str
    index: Callable[[str], WorkspaceIndex]
    view: Callable[[str], IndexView]
    read: Callable[[Workspace, str], WorkingFile]
    extract: Callable[[bytes, str], Extraction]
    now: Callable[[], float] = time.time
    hire: HireFunction = nobody


class Ledger:
    """Records of all workspaces; thread-safe."""

    def __init__(self, parts: LedgerParts) -> None:
        self._parts = parts
        self._mutex = threading.Lock()
        self._tables: dict[str, NoteTable] = {}

    @property
    def store(self) -> NoteStore:
        """The store of the records."""
        return self._parts.notes

    def save(self, target: Workspace, draft: Draft, agent: str | None = None) -> Note:
        """Append a record; the same live text, category and outcome is recognised and counts as said again.

        Raises InputError for an empty text, an unknown outcome, anchor, detail or record to supersede.
        """
        parts = self._parts
        content, details = clean_content(draft.content), clean_details(draft.details)
        category, session = clean_category(draft.category), clean_name(draft.session) or clean_name(parts.session)
        agent = clean_name(agent)
        # What was said earlier holds since then; who vouches for it does so now. A time of 0 is that of saving.
        now = parts.now() if draft.said_at else 0.0
        said = min(draft.said_at or 0.0, now)
        outcome = clean_outcome(draft.outcome)
        weight = importance(category, content, outcome) if details.importance is None else details.importance
        note = Note(
            "",
            category,
            content,
            said,
            target.id,
            outcome=outcome,
            detail=details.detail,
            importance=weight,
            tags=details.tags,
            session=session,
            agent=agent,
            run_id=details.run_id,
            anchors=self._resolve(target, draft.anchors),
        )
        replaced = [self.find(target, text) for text in draft.supersedes]
        events = [
            NoteEvent(old.id, "supersede", now if old.created_at > said else said, session=session, agent=agent)
            for old in replaced
        ]
        if details.confirmed:
            by = details.confirmed if agent is None or draft.accepted else f"{AGENT}{agent} for {details.confirmed}"
            events.append(NoteEvent("", "confirm", now, by=by, session=session, agent=agent))
        compared = Compared(parts.notes, note, {old.id for old in replaced}, now)
        stored, new = parts.notes.append(note, [*events, *compared.events()], self._vector(note), compared.seen)
        if not new:
            stored = self._promoted(stored)
        warnings = (
            *saving_warnings(stored, draft.content, asked=note, new=new),
            *(_disagrees(*one) for one in compared.found if new),
        )
        return replace(stored, warnings=warnings)

    def recall(
        self, target: Workspace, query: Query, category: str | None, limit: int, as_of: float | None = None
    ) -> tuple[Note, ...]:
        """Live records that answer the question, best first; records that disagree with one stand beside it.

        With `as_of`, what was believed then.
        """
        category = asked_category(category)
        if as_of is not None:
            return self._recall_then(target, query, category, limit, as_of)
        asked = asked_for(query, category)
        shown = self._search(target).answering(asked, category, limit, self._of_frames(target, query, category))
        return self.checked(target, self._with_conflicting(shown, limit))

    def nearest(self, target: Workspace, query: Query, category: str | None) -> tuple[Note, ...]:
        """Live records, one or two, that come nearest to a question that none answers, the best first.

        None where nothing speaks for any: no word in common and, with what the question means, a vector that is far.
        """
        category = asked_category(category)
        return tuple(self._search(target).nearest(asked_for(query, category), category))

    def about(self, target: Workspace, places: Iterable[tuple[str, str]], limit: int) -> tuple[Note, ...]:
        """Live records anchored to any of the entities, given as (path, qualified name)."""
        return self.checked(target, self._parts.notes.anchored(target.id, places, limit))

    def latest(
        self, target: Workspace, category: str | None, limit: int, *, entity: str | None = None, **more: Any
    ) -> tuple[Note, ...]:
        """The newest live records of a category; `more` as in NoteStore.latest.

        `entity` is what they are about, given as an anchor; raises InputError for what is no code.
        """
        more = {"live_only": True} | more
        if entity is not None:
            kept = self._parts.notes.anchor_places(target.id)
            more["places"] = places_meant(entity, kept, self._view(target), target.path)
        return self.checked(target, self._parts.notes.latest(target.id, asked_category(category), limit, **more))

    def find(self, target: Workspace, text: str) -> Note:
        """The record of an id, a beginning of it, or `note:ID`; raises InputError for none or several."""
        wanted = asked_id(text)
        ids = self._parts.notes.ids_like(target.id, wanted)
        found = self._parts.notes.get([id for id in ids if id == wanted] or ids)
        if len(found) != 1 or (len(wanted) < LEAST_PREFIX and found[0].id != wanted):
            raise InputError(unclear_id(text, target.name, found, LEAST_PREFIX))
        return found[0]

    def confirm(self, target: Workspace, text: str, by: str = "user", reason: str = "") -> Note:
        """Append that somebody vouches for a record; raises InputError for nobody and for one that is superseded."""
        if not by.strip():
            raise InputError("by: got nothing, expected who confirms the record")
        by = clean_word("by", by)
        note = self.find(target, text)
        if note.superseded_by:
            raise InputError(f"note: {note.id} was superseded by {note.superseded_by}; confirm that one")
        event = NoteEvent(note.id, "confirm", 0.0, by=by, reason=reason, session=clean_name(self._parts.session))
        self._parts.notes.add_events(target.id, [event])
        return self._parts.notes.get([note.id])[0]

    def history(self, target: Workspace, text: str) -> NoteHistory:
        """The chain that a record belongs to, oldest first, and what happened to each."""
        chain: dict[str, Note] = {}
        waiting = [self.find(target, text).id]
        while waiting:
            for note in self._parts.notes.get(waiting):
                chain[note.id] = note
            linked = [id for note in chain.values() for id in (*note.supersedes, note.superseded_by or "") if id]
            waiting = [id for id in dict.fromkeys(linked) if id not in chain]
            if waiting and not self._parts.notes.get(waiting):
                break
        ordered = sorted(chain.values(), key=lambda note: note.created_at)
        return NoteHistory(tuple(ordered), tuple(self._parts.notes.events(target.id, list(chain))))

    def checked(self, target: Workspace, notes: Iterable[Note]) -> tuple[Note, ...]:
        """The records with the state of their anchors in today's files."""
        files: dict[str, FileToday] = {}
        view = self._view(target)

        def today(path: str) -> FileToday:
            if path not in files:
                files[path] = self._today(target, path, view)
            return files[path]

        def elsewhere(anchor: Anchor) -> Sequence[CodeEntity]:
            if view is None:
                return ()
            ids = [view.ids[i] for i, name in enumerate(view.qualified_names) if name == anchor.qualified_name]
            return list(self._parts.index(target.id).entities_by_id(ids[:50]).values())

        return tuple(
            replace(note, anchors=tuple(check_anchor(anchor, today, elsewhere) for anchor in note.anchors))
            if note.anchors
            else note
            for note in notes
        )

    def disagreeing(self, note: Note, leave_out: set[str]) -> list[tuple[Note, str]]:
        """(live record, reason) of those that disagree with `note`, which need not be stored yet."""
        return disagreeing(self._parts.notes, note, leave_out)

    def with_vectors(self, target: Workspace, notes: Sequence[Note]) -> tuple[list[Note], NDArray[np.float32]]:
        """The records with their vectors, one row each; those that are not in the arrays yet are left out."""
        arrays = self._table(target).get()
        position = {id: i for i, id in enumerate(arrays.ids)}
        known = [note for note in notes if note.id in position]
        return known, arrays.vectors[[position[note.id] for note in known]]

    def hire(self, operation: str, workspace_id: str) -> Asker | None:
        """A model for a small job, or None."""
        return self._parts.hire(operation, workspace_id)

    def known_anchors(self, target: Workspace, wanted: Sequence[str]) -> tuple[str, ...]:
        """Those of the names and paths that mean one entity of the index."""

        def known(text: str) -> bool:
            try:
                return bool(self._resolve(target, [text]))
            except InputError:
                return False

        return tuple(text for text in wanted if known(text))

    def _resolve(self, target: Workspace, anchors: Sequence[str]) -> tuple[Anchor, ...]:
        if not anchors:
            return ()
        view = self._view(target)
        if view is None:
            raise InputError(f"anchors: {target.name!r} has no index yet; scan it first, or save without anchors")
        return resolve_anchors(anchors, view, self._parts.index(target.id), target.path)

    def _promoted(self, note: Note) -> Note:
        """Confirm a record by rule once enough sessions have said it; a guess stays one however often it is said."""
        if (
            (note.confirmed_by and not note.confirmed_by.startswith(AGENT))
            or tentative(note.content, note.outcome)
            or len(self._parts.notes.sessions(note.id)) < SESSIONS_TO_CONFIRM
        ):
            return note
        self._parts.notes.add_events(note.workspace_id, [NoteEvent(note.id, "confirm", 0.0, by=CONFIRMED_BY_RULE)])
        return self._parts.notes.get([note.id])[0]

    def _with_conflicting(self, notes: Iterable[Note], limit: int) -> list[Note]:
        """Each record followed by those that disagree with it: neither wins by being found first."""
        listed = list(notes)
        others = {note.id: note for note in self._parts.notes.get([id for n in listed for id in n.conflicts])}
        shown: dict[str, Note] = {}
        for note in listed:
            if len(shown) >= limit and note.id not in shown:
                break
            shown.setdefault(note.id, note)
            for id in note.conflicts:
                if id in others and others[id].superseded_by is None:
                    shown.setdefault(id, others[id])
        return list(shown.values())

    def _recall_then(
        self, target: Workspace, query: Query, category: str | None, limit: int, as_of: float
    ) -> tuple[Note, ...]:
        """By words alone over what was known then: the arrays in memory hold today's state."""
        asked = asked_for(query, category).query
        found = self._parts.notes.search(target.id, asked.words, category, RECALL_CANDIDATES, as_of=as_of)
        return tuple([note for note, _ in found if coverage(asked, note) >= COVERAGE][:limit])

    def _search(self, target: Workspace) -> RecordSearch:
        parts = self._parts
        return RecordSearch(parts.notes, self._table(target), parts.embedder, parts.decay, parts.now())

    def _of_frames(self, target: Workspace, query: Query, category: str | None) -> list[Note]:
        """Live records about the code that a trace goes through, innermost frame first."""
        view = self._view(target) if query.frames else None
        if view is None:
            return []
        places = [
            (view.files[int(view.file_of[i])].path, view.qualified_names[i]) for i in frame_entities(view, query.frames)
        ]
        found = self._parts.notes.anchored(target.id, places, FRAME_RECORDS)
        return [note for note in found if category in (None, note.category)]

    def _vector(self, note: Note) -> tuple[str, bytes]:
        vector = self._parts.embedder.encode([f"{note.content}\n{note.detail}"])[0]
        return self._parts.embedder.fingerprint, pack_vector(vector)

    def _table(self, target: Workspace) -> NoteTable:
        with self._mutex:
            if target.id not in self._tables:
                embedder = self._parts.embedder
                self._tables[target.id] = NoteTable(
                    self._parts.notes.database, target.id, embedder.fingerprint, embedder.encode
                )
            return self._tables[target.id]

    def _view(self, target: Workspace) -> IndexView | None:
        return self._parts.view(target.id) if self._parts.index(target.id).exists() else None

    def _today(self, target: Workspace, path: str, view: IndexView | None) -> FileToday:
        file = self._parts.read(target, path)
        if file.content is None:
            return FileToday((), sure=file.missing)
        if view is not None and any(f.path == path and f.sha256 == file.sha256 for f in view.files):
            return FileToday(self._parts.index(target.id).entities(path), sure=True)
        extraction = self._parts.extract(file.content, path)
        return FileToday(extraction.entities, sure=not (extraction.partial or extraction.skip_reason))


def _disagrees(other: Note, reason: str) -> str:
    return (
        f"disagrees with note:{other.id} ({reason}); both are kept and shown together. If this replaces it, save it "
        f"again with supersedes {other.id}"
    )
