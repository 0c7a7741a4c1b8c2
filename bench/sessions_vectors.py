"""Do the static vectors help to find what was said in other words? Measured before adding them to past sessions.

Run: python bench/sessions_vectors.py [MESSAGES] (20,000). The records of tests/data/recall are planted as messages
among generated ones and asked with that set's questions, many of them paraphrases. Three ways, each the share of
questions whose answer is among the first 3: the search as it is (BM25), the same candidates ordered half by vector, and
with the nearest messages by vector added as candidates. Also what the vectors cost: size and time to make them.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.memory.recallkit import questions, rows
from tests.sessions.archives import open_archive
from tests.sessions.generator import START, Talk, talks, write
from zerikai_memory.embed.static import StaticEmbedder
from zerikai_memory.model_sessions import SessionHit
from zerikai_memory.sessions.search import search
from zerikai_memory.store.session_filter import SessionFilter

SETS = (("records.txt", "questions.txt"), ("compiler_records.txt", "compiler_questions.txt"))
CANDIDATES = 60
FAR, NEAR = 1.5, 0.3


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    embedder = StaticEmbedder()
    planted = {row.key: row.content for name, _ in SETS for row in rows(name)}
    asked = [(q.text, set(q.expected)) for _, name in SETS for q in questions(name) if q.expected]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        for number, talk in enumerate(talks(3, max(count // 400, 1), 400)):
            write(home, "claude-code" if number % 2 else "codex", talk)
        said = [("assistant" if i % 2 else "user", text) for i, text in enumerate(planted.values())]
        write(home, "claude-code", Talk("records", "/home/dev/shop", START, said))
        archive = open_archive(home, brain=Path(folder) / "brain")
        archive.index()
        every = list(archive.store.proposals.said(SessionFilter()))
        started = time.process_time()
        vectors = embedder.encode([turn.text for turn in every])
        spent = time.process_time() - started
        keys = {text: key for key, text in planted.items()}
        found = {"BM25": 0, "BM25 + vector order": 0, "vector candidates too": 0}
        missed = []
        for question, expected in asked:
            hits = search(archive.store, question, SessionFilter(), CANDIDATES)
            texts = [archive.show(hit.session, hit.step, hit.step)[0].text for hit in hits]
            vector = embedder.encode([question])[0]
            distances = 2.0 - 2.0 * (vectors @ vector)
            near = [every[i].text for i in np.argsort(distances)[:CANDIDATES]]
            orders = {
                "BM25": texts,
                "BM25 + vector order": ordered(texts, hits, embedder, vector),
                "vector candidates too": ordered(
                    [*texts, *(t for t in near if t not in texts)], hits, embedder, vector
                ),
            }
            for way, order in orders.items():
                right = bool(expected & {keys.get(text, "") for text in order[:3]})
                found[way] += right
                if way == "BM25" and not right:
                    missed.append(question)
        archive.close()
    print(f"{len(every)} messages, {len(asked)} questions; answer among the first 3:")
    for way, number in found.items():
        print(f"  {way}: {number} ({number / len(asked):.0%})")
    size = vectors.nbytes / 2 / len(every)  # stored as float16
    print(f"vectors: {size:.0f} bytes a message, {len(every) / spent:.0f} messages/s")
    print("BM25 missed, for example:", *missed[:8], sep="\n  ")
    return 0


def ordered(texts: list[str], hits: list[SessionHit], embedder: StaticEmbedder, vector: np.ndarray) -> list[str]:
    """Texts by half their BM25 score (0 for those without) and half their nearness."""
    if not texts:
        return []
    scores = np.zeros(len(texts))
    scores[: len(hits)] = [hit.score for hit in hits]
    best = scores.max() or 1.0
    distances = 2.0 - 2.0 * (embedder.encode(texts) @ vector)
    weight = 0.5 * scores / best + 0.5 * np.clip((FAR - distances) / (FAR - NEAR), 0.0, 1.0)
    return [texts[i] for i in np.argsort(-weight, kind="stable")]


if __name__ == "__main__":
    sys.exit(main())
