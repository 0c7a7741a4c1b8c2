"""Read project files: the manifests at the top of the workspace, by whatever tool they are for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from zerikai_memory.brief.facts import Command, Manifest, ReadText
from zerikai_memory.brief.manifests_node import read_package_json, read_tsconfig
from zerikai_memory.brief.manifests_python import read_pyproject, read_requirements, read_setup_cfg, read_setup_py

_MAKE_TARGET = re.compile(r"^([A-Za-z0-9][\w.-]*)\s*:(?![=:])[^#\n]*(?:##?\s*(.*))?$", re.MULTILINE)


def read_manifests(files: Sequence[str], read: ReadText) -> tuple[Manifest, ...]:
    """The manifests at the top of the workspace, most telling first; damaged ones are left out."""
    present = frozenset(files)
    readers: tuple[tuple[str, Callable[[str, str], Manifest | None]], ...] = (
        ("pyproject.toml", read_pyproject),
        ("setup.cfg", read_setup_cfg),
        ("setup.py", read_setup_py),
        ("package.json", lambda path, text: read_package_json(path, text, present)),
        ("tsconfig.json", read_tsconfig),
        ("Makefile", _makefile),
        ("makefile", _makefile),
        ("tox.ini", _tox),
        ("noxfile.py", _noxfile),
    )
    found = []
    for path, reader in readers:
        text = read(path) if path in present else None
        if text is not None and (manifest := reader(path, text)) is not None:
            found.append(manifest)
    for path in sorted(present):
        if re.fullmatch(r"requirements[\w.-]*\.txt|requirements/[\w.-]+\.txt", path) and (text := read(path)):
            found.append(read_requirements(path, text))
    return tuple(found)


def _makefile(path: str, text: str) -> Manifest:
    phony = " ".join(re.findall(r"^\.PHONY\s*:(.*)$", text, re.MULTILINE)).split()
    targets = {m[1]: (m[2] or "").strip() for m in _MAKE_TARGET.finditer(text) if "." not in m[1]}
    ordered = sorted(targets, key=lambda name: (name not in phony, list(targets).index(name)))
    return Manifest(path, commands=tuple(Command(f"make {name}", path, targets[name]) for name in ordered[:12]))


def _tox(path: str, text: str) -> Manifest:
    match = re.search(r"^env_?list\s*=\s*((?:.*\n)(?:[ \t]+.*\n)*)", text + "\n", re.MULTILINE | re.IGNORECASE)
    names = " ".join(re.split(r"[\s,]+", match[1])).strip() if match else ""
    return Manifest(path, commands=(Command("tox", path, f"environments: {names}" if names else ""),), tools=("tox",))


def _noxfile(path: str, text: str) -> Manifest:
    sessions = re.findall(r"@nox\.session[^\n]*\n(?:@[^\n]*\n)*def (\w+)", text)
    return Manifest(path, commands=tuple(Command(f"nox -s {name}", path) for name in sessions[:6]), tools=("nox",))
