"""Calls and imports of the code map against the TypeScript 5.9 language service (`findReferences`).

A call site is (file, line, called name). Expected are the sites that refer to a function, method or class of the
project; a site is found when an edge of the evidence `resolved` leads from there to one of the declarations that the
language service names. A resolved edge is wrong when the service has nothing, or something else, for its site.
An import is (file, target file).
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from folder_facts import FolderFacts
from tally import Tally

from zerikai_memory.codemap.ecmascript import ScriptResolver
from zerikai_memory.codemap.project import Project
from zerikai_memory.model import EntityType
from zerikai_memory.model_map import Edge, EdgeKind, Evidence

Site = tuple[str, int, str]
Place = tuple[str, int]
_LAST_NAME = re.compile(r"[#\w$]+$")


@dataclass
class Said:
    """What the language service says of one project: places of definitions by call site, imports."""

    sites: dict[Site, set[Place]] = field(default_factory=lambda: defaultdict(set))
    functions: set[Site] = field(default_factory=set)
    imports: set[tuple[str, str]] = field(default_factory=set)


def run(roots: Sequence[tuple[str, Path, Sequence[Path]]], modules: Path, language: str) -> list[Tally]:
    """Compare projects (name, root, files); tallies of calls found, edges that are right, imports both ways."""
    name = "TypeScript 5.9 findReferences"
    calls = Tally(name, f"{language}: intra-project calls found by resolved edges", 0.85, REASONS)
    right = Tally(name, f"{language}: resolved call edges that are right", 0.98, REASONS)
    imports = Tally(name, f"{language}: imports found", 0.995, REASONS)
    importing = Tally(name, f"{language}: import edges that are right", 0.995, REASONS)
    for label, root, paths in roots:
        names = [path.relative_to(root).as_posix() for path in paths]
        said = ask(root, names, modules)
        edges, places, partial = edges_of(root, names)
        for tally in (calls, right, imports, importing):
            tally.files += len(names)
        _compare_calls(label, said, edges, places, partial, calls, right)
        _compare_imports(label, said, edges, places, imports, importing)
    return [calls, right, imports, importing]


def ask(root: Path, names: Sequence[str], modules: Path) -> Said:
    """The answers of the language service for the files of one project."""
    script = str(Path(__file__).with_name("typescript_references.mjs"))
    command = ["node", "--stack-size=8000", "--max-old-space-size=4000", script, str(modules.resolve()), str(root)]
    output = subprocess.run(command, input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return said_of(json.loads(output))


def said_of(answer: dict[str, Any]) -> Said:
    """The answers by call site."""
    said = Said()
    for file, line, name, identity in answer["calls"]:
        home, start, named = answer["definitions"][identity]
        said.sites[file, line, name] |= {(home, start), (home, named)}
        if answer["kinds"][identity] != "value":
            said.functions.add((file, line, name))
    said.imports = {(file, target) for file, _, _, target in answer["imports"]}
    return said


def edges_of(root: Path, names: Iterable[str]) -> tuple[list[Edge], dict[str, tuple[Place, EntityType]], set[str]]:
    """Edges of a project, the place and type of each entity, and the files with syntax errors."""
    facts = FolderFacts(root, names)
    project = Project(facts)
    resolver = ScriptResolver(project)
    edges = [edge for path in sorted(project.files) for edge in resolver.resolve(path)]
    places = {}
    for path in project.files:
        home = facts.file(path)
        for entity in home.entities if home is not None else ():
            places[entity.id] = (path, entity.start_line), entity.entity_type
    return edges, places, facts.partial


def _compare_calls(
    label: str,
    said: Said,
    edges: Iterable[Edge],
    places: dict[str, tuple[Place, EntityType]],
    partial: set[str],
    calls: Tally,
    right: Tally,
) -> None:
    ours: dict[Site, list[Edge]] = defaultdict(list)
    for edge in edges:
        if edge.kind is EdgeKind.CALL and (last := _LAST_NAME.search(edge.target_name)):
            ours[edge.file_path, edge.line, last.group()].append(edge)
    for site in sorted(said.functions):
        calls.expected += 1
        if any(e.evidence is Evidence.RESOLVED and places[e.target or ""][0] in said.sites[site] for e in ours[site]):
            calls.equal += 1
        else:
            calls.differ(_cause(ours[site]), f"{label} {site} is {sorted(said.sites[site])[:2]}")
    for site, found in sorted(ours.items()):
        for edge in found:
            if edge.evidence is not Evidence.RESOLVED:
                continue
            right.expected += 1
            place, kind = places[edge.target or ""]
            if place in said.sites.get(site, ()):
                right.equal += 1
            else:
                state = "another definition" if site in said.sites else "nothing"
                theirs = sorted(said.sites.get(site, ()))[:2]
                text = f"{label} {site} {edge.target_name} ours {place} {kind} oracle {theirs}"
                right.differ(f"the service says {state}", text)


def _cause(edges: Sequence[Edge]) -> str:
    best = {edge.evidence for edge in edges}
    if Evidence.RESOLVED in best:
        return "resolved to another"
    for evidence, label in (
        (Evidence.IMPORTED_NAME, "imported-name only"),
        (Evidence.EXTERNAL, "taken for external"),
        (Evidence.SAME_NAME, "same-name only"),
    ):
        if evidence in best:
            return label
    return "no edge"


def _compare_imports(
    label: str,
    said: Said,
    edges: Iterable[Edge],
    places: dict[str, tuple[Place, EntityType]],
    found: Tally,
    right: Tally,
) -> None:
    ours = {
        (e.file_path, places[e.target][0][0])
        for e in edges
        if e.kind is EdgeKind.IMPORT and e.target is not None and places[e.target][1] is EntityType.MODULE
    }
    known = {place[0] for place, _ in places.values()}
    theirs = {pair for pair in said.imports if known >= {*pair}}
    found.left_out += len(said.imports - theirs)  # of files that extraction skips
    for tally, whole, other in ((found, theirs, ours), (right, ours, theirs)):
        tally.expected += len(whole)
        tally.equal += len(whole & other)
        for missing in sorted(whole - other):
            tally.differ("import", f"{label} {missing}")


REASONS: dict[str, str] = {
    "no edge": "the type of the receiver is inferred: generics, members of interfaces, options given as an object",
    "same-name only": "the type of the receiver is inferred; the name is offered as a guess",
    "imported-name only": "through a variable or field that may hold another function, or one of several classes",
    "taken for external": "a class that extends one of another package, whose types lead back",
    "resolved to another": "the nearest declaration is another one for the service",
    "the service says nothing": "calls through a member that the service types in another way (unions; any, as a "
    "`let` that is declared bare and set in another function)",
    "the service says another definition": "a member that is defined twice",
    "import": "a module that a test replaces by `jest.mock`: an edge of ours, no import to the service",
}
