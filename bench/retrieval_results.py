#!/usr/bin/env python3
"""What each constant of the ranking is worth: bench/RESULTS.md, made anew.

    bench/retrieval_results.py --data FOLDER [--corpus FOLDER] [--out FILE]

Every constant is set to what takes its effect away, alone, and the same questions are asked again: NDCG@10 on source
folders and whole checkouts of the file-level benchmark (each file once, with its best entity), recall@5 on the entity
benchmark, and whether the right file is among ten for questions in everyday words (paraphrases.py). Differences are
paired by question, with 95 % intervals by bootstrap. Takes some minutes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import entity_corpus
import entity_recall
import paraphrases
import retrieval
from entity_recall import paired

import zerikai_memory.retrieve.concepts as concepts
import zerikai_memory.retrieve.documents as documents
import zerikai_memory.retrieve.names as names
import zerikai_memory.retrieve.prepared as prepared
import zerikai_memory.retrieve.rank as rank
import zerikai_memory.retrieve.search as search
import zerikai_memory.retrieve.traits as traits
import zerikai_memory.retrieve.wording as wording
import zerikai_memory.store.lexical as lexical
import zerikai_memory.store.words as words
from zerikai_memory.app import Memory
from zerikai_memory.retrieve.query import understand
from zerikai_memory.retrieve.search import Searcher, SearchOptions
from zerikai_memory.settings import Settings

HERE = Path(__file__).resolve().parent
MODULES = (rank, prepared, search, traits, names, lexical, words, documents, wording, concepts)
# Sets of paraphrases.json. The one that is to be quoted is not asked here.
PLAIN_SETS = ("held out", "natural", "elsewhere")
# name of the row, and what is set for it
ABLATIONS: dict[str, dict[str, object]] = {
    "words alone (LEXICAL_SHARE 1, no file vector)": {"LEXICAL_SHARE": 1.0, "FILE_VECTOR_WEIGHT": 0.0},
    "vectors alone (LEXICAL_SHARE 0)": {"LEXICAL_SHARE": 0.0},
    "LEXICAL_SHARE .4": {"LEXICAL_SHARE": 0.4},
    "LEXICAL_SHARE .6": {"LEXICAL_SHARE": 0.6},
    "no FILE_SUM_WEIGHT": {"FILE_SUM_WEIGHT": 0.0},
    "FILE_TOP 1": {"FILE_TOP": 1},
    "no FILE_VECTOR_WEIGHT": {"FILE_VECTOR_WEIGHT": 0.0},
    "no KEYWORD_SCALE": {"KEYWORD_SCALE": 0.0},
    "no CONSTRUCTOR_FACTOR": {"CONSTRUCTOR_FACTOR": 1.0},
    "no LOCAL_FACTOR": {"LOCAL_FACTOR": 1.0},
    "no PRIVATE_FACTOR": {"PRIVATE_FACTOR": 1.0},
    "no CONSTANT_FACTOR": {"CONSTANT_FACTOR": 1.0},
    "no MODULE_MEMBER_FACTOR": {"MODULE_MEMBER_FACTOR": 1.0},
    "no class for its member (CLASS_COSINE_SLACK)": {"CLASS_COSINE_SLACK": -9.0, "PRIVATE_COSINE_SLACK": -9.0},
    "PRIVATE_COSINE_SLACK as for the public": {"PRIVATE_COSINE_SLACK": 0.03},
    "no boost of names (EXACT_NAME, SAME_NAME_OTHER_CASE)": {"EXACT_NAME": 0.0, "SAME_NAME_OTHER_CASE": 0.0},
    "no SAME_NAME_OTHER_CASE": {"SAME_NAME_OTHER_CASE": 0.0},
    "no MODULE_NAME_FACTOR": {"MODULE_NAME_FACTOR": 1.0},
    "no MEMBER_NAME_FACTOR": {"MEMBER_NAME_FACTOR": 1.0},
    "no SIDE_FILE_FACTOR": {"SIDE_FILE_FACTOR": 1.0},
    "MOSTLY .5": {"MOSTLY": 0.5},
    "no LEGACY_FACTOR": {"LEGACY_FACTOR": 1.0},
    "no document is decisive (DECISIVE)": {"DECISIVE": 1e9},
    "no place for the best section (AHEAD)": {"AHEAD": 1e9},
    "all COLUMN_WEIGHTS 1": {"COLUMN_WEIGHTS": (1.0, 1.0, 1.0, 1.0, 1.0)},
    "no prefixes (MIN_PREFIX)": {"MIN_PREFIX": 99},
    "POOL 50": {"POOL": 50},
    "nothing is meant (MEANT_BELOW 0)": {"MEANT_BELOW": 1e-9},
    "MEANT_BELOW .8": {"MEANT_BELOW": 0.8},
    "no MEANT_WEIGHT: what is meant counts in the vector alone": {"MEANT_WEIGHT": 0.0},
    "MEANT_WEIGHT 2": {"MEANT_WEIGHT": 2.0},
    "CONCEPTS 3": {"CONCEPTS": 3},
    "WORDS 12": {"WORDS": 12},
}
TEXT = """# What the constants of the ranking are worth

Made by `bench/retrieval_results.py`; do not edit. Each row sets one constant to what takes its effect away and asks the
same questions again. A minus means that the shipped ranking is better. Intervals are paired, 95 %, by bootstrap over
the questions. The constants were chosen on the development part of the file-level benchmark and on docstring sentences
of other projects. The entity set was made afterwards; on it and on paraphrases only how much the words that are meant
count was chosen (MEANT_BELOW, MEANT_WEIGHT).

- **source**: NDCG@10, {dev} questions, source folders of eight projects; shipped: **{dev_mean:.3f}**
- **whole**: NDCG@10, {whole} questions, whole checkouts of five Python projects; shipped: **{whole_mean:.3f}**
- **entity**: recall@5 of the entity, {entity} questions over {projects} projects (docstring, paraphrase, usage);
  shipped: **{entity_mean:.3f}**
- **plain**: right file among ten, {plain} questions that share no content word with it (`bench/paraphrases.py`, sets
  held out, natural and elsewhere), refused ones counted as wrong; shipped: **{plain_mean:.3f}**

| change | source | whole | entity | plain |
| --- | --- | --- | --- | --- |
{rows}

## The right entity among five, against each side alone

```
{table}
```

`unshared vocabulary`: no word of the question stands in what is indexed of the right entity. What the set cannot tell
is said in `bench/entity_questions.py`.
"""


class Sets:
    """The questions of the four sets, asked of indexes that stay as they are while constants change."""

    def __init__(self, run: retrieval.Run, home: Path, projects: list[entity_recall.Project]) -> None:
        self._harness = run.harness
        self._memory = Memory(Settings(home=home, vector_store="exact"))
        self._repos = {"source": run.repos(), "whole": run.repos(whole=True)}
        self._projects = projects
        self._plain = dict(self._plain_questions(run))
        for folder in (*(repo["dir"] for repos in self._repos.values() for repo in repos), *self._plain):
            self._memory.scan(folder)

    def _plain_questions(self, run: retrieval.Run) -> Iterator[tuple[str, list[list[str]]]]:
        """(folder, questions with their files) of each project that the sets ask about."""
        places = [(project, run.corpus / "others") for project in retrieval.OTHERS]
        places += [(project, run.corpus / "entities") for project in entity_corpus.PROJECTS]
        seen = set()
        for project, corpus in places:
            name = project["name"]
            questions = [one for each in PLAIN_SETS for one in paraphrases.SETS[each].get(name, ())]
            if questions and name not in seen:
                seen.add(name)
                yield str(retrieval.fetched(project, corpus)), questions

    def asked(self) -> dict[str, list[float]]:
        """Value per question of each set, in the same order every time."""
        values = {name: [v for repo in repos for v in self._file_level(repo)] for name, repos in self._repos.items()}
        values["entity"] = [
            float(question["entity_id"] in entity_recall.ranked(searcher, question["question"]))
            for project in self._projects
            for searcher in [project.searcher()]
            for question in project.questions
        ]
        values["plain"] = [value for folder in self._plain for value in self._file_found(folder)]
        return values

    def _file_found(self, folder: str) -> Iterator[float]:
        self._memory._searchers.clear()
        searcher: Searcher = self._memory._searcher(self._memory.resolve(folder))
        for question, path in self._plain[folder]:
            ranking = searcher.search(understand(question), SearchOptions(files=10, entities=20))
            yield float(not ranking.nothing_relevant and path in {c.file_path for c in ranking.candidates})

    def _file_level(self, repo: dict) -> Iterator[float]:
        self._memory._searchers.clear()
        searcher: Searcher = self._memory._searcher(self._memory.resolve(repo["dir"]))
        for question in repo["queries"]:
            ranking = searcher.search(understand(question["query"]), SearchOptions(files=10, entities=20))
            view = searcher._prepare().view
            place = {entity: i for i, entity in enumerate(view.ids)}
            best = {c.file_path: place[c.entity_id] for c in reversed(ranking.candidates)}
            hits = [
                (self._harness.canonical(path, repo), int(view.start_lines[i]), int(view.end_lines[i]))
                for path, i in reversed(best.items())
            ]
            yield self._harness.score(hits, question["targets"], 10)["ndcg"]

    def close(self) -> None:
        self._memory.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--corpus", type=Path, default=HERE / "corpus")
    parser.add_argument("--out", type=Path, default=HERE / "RESULTS.md")
    args = parser.parse_args()
    sys.path.insert(0, str(args.data))
    import harness

    run = retrieval.Run(args.data, args.corpus, harness, details=False)
    with tempfile.TemporaryDirectory() as home, entity_recall.indexed(args.corpus / "entities") as projects:
        table = entity_recall.table([one for project in projects for one in entity_recall.compare(project)])
        sets = Sets(run, Path(home), projects)
        shipped = sets.asked()
        rows = []
        for name, changes in ABLATIONS.items():
            with changed(changes):
                rows.append(told(name, shipped, sets.asked()))
            print(rows[-1], flush=True)
        sets.close()
    figures = {
        f"{short}{suffix}": value
        for short, name in (("dev", "source"), ("whole", "whole"), ("entity", "entity"), ("plain", "plain"))
        for suffix, value in (("", len(shipped[name])), ("_mean", sum(shipped[name]) / len(shipped[name])))
    }
    count = len({project.questions[0]["project"] for project in projects})
    args.out.write_text(
        TEXT.format(rows="\n".join(rows), table="\n".join(table), projects=count, **figures), encoding="utf-8"
    )
    return 0


@contextmanager
def changed(constants: dict[str, object]) -> Iterator[None]:
    """The constants with other values in every module that holds them."""
    places = [(module, name) for name in constants for module in MODULES if name in vars(module)]
    if {name for _, name in places} != constants.keys():
        raise SystemExit(f"no module has {constants.keys() - {name for _, name in places}}; mend ABLATIONS")
    before = [getattr(module, name) for module, name in places]
    for module, name in places:
        setattr(module, name, constants[name])
    try:
        yield
    finally:
        for (module, name), value in zip(places, before, strict=True):
            setattr(module, name, value)


def told(name: str, shipped: dict[str, list[float]], values: dict[str, list[float]]) -> str:
    cells = []
    for key, before in shipped.items():
        mean, low, high = paired([b - a for a, b in zip(before, values[key], strict=True)])
        cells.append(f"{mean:+.3f} [{low:+.3f}, {high:+.3f}]")
    return f"| {name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
