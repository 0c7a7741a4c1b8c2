"""Collect the facts of a project from its files, entities and references."""

from __future__ import annotations

import json
import posixpath
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from zerikai_memory.brief.conventions import measure_conventions
from zerikai_memory.brief.facts import (
    Area,
    Command,
    EntryPoint,
    LanguageShare,
    Manifest,
    ProjectFacts,
    ReadText,
    Remark,
)
from zerikai_memory.brief.imports import Import, resolve_imports
from zerikai_memory.brief.manifests import read_manifests
from zerikai_memory.brief.paths import code_base, folders_at_top, is_code, is_product_code, is_test, test_folders
from zerikai_memory.brief.prose import clip, licence_kind, read_readme, read_roadmap
from zerikai_memory.brief.structure import Names, find_areas, find_bases, find_flows, find_key_files, module_sentences
from zerikai_memory.model import CodeEntity, EntityType, Reference, ReferenceKind

# Files read for layout and for TODO comments; the most imported ones come first.
SAMPLED_FILES = 24
SEARCHED_FILES = 400
MAX_REMARKS = 8

_REMARK = re.compile(r"(?:#|//|/\*|<!--|^\s*\*)\s*(?:@?todo|TODO|FIXME)\b(?:\([^)]*\))?\s*:?\s*(\S.*)")
_DOCUMENT = re.compile(
    r"(?i)^(contributing|architecture|changelog|changes|history|security|agents|claude|design|roadmap)(\.(md|rst|txt))?$"
    r"|^docs?/(index|architecture|design|contributing|readme|intro)(\.(md|rst|txt))?$"
)
_TOOL_FILES = (
    (r"\.pre-commit-config\.yaml", "pre-commit hooks"),
    (r"\.editorconfig", ".editorconfig"),
    (r"(eslint\.config\.[cm]?[jt]s|\.eslintrc(\.\w+)?)", "eslint"),
    (r"(\.prettierrc(\.\w+)?|prettier\.config\.[cm]?js)", "prettier"),
    (r"biome\.jsonc?", "biome"),
    (r"ruff\.toml|\.ruff\.toml", "ruff"),
    (r"mypy\.ini", "mypy"),
    (r"\.flake8", "flake8"),
    (r"Dockerfile|docker-compose\.ya?ml|compose\.ya?ml", "Docker"),
    (r"\.github/workflows/[^/]+\.ya?ml", "GitHub Actions"),
    (r"\.gitlab-ci\.yml", "GitLab CI"),
)
_TEST_LIBRARIES = (
    "pytest",
    "unittest",
    "vitest",
    "jest",
    "@jest/globals",
    "mocha",
    "node:test",
    "ava",
    "supertest",
    "hypothesis",
)


def collect_facts(
    root: str,
    files: Sequence[str],
    entities: Sequence[CodeEntity],
    references: Sequence[Reference],
    read: ReadText,
    imports: Sequence[Import] | None = None,
) -> ProjectFacts:
    """What files, entities and references say about the project in folder `root`; `read` gives file texts.

    `imports` are those of the code map; without it they are resolved here, more simply.
    """
    files = sorted(set(files))
    manifests = read_manifests(files, read)
    product = [path for path in files if is_product_code(path)]
    product = product or [path for path in files if path.endswith(".md")]  # a project of texts alone
    base = code_base(product)
    folder = posixpath.basename(root.replace("\\", "/").rstrip("/"))
    if imports is None:
        imports = resolve_imports(files, references, _script_packages(files, read), folder)
    names, says = Names(entities, references, imports), module_sentences(entities)
    areas = find_areas(product, base, says, names, imports)
    key_files = find_key_files(imports, says, names)
    # The most imported files speak first for layout and remarks.
    sample = list(dict.fromkeys([*(key.path for key in key_files), *product]))
    texts = [(path, text) for path in sample[:SAMPLED_FILES] if (text := read(path))]
    tests = _tests(files, references)
    readme = read_readme(files, read)
    return ProjectFacts(
        name=next((m.name for m in manifests if m.name), PurePath(root).name),
        languages=_languages(entities),
        manifests=manifests,
        licence=licence_kind(files, read) or next((m.licence for m in manifests if m.licence), ""),
        readme=readme,
        package_says=says.get(base + "__init__.py", ""),
        areas=areas,
        other_folders=_other_folders(files, base, areas),
        bases=find_bases(entities, references),
        entry_points=_entry_points(files, manifests),
        key_files=key_files,
        flows=find_flows(imports, base),
        conventions=measure_conventions(entities, references, texts),
        tests=tests,
        commands=_commands(files, manifests, tests),
        tools=_tools(files, manifests),
        externals=_externals(files, references, {m.name for m in manifests}),
        documents=tuple(path for path in files if _DOCUMENT.match(path)),
        remarks=_remarks(sample[:SEARCHED_FILES], read),
        roadmap=read_roadmap(readme, files, read),
    )


def _languages(entities: Iterable[CodeEntity]) -> tuple[LanguageShare, ...]:
    counts = Counter(e.language for e in entities if e.entity_type is EntityType.MODULE)
    return tuple(LanguageShare(name, n) for name, n in sorted(counts.items(), key=lambda i: (-i[1], i[0])))


def _script_packages(files: Sequence[str], read: ReadText) -> dict[str, str]:
    """{name: folder} of the script packages of a workspace of several."""
    found = {}
    for path in [p for p in files if posixpath.basename(p) == "package.json" and not is_test(p)][:80]:
        try:
            data = json.loads(read(path) or "null")
        except ValueError:
            continue
        if isinstance(data, dict) and isinstance(name := data.get("name"), str) and name:
            found[name] = posixpath.dirname(path)
    return found


def _other_folders(files: Sequence[str], base: str, areas: Iterable[Area]) -> tuple[str, ...]:
    """Folders at the top that hold no area; hidden ones only if people edit them."""
    covered = tuple(area.path for area in areas)
    return tuple(
        folder
        for folder in folders_at_top(files)
        if not base.startswith(folder)
        and not any(path.startswith(folder) for path in covered)
        and (not folder.startswith(".") or folder in (".github/", ".ci/", ".circleci/", ".gitlab/"))
    )


def _entry_points(files: Sequence[str], manifests: Iterable[Manifest]) -> tuple[EntryPoint, ...]:
    found = [entry for manifest in manifests for entry in manifest.entry_points]
    for path in files:
        if path.endswith("/__main__.py") and is_product_code(path):
            folder = posixpath.dirname(path)
            module = folder.removeprefix("src/").replace("/", ".")
            found.append(EntryPoint(f"python -m {module}", path, path))
        elif posixpath.basename(path) in ("manage.py", "wsgi.py", "asgi.py") and path.count("/") <= 1:
            found.append(EntryPoint(posixpath.basename(path), path, path))
        elif re.fullmatch(r"(src/)?(app|main|server|index)\.(py|[cm]?[jt]sx?)|index\.html", path):
            found.append(EntryPoint(path, path, path))
    return tuple({entry.target.removeprefix("./"): entry for entry in reversed(found)}.values())[::-1]


def _tests(files: Sequence[str], references: Iterable[Reference]) -> tuple[str, ...]:
    """Where tests are, how they are named, and what they import to run."""
    tests = [path for path in files if is_test(path) and is_code(path)]
    if not tests:
        return ()
    folders = [f"`{folder}`" for folder, _ in test_folders(tests) if folder][:3]
    patterns = Counter(_test_pattern(path) for path in tests)
    patterns.pop("", None)
    used: dict[str, set[str]] = defaultdict(set)
    for reference in references:
        if reference.kind is ReferenceKind.IMPORT and is_test(reference.file_path):
            module = reference.target_text.strip("'\"")
            used[module if module in _TEST_LIBRARIES else module.partition(".")[0]].add(reference.file_path)
    libraries = sorted((n for n in _TEST_LIBRARIES if used.get(n)), key=lambda n: (-len(used[n]), n))[:3]
    where = f"in {', '.join(folders)}" if folders else "beside the code"
    named = ", ".join(f"`{pattern}`" for pattern, _ in sorted(patterns.items(), key=lambda i: (-i[1], i[0]))[:2])
    said = [f"Tests are {where}" + (f", named {named}" if named else "") + "."]
    if libraries:
        said.append(f"They import {', '.join(libraries)}.")
    return tuple(said)


def _test_pattern(path: str) -> str:
    name = posixpath.basename(path)
    if name.startswith("test_"):
        return "test_*.py"
    if name.endswith("_test.py"):
        return "*_test.py"
    if name == "tests.py":
        return "tests.py"
    match = re.search(r"\.(test|spec)\.[cm]?[jt]sx?$", name)
    return "*" + match[0] if match else ""


def _commands(files: Sequence[str], manifests: Iterable[Manifest], tests: Sequence[str]) -> tuple[Command, ...]:
    manifests = list(manifests)
    found = [command for manifest in manifests for command in manifest.commands]
    by_pytest = any("pytest" in sentence for sentence in tests)
    configured = next((m.path for m in manifests if "pytest" in m.tools), "")
    if not configured:
        configured = next((p for p in files if re.fullmatch(r"pytest\.ini|(tests?/)?conftest\.py", p)), "")
    if by_pytest and configured:
        found.append(Command("pytest", configured, "run the tests"))
    for path in files:
        if re.fullmatch(r"(\w+/)?run_?tests?\.(py|sh)", path):
            found.append(Command(f"{'python' if path.endswith('.py') else 'sh'} {path}", path, "run the tests"))
    for lock, line in (("uv.lock", "uv sync"), ("poetry.lock", "poetry install")):
        if lock in files:
            found.append(Command(line, lock, "install the locked environment"))
    if "manage.py" in files:
        found.append(Command("python manage.py test", "manage.py", "run the tests"))
    return tuple({command.text: command for command in reversed(found)}.values())[::-1]


def _tools(files: Sequence[str], manifests: Iterable[Manifest]) -> tuple[str, ...]:
    found = [tool for manifest in manifests for tool in manifest.tools]
    for pattern, tool in _TOOL_FILES:
        paths = [path for path in files if re.fullmatch(pattern, path)]
        if paths and not any(known.partition(" ")[0] == tool for known in found):
            found.append(f"{tool} (`{paths[0]}`)" if tool != paths[0] else f"`{tool}`")
    return tuple(dict.fromkeys(found))


def _externals(files: Sequence[str], references: Iterable[Reference], names: Iterable[str]) -> tuple[str, ...]:
    """Imported packages that are neither the project's own nor the standard library's, most used first."""
    own = set(names) | {part.partition(".")[0] for path in files for part in path.split("/")}
    used: dict[str, set[str]] = defaultdict(set)
    for reference in references:
        if reference.kind is not ReferenceKind.IMPORT or not is_product_code(reference.file_path):
            continue
        target = reference.target_text.strip("'\"")
        if reference.file_path.endswith(".py"):
            name = target.partition(".")[0]
            standard = name in sys.stdlib_module_names
        else:
            parts = target.split("/")
            name = "/".join(parts[:2]) if target.startswith("@") else parts[0]
            standard = name in _NODE_MODULES or target.startswith(("node:", "http:", "https:", "#", "~", "data:"))
        if (
            name
            and not standard
            and name not in own
            and not target.startswith((".", "/"))
            and re.match(r"^[@\w]", name)
        ):
            used[name].add(reference.file_path)
    return tuple(sorted(used, key=lambda name: (-len(used[name]), name)))[:12]


_NODE_MODULES = frozenset(
    "assert buffer child_process cluster crypto dns events fs http http2 https net os path process querystring "
    "readline stream string_decoder timers tls tty url util v8 vm worker_threads zlib async_hooks module".split()
)


def _remarks(paths: Sequence[str], read: ReadText) -> tuple[Remark, ...]:
    """TODO and FIXME comments of product files, at most two of a file."""
    found: list[Remark] = []
    for path in paths:
        if len(found) >= MAX_REMARKS:
            break
        text = read(path) or ""
        if "TODO" not in text and "FIXME" not in text:
            continue
        matches = ((n, _REMARK.search(line)) for n, line in enumerate(text.split("\n"), start=1))
        remarks = [(n, " ".join(match[1].rstrip(" */->").split())) for n, match in matches if match]
        found += [Remark(clip(said, 110), path, n) for n, said in remarks if len(said) >= 12][:2]
    return tuple(found[:MAX_REMARKS])
