"""Which file the name of a JavaScript or TypeScript module means: relative, by tsconfig paths, by package."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from zerikai_memory.codemap.ecmascript_config import (
    Package,
    ScriptConfig,
    members,
    read_config,
    read_package,
    targets,
)
from zerikai_memory.codemap.project import Project

_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte", *_DECLARATIONS)
# A specifier with the suffix of a compiled file means its source.
_SOURCES = {
    ".js": (".ts", ".tsx", ".js", ".jsx", ".d.ts"),
    ".jsx": (".tsx", ".jsx", ".d.ts"),
    ".mjs": (".mts", ".mjs", ".d.mts"),
    ".cjs": (".cts", ".cjs", ".d.cts"),
}
_BUILT = re.compile(
    r"^(?:dist|lib|build|out|output|es|esm|cjs|umd|types|typings|dist-\w+)(?:/(?:es|esm|cjs|types|src|umd))*/"
)
_ENDING = re.compile(r"(?:\.d)?\.[mc]?[jt]sx?$")
_ADDRESS = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//|^(?:data|node|bun|https?|virtual|npm|jsr|astro):", re.IGNORECASE)
_NAME = re.compile(r"^(@[^/]+/[^/]+|[^/]+)(?:/(.*))?$")
# Shorthands for the folder of the sources that bundlers are commonly told of, in files that are programs.
_SHORTHAND = re.compile(r"^[@~]/(.*)$")


@dataclass(frozen=True, slots=True)
class Found:
    """Where a specifier leads. `path` None: out of the project (`outside`), or to nothing that is indexed.

    `likely`: by a custom of bundlers, not by a rule that was read.
    """

    path: str | None
    outside: bool = False
    likely: bool = False


NOWHERE, OUTSIDE = Found(None), Found(None, outside=True)


class Modules:
    """Resolves specifiers of one project; what it reads of configuration is in `layout`."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def find(self, path: str, specifier: str) -> Found:
        """The file that `specifier` means in the file `path`."""
        folder = posixpath.dirname(path)
        return self._project.memo(("module", folder, specifier), lambda: self._find(folder, specifier))

    @property
    def layout(self) -> str:
        """All configuration that decides where names lead, as one text."""
        packages = [repr(self._packages[folder]) for folder in sorted(self._packages)]
        configs = [f"{folder} {self._configs[folder]!r}" for folder in sorted(self._configs)]
        return "\n".join((*packages, *configs))

    def _find(self, folder: str, specifier: str) -> Found:
        specifier = specifier.rpartition("!")[2].partition("?")[0]
        if not specifier or _ADDRESS.match(specifier):
            return OUTSIDE if specifier else NOWHERE
        if specifier.startswith("."):
            return Found(self.file_for(_join(folder, specifier)))
        if specifier.startswith("#") and (package := self._package_of(folder)) is not None:
            for target in targets(package.imports, specifier):
                if (found := self._inside(package, target)) is not None:
                    return Found(found)
        for base in self._mapped(folder, specifier):
            if (found := self.file_for(base)) is not None:
                return Found(found)
        if specifier.startswith("/"):
            top = self._package_of(folder)
            roots = ["", *([top.folder] if top is not None and top.folder else [])]
            for root in (*roots, *(posixpath.join(root, "public") for root in roots)):
                if (found := self.file_for(_join(root, specifier[1:]))) is not None:
                    return Found(found)
            return NOWHERE
        return self._in_package(folder, specifier) or self._shorthand(folder, specifier) or OUTSIDE

    def file_for(self, base: str) -> str | None:
        """The indexed file that a path without, or with another, extension means: the file, its source, its index."""
        if base.startswith(".."):
            return None
        exists = self._project.exists
        files = self._project.files
        stem, suffix = posixpath.splitext(base)
        for source in _SOURCES.get(suffix, ()):
            if exists(stem + source):
                return stem + source
        if exists(base) and base in files:
            return base
        for ending in SUFFIXES:
            if exists(base + ending):
                return base + ending
        if not exists(base):
            return None
        if (package := self._packages.get(base)) is not None:
            for target in package.entries:
                if (found := self._inside(package, target)) is not None:
                    return found
        return next((index for ending in SUFFIXES if exists(index := _join(base, "index" + ending))), None)

    def _mapped(self, folder: str, specifier: str) -> Iterator[str]:
        """Paths by the `paths` and `baseUrl` of the nearest configuration."""
        config = self._config_of(folder)
        if config is None:
            return
        best = ""
        for key in config.paths:
            head, star, tail = key.partition("*")
            if key == specifier or (star and specifier.startswith(head) and specifier.endswith(tail)):
                longer = len(head) > len(best.partition("*")[0])
                best = key if not best or key == specifier or (longer and best != specifier) else best
        head, star, tail = best.partition("*")
        filling = specifier[len(head) : len(specifier) - len(tail)] if star else ""
        for target in config.paths.get(best, ()):
            yield posixpath.normpath(target.replace("*", filling))
        if config.base is not None and not specifier.startswith("/"):
            yield _join(config.base, specifier)

    def _in_package(self, folder: str, specifier: str) -> Found | None:
        """A package of this project, by its name."""
        match = _NAME.match(specifier)
        own = self._package_of(folder)
        if match is None:
            return None
        name, rest = match[1], match[2] or ""
        package = self._workspaces.get(name)
        if package is None and own is not None:
            package = own if own.name == name else self._packages.get(own.links.get(name, "?"))
        if package is None:
            return None
        found = self._entry(package, rest)
        return Found(found) if found is not None else NOWHERE

    def _entry(self, package: Package, rest: str) -> str | None:
        subpath = f"./{rest}" if rest else "."
        declared = [*targets(package.exports, subpath)]
        if not rest:
            declared += package.entries
        for target in declared:
            if (found := self._inside(package, target)) is not None:
                return found
        for base in (_join(package.folder, f"src/{rest or 'index'}"), _join(package.folder, rest or "index")):
            if (found := self.file_for(base)) is not None:
                return found
        return None

    def _inside(self, package: Package, target: str) -> str | None:
        """The indexed file that a path of package.json means: itself, or the source that is built into it."""
        plain = posixpath.normpath(target)
        if plain.startswith(".."):
            return None
        path = _join(package.folder, plain)
        if (found := self.file_for(path)) is not None and not found.endswith(_DECLARATIONS):
            return found
        bare = _ENDING.sub("", _BUILT.sub("", plain))
        if _BUILT.match(plain):
            for base in (f"src/{bare}", bare):
                if (source := self.file_for(_join(package.folder, base))) is not None:
                    return source
        return found

    def _shorthand(self, folder: str, specifier: str) -> Found | None:
        match = _SHORTHAND.match(specifier)
        if match is None:
            return None
        package = self._package_of(folder)
        root = package.folder if package is not None else ""
        for base in (_join(root, f"src/{match[1]}"), _join(root, match[1])):
            if (found := self.file_for(base)) is not None:
                return Found(found, likely=True)
        return NOWHERE

    def _package_of(self, folder: str) -> Package | None:
        return next((p for f in _upwards(folder) if (p := self._packages.get(f)) is not None), None)

    def _config_of(self, folder: str) -> ScriptConfig | None:
        return next((c for f in _upwards(folder) if (c := self._configs.get(f)) is not None), None)

    @cached_property
    def _folders(self) -> tuple[str, ...]:
        """Folders with a script below them. What is read in them is part of `layout`, so no file looks it up."""
        found: set[str] = set()
        for path in self._project.files:
            if path.endswith(SUFFIXES):
                found.update(_upwards(posixpath.dirname(path)))
        return tuple(sorted(found))

    @cached_property
    def _packages(self) -> dict[str, Package]:
        with self._project.recording():
            read = ((folder, read_package(folder, self._project.text)) for folder in self._folders)
            return {folder: package for folder, package in read if package is not None}

    @cached_property
    def _configs(self) -> dict[str, ScriptConfig]:
        found = {}
        with self._project.recording():
            for folder in self._folders:
                for name in ("tsconfig.json", "jsconfig.json"):
                    config = read_config(posixpath.join(folder, name), self._project.text)
                    if config is not None:
                        found[folder] = config
                        break
        return found

    @cached_property
    def _workspaces(self) -> dict[str, Package]:
        """Packages of the monorepo by name."""
        found: dict[str, Package] = {}
        folders = tuple(self._packages)
        for package in self._packages.values():
            for folder in members(package, folders) if package.workspaces else ():
                member = self._packages[folder]
                if member.name:
                    found.setdefault(member.name, member)
            if package.workspaces and package.name:
                found.setdefault(package.name, package)
        return found


def _join(folder: str, rest: str) -> str:
    path = posixpath.normpath(posixpath.join(folder, rest))
    return "" if path == "." else path


def _upwards(folder: str) -> Iterable[str]:
    yield folder
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder
