#!/usr/bin/env python3
"""Does the right entity come first? Questions are docstring sentences of entities whose docstrings the index lacks.

    bench/entity_recall.py FOLDER ...        one scanned project a folder

Docstrings and JSDoc are taken out before indexing. Of each project up to 150 entities are asked for by the first
sentence of their own docstring, when it has 5 to 30 words, stands once in the project and is not just the name.
Prints recall@1, recall@5 of the entity and of its file among the default five results. The figures beside the
constants of retrieve/rank.py come from this set on click, httpx, starlette, pydantic, axios, express, @trpc/server and
Django: code that nobody here wrote, but sentences that its authors wrote about it.
"""

from __future__ import annotations

import random
import re
import sys
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from zerikai_memory import scanning
from zerikai_memory.app import Memory
from zerikai_memory.lang.extract import extract
from zerikai_memory.model import Extraction
from zerikai_memory.settings import Settings

ASKED = ("function", "method", "class", "component", "interface", "type")
MOST = 150
Targets = dict[str, list[tuple[str, str, str]]]  # sentence -> (entity id, name, path)


def main() -> int:
    folders = [Path(argument).resolve() for argument in sys.argv[1:]]
    if not folders or not all(folder.is_dir() for folder in folders):
        print(__doc__, file=sys.stderr)
        return 2
    totals = [0, 0, 0, 0, 0]
    for folder in folders:
        found = measure(folder)
        totals = [total + count for total, count in zip(totals, found, strict=True)]
        show(folder.name, found)
    show("all", totals)
    return 0


def measure(folder: Path) -> list[int]:
    """[questions, entity first, entity in five, file first, file in five]."""
    targets: Targets = defaultdict(list)

    def without_docstrings(source: bytes, path: str, **options: object) -> Extraction:
        return strip(extract(source, path, **options), targets)

    # The one place where a scan takes its extractor from; a benchmark may exchange it.
    scanning.extract = without_docstrings
    counts = [0, 0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as home:
        memory = Memory(Settings(home=Path(home), vector_store="exact"))
        memory.scan(str(folder))
        for sentence, (wanted, path) in questions(targets):
            hits = memory.query(sentence, str(folder), limit=5).results
            ids, paths = [hit.entity_id for hit in hits], [hit.file_path for hit in hits]
            right = (True, ids[:1] == [wanted], wanted in ids, paths[:1] == [path], path in paths)
            counts = [count + int(good) for count, good in zip(counts, right, strict=True)]
        memory.close()
    return counts


def strip(extraction: Extraction, targets: Targets) -> Extraction:
    entities, bodies = [], dict(extraction.bodies)
    for entity in extraction.entities:
        if entity.docstring and entity.entity_type in ASKED:
            sentence = first_sentence(entity.docstring)
            if 5 <= len(sentence.split()) <= 30:
                targets[sentence].append((entity.id, entity.name, entity.file_path))
            body = re.sub(r'("""|\'\'\').*?\1', "", bodies.get(entity.id, ""), count=1, flags=re.DOTALL)
            bodies[entity.id] = re.sub(r"/\*\*.*?\*/", "", body, count=1, flags=re.DOTALL)
            entity = replace(entity, docstring=None)
        entities.append(entity)
    return replace(extraction, entities=tuple(entities), bodies=bodies)


def questions(targets: Targets) -> list[tuple[str, tuple[str, str]]]:
    chosen = [
        (sentence, (found[0][0], found[0][2]))
        for sentence, found in sorted(targets.items())
        if len(found) == 1 and not found[0][1].startswith("__") and found[0][1].lower() not in sentence.lower().split()
    ]
    random.Random(1).shuffle(chosen)
    return chosen[:MOST]


def first_sentence(docstring: str) -> str:
    paragraph = " ".join(re.split(r"\n\s*\n", docstring.strip())[0].split())
    match = re.match(r"(.+?[.!?])(\s|$)", paragraph)
    return re.sub(r":\w+:`~?\.?([^`]+)`", r"\1", match.group(1) if match else paragraph).replace("`", "")


def show(name: str, counts: list[int]) -> None:
    asked, *right = counts
    shares = "  ".join(
        f"{label} {count / max(asked, 1):.3f}"
        for label, count in zip(("entity@1", "entity@5", "file@1", "file@5"), right, strict=True)
    )
    print(f"{name:20} {asked:4} questions  {shares}")


if __name__ == "__main__":
    sys.exit(main())
