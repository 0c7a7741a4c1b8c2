"""What a text names in the code: a path, a line, a name or a citation, in every way people and agents write it.

`app.py`, `./app.py`, `/work/shop/app.py`, `C:\\work\\shop\\app.py`, `file:///work/shop/app.py`, `app.py:12`,
`app.py:12:5`, `app.py:12-20`, `app.py#L12`, `app.py line 12`, `app.py::load`, `load #app.py:12 (0.84) [moved]`,
`load (app.py)`, `Session.login`, `login()`. Which of the readings is meant, the index decides.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

_PATH = r"(?P<path>(?:[A-Za-z]:)?[^:#\n]+?)"
_LINES = r"(?P<line>\d{1,7})(?:[:\-–]L?\d{1,7})*"
# Distance, kind and state stand behind a citation in brackets.
_BEHIND = r"(?:\s*[(\[][^()\[\]]*[)\]])*"
_CITATION = re.compile(rf"^(?:[-*]\s+)?(?P<name>.*?)\s*#{_PATH}(?::{_LINES})?{_BEHIND}$")
_PATH_LINE = re.compile(rf"^(?P<path>.+?)(?::|#L|,? (?:at )?line ){_LINES}$")
_PATH_NAME = re.compile(r"^(?P<path>(?:[A-Za-z]:)?[^:]+\.\w+)::?(?P<name>[^\d:][^:]*(?:::[^:]+)*)$")
_LABEL = re.compile(rf"^(?P<name>[^\s()]+(?:\(\))?)\s+\({_PATH}(?::{_LINES})?\)$")
_ABSOLUTE = re.compile(r"^(?:/|[A-Za-z]:/)")
_DRIVE = re.compile(r"^[A-Za-z]:/")


@dataclass(frozen=True, slots=True)
class Place:
    """One reading of a text: a path as it is written and a line of it, a name, or both; what is not named is empty."""

    path: str = ""
    line: int | None = None
    name: str = ""


def readings(text: str) -> Iterator[Place]:
    """What a text may name, the likeliest reading first; a name alone is the last."""
    wanted = text.strip().strip("`'\"").strip()
    yield Place(path=wanted)
    for pattern in (_CITATION, _PATH_LINE, _PATH_NAME, _LABEL):
        if match := pattern.match(wanted):
            groups = match.groupdict()
            line = groups.get("line")
            yield Place(groups["path"].strip(), int(line) if line else None, (groups.get("name") or "").strip())
    if wanted.startswith("@"):  # how some editors mention a file
        yield from readings(wanted[1:])
    yield Place(name=wanted)


def relative_paths(path: str, root: str) -> tuple[str, ...]:
    """A path as it is relative to the workspace's root, in the ways it may be meant; none for one outside of it.

    An absolute path may come from another machine or a container: then what follows the root's folder name is meant.
    """
    wanted = unquote(path.removeprefix("file://")) if path.startswith("file://") else path
    wanted = wanted.replace("\\", "/")
    wanted = wanted[1:] if re.match(r"^/[A-Za-z]:/", wanted) else wanted
    if not _ABSOLUTE.match(wanted):
        return (_plain(wanted),)
    home = root.replace("\\", "/").rstrip("/")
    if inside := _below(wanted, home):
        return (inside,)
    # A link that leads into the workspace.
    if os.sep == "/" and wanted.startswith("/") and (inside := _below(os.path.realpath(wanted), home)):
        return (inside,)
    folder = f"/{home.rsplit('/', 1)[-1]}/".lower()
    at = wanted.lower().rfind(folder)
    elsewhere = (wanted[at + len(folder) :],) if at >= 0 else ()
    return (*elsewhere, *(() if _DRIVE.match(wanted) else (_plain(wanted),)))


def is_absolute(path: str) -> bool:
    """Whether a path begins at a root or a drive."""
    return bool(_ABSOLUTE.match(path.replace("\\", "/").removeprefix("file://")))


def _below(path: str, home: str) -> str:
    """The rest of a path below a folder, empty when it is not below it; a drive's paths know no case."""
    fold = str.lower if _DRIVE.match(path) or _DRIVE.match(home) else str
    return _plain(path[len(home) + 1 :]) if fold(path).startswith(fold(home) + "/") else ""


def _plain(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "/".join(parts)
