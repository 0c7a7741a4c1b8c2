#!/usr/bin/env python3
"""Does it answer a question with a slip of the pen as it answers the right one?

    bench/misspelt.py [--seed N] [--words N] NAME=FOLDER ...        NAME is a project of offtopic.json

Breaks a letter of one word (or of --words) of 60 of the answerable questions of offtopic.json, and of as many of its
off-topic ones: two letters swapped, one left out, doubled, put in or replaced, by a fixed seed. Prints how many are
kept and have the first result of the right question, and how many off-topic ones are refused, with correction and
without.
"""

from __future__ import annotations

import argparse
import json
import random
import string
import sys
import tempfile
from collections import Counter
from pathlib import Path

from zerikai_memory.app import Memory
from zerikai_memory.model import QueryAnswer
from zerikai_memory.retrieve.spelling import Speller, is_word
from zerikai_memory.settings import Settings
from zerikai_memory.store.words import STOP_WORDS

QUESTIONS = json.loads((Path(__file__).parent / "offtopic.json").read_text(encoding="utf-8"))
ASKED = 60
MIN_LETTERS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--words", type=int, default=1)
    parser.add_argument("projects", nargs="+", metavar="NAME=FOLDER")
    args = parser.parse_args()
    projects = dict(item.partition("=")[::2] for item in args.projects)
    dice = random.Random(args.seed)
    answerable = [(name, question) for name in projects for question in QUESTIONS["answerable"][name]]
    off_topic = [(name, q) for name in projects for questions in QUESTIONS["off_topic"].values() for q in questions]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as home:
        memory = Memory(Settings(home=Path(home), vector_store="exact"))
        for folder in projects.values():
            memory.scan(folder)
        for name, question in dice.sample(answerable, min(ASKED, len(answerable))):
            right = memory.query(question, projects[name])
            for how, answer in asked(memory, broken(question, args.words, dice), projects[name]).items():
                counts[f"kept {how}"] += not answer.nothing_relevant
                counts[f"same first result {how}"] += first(answer) == first(right)
        for name, question in dice.sample(off_topic, min(ASKED, len(off_topic))):
            for how, answer in asked(memory, broken(question, args.words, dice), projects[name]).items():
                counts[f"off-topic refused {how}"] += answer.nothing_relevant
        memory.close()
    for key, count in counts.items():
        print(f"{key:40} {count:3} of {ASKED}")
    return 0


def asked(memory: Memory, question: str, folder: str) -> dict[str, QueryAnswer]:
    """The answers with and without correction."""
    corrected = Speller.corrected
    found = {"with correction": memory.query(question, folder)}
    Speller.corrected = lambda self, query: (query, ())  # type: ignore[method-assign]
    try:
        found["without"] = memory.query(question, folder)
    finally:
        Speller.corrected = corrected  # type: ignore[method-assign]
    return found


def first(answer: QueryAnswer) -> str:
    return answer.results[0].entity_id if answer.results else ""


def broken(question: str, times: int, dice: random.Random) -> str:
    words = question.split()
    plain = [i for i, word in enumerate(words) if len(word) >= MIN_LETTERS and word.isalpha() and is_word(word)]
    plain = [i for i in plain if words[i] not in STOP_WORDS]
    for i in dice.sample(plain, min(times, len(plain))):
        slips = {slip(words[i], dice) for _ in range(20)} - {words[i]}
        words[i] = dice.choice(sorted(slips))
    return " ".join(words)


def slip(word: str, dice: random.Random) -> str:
    i, letter = dice.randrange(len(word) - 1), dice.choice(string.ascii_lowercase)
    return dice.choice(
        (
            word[:i] + word[i + 1] + word[i] + word[i + 2 :],
            word[:i] + word[i + 1 :],
            word[: i + 1] + word[i:],
            word[:i] + letter + word[i:],
            word[:i] + letter + word[i + 1 :],
        )
    )


if __name__ == "__main__":
    sys.exit(main())
