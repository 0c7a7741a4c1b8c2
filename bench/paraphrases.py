#!/usr/bin/env python3
"""Is the right file found by questions that share no content word with it?

    bench/paraphrases.py [--embedding NAME] [--home FOLDER] [--without-concepts] NAME=FOLDER ...

NAME is a project of paraphrases.json: django 5.2.19 and, from npm, express 5.2.1 and @trpc/server 11.16.0, or one of
entity_projects.json. A question that does share a word with its file (identifiers split, stemmed as the search does it)
stops the run. Prints for each set and project how often the right file is among the first ten files, and among the ten
results of `limit=10`, and how many questions were refused as "nothing relevant", which counts as not found.
`--without-concepts` leaves the reverse dictionary out of the search; `--home` keeps the index between runs.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from zerikai_memory.app import Memory
from zerikai_memory.retrieve.concepts import Meaning, ProjectConcepts
from zerikai_memory.settings import Settings
from zerikai_memory.store.words import STOP_WORDS, search_text, split_words

SETS = json.loads((Path(__file__).parent / "paraphrases.json").read_text(encoding="utf-8"))["sets"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedding", default="static")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--without-concepts", action="store_true")
    parser.add_argument("projects", nargs="+", metavar="NAME=FOLDER")
    args = parser.parse_args()
    projects = dict(item.partition("=")[::2] for item in args.projects)
    if args.without_concepts:
        ProjectConcepts.meaning = lambda self, text, words: Meaning()
    if shared := [line for name, folder in projects.items() for line in sharing(name, Path(folder))]:
        print("questions that share a word with their file:", *shared, sep="\n  ", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        memory = Memory(Settings(home=args.home or Path(folder), vector_store="exact", embedding=args.embedding))
        for path in projects.values():
            memory.scan(path)
        print(f"{args.embedding:24} asked  in 10 files  in 10 results  refused")
        for name, questions in SETS.items():
            rows = {p: measure(memory, questions[p], path) for p, path in projects.items() if p in questions}
            for project, row in rows.items():
                show(f"{name}, {project}", row)
            if rows:
                show(name, [sum(column) for column in zip(*rows.values(), strict=True)])
        memory.close()
    return 0


def sharing(project: str, folder: Path) -> list[str]:
    found = []
    for questions in SETS.values():
        for question, path in questions.get(project, ()):
            known = stems(f"{path} {(folder / path).read_text(encoding='utf-8')}")
            words = [word for word in split_words(question) if word not in STOP_WORDS and stems(word) & known]
            if words:
                found.append(f"{path}: {question} ({', '.join(words)})")
    return found


def stems(text: str) -> set[str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text, tokenize='porter unicode61')")
        connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(words, 'row')")
        connection.execute("INSERT INTO words VALUES (?)", (search_text(text),))
        return {row[0] for row in connection.execute("SELECT term FROM terms")}


def measure(memory: Memory, questions: list[list[str]], folder: str) -> list[int]:
    """[asked, right file among ten files, among ten results, refused]."""
    counts = [0, 0, 0, 0]
    for question, path in questions:
        wide = memory.query(question, folder, limit=20)  # half as many files as entities
        narrow = memory.query(question, folder, limit=10)
        right = (
            True,
            any(hit.file_path == path for hit in wide.results),
            any(hit.file_path == path for hit in narrow.results),
            wide.nothing_relevant,
        )
        counts = [count + int(good) for count, good in zip(counts, right, strict=True)]
    return counts


def show(name: str, row: list[int]) -> None:
    asked, files, results, refused = row
    print(f"{name:24} {asked:5}  {files:5} {files / asked:.2f}   {results:5} {results / asked:.2f}  {refused:7}")


if __name__ == "__main__":
    sys.exit(main())
