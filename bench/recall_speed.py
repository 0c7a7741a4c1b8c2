"""What recall costs among many records, as a ratio to a plain FTS5 query of the same words in the same run.

Run: python bench/recall_speed.py [RECORDS]. Prints the median times of both over the same questions in turns, their
ratio, the first recall of a process (it loads the arrays) and one save. The promise at 100,000: p50 below 50 ms.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from zerikai_memory.app import Memory
from zerikai_memory.memory.notes import Draft
from zerikai_memory.model_notes import Note
from zerikai_memory.retrieve.query import understand
from zerikai_memory.settings import Settings
from zerikai_memory.store.words import match_expression

SUBJECTS = "order invoice basket session token cache queue export import search index worker webhook mail".split()
PARTS = "gateway service table page job client parser router schema filter pipeline scheduler uploader".split()
CLAIMS = (
    "uses {a} because {b} was too slow under load",
    "must never write to {a} before {b} has answered",
    "fails with a timeout when {a} and {b} restart together",
    "is rebuilt nightly from {a}; {b} only reads it",
    "was moved out of {a} so that {b} can be deployed alone",
)
WORDS = "alpha bravo cedar delta ember falcon garnet harbor indigo juniper kestrel lagoon maple nimbus onyx".split()
QUESTIONS = 100


def main() -> None:
    """Make the records, measure both ways in turns, print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        project.mkdir()
        (project / "a.py").write_text("def a():\n    pass\n")
        memory = Memory(Settings(home=Path(folder) / "brain", vector_store="exact"), cwd=project)
        memory.scan(str(project))
        target = memory.resolve(str(project))
        made = seconds(lambda: fill(memory, target.id, count, chance))
        print(f"{count} records written in {made:.1f} s")
        questions = [statement(chance) for _ in range(QUESTIONS)]
        first = seconds(lambda: memory.ledger.recall(target, understand(questions[0]), None, 5))
        ours, plain = [], []
        for question in questions:
            query = understand(question)
            ours.append(seconds(lambda query=query: memory.ledger.recall(target, query, None, 5)))
            plain.append(seconds(lambda query=query: plain_fts(memory, query.words)))
        saved = [seconds(lambda: memory.ledger.save(target, Draft(statement(chance)))) for _ in range(20)]
        after = seconds(lambda: memory.ledger.recall(target, understand(questions[0]), None, 5))
        ratio = statistics.median(ours) / statistics.median(plain)
        print(f"recall p50 {ms(ours)}, plain FTS5 query p50 {ms(plain)}, ratio {ratio:.2f}")
        print(f"first recall of a process {first:.2f} s, after a save {after * 1000:.1f} ms; save p50 {ms(saved)}")
        memory.close()


def statement(chance: random.Random) -> str:
    """A sentence about an invented part of a program."""
    claim = chance.choice(CLAIMS).format(a=chance.choice(PARTS), b=chance.choice(PARTS))
    return f"The {chance.choice(WORDS)} {chance.choice(SUBJECTS)} {chance.choice(PARTS)} {claim}"


def fill(memory: Memory, workspace_id: str, count: int, chance: random.Random) -> None:
    """Write records over the last three years in one transaction."""
    now = time.time()
    notes = [
        Note(f"n{i:06}", "decision", f"{statement(chance)} (case {i})", now - (count - i) * 950.0, workspace_id)
        for i in range(count)
    ]
    memory.ledger.store.restore(notes, [])


def plain_fts(memory: Memory, words: tuple[str, ...]) -> None:
    """The best five by BM25 alone."""
    with memory.ledger.store.database.read() as connection:
        connection.execute(
            "SELECT rowid FROM notes_fts WHERE notes_fts MATCH ? ORDER BY rank LIMIT 5", (match_expression(words),)
        ).fetchall()


def seconds(work: Callable[[], object]) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def ms(times: list[float]) -> str:
    """The median in milliseconds."""
    return f"{statistics.median(times) * 1000:.1f} ms"


if __name__ == "__main__":
    main()
