"""Read Python project files: pyproject.toml, setup.cfg, setup.py, requirements."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from zerikai_memory.brief.facts import Command, Dependency, EntryPoint, Manifest
from zerikai_memory.brief.parsed import strings, table, word

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*([^;#]*)")
_SETUP_CALL = re.compile(r"\b(name|description|license|python_requires)\s*=\s*[\"']([^\"']+)[\"']")


def read_pyproject(path: str, text: str) -> Manifest | None:
    """What pyproject.toml declares (PEP 621, dependency groups, Poetry); None when it is damaged."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    poetry = table(data, "tool", "poetry")
    project = table(data, "project") or poetry
    runtime = word(project.get("requires-python")) or word(table(poetry, "dependencies").get("python"))
    scripts = table(project, "scripts") | table(project, "gui-scripts")
    return Manifest(
        path,
        name=word(project.get("name")),
        version=word(project.get("version")),
        description=word(project.get("description")),
        licence=_licence_field(project),
        runtime=_python_version(runtime),
        keywords=tuple(strings(project.get("keywords"))),
        dependencies=tuple(_dependencies(data, project, poetry)),
        entry_points=tuple(EntryPoint(name, str(target), path) for name, target in scripts.items()),
        topics=_topics(project),
        commands=tuple(_install(path, data, project)),
        tools=tuple(_python_tools(table(data, "tool"))),
        notes=_built_with(data),
    )


def _dependencies(data: Mapping[str, Any], project: Mapping[str, Any], poetry: Mapping[str, Any]) -> list[Dependency]:
    found = [_requirement(item) for item in strings(project.get("dependencies"))]
    for name, value in table(poetry, "dependencies").items():
        if name != "python":
            found.append(Dependency(name, value if isinstance(value, str) else ""))
    for groups in (table(project, "optional-dependencies"), table(data, "dependency-groups")):
        for group, items in groups.items():
            found += [_requirement(item, group) for item in strings(items)]
    return found


def _install(path: str, data: Mapping[str, Any], project: Mapping[str, Any]) -> list[Command]:
    """The development install, with the project's own test or dev extra."""
    if not (data.get("build-system") or data.get("project")):
        return []
    extras = [name for name in table(project, "optional-dependencies") if re.match(r"(test|dev)", name)]
    target = f"-e '.[{extras[0]}]'" if extras else "-e ."
    found = [Command(f"pip install {target}", path, "install for development")]
    if "tox" in table(data, "tool"):
        found.append(Command("tox", path))
    return found


def _python_tools(tool: Mapping[str, Any]) -> list[str]:
    """Configured tools with the settings that shape every edit."""
    said = []
    for name in ("ruff", "black", "flake8", "pylint"):
        if name in tool:
            length = table(tool, name).get("line-length")
            said.append(f"{name} (line length {length})" if length else name)
    if "isort" in tool:
        said.append("isort")
    if "mypy" in tool:
        said.append("mypy (strict)" if table(tool, "mypy").get("strict") else "mypy")
    said += [
        name for name in ("pyright", "ty", "towncrier", "coverage", "tox", "nox", "hatch", "pytest") if name in tool
    ]
    return said


def _topics(project: Mapping[str, Any]) -> tuple[str, ...]:
    """The ends of the classifiers that say what a package is for."""
    wanted = ("Topic ::", "Intended Audience ::", "Framework ::", "Environment ::")
    return tuple(
        dict.fromkeys(
            item.rpartition("::")[2].strip()
            for item in strings(project.get("classifiers"))
            if item.startswith(wanted) and not item.endswith(("Python Modules", "Libraries"))
        )
    )


def _built_with(data: Mapping[str, Any]) -> tuple[str, ...]:
    backend = word(table(data, "build-system").get("build-backend"))
    return (f"built with {backend.split('.')[0].split(':')[0]}",) if backend else ()


def read_setup_cfg(path: str, text: str) -> Manifest | None:
    """What setup.cfg declares; None when it is damaged."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return None

    def get(section: str, key: str) -> str:
        return parser.get(section, key, fallback="").strip()

    lines = get("options", "install_requires").splitlines()
    scripts = get("options.entry_points", "console_scripts").splitlines()
    tools = [name for name in ("flake8", "isort", "mypy") if parser.has_section(name)]
    tools += ["pytest"] if parser.has_section("tool:pytest") else []
    length = get("flake8", "max-line-length")
    return Manifest(
        path,
        name=get("metadata", "name"),
        description=word(get("metadata", "description")),
        licence=get("metadata", "license"),
        runtime=_python_version(get("options", "python_requires")),
        dependencies=tuple(_requirement(line) for line in lines if line.strip()),
        entry_points=tuple(
            EntryPoint(name.strip(), target.strip(), path)
            for name, equals, target in (line.partition("=") for line in scripts)
            if equals
        ),
        tools=tuple(f"flake8 (line length {length})" if t == "flake8" and length else t for t in tools),
    )


def read_setup_py(path: str, text: str) -> Manifest:
    """What setup.py says in plain strings; it is never run."""
    fields = dict(reversed(_SETUP_CALL.findall(text)))
    return Manifest(
        path,
        name=fields.get("name", ""),
        description=word(fields.get("description")),
        licence=fields.get("license", ""),
        runtime=_python_version(fields.get("python_requires", "")),
        commands=(Command("pip install -e .", path, "install for development"),),
    )


def read_requirements(path: str, text: str) -> Manifest:
    """The packages of a requirements file."""
    group = "" if path == "requirements.txt" else re.sub(r"^requirements[-_./]?|\.txt$", "", path)
    lines = [line for line in text.splitlines() if re.match(r"\s*[A-Za-z0-9]", line)]
    return Manifest(
        path,
        dependencies=tuple(_requirement(line, group) for line in lines),
        commands=(Command(f"pip install -r {path}", path, "install dependencies"),),
    )


def _requirement(line: str, group: str = "") -> Dependency:
    match = _REQUIREMENT.match(line)
    return Dependency(match[1], match[2].strip(), group) if match else Dependency(line.strip(), "", group)


def _licence_field(project: Mapping[str, Any]) -> str:
    value = project.get("license")
    text = word(value) if isinstance(value, str) else word(table(project, "license").get("text"))
    return text if len(text) <= 60 else ""


def _python_version(constraint: str) -> str:
    return f"Python {constraint}" if constraint else ""
