"""Where Python modules of a project are: source roots, packages with and without `__init__`, relative imports."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from zerikai_memory.codemap.project import Project, folders_of

SUFFIXES = (".py", ".pyi", ".pyw")
# Folders that are a root of imports wherever they stand, even when only namespace packages are below them.
_ROOT_NAMES = frozenset({"src", "lib", "python"})


@dataclass(frozen=True, slots=True)
class Place:
    """What a dotted name leads to: a module's file, or (`path` empty) the folder of a namespace package."""

    path: str
    folder: str


class Modules:
    """Finds modules by dotted name as the interpreter would, given the roots that the files suggest."""

    def __init__(self, project: Project) -> None:
        self._project = project
        files = [path for path in project.files if path.endswith(SUFFIXES)]
        self._packages = frozenset(path.rpartition("/")[0] for path in files if _is_init(path))
        # Where a namespace package may be: a folder of other files is none.
        self._folders = folders_of(files)
        # A workspace that is itself a package: its own name, which is no folder in it, leads to the root.
        self._itself = project.name if "" in self._packages else ""
        self.roots = tuple(sorted(self._roots(files), key=lambda root: (root.count("/") if root else -1, root)))

    @property
    def layout(self) -> str:
        """The roots as one text."""
        return "\n".join((self._itself, *self.roots))

    def find(self, dotted: str, path: str) -> Place | None:
        """The module of an absolute name, seen from the file `path`: its own folder's root first, then the others."""
        head, _, rest = dotted.partition(".")
        if self._itself and head == self._itself:
            return self._below("", rest.split(".")) if rest else self.at("")
        namespace = None
        for root in self._order(path, head):
            place = self._below(root, dotted.split("."))
            if place is not None and place.path:
                return place
            namespace = namespace or place
        return namespace

    def relative(self, text: str, path: str) -> Place | None:
        """The module of `.name`, `..`, `...a.b`, seen from the file `path`; None above the top."""
        name = text.lstrip(".")
        parts = path.split("/")
        up = len(text) - len(name)
        if up > len(parts):
            return None
        folder = "/".join(parts[:-up])
        return self._below(folder, name.split(".")) if name else self.at(folder)

    def at(self, folder: str) -> Place | None:
        """The package of a folder; None when there is no such folder in the project."""
        if self._project.exists(folder):
            for suffix in SUFFIXES:
                if self._project.exists(init := _join(folder, "__init__" + suffix)):
                    return Place(init, folder)
            return Place("", folder)
        return None

    def member(self, place: Place, name: str) -> Place | None:
        """The submodule `name` of a package or namespace."""
        return self._below(place.folder, [name])

    def place(self, path: str) -> Place:
        """The place of a module's own file."""
        return Place(path, path.rpartition("/")[0] if _is_init(path) else _NO_FOLDER)

    def _below(self, folder: str, names: list[str]) -> Place | None:
        if folder == _NO_FOLDER:
            return None
        for name in names[:-1]:
            folder = _join(folder, name)
            if not self._project.exists(folder):
                return None
        package = _join(folder, names[-1])
        namespace = None
        if self._project.exists(package) and package in self._folders:
            namespace = self.at(package)
            if namespace is not None and namespace.path:
                return namespace
        for suffix in SUFFIXES:
            if self._project.exists(package + suffix):
                return Place(package + suffix, _NO_FOLDER)
        return namespace

    def _order(self, path: str, head: str) -> Iterator[str]:
        """Roots from the nearest to the farthest: a script's own folder, those around it, then all others.

        A name of the standard library leads into the project only from a script beside a file of that name.
        """
        own = path.rpartition("/")[0]
        around = own
        while around in self._packages and around:
            around = around.rpartition("/")[0]
        if head in sys.stdlib_module_names:
            if own == around and own not in self._packages:
                yield own
            return
        first = [around] if around not in self._packages else []
        while around:
            around = around.rpartition("/")[0]
            if around in self.roots:
                first.append(around)
        yield from first
        yield from (root for root in self.roots if root not in first)

    def _roots(self, files: list[str]) -> set[str]:
        """The workspace, what holds a top-level package, and folders with the name of a root."""
        roots = set() if "" in self._packages else {""}
        for package in self._packages:
            parent = package.rpartition("/")[0]
            if package and parent not in self._packages:
                roots.add(parent)
        for path in files:
            parts = path.split("/")[:-1]
            for index, part in enumerate(parts):
                if part in _ROOT_NAMES and "/".join(parts[: index + 1]) not in self._packages:
                    roots.add("/".join(parts[: index + 1]))
                    break
        return roots


# The folder of a module that is a single file: nothing is below it.
_NO_FOLDER = "\0"


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _is_init(path: str) -> bool:
    return _stem(path) == "__init__"
