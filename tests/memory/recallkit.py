"""The recall set of tests/data/recall: records of an invented shop, and questions with the record that answers them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.embed.static import StaticEmbedder
from zerikai_memory.memory.ledger import Ledger, LedgerParts
from zerikai_memory.memory.recall import DecayDays
from zerikai_memory.memory.salience import importance
from zerikai_memory.model import Workspace
from zerikai_memory.model_notes import Anchor, Note, NoteEvent
from zerikai_memory.retrieve.cite import WorkingFile
from zerikai_memory.store.brain import Brain

DATA = Path(__file__).resolve().parents[1] / "data" / "recall"
SHOP = Workspace("shop-id", "shop", "/nowhere/shop")
DAY = 86_400.0


@dataclass(frozen=True)
class Row:
    key: str
    category: str
    age_days: float
    marks: dict[str, str]
    content: str


@dataclass(frozen=True)
class Question:
    expected: tuple[str, ...]
    text: str


def rows(name: str = "records.txt") -> list[Row]:
    found = []
    for line in _lines(name):
        key, category, age, marks, content = (part.strip() for part in line.split("|", 4))
        split = {name: value for name, _, value in (mark.partition("=") for mark in marks.split())}
        found.append(Row(key, category, float(age), split, content))
    return found


def questions(name: str = "questions.txt") -> list[Question]:
    found = []
    for line in _lines(name):
        keys, _, text = line.partition("|")
        found.append(Question(tuple(key for key in keys.split() if key != "-"), text.strip()))
    return found


def _lines(name: str) -> list[str]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def open_ledger(brain: Brain, now: float | None = None, session: str = "s1") -> Ledger:
    """A ledger without files: every anchor's file is unreadable, so its state is unknown."""
    return Ledger(
        LedgerParts(
            notes=brain.notes,
            embedder=StaticEmbedder(),
            decay=DecayDays(),
            session=session,
            index=brain.index,
            view=lambda id: brain.view(id).get(),
            read=lambda target, path: WorkingFile(path, None, None, missing=False),
            extract=lambda data, path: None,  # type: ignore[arg-type,return-value]
            now=lambda: now or time.time(),
        )
    )


def fill(brain: Brain, ledger: Ledger, now: float, name: str = "records.txt") -> None:
    """Write the records as a ledger would have over the years: oldest first, conflicts by its own rules."""
    for row in sorted(rows(name), key=lambda row: -row.age_days):
        at = row.marks.get("at")
        outcome = next((word for word in ("worked", "failed") if word in row.marks), None)
        note = Note(
            row.key,
            row.category,
            row.content,
            now - row.age_days * DAY,
            SHOP.id,
            outcome=outcome,
            importance=importance(row.category, row.content),
            anchors=(Anchor("shop/code.py", "function", at, f"def {at}()", "h"),) if at else (),
        )
        events = [NoteEvent(row.marks["supersedes"], "supersede", 0.0)] if "supersedes" in row.marks else []
        events += [NoteEvent("", "confirm", 0.0, by="user")] if "confirmed" in row.marks else []
        replaced = {row.marks.get("supersedes", "")}
        events += [
            NoteEvent("", "conflict", 0.0, other.id, reason=reason)
            for other, reason in ledger.disagreeing(note, replaced)
        ]
        brain.notes.append(note, events)
