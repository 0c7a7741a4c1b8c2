"""Read script project files: package.json and tsconfig.json."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from zerikai_memory.brief.facts import Command, Dependency, EntryPoint, Manifest
from zerikai_memory.brief.parsed import strings, table, word

_LOCK_FILES = (
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lockb", "bun"),
    ("bun.lock", "bun"),
    ("package-lock.json", "npm"),
)
_GROUPS = (("dependencies", ""), ("peerDependencies", "peer"), ("devDependencies", "dev"))
# Scripts that package managers run by themselves.
_HOOK = re.compile(r"^(pre|post)(install|pack|publish|version|test|build|commit)|^prepare$")
# Named first, since a long list is cut.
_USUAL_SCRIPTS = ("dev", "start", "build", "test", "lint", "typecheck", "format")
_TOOLS = (
    "typescript",
    "eslint",
    "prettier",
    "@biomejs/biome",
    "vitest",
    "jest",
    "mocha",
    "@playwright/test",
    "cypress",
    "turbo",
    "nx",
    "lerna",
    "vite",
    "webpack",
    "rollup",
    "tsdown",
    "tsup",
    "esbuild",
)


def read_package_json(path: str, text: str, present: frozenset[str]) -> Manifest | None:
    """What package.json declares; None when it is damaged. `present` are the files of the project."""
    try:
        data = json.loads(text)
    except ValueError:
        return None
    if not isinstance(data, dict):
        return None
    used = table(data, "devDependencies") | table(data, "dependencies")
    engine = word(table(data, "engines").get("node"))
    return Manifest(
        path,
        name=word(data.get("name")),
        version=word(data.get("version")),
        description=word(data.get("description")),
        licence=word(data.get("license")),
        runtime=f"Node {engine}" if engine else "",
        keywords=tuple(strings(data.get("keywords"))),
        dependencies=tuple(
            Dependency(name, word(version), group)
            for key, group in _GROUPS
            for name, version in table(data, key).items()
        ),
        entry_points=tuple(_entry_points(path, data, present)),
        commands=tuple(_commands(path, data, present)),
        tools=tuple(name for name in _TOOLS if name in used),
        notes=_module_system(data, used, present),
    )


def _module_system(data: Mapping[str, Any], used: Mapping[str, Any], present: frozenset[str]) -> tuple[str, ...]:
    """What Node takes a .js file of the package for; a package that is compiled says nothing by it."""
    if data.get("type") == "module":
        return ('ES modules (`"type": "module"`)',)
    scripts = any(file.endswith((".js", ".cjs")) for file in present)
    compiled = "typescript" in used or any(file.endswith((".ts", ".tsx", ".mjs")) for file in present)
    return ("CommonJS modules",) if scripts and not compiled and _GROUPS[0][0] in data else ()


def _entry_points(path: str, data: Mapping[str, Any], present: frozenset[str]) -> list[EntryPoint]:
    """`main` and `bin`, as far as their files are part of the project (build output is not)."""
    name = word(data.get("name"))
    binaries = data.get("bin")
    if isinstance(binaries, str):
        binaries = {name.rpartition("/")[2]: binaries}
    targets = [(name, data.get("main")), *(binaries.items() if isinstance(binaries, dict) else ())]
    return [
        EntryPoint(label, target, path)
        for label, target in targets
        if label and isinstance(target, str) and target.removeprefix("./") in present
    ]


def _commands(path: str, data: Mapping[str, Any], present: frozenset[str]) -> list[Command]:
    """Install and the project's own scripts, for the package manager that it uses."""
    locked = next((name for lock, name in _LOCK_FILES if lock in present), "npm")
    manager = word(data.get("packageManager")).partition("@")[0] or locked
    found = []
    if data.get("dependencies") or data.get("devDependencies"):
        found.append(Command(f"{manager} install", path, "install dependencies"))
    run = manager if manager == "yarn" else f"{manager} run"
    scripts = table(data, "scripts")
    for name, line in sorted(scripts.items(), key=lambda item: item[0] not in _USUAL_SCRIPTS):
        if isinstance(line, str) and not _HOOK.match(name):
            found.append(Command(f"{run} {name}", path, word(line)))
    return found


def read_tsconfig(path: str, text: str) -> Manifest:
    """Only the settings that shape code; the file may have comments, so it is searched rather than parsed."""
    strict = re.search(r'"strict"\s*:\s*true', text)
    target = re.search(r'"target"\s*:\s*"([^"]+)"', text)
    notes = ([f"TypeScript strict mode ({path})"] if strict else []) + (
        [f"TypeScript target {target[1]}"] if target else []
    )
    return Manifest(path, notes=tuple(notes))
