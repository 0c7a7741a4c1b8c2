"""What package.json, pnpm-workspace.yaml and tsconfig.json say about where a module's name leads."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Text = Callable[[str], str | None]

_STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])')
_YAML_ITEM = re.compile(r"^\s*-\s*[\"']?([^\"'#\n]+?)[\"']?\s*(?:#.*)?$")
_LINK = re.compile(r"^(?:file|link|portal|workspace):(\.{0,2}/.*|\.{1,2})$")
_MAX_EXTENDS = 8
# Conditions of `exports`, the likeliest to lead to a source first; all others follow in the order of the file.
_CONDITIONS = ("source", "development", "types", "import", "module", "node", "browser", "require", "default")
_MAX_TARGETS = 20


@dataclass(frozen=True, slots=True)
class Package:
    """One package.json: its folder (`""` is the root) and the parts that say where imports lead."""

    folder: str
    name: str
    entries: tuple[str, ...]  # main, module, types ... in the order in which they are tried
    exports: Any
    imports: Any
    links: Mapping[str, str]  # dependency -> folder, by `file:` and the like
    workspaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScriptConfig:
    """The `paths` and `baseUrl` of a tsconfig.json with what it extends; folders from the root of the project."""

    base: str | None = None
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_package(folder: str, text: Text) -> Package | None:
    """The package in a folder; None when there is none or it cannot be read."""
    data = _json(text(posixpath.join(folder, "package.json")))
    if data is None:
        return None
    workspaces = data.get("workspaces")
    if isinstance(workspaces, dict):
        workspaces = workspaces.get("packages")
    globs = [
        *_strings(workspaces),
        *_strings((_json(text(posixpath.join(folder, "lerna.json"))) or {}).get("packages")),
    ]
    globs += _yaml_packages(text(posixpath.join(folder, "pnpm-workspace.yaml")) or "")
    links = {}
    for group in ("dependencies", "devDependencies", "peerDependencies"):
        for name, version in _table(data.get(group)).items():
            if isinstance(version, str) and (found := _LINK.match(version)):
                links[name] = _inside(folder, found[1])
    keys = ("source", "types", "typings", "module", "main", "browser")
    return Package(
        folder,
        data["name"] if isinstance(data.get("name"), str) else "",
        tuple(data[key] for key in keys if isinstance(data.get(key), str)),
        data.get("exports"),
        data.get("imports"),
        links,
        tuple(globs),
    )


def members(package: Package, folders: Sequence[str]) -> Iterator[str]:
    """The folders that are workspaces of a package."""
    wanted = [_glob(package.folder, glob) for glob in package.workspaces if not glob.startswith("!")]
    unwanted = [_glob(package.folder, glob[1:]) for glob in package.workspaces if glob.startswith("!")]
    for folder in folders:
        if any(p.fullmatch(folder) for p in wanted) and not any(p.fullmatch(folder) for p in unwanted):
            yield folder


def targets(table: Any, subpath: str) -> Iterator[str]:
    """Where `exports` or `imports` may lead for a subpath (`.`, `./x`, `#x`), the likeliest source first."""
    if isinstance(table, dict) and any(key[:1] in (".", "#") for key in table):
        best = ""
        for key in table:
            head, star, tail = key.partition("*")
            if key == subpath or (
                star and subpath.startswith(head) and subpath.endswith(tail) and len(subpath) >= len(key) - 1
            ):
                if key == subpath:
                    best = key
                    break
                best = max(best, key, key=lambda k: len(k.partition("*")[0]))
        if not best:
            return
        head, star, tail = best.partition("*")
        filling = subpath[len(head) : len(subpath) - len(tail)] if star else ""
        for target in _conditions(table[best]):
            yield target.replace("*", filling)
    elif subpath == ".":
        yield from _conditions(table)


def read_config(path: str, text: Text, depth: int = 0) -> ScriptConfig | None:
    """A tsconfig.json or jsconfig.json with what it extends; None when it is not there or cannot be read."""
    data = _json(text(path))
    if data is None or depth > _MAX_EXTENDS:
        return None
    folder = posixpath.dirname(path)
    base: str | None = None
    paths: Mapping[str, tuple[str, ...]] = {}
    for extended in _strings(data.get("extends")):
        if extended.startswith(".") and (parent := _extended(folder, extended, text, depth)) is not None:
            base, paths = parent.base if parent.base is not None else base, parent.paths or paths
    options = _table(data.get("compilerOptions"))
    if isinstance(options.get("baseUrl"), str):
        base = _inside(folder, options["baseUrl"])
    if own := _table(options.get("paths")):
        start = base if base is not None else folder
        paths = {key: tuple(_inside(start, target) for target in _strings(value)) for key, value in own.items()}
    if not paths and base is None:
        # A solution of several configurations: what the referenced ones say holds for its files.
        for reference in data.get("references") or () if isinstance(data.get("references"), list) else ():
            target = reference.get("path") if isinstance(reference, dict) else None
            if isinstance(target, str) and target.endswith(".json"):
                found = read_config(_inside(folder, target), text, depth + 1)
                if found is not None and found.paths:
                    return found
    return ScriptConfig(base, paths)


def _extended(folder: str, extended: str, text: Text, depth: int) -> ScriptConfig | None:
    target = _inside(folder, extended)
    for path in (target, f"{target}.json", posixpath.join(target, "tsconfig.json")):
        if path.endswith(".json") and (found := read_config(path, text, depth + 1)) is not None:
            return found
    return None


def _conditions(value: Any) -> Iterator[str]:
    """The strings in nested conditions, at most `_MAX_TARGETS`."""
    found: list[str] = []
    stack = [value]
    while stack and len(found) < _MAX_TARGETS:
        item = stack.pop()
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            keys = sorted(item, key=lambda k: _CONDITIONS.index(k) if k in _CONDITIONS else len(_CONDITIONS))
            stack.extend(item[key] for key in reversed(keys))
    return iter(found)


def _glob(folder: str, glob: str) -> re.Pattern[str]:
    path = _inside(folder, glob.rstrip("/"))
    parts = re.split(r"(\*\*/?|\*)", path)
    spelled = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*"}
    return re.compile("".join(spelled.get(part, re.escape(part)) for part in parts))


def _inside(folder: str, target: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, target))
    return "" if path == "." else path


def _json(text: str | None) -> dict[str, Any] | None:
    """An object from JSON with comments and trailing commas; None for anything else."""
    if text is None:
        return None
    for attempt in (text, _without_comments(text)):
        try:
            data = json.loads(attempt)
        except (ValueError, RecursionError):
            continue
        return data if isinstance(data, dict) else None
    return None


def _without_comments(text: str) -> str:
    bare = _STRING_OR_COMMENT.sub(lambda m: m[0] if m[0].startswith('"') else " ", text.removeprefix("\ufeff"))
    return _TRAILING_COMMA.sub(lambda m: m[1] or "", bare)


def _yaml_packages(text: str) -> list[str]:
    """The list below `packages:` of pnpm-workspace.yaml."""
    found: list[str] = []
    inside = False
    for line in text.splitlines():
        if line.startswith("packages:"):
            inside = True
            found += re.findall(r"[\"']([^\"']+)[\"']", line)
        elif inside and (item := _YAML_ITEM.match(line)):
            found.append(item[1].strip())
        elif line.strip() and not line.lstrip().startswith("#"):
            inside = False
    return found


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _strings(value: Any) -> list[str]:
    return (
        [value]
        if isinstance(value, str)
        else [v for v in value if isinstance(v, str)]
        if isinstance(value, list)
        else []
    )
