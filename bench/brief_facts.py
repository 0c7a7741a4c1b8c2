#!/usr/bin/env python3
"""Check the rule-made brief of real projects against facts that were written down before it was looked at.

    bench/brief_facts.py NAME=FOLDER ... [--show]        NAME is a project of brief_facts.json

Prints for each project: headings, tokens (4 characters each), which facts are in the brief, and every path or command
in it that the project does not have. Exit status 1 when a brief has not nine sections, 600 to 1,200 tokens, 16 of its
20 facts, or names what is not there.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

FACTS = json.loads((Path(__file__).parent / "brief_facts.json").read_text())
SECTIONS = 9
TOKENS = (600, 1200)
ENOUGH = 16
_SPAN = re.compile(r"`([^`\n]+)`")
_COMMAND = re.compile(r"(npm|yarn|pnpm|make|tox|python3?|pytest|npx|node)\b")
_PATH = re.compile(r"[\w.@-]+(/[\w.@-]+)*/?(?<!\.)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("projects", nargs="+", metavar="NAME=FOLDER")
    parser.add_argument("--show", action="store_true", help="print the briefs too")
    arguments = parser.parse_args()
    good = True
    for project in arguments.projects:
        name, _, folder = project.partition("=")
        text = written(Path(folder).resolve())
        if arguments.show:
            print(text)
        good &= report(name, text, Path(folder).resolve())
    return 0 if good else 1


def written(folder: Path) -> str:
    """The brief that a first scan without any model writes."""
    with tempfile.TemporaryDirectory() as home:
        memory = Memory(Settings(home=Path(home)))
        memory.scan(str(folder))
        text = memory.brief(str(folder)).text
        memory.close()
    return text


def report(name: str, text: str, folder: Path) -> bool:
    """Print what holds of one brief; whether all does."""
    headings = re.findall(r"^## .+", text, re.MULTILINE)
    tokens = len(text) // 4
    facts = [(fact, bool(re.search(pattern, text))) for fact, pattern in FACTS[name]["facts"]]
    found = sum(there for _, there in facts)
    strange = missing(text, folder)
    print(f"{name}: {len(headings)} sections, {tokens} tokens, {found} of {len(facts)} facts")
    for fact, there in facts:
        if not there:
            print(f"  not in it: {fact}")
    for what in strange:
        print(f"  does not exist: {what}")
    return len(headings) == SECTIONS and TOKENS[0] <= tokens <= TOKENS[1] and found >= ENOUGH and not strange


def missing(text: str, folder: Path) -> list[str]:
    """Code spans that are a path or a command of the project, and are not there."""
    strange = []
    for span in dict.fromkeys(_SPAN.findall(text)):
        if _COMMAND.match(span) and " " in span:
            if (wrong := no_command(span, folder)) is not None:
                strange.append(f"{span} ({wrong})")
        elif "/" in span and _PATH.fullmatch(span) and not (folder / span).exists():
            strange.append(span)
    return strange


def no_command(command: str, folder: Path) -> str | None:
    """Why a command cannot be run, as far as the project's files tell."""
    words = command.split()
    if words[0] in ("npm", "yarn", "pnpm"):
        script = words[2] if words[1:2] == ["run"] else words[1]
        manifest = folder / "package.json"
        scripts = json.loads(manifest.read_text()).get("scripts", {}) if manifest.exists() else {}
        return None if script in scripts or script in ("install", "ci") else f"no script {script}"
    if words[0] == "make":
        makefile = folder / "Makefile"
        rules = makefile.read_text() if makefile.exists() else ""
        return None if re.search(rf"^{re.escape(words[1])}\s*:", rules, re.MULTILINE) else f"no target {words[1]}"
    for word in words[1:]:
        if word.endswith(".py") and not (folder / word).exists():
            return f"no file {word}"
    return None


if __name__ == "__main__":
    sys.exit(main())
