#!/usr/bin/env python3
"""Make the questions of the entity benchmark: bench/entity_questions.json.

    bench/entity_questions.py [--corpus FOLDER]

Every question has one right answer, an entity id of a real project. Nobody wrote questions for this tool: they are
sentences of the projects' authors, chosen by rule and a fixed seed, never by what a search finds.

docstring   the first sentence of the entity's docstring, JSDoc, CSS comment, first paragraph of a Markdown section or
            heading in an HTML element, 4 to 30 words (2 in HTML), standing once in the project and not naming the
            entity; docstrings are taken out of what is indexed
paraphrase  the same of other entities, with at least three words exchanged by entity_synonyms.txt: mechanical, and
            clumsier than a person's words
usage       a sentence of the project's documents that names exactly one entity of the code in code marks, the name
            taken out; the documents are not indexed, docstrings are
Limits: authors describe what their code is called; a usage sentence may be about more than the entity that it names;
HTML gives few questions, because few packages ship pages.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import entity_corpus

from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.registry import language_of
from zerikai_memory.model import CodeEntity
from zerikai_memory.store.words import STOP_WORDS, split_words

HERE = Path(__file__).resolve().parent
QUESTIONS = HERE / "entity_questions.json"
PER_FORM = {"docstring": 14, "paraphrase": 8, "usage": 12}
ASKED = frozenset(
    "function method class component interface type constant rule property section element handler".split()
)
SYNONYMS = dict(
    line.split(" ", 1)
    for line in (HERE / "entity_synonyms.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
)
LEAST_EXCHANGED = 3
MAX_FILE_BYTES = 200_000
BUILT = re.compile(r"(^|/)(dist|node_modules|build|\.git)/|\.min\.|-lock\.")


@dataclass(frozen=True)
class Question:
    """`form`, the question and the entity that answers it."""

    project: str
    form: str
    language: str
    question: str
    entity_id: str
    path: str
    name: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=HERE / "corpus" / "entities")
    args = parser.parse_args()
    made = [q for project in entity_corpus.PROJECTS for q in make(project, entity_corpus.fetch(project, args.corpus))]
    lines = ",\n ".join(json.dumps(vars(question), ensure_ascii=False) for question in made)
    QUESTIONS.write_text(f"[\n {lines}\n]\n", "utf-8")
    for key in ("form", "language", "project"):
        counts: dict[str, int] = defaultdict(int)
        for question in made:
            counts[getattr(question, key)] += 1
        print(key, dict(counts))
    return 0


def make(project: dict, folder: Path) -> list[Question]:
    entities = entities_of(folder / project["root"])
    described = [(sentence, entity) for sentence, entity in _described(entities) if _telling(sentence, entity)]
    random.Random(project["name"]).shuffle(described)
    described.sort(key=lambda pair: pair[1].language != "html")  # what is rare comes first
    chosen = [_question(project, "docstring", s, e) for s, e in described[: PER_FORM["docstring"]]]
    changed = [(paraphrased(s), e) for s, e in described[PER_FORM["docstring"] :]]
    chosen += [_question(project, "paraphrase", s, e) for s, e in changed if s][: PER_FORM["paraphrase"]]
    used = _used(entities, [path for glob in project["docs"] for path in sorted(folder.glob(glob))])
    random.Random(project["name"]).shuffle(used)
    return chosen + [_question(project, "usage", s, e) for s, e in used[: PER_FORM["usage"]]]


def entities_of(root: Path) -> list[CodeEntity]:
    found: list[CodeEntity] = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and language_of(name) and not BUILT.search(name) and path.stat().st_size <= MAX_FILE_BYTES:
            found += extract(path.read_bytes(), name).entities
    return found


def first_sentence(docstring: str) -> str:
    paragraph = " ".join(re.split(r"\n\s*\n|\n\s*[@:-]", docstring.strip())[0].split())
    match = re.match(r"(.+?[.!?])(\s|$)", paragraph)
    sentence = re.sub(r":\w+:`~?\.?([^`]+)`", r"\1", match.group(1) if match else paragraph)
    return re.sub(r"[`*]|https?://\S+|</?\w+[^>]*>", "", sentence).strip()


def paraphrased(sentence: str) -> str | None:
    exchanged = [SYNONYMS.get(word.lower(), word) for word in re.split(r"(\W+)", sentence)]
    differing = sum(a != b for a, b in zip(exchanged, re.split(r"(\W+)", sentence), strict=True))
    return "".join(exchanged) if differing >= LEAST_EXCHANGED else None


def _described(entities: list[CodeEntity]) -> list[tuple[str, CodeEntity]]:
    by_sentence: dict[str, list[CodeEntity]] = defaultdict(list)
    for entity in entities:
        if entity.docstring and entity.entity_type in ASKED and not entity.name.startswith("__"):
            by_sentence[first_sentence(entity.docstring)].append(entity)
    return [(sentence, found[0]) for sentence, found in sorted(by_sentence.items()) if len(found) == 1]


def _telling(sentence: str, entity: CodeEntity) -> bool:
    if not sentence.isascii() or re.search(r"copyright|licen[cs]e|deprecat|@|TODO", sentence, re.IGNORECASE):
        return False
    least = 2 if entity.language == "html" else 4
    words = [word for word in split_words(sentence) if word not in STOP_WORDS]
    named = entity.name.lower() in re.findall(r"[\w.#-]+", sentence.lower())
    return least <= len(sentence.split()) <= 30 and len(words) >= min(3, least) and not named


def _used(entities: list[CodeEntity], documents: list[Path]) -> list[tuple[str, CodeEntity]]:
    by_name: dict[str, list[CodeEntity]] = defaultdict(list)
    for entity in entities:
        if entity.entity_type in ("function", "method", "class", "interface", "type", "constant"):
            for name in {entity.name, entity.qualified_name}:
                by_name[name].append(entity)
    found: dict[str, CodeEntity] = {}
    for document in documents:
        text = re.sub(
            r"```.*?```|^\.\. .*$", " ", document.read_text("utf-8", "replace"), flags=re.DOTALL | re.MULTILINE
        )
        for sentence in re.split(r"(?<=[.!?])\s+|\n\s*\n|\n\s*[-*#]+ ", text):
            if asked := _asked(" ".join(sentence.split()), by_name):
                found.setdefault(*asked)
    return sorted(found.items(), key=lambda pair: pair[0])


def _asked(sentence: str, by_name: dict[str, list[CodeEntity]]) -> tuple[str, CodeEntity] | None:
    marks = re.findall(r"(?::\w+:)?`{1,2}~?\.?([\w.]+)(?:\(\))?`{1,2}", sentence)
    named = {mark for mark in marks if len(by_name.get(mark, ())) == 1}
    if len(named) != 1 or len(marks) > 2:
        return None
    (name,) = named
    entity = by_name[name][0]
    plain = re.sub(r"(?::\w+:)?`{1,2}[^`]*`{1,2}", " ", sentence)
    plain = " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)|[*_>|]", r"\1", plain).split())
    words = [word for word in split_words(plain) if word not in STOP_WORDS]
    told = entity.name.lower() in re.findall(r"\w+", plain.lower())
    return (plain, entity) if len(words) >= 5 and len(plain.split()) <= 35 and not told and plain.isascii() else None


def _question(project: dict, form: str, sentence: str, entity: CodeEntity) -> Question:
    name = entity.qualified_name or entity.name
    return Question(project["name"], form, entity.language, sentence, entity.id, entity.file_path, name)


if __name__ == "__main__":
    sys.exit(main())
