"""Entry points that project files declare (scripts, binaries, main guards), each with its line; nothing is run."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import Any

from zerikai_memory.codemap.views.groups import COMMAND, EVENT, EXPORT, MAIN, SERVER, TEST
from zerikai_memory.model_views import EntryPointFact

# Content of a small file of the project as text, None when it is not there.
ReadText = Callable[[str], str | None]

MANIFESTS = ("pyproject.toml", "setup.cfg", "package.json")
_GUARD = re.compile(rb"^if\s+(?:__name__\s*==\s*[\"']__main__[\"']|[\"']__main__[\"']\s*==\s*__name__)", re.MULTILINE)
_SCRIPT_GUARD = re.compile(rb"\brequire\.main\s*===?\s*module\b|\bimport\.meta\.main\b|\A#!.*\b(?:node|bun|deno)\b")
_START = re.compile(r"^(start|serve|dev|server)(:|$)")
_TESTS = re.compile(r"^(test|e2e|spec)(:|$)")


def declared_in(folders: Iterable[str], read: ReadText) -> Iterator[EntryPointFact]:
    """What the manifests of these folders (`""` is the root) declare."""
    for folder in sorted(folders):
        for name in MANIFESTS:
            path = f"{folder}/{name}".lstrip("/")
            text = read(path)
            if text is not None:
                yield from _READERS[name](path, text)


def guard_line(path: str, content: bytes) -> int | None:
    """The line of a main guard: what runs only when the file itself is run."""
    guard = _GUARD if path.endswith((".py", ".pyw")) else _SCRIPT_GUARD
    found = guard.search(content)
    return content.count(b"\n", 0, found.start()) + 1 if found else None


def guard_fact(path: str, line: int) -> EntryPointFact:
    """The entry point of a file with a main guard."""
    return EntryPointFact("", path, path, line, MAIN, "main guard")


def _pyproject(path: str, text: str) -> Iterator[EntryPointFact]:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    project, tool = _table(data, "project"), _table(data, "tool")
    for table, group, why in (
        (_table(project, "scripts"), COMMAND, "[project.scripts]"),
        (_table(project, "gui-scripts"), COMMAND, "[project.gui-scripts]"),
        (_table(_table(tool, "poetry"), "scripts"), COMMAND, "[tool.poetry.scripts]"),
        *(
            (_table(_table(project, "entry-points"), name), EVENT, f"[project.entry-points.{name}]")
            for name in _table(project, "entry-points")
        ),
    ):
        for name, target in table.items():
            target = target.get("callable", "") if isinstance(target, dict) else target
            if isinstance(target, str):
                line = _line(text, rf"^\s*[\"']?{re.escape(name)}[\"']?\s*=")
                yield EntryPointFact(name, target.partition("[")[0].strip(), path, line, group, why)
    if "pytest" in tool:
        yield EntryPointFact("pytest", "", path, _line(text, r"^\[tool\.pytest"), TEST, "configured here")


def _setup_cfg(path: str, text: str) -> Iterator[EntryPointFact]:
    parser = ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except ConfigError:
        return
    section = "options.entry_points"
    for key in parser.options(section) if parser.has_section(section) else ():
        for line in parser.get(section, key).splitlines():
            name, equals, target = (part.strip() for part in line.partition("="))
            if equals:
                group = COMMAND if key.endswith("_scripts") else EVENT
                at = _line(text, rf"^\s*{re.escape(name)}\s*=")
                yield EntryPointFact(name, target, path, at, group, f"entry point of {key}")


def _package_json(path: str, text: str) -> Iterator[EntryPointFact]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(data, dict):
        return
    name = data.get("name") if isinstance(data.get("name"), str) else path.rpartition("/")[0] or path
    binaries = data.get("bin")
    if isinstance(binaries, str):
        binaries = {str(name).rpartition("/")[2]: binaries}
    for command, target in binaries.items() if isinstance(binaries, dict) else ():
        if isinstance(target, str):
            yield EntryPointFact(command, target, path, _line(text, rf"\"{re.escape(target)}\""), COMMAND, '"bin"')
    seen: set[str] = set()
    for key in ("main", "module", "browser", "exports"):
        for target in _files(data.get(key)):
            if target not in seen and len(seen) < 8:
                seen.add(target)
                yield EntryPointFact(
                    str(name), target, path, _line(text, rf"\"{re.escape(target)}\""), EXPORT, f'"{key}"'
                )
    for script, command in _table(data, "scripts").items():
        group = SERVER if _START.match(script) else TEST if _TESTS.match(script) else None
        if group and isinstance(command, str):
            at = _line(text, rf"^\s*\"{re.escape(script)}\"\s*:")
            yield EntryPointFact(f"npm run {script}", command, path, at, group, '"scripts"')


def _files(exports: Any) -> Iterator[str]:
    """The source files that a field of package.json names, however deep; patterns and types are none."""
    if isinstance(exports, str):
        if "*" not in exports and not exports.endswith((".d.ts", ".d.cts", ".d.mts", ".json")):
            yield exports
    elif isinstance(exports, dict):
        for value in exports.values():
            yield from _files(value)


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}


def _line(text: str, pattern: str) -> int:
    found = re.search(pattern, text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1


_READERS: Mapping[str, Callable[[str, str], Iterator[EntryPointFact]]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "package.json": _package_json,
}
