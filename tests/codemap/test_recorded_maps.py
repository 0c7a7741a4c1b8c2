"""Small projects, and what the TypeScript language service says of them (bench/oracles/record.py)."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.codemap.small_project import TextFacts
from zerikai_memory.codemap.project import Project
from zerikai_memory.codemap.resolve import Resolvers
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_map import Edge, EdgeKind, Evidence

MAPS = Path(__file__).parents[1] / "data" / "maps"
# What the service knows by inferring types: of generics, of an interface's method, of a parameter's own type.
INFERRED = {
    "typescript": {
        ("src/main.ts", 12, "visit"),
        ("src/main.ts", 14, "describe"),
        ("src/main.ts", 27, "parse"),
        ("src/registry.ts", 29, "add"),
    },
    "javascript": set[tuple[str, int, str]](),
}


def mapped(language: str) -> tuple[list[Edge], dict[str, CodeEntity], Any]:
    root = MAPS / language
    paths = [p for p in root.rglob("*.*") if p.name != "expected.json"]
    facts = TextFacts({p.relative_to(root).as_posix(): p.read_text("utf-8") for p in paths})
    resolvers = Resolvers(Project(facts))
    entities = {e.id: e for path in facts.paths() for e in (facts.file(path) or pytest.fail(path)).entities}
    edges = [edge for path in facts.paths() for edge in resolvers.resolve(path, language)]
    return edges, entities, json.loads((root / "expected.json").read_text("utf-8"))


@pytest.mark.parametrize("language", sorted(INFERRED))
def test_resolved_calls_are_those_of_the_language_service(language: str) -> None:
    edges, entities, expected = mapped(language)
    said = {(file, line, name): {tuple(p) for p in places} for file, line, name, places in expected["calls"]}
    ours: dict[tuple[str, int, str], set[tuple[str, int]]] = defaultdict(set)
    for edge in edges:
        if edge.kind is EdgeKind.CALL and edge.evidence is Evidence.RESOLVED and edge.target is not None:
            target = entities[edge.target]
            name = re.findall(r"[\w$#]+", edge.target_name)[-1]
            if target.name != "default":  # has no place that the service could be asked about
                ours[edge.file_path, edge.line, name].add((target.file_path, target.start_line))
    assert {site: places for site, places in ours.items() if not places <= said.get(site, set())} == {}
    assert said.keys() - ours.keys() == INFERRED[language]


@pytest.mark.parametrize("language", sorted(INFERRED))
def test_imports_are_those_of_the_language_service(language: str) -> None:
    edges, entities, expected = mapped(language)
    found = {
        (edge.file_path, entities[edge.target].file_path)
        for edge in edges
        if edge.kind is EdgeKind.IMPORT
        and edge.target is not None
        and entities[edge.target].entity_type is EntityType.MODULE
    }
    assert sorted(found) == sorted(map(tuple, expected["imports"]))
