#!/usr/bin/env python3
"""Are questions in other languages answered from code in English, and off-topic ones refused?

    bench/foreign.py FOLDER        FOLDER is the package django 5.2.19

Prints, by language, for how many questions of bench/foreign.json a right file is among ten results, and which are not.
No model is asked. Questions and table of words are by the same hand, the questions first.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

QUESTIONS = json.loads((Path(__file__).parent / "foreign.json").read_text(encoding="utf-8"))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as home:
        memory = Memory(Settings(home=Path(home), vector_store="exact"))
        memory.scan(folder)
        for language, asked in QUESTIONS["answerable"].items():
            missed = [question for question, files in asked if not found(memory, folder, question, files)]
            print(f"{language}: {len(asked) - len(missed)} of {len(asked)}", *missed, sep="\n    ")
        off_topic = QUESTIONS["off_topic"]
        answered = [question for question in off_topic if not memory.query(question, folder).nothing_relevant]
        print(f"off-topic refused: {len(off_topic) - len(answered)} of {len(off_topic)}", *answered, sep="\n    ")
        memory.close()
    return 0


def found(memory: Memory, folder: str, question: str, files: list[str]) -> bool:
    return any(hit.file_path in files for hit in memory.query(question, folder, limit=10).results)


if __name__ == "__main__":
    sys.exit(main())
