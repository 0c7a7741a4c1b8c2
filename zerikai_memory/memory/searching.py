"""What a question finds among the live records of one workspace: by words and vector, by rare words, by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from zerikai_memory.embed.base import Embedder
from zerikai_memory.memory.evidence import Rarity, Shared
from zerikai_memory.memory.meaning import (
    FAR_BY_VECTOR,
    Meant,
    answering,
    meaning_of,
    meant_vector,
    much_nearer,
    named,
    strangeness,
)
from zerikai_memory.memory.recall import (
    Asked,
    Candidate,
    DecayDays,
    Recalled,
    by_evidence,
    chosen,
    in_common,
    nearest,
    rank_records,
)
from zerikai_memory.model_notes import Note
from zerikai_memory.store.memory import NoteStore
from zerikai_memory.store.note_table import NoteArrays, NoteTable

RECALL_CANDIDATES = 200
# Records that are named where none answers, and those that are looked at by meaning.
NEAREST, NEAR = 2, 6
# Words that only mean the same are scored in fewer records.
KIN_ROWS = 3_000


@dataclass(frozen=True, slots=True, eq=False)
class RecordSearch:
    """The records of a workspace as a question meets them at a time."""

    notes: NoteStore
    table: NoteTable
    embedder: Embedder
    decay: DecayDays
    now: float

    def answering(self, asked: Asked, category: str | None, limit: int, anchored: Sequence[Note]) -> list[Note]:
        """The records that answer, best first; `anchored` as in recall.chosen."""
        candidates = self._candidates(asked, category, limit)
        shown = chosen(asked, candidates, anchored, limit)
        if not asked.by_evidence:
            return shown
        if not shown:
            return self._without_coverage(asked, category, candidates, limit)
        first = next((one for one in candidates if one.note.id == shown[0].id), None)
        if asked.fixing or first is None or first.distance <= FAR_BY_VECTOR:
            return shown
        meant, near = self._by_meaning(asked, category)
        before = much_nearer(meant, near, first) if meant else []
        return list({note.id: note for note in (*before, *shown)}.values())[:limit]

    def nearest(self, asked: Asked, category: str | None) -> list[Note]:
        """One or two records that come nearest where none answers; none where nothing speaks for any."""
        found = in_common(asked, self._candidates(asked, category, NEAREST))
        spoken = nearest(found, self._rarity([words for _, words in found]), NEAREST)
        near = self._by_meaning(asked, category)[1] if asked.by_evidence else []
        return named(near, spoken)[:NEAREST]

    def _without_coverage(
        self, asked: Asked, category: str | None, candidates: Sequence[Candidate], limit: int
    ) -> list[Note]:
        found = in_common(asked, candidates)
        shown = by_evidence(asked, found, self._rarity([words for _, words in found]), limit)
        if shown:
            return shown
        meant, near = self._by_meaning(asked, category)
        return answering(meant, near)[:limit] if meant else []

    def _candidates(self, asked: Asked, category: str | None, limit: int) -> list[Candidate]:
        """Live records by falling score, more than are shown."""
        arrays = self.table.get()
        ranked = rank_records(
            arrays,
            self.table.lexical(asked.searched, arrays, RECALL_CANDIDATES),
            self.table.lexical(asked.kin, arrays, RECALL_CANDIDATES, KIN_ROWS),
            self.embedder.encode([asked.query.text])[0],
            category=category,
            fixing=asked.fixing,
            now=self.now,
            decay=self.decay,
        )
        return self._live(arrays, ranked[: 4 * limit + 8])

    def _by_meaning(self, asked: Asked, category: str | None) -> tuple[Meant | None, list[Candidate]]:
        """What a question means and the live records that are nearest to it, nearest first."""
        meaning = meaning_of(asked.query)
        if not meaning.words:
            return None, []
        arrays = self.table.get()
        vector = meant_vector(asked.query, meaning, self.embedder)
        strange = strangeness(meaning, self.table.holding(asked.query.terms, arrays))
        ranked = rank_records(arrays, (), (), vector, category=category, fixing=False, now=self.now, decay=self.decay)
        # Age and weight decide among words; by meaning a record stands out by little.
        near = self._live(arrays, sorted(ranked, key=lambda one: one.distance)[:NEAR])
        meant = Meant(vector, strange, None)
        if any(meant.undecided(one) for one in near):
            said = self.table.lexical(meaning.words, arrays, RECALL_CANDIDATES, KIN_ROWS)
            said_by = next((arrays.ids[position] for position, _ in said if arrays.live[position]), None)
            meant = replace(meant, said_by=said_by)
        return meant, near

    def _live(self, arrays: NoteArrays, ranked: Sequence[Recalled]) -> list[Candidate]:
        notes = {note.id: note for note in self.notes.get([arrays.ids[one.position] for one in ranked])}
        return [
            Candidate(note, one.score, one.distance, arrays.vectors[one.position])
            for one in ranked
            if (note := notes.get(arrays.ids[one.position])) and not note.superseded_by
        ]

    def _rarity(self, found: Sequence[Shared]) -> Rarity:
        arrays = self.table.get()
        words = (word for one in found for word in (*one.same, *one.related))
        return Rarity(len(arrays), self.table.holding(words, arrays))
