#!/usr/bin/env python3
"""Does it say no to what the project has nothing about, and yes to what it has?

    bench/offtopic.py [--embedding NAME] NAME=FOLDER ...        NAME is a project of offtopic.json

Every off-topic question is asked of every project, the answerable ones of their own (django 5.2.19 and, from npm,
express 5.2.1, @trpc/server 11.16.0, reveal.js 5.2.1). Prints the shares of off-topic questions refused and of
answerable ones kept, by project and kind, and names those that went wrong. No model is asked. The weight of unknown
words was chosen on the kinds without "held back", which were written afterwards; the share let through with a look at
all.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

QUESTIONS = json.loads((Path(__file__).parent / "offtopic.json").read_text(encoding="utf-8"))
OFF_TOPIC, ANSWERABLE = QUESTIONS["off_topic"], QUESTIONS["answerable"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--embedding", default="static")
    parser.add_argument("projects", nargs="+", metavar="NAME=FOLDER")
    args = parser.parse_args()
    projects = dict(item.partition("=")[::2] for item in args.projects)
    if not projects.keys() <= ANSWERABLE.keys():
        print(f"known projects: {', '.join(ANSWERABLE)}", file=sys.stderr)
        return 2
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as home:
        memory = Memory(Settings(home=Path(home), vector_store="exact", embedding=args.embedding))
        for name, folder in projects.items():
            memory.scan(folder)
            measure(memory, name, folder, asked, right)
        memory.close()
    print(f"\n{'':28} {args.embedding}")
    for key in asked:
        print(f"{key:28} {right[key]:4} of {asked[key]:4}  {right[key] / asked[key]:.3f}")
    return 0


def measure(memory: Memory, name: str, folder: str, asked: Counter[str], right: Counter[str]) -> None:
    rows = [(kind, question, True) for kind, questions in OFF_TOPIC.items() for question in questions]
    rows += [("answerable", question, False) for question in ANSWERABLE[name]]
    for kind, question, refuse in rows:
        good = memory.query(question, folder).nothing_relevant is refuse
        for key in ("off-topic refused" if refuse else "answerable kept", f"  {kind}", f"  {name}, {kind}"):
            asked[key] += 1
            right[key] += good
        if not good:
            print(f"{name}: {'answered' if refuse else 'refused'}: {question}")


if __name__ == "__main__":
    sys.exit(main())
