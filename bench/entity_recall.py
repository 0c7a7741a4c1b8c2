#!/usr/bin/env python3
"""Does the right entity come among the first five? Questions and answers are in bench/entity_questions.json.

    bench/entity_recall.py [--corpus FOLDER] [--json FILE]

The default ranking is compared with BM25 alone and with vectors alone over the same index, question by question, with
paired 95 % intervals. `unshared` are the questions none of whose words stands in what is indexed of the right entity.
How the questions were made, and what they cannot tell, is said in entity_questions.py.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import entity_corpus

from zerikai_memory import scanning
from zerikai_memory.app import Memory
from zerikai_memory.lang.extract import extract
from zerikai_memory.model import Extraction
from zerikai_memory.retrieve.query import understand
from zerikai_memory.retrieve.search import Searcher, SearchOptions
from zerikai_memory.settings import Settings
from zerikai_memory.store.lexical import lexical_scores, words_in_rows
from zerikai_memory.store.vectors import ExactVectorIndex

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus" / "entities"
QUESTIONS = HERE / "entity_questions.json"
FIRST = 5
ROUNDS = 5_000


@dataclass
class Asked:
    """One question with what each way of searching found: whether the entity was among the first five."""

    question: dict
    unshared: bool
    found: dict[str, bool] = field(default_factory=dict)


@dataclass
class Project:
    """An indexed project and the questions about it; `bare` indexes have no docstrings."""

    memory: Memory
    folder: Path
    questions: list[dict]

    def searcher(self) -> Searcher:
        self.memory._searchers.clear()  # constants of the ranking may have changed
        return self.memory._searcher(self.memory.resolve(str(self.folder)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    with indexed(args.corpus) as projects:
        asked = [one for project in projects for one in compare(project)]
    for line in table(asked):
        print(line)
    if args.json:
        args.json.write_text(json.dumps([vars(one) for one in asked]), "utf-8")
    return 0


@contextmanager
def indexed(corpus: Path) -> Iterator[list[Project]]:
    """All projects scanned: once without docstrings, once with them, in a brain of its own."""
    questions = json.loads(QUESTIONS.read_text("utf-8"))
    projects: list[Project] = []
    with tempfile.TemporaryDirectory() as home:
        for bare in (True, False):
            memory = Memory(Settings(home=Path(home) / str(bare), vector_store="exact"))
            # The one place where a scan takes its extractor from; a benchmark may exchange it.
            scanning.extract = without_docstrings if bare else extract
            for project in entity_corpus.PROJECTS:
                own = [q for q in questions if q["project"] == project["name"] and (q["form"] != "usage") == bare]
                if own:
                    root = entity_corpus.fetch(project, corpus) / project["root"]
                    memory.scan(str(root))
                    projects.append(Project(memory, root, own))
        scanning.extract = extract
        yield projects
        for memory in {id(p.memory): p.memory for p in projects}.values():
            memory.close()


def compare(project: Project) -> Iterator[Asked]:
    """Each question asked in three ways: as shipped, words alone, vectors alone."""
    searcher = project.searcher()
    prepared = searcher._prepare()
    view, index = prepared.view, searcher._index
    row = {entity: int(view.rowids[i]) for i, entity in enumerate(view.ids)}
    for question in project.questions:
        query, wanted = understand(question["question"]), question["entity_id"]
        if wanted not in row:
            raise SystemExit(f"{question['project']}: {question['name']} is not in the index; make the questions again")
        words = [view.ids[prepared.position[r]] for r, _ in lexical_scores(index, query.words, FIRST)]
        near, _ = ExactVectorIndex(view).search(searcher._embedder.encode([query.plain])[0], FIRST)
        shared = any(words_in_rows(index, [row[wanted]], query.terms).values())
        hits = project.memory.query(question["question"], str(project.folder), limit=FIRST).results
        found = {
            "default": wanted in [hit.entity_id for hit in hits],
            "words": wanted in words,
            "vectors": wanted in near,
        }
        yield Asked(question, not shared, found)


def ranked(searcher: Searcher, question: str) -> list[str]:
    """Entity ids as the ranking orders them for a default reply."""
    ranking = searcher.search(understand(question), SearchOptions(files=(FIRST + 1) // 2, entities=FIRST))
    return [candidate.entity_id for candidate in ranking.candidates]


@dataclass(frozen=True)
class Gap:
    """Recall of each way over a group of questions, and the default minus the better single way with its interval."""

    name: str
    asked: int
    means: dict[str, float]
    better: str
    difference: tuple[float, float, float]


def gaps(asked: list[Asked]) -> list[Gap]:
    """All questions, those of unshared vocabulary, each form and each language."""
    groups = {"all": asked, "unshared vocabulary": [one for one in asked if one.unshared]}
    for key in ("form", "language"):
        groups |= {v: [a for a in asked if a.question[key] == v] for v in sorted({a.question[key] for a in asked})}
    found = []
    for name, group in groups.items():
        if not group:
            continue
        means = {way: statistics.fmean(one.found[way] for one in group) for way in ("default", "words", "vectors")}
        better = max("words", "vectors", key=lambda way: means[way])
        difference = paired([one.found["default"] - one.found[better] for one in group])
        found.append(Gap(name, len(group), means, better, difference))
    return found


def told(gap: Gap) -> str:
    """The figures of a group in a few words."""
    mean, low, high = gap.difference
    return f"{gap.means['default']:.3f}, {gap.better} + {mean:.3f} [{low:+.3f}, {high:+.3f}]"


def table(asked: list[Asked]) -> list[str]:
    lines = [f"{'':22}{'n':>5} default  words vectors  default minus the better one, paired, 95 %"]
    for gap in gaps(asked):
        shown = "".join(f"{mean:8.3f}" for mean in gap.means.values())
        mean, low, high = gap.difference
        lines.append(f"{gap.name:22}{gap.asked:5}{shown}  {mean:+.3f} [{low:+.3f}, {high:+.3f}] ({gap.better})")
    return lines


def paired(differences: list[float], seed: int = 7) -> tuple[float, float, float]:
    """Mean difference and its 95 % interval by bootstrap over the questions."""
    chance = random.Random(seed)
    means = sorted(statistics.fmean(chance.choices(differences, k=len(differences))) for _ in range(ROUNDS))
    return statistics.fmean(differences), means[int(ROUNDS * 0.025)], means[int(ROUNDS * 0.975)]


def without_docstrings(source: bytes, path: str, **options: object) -> Extraction:
    """The extraction as if nobody had written docstrings: taken from the entities and from all bodies of the file."""
    extraction = extract(source, path, **options)
    said = [re.findall(r"\w+", entity.docstring) for entity in extraction.entities if entity.docstring]
    runs = [re.compile(r"\W+".join(map(re.escape, words[:60]))) for words in said if len(words) > 1]
    bodies = {}
    for entity_id, body in extraction.bodies.items():
        bodies[entity_id] = body
        for run in runs:
            bodies[entity_id] = run.sub(" ", bodies[entity_id], count=1)
    entities = tuple(replace(entity, docstring=None) for entity in extraction.entities)
    return replace(extraction, entities=entities, bodies=bodies)


if __name__ == "__main__":
    sys.exit(main())
