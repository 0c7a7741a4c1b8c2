"""Anchors: what code a record is about. A name becomes an entity when saved, and is looked for again when recalled."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from zerikai_memory.errors import InputError
from zerikai_memory.model import CodeEntity
from zerikai_memory.model_notes import Anchor
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.view import IndexView

NEAR_NAMES = 5
LISTED = 8
_CITATION = re.compile(r"^(?P<name>.*?)\s*#(?P<path>[^#]+?):(?P<line>\d+)(?:\s*\([\d.\-]+\))?(?:\s*\[\w+\])?$")
_PATH_LINE = re.compile(r"^(?P<path>.+?):(?P<line>\d+)(?:-\d+)?$")
_PATH_NAME = re.compile(r"^(?P<path>[^:]+\.\w+)::?(?P<name>[^\d:][^:]*)$")


@dataclass(frozen=True, slots=True)
class FileToday:
    """Entities of a file as it is now; not `sure` when it could not be read or parsed whole."""

    entities: Sequence[CodeEntity]
    sure: bool


def resolve_anchors(wanted: Sequence[str], view: IndexView, index: WorkspaceIndex) -> tuple[Anchor, ...]:
    """The entities meant by names, paths, `path:line`, `path:name` or citations.

    Raises InputError for one that is unknown (with near names) or ambiguous (with all that fit).
    """
    ids = [view.ids[_position(text.strip(), view)] for text in wanted if text.strip()]
    stored = index.entities_by_id(ids)
    return tuple(_anchor(stored[id]) for id in dict.fromkeys(ids) if id in stored)


def check_anchor(
    anchor: Anchor,
    today: Callable[[str], FileToday],
    elsewhere: Callable[[Anchor], Sequence[CodeEntity]],
) -> Anchor:
    """The anchor with its state in today's files; `elsewhere` gives indexed entities of its name in other files."""
    file = today(anchor.path)
    here = [entity for entity in file.entities if _is(anchor, entity)]
    if any(entity.body_hash == anchor.body_hash for entity in here):
        return replace(anchor, state="fresh")
    if here:
        return replace(anchor, state="changed")
    for entity in elsewhere(anchor):
        now = today(entity.file_path).entities if entity.file_path != anchor.path else ()
        if any(_is(anchor, other) and other.body_hash == anchor.body_hash for other in now):
            return replace(anchor, state="moved", now_path=entity.file_path)
    return replace(anchor, state="gone" if file.sure else "unknown")


def _is(anchor: Anchor, entity: CodeEntity) -> bool:
    return (entity.qualified_name, entity.entity_type.value) == (anchor.qualified_name, anchor.kind)


def _anchor(entity: CodeEntity) -> Anchor:
    return Anchor(entity.file_path, entity.entity_type.value, entity.qualified_name, entity.signature, entity.body_hash)


def _position(text: str, view: IndexView) -> int:
    found = _positions(text, view)
    if not found:
        near = _near(text, view)
        hint = f"; near names: {', '.join(near)}" if near else ""
        raise InputError(f"anchors: {text!r} is no entity or file of the index{hint}")
    if len(found) > 1:
        listed = ", ".join(_spelled(view, i) for i in found[:LISTED])
        more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
        raise InputError(f"anchors: {text!r} is ambiguous, give one of: {listed}{more}")
    return found[0]


def _positions(text: str, view: IndexView) -> list[int]:
    if match := _CITATION.match(text):
        name, path, line = match["name"].strip(), match["path"].strip(), int(match["line"])
        files = _files(path, view)
        named = [i for i in _named(name, view) if int(view.file_of[i]) in files]
        # A citation's line may be older than the index; the name decides, the line only among equals.
        on_line = [i for i in named if view.start_lines[i] == line]
        return on_line or named or ([] if name else _around(files, line, view))
    if match := _PATH_LINE.match(text):
        return _around(_files(match["path"], view), int(match["line"]), view)
    if match := _PATH_NAME.match(text):
        files = _files(match["path"], view)
        return [i for i in _named(match["name"].strip(), view) if int(view.file_of[i]) in files]
    if text in view.ids:
        return [view.ids.index(text)]
    files = _files(text, view)
    modules = [i for i, kind in enumerate(view.types) if kind == "module" and int(view.file_of[i]) in files]
    return modules or _named(text, view)


def _files(path: str, view: IndexView) -> set[int]:
    wanted = path.replace("\\", "/").removeprefix("./").strip("/")
    exact = {f for f, file in enumerate(view.files) if file.path == wanted}
    return exact or {f for f, file in enumerate(view.files) if file.path.endswith("/" + wanted)}


def _named(text: str, view: IndexView) -> list[int]:
    """Entities of that qualified name, else of a dotted end of it, else of that name."""
    name = text.removesuffix("()").replace("::", ".").replace("#", ".")
    tests: tuple[Callable[[int], bool], ...] = (
        lambda i: view.qualified_names[i] == name,
        lambda i: "." in name and view.qualified_names[i].endswith("." + name),
        lambda i: view.names[i] == name,
        lambda i: "." in name and _dotted(view, i) == name,
    )
    for fits in tests:
        if found := [i for i in range(len(view)) if fits(i)]:
            return found
    return []


def _dotted(view: IndexView, i: int) -> str:
    """`package.module.Class.method`, as imports spell it."""
    path = view.files[int(view.file_of[i])].path.rsplit(".", 1)[0].replace("/", ".").removesuffix(".__init__")
    return f"{path}.{view.qualified_names[i]}"


def _around(files: set[int], line: int, view: IndexView) -> list[int]:
    inside = [
        i
        for i in range(len(view))
        if int(view.file_of[i]) in files and view.start_lines[i] <= line <= view.end_lines[i]
    ]
    if len({int(view.file_of[i]) for i in inside}) > 1:
        return inside
    return sorted(inside, key=lambda i: (view.end_lines[i] - view.start_lines[i], -view.start_lines[i]))[:1]


def _near(text: str, view: IndexView) -> list[str]:
    match = _CITATION.match(text) or _PATH_NAME.match(text)
    wanted = (match["name"].strip() if match else text).lower()
    spelled: dict[str, str] = {}
    for i in range(len(view)):
        spelled.setdefault(view.names[i].lower(), view.qualified_names[i] or view.names[i])
        spelled.setdefault(view.qualified_names[i].lower(), view.qualified_names[i])
    for file in view.files:
        spelled.setdefault(file.path.lower(), file.path)
        spelled.setdefault(file.path.rsplit("/", 1)[-1].lower(), file.path)
    close = difflib.get_close_matches(wanted, [key for key in spelled if key], NEAR_NAMES, 0.6)
    close = close or [key for key in spelled if wanted and wanted in key][:NEAR_NAMES]
    return list(dict.fromkeys(spelled[key] for key in close))


def _spelled(view: IndexView, i: int) -> str:
    path = view.files[int(view.file_of[i])].path
    if view.types[i] == "module":
        return path
    return f"{view.qualified_names[i] or view.names[i]} #{path}:{int(view.start_lines[i])}"
