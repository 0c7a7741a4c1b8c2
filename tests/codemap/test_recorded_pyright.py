"""Calls of a small project against what Pyright's language server said of them (tests/data/map_python/pyright.json)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.codemap.test_python import TreeFacts
from zerikai_memory.codemap.project import Project
from zerikai_memory.codemap.python import PythonResolver

ROOT = Path(__file__).parents[1] / "data" / "map_python"


def test_calls_lead_where_pyright_says() -> None:
    facts = TreeFacts({p.relative_to(ROOT).as_posix(): p.read_text() for p in ROOT.rglob("*.py")})
    resolver = PythonResolver(Project(facts))
    ours: dict[tuple[str, int, str], set[tuple[str, str]]] = {}
    for path in facts.paths():
        for edge in resolver.resolve(path):
            if edge.kind == "call" and edge.evidence == "resolved" and edge.target:
                target = facts.entities[edge.target]
                place = (path, edge.line, edge.target_name.rpartition(".")[2])
                # The constructor that a class has or inherits is an edge of its own beside that to the class.
                if target.name != "__init__" or place[2] == "__init__":
                    ours.setdefault(place, set()).add((target.file_path, target.qualified_name))
    said = {
        (path, line, name): {(file, qualified.removesuffix(".__init__")) for file, qualified in targets}
        for path, line, name, targets in json.loads((ROOT / "pyright.json").read_text())
    }
    assert {place: targets for place, targets in ours.items() if place in said} == said
