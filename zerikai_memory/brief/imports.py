"""Which file imports which, resolved simply by module path: enough to count, no promise for every import."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from zerikai_memory.model import Reference, ReferenceKind

_SCRIPT_SUFFIXES = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts")
# A specifier that names the compiled file means its source.
_COMPILED = re.compile(r"\.(m|c)?jsx?$")


@dataclass(frozen=True, slots=True)
class Import:
    """An import that leads to another file of the project; `name` is what is imported from it."""

    source: str
    target: str
    name: str


def resolve_imports(
    files: Sequence[str],
    references: Iterable[Reference],
    packages: Mapping[str, str] | None = None,
    root_name: str = "",
) -> tuple[Import, ...]:
    """The imports that lead to another file of the project, each once.

    `packages` maps names of the project's own script packages to their folders; `root_name` is the name of the
    workspace folder, which is a Python package itself when it holds an `__init__.py`.
    """
    present = frozenset(files)
    modules = _python_modules(present)
    if root_name and "__init__.py" in present:
        modules |= {f"{root_name}.{name}": path for name, path in modules.items()} | {root_name: "__init__.py"}
    found: dict[Import, None] = {}
    for reference in references:
        if reference.kind is not ReferenceKind.IMPORT:
            continue
        if reference.file_path.endswith((".py", ".pyi")):
            target = _python_target(reference, modules)
        else:
            target = _script_target(reference, present, packages or {})
        if target is not None and target != reference.file_path:
            found[Import(reference.file_path, target, reference.name)] = None
    return tuple(found)


def _python_modules(files: frozenset[str]) -> dict[str, str]:
    """{dotted module name: file}, counted from the folder above the outermost package and from the root."""
    found: dict[str, str] = {}
    for path in sorted(files):
        if not path.endswith((".py", ".pyi")):
            continue
        parts = posixpath.splitext(path)[0].split("/")
        top = len(parts) - 1
        while top > 0 and "/".join([*parts[:top], "__init__.py"]) in files:
            top -= 1
        names = parts[:-1] if parts[-1] == "__init__" else parts
        for start in {0, top, 1 if parts[0] in ("src", "lib", "python") else 0}:
            if dotted := ".".join(names[start:]):
                found.setdefault(dotted, path)
    return found


def _python_target(reference: Reference, modules: Mapping[str, str]) -> str | None:
    module = reference.target_text.strip()
    if module.startswith("."):
        level = len(module) - len(module.lstrip("."))
        folder = posixpath.dirname(reference.file_path).split("/")
        base = [part for part in folder if part][: len(folder) - level + 1]
        dotted = ".".join([*base, *filter(None, module.lstrip(".").split("."))])
    else:
        dotted = module
    candidates = [dotted]
    if reference.name not in ("*", dotted) and dotted.rpartition(".")[2] != reference.name:
        candidates.insert(0, f"{dotted}.{reference.name}")
    return next((modules[name] for name in candidates if name in modules), None)


def _script_target(reference: Reference, files: frozenset[str], packages: Mapping[str, str]) -> str | None:
    specifier = reference.target_text.strip().strip("'\"").partition("?")[0].partition("#")[0]
    if specifier.startswith("."):
        return _file_for(posixpath.normpath(posixpath.join(posixpath.dirname(reference.file_path), specifier)), files)
    if re.match(r"[\w.-]+\.(css|js|mjs|html?|md)$|[\w.-]+/.*\.\w+$", specifier):  # HTML, CSS and Markdown links
        linked = _file_for(posixpath.normpath(posixpath.join(posixpath.dirname(reference.file_path), specifier)), files)
        if linked:
            return linked
    for name, folder in packages.items():
        if specifier == name or specifier.startswith(name + "/"):
            rest = specifier[len(name) + 1 :]
            roots = [posixpath.join(folder, part, rest) for part in ("src", "")]
            return next((found for root in roots if (found := _file_for(posixpath.normpath(root), files))), None)
    return None


def _file_for(base: str, files: frozenset[str]) -> str | None:
    """The file that a path without (or with another) extension means."""
    bare = _COMPILED.sub("", base)
    tries = [base, *(bare + suffix for suffix in _SCRIPT_SUFFIXES), *(base + suffix for suffix in _SCRIPT_SUFFIXES)]
    tries += [posixpath.join(base, "index" + suffix) for suffix in _SCRIPT_SUFFIXES]
    return next((path for path in tries if path in files), None)
