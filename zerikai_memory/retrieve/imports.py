"""An import line as a question: `from a.b import c`, `import { c } from 'a/b'`, `const c = require('./b')`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# More names than these are a file's head, not a question.
MAX_IMPORTED = 16

_SPEC = r"['\"`](?P<module>[^'\"`\s]{1,200})['\"`]"
_END = r"\s*;?\s*(?:(?:#|//).*)?$"
_LINES = tuple(
    re.compile(pattern + _END, re.DOTALL)
    for pattern in (
        r"^from\s+(?P<module>\.*[\w.]+)\s+import\s+\(?(?P<names>[\w\s,*]{1,1000}?)\)?",
        r"^import\s+(?P<module>[\w.]+)(?:\s+as\s+\w+)?",
        rf"^(?:import|export)\s+(?:type\s+)?(?P<names>[\w\s,*{{}}$]{{1,1000}}?)\s*from\s*{_SPEC}",
        rf"^@?(?:import|use|forward)\s+(?:url\()?{_SPEC}\)?",
        rf"^(?:const|let|var)\s+(?P<names>[\w\s,:{{}}$]{{1,1000}}?)\s*=\s*(?:await\s+)?(?:require|import)\s*\(\s*{_SPEC}\s*\)",
    )
)
# `c as d` and `c: d` bring in what its module calls c; `* as d` and `default as d` have no name there but d.
_NAME = re.compile(
    r"^(?:type\s+)?(?:(?:\*|default)\s+as\s+)?(?P<name>[A-Za-z_$][\w$]*)(?:(?:\s+as\s+|\s*:\s*).+)?$", re.DOTALL
)
_PARTS = re.compile(r"[./\\]+")
_EXTENSION = re.compile(r"\.(?:[cm]?[jt]sx?|css|s[ac]ss|less|vue|svelte)$")


@dataclass(frozen=True, slots=True)
class Import:
    """What an import line names: the parts of the module's path, and the names it brings in as the module has them."""

    module: tuple[str, ...]
    names: tuple[str, ...]


def read_import(texts: Iterable[str]) -> Import | None:
    """The first of the texts that is an import line and nothing else; None where none is."""
    for text in texts:
        line = text.strip().removeprefix(">>> ").strip("` ")
        match = next(filter(None, (pattern.match(line) for pattern in _LINES)), None)
        if match and (parts := module_parts(match["module"])):
            return Import(parts, _names(match.groupdict().get("names") or ""))
    return None


def module_parts(text: str) -> tuple[str, ...]:
    """The parts of a module's name or path: `a.b`, `./a/b.js` and `@scope/a/b` without what says where to begin."""
    return tuple(part for part in _PARTS.split(_EXTENSION.sub("", text).removeprefix("@")) if part)


def _names(clause: str) -> tuple[str, ...]:
    parts = (part.strip() for part in re.split(r"[,{}]", clause))
    named = (match["name"] for part in parts if (match := _NAME.match(part)))
    return tuple(dict.fromkeys(named))[:MAX_IMPORTED]
