"""What is known about a project before a brief is written: values only, all of them read or counted, none guessed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# Text of a workspace file by relative path, cut at a size limit and with secrets masked; None when it is not there.
ReadText = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Command:
    """A command that a manifest of the project defines or that a tool it configures understands."""

    text: str
    source: str
    does: str = ""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """Where a run or an import of the project starts: `name` as people type it, `target` as the manifest has it."""

    name: str
    target: str
    source: str


@dataclass(frozen=True, slots=True)
class Dependency:
    """A declared dependency with its constraint as written; `group` is empty for what is needed at run time."""

    name: str
    constraint: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What one project file (pyproject.toml, package.json, ...) declares."""

    path: str
    name: str = ""
    version: str = ""
    description: str = ""
    licence: str = ""
    runtime: str = ""
    keywords: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    commands: tuple[Command, ...] = ()
    tools: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Readme:
    """The prose of a README: paragraphs before the first inner heading, and sections that say why."""

    path: str
    intro: tuple[str, ...] = ()
    purpose: tuple[str, ...] = ()
    roadmap: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Area:
    """A folder or file at the level where the project's code branches out.

    `importers` counts the files outside that import from it, `says` is the first sentence of its own docstring,
    `names` are what others import most, `parts` its larger folders.
    """

    path: str
    files: int
    importers: int = 0
    says: str = ""
    names: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A file with the number of other files that import it."""

    path: str
    importers: int
    says: str = ""
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Flow:
    """`files` files of area `source` import from area `target`."""

    source: str
    target: str
    files: int


@dataclass(frozen=True, slots=True)
class LanguageShare:
    """A language with its number of indexed files."""

    language: str
    files: int


@dataclass(frozen=True, slots=True)
class Remark:
    """A TODO or FIXME comment, or an item of a roadmap document."""

    text: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """Everything `build_brief` may say about a project."""

    name: str
    languages: tuple[LanguageShare, ...] = ()
    manifests: tuple[Manifest, ...] = ()
    licence: str = ""
    readme: Readme | None = None
    package_says: str = ""
    areas: tuple[Area, ...] = ()
    other_folders: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    key_files: tuple[KeyFile, ...] = ()
    flows: tuple[Flow, ...] = ()
    conventions: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    tools: tuple[str, ...] = ()
    externals: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    roadmap: tuple[Remark, ...] = ()
