"""Anchors: what code a record is about. A name becomes an entity when saved, and is looked for again when recalled."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from zerikai_memory.errors import InputError
from zerikai_memory.memory.places import Place, is_absolute, readings, relative_paths
from zerikai_memory.model import CodeEntity
from zerikai_memory.model_notes import Anchor
from zerikai_memory.redact import echo
from zerikai_memory.retrieve.frames import innermost
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.view import IndexView

NEAR_NAMES = 5
LISTED = 8
# A longer text names no code.
MOST_CHARS = 500


@dataclass(frozen=True, slots=True)
class FileToday:
    """Entities of a file as it is now; not `sure` when it could not be read or parsed whole."""

    entities: Sequence[CodeEntity]
    sure: bool


def resolve_anchors(wanted: Sequence[str], view: IndexView, index: WorkspaceIndex, root: str) -> tuple[Anchor, ...]:
    """The entities meant by names, paths (also absolute ones), `path:line`, `path:name` or citations.

    Raises InputError for an empty text, one that is unknown (with near names) or ambiguous (with all that fit).
    """
    ids = [view.ids[_position(text, view, root)] for text in wanted]
    stored = index.entities_by_id(ids)
    return tuple(_anchor(stored[id]) for id in dict.fromkeys(ids) if id in stored)


def entities_meant(text: str, view: IndexView, root: str) -> list[int]:
    """Positions of all entities that a text may mean, in the reading of it that fits the index; none if none does."""
    for place in readings(text):
        if found := _positions(place, view, root):
            return found
    return [view.ids.index(text)] if text in view.ids else []


def near_names(text: str, view: IndexView) -> list[str]:
    """Names and paths of the index that look like what a text names; files of it when it names a folder."""
    place = next(place for place in readings(text) if place.name or place.line)
    wanted = place.name or place.path.replace("\\", "/").rsplit("/", 1)[-1]
    written = text.strip().replace("\\", "/").removeprefix("./").strip("/")
    spelled: dict[str, str] = {}
    for i in range(len(view)):
        spelled.setdefault(view.names[i].lower(), view.qualified_names[i] or view.names[i])
        spelled.setdefault(view.qualified_names[i].lower(), view.qualified_names[i])
    for file in view.files:
        spelled.setdefault(file.path.lower(), file.path)
        spelled.setdefault(file.path.rsplit("/", 1)[-1].lower(), file.path)
    inside = [file.path for file in view.files if written and file.path.startswith(written + "/")]
    return inside[:NEAR_NAMES] or near(wanted, spelled)


def near(wanted: str, spelled: Mapping[str, str]) -> list[str]:
    """Values whose lower-case keys look like a word or hold it, the best first."""
    close = difflib.get_close_matches(wanted.lower(), [key for key in spelled if key], NEAR_NAMES, 0.6)
    close = close or [key for key in spelled if wanted and wanted.lower() in key][:NEAR_NAMES]
    return list(dict.fromkeys(spelled[key] for key in close))


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


def _position(text: str, view: IndexView, root: str) -> int:
    if not text.strip():
        raise InputError("anchors: got an empty text; name the code it is about, or leave it out")
    if len(text) > MOST_CHARS:
        raise InputError(f"anchors: got a text of {len(text)} characters; give a name, a path or path:line")
    found = entities_meant(text, view, root)
    if not found:
        raise InputError(f"anchors: {_unknown(text, view, root)}")
    if len(found) > 1:
        listed = ", ".join(_spelled(view, i) for i in found[:LISTED])
        more = f" and {len(found) - LISTED} more" if len(found) > LISTED else ""
        raise InputError(f"anchors: {echo(text, MOST_CHARS)} is ambiguous, give one of: {listed}{more}")
    return found[0]


def _unknown(text: str, view: IndexView, root: str) -> str:
    shown = echo(text, MOST_CHARS)
    for place in readings(text):
        if place.line is not None and not place.name and (files := _files(place.path, view, root)):
            last = max(int(view.end_lines[i]) for i in range(len(view)) if int(view.file_of[i]) in files)
            path = view.files[next(iter(files))].path
            return f"{shown}: {path} has nothing at line {place.line}; what is indexed of it ends at line {last}"
    if is_absolute(text.strip()) and not relative_paths(text.strip(), root):
        return f"{shown} is outside of the workspace {root!r}"
    names = near_names(text, view)
    return f"{shown} is no entity or file of the index" + (f"; near names: {', '.join(names)}" if names else "")


def _positions(place: Place, view: IndexView, root: str) -> list[int]:
    if not place.path:
        return _named(place.name, view) if place.name else []
    files = _files(place.path, view, root)
    if not files:
        return []
    if place.name:
        named = _named(place.name, view, files)
        # A citation's line may be older than the index; the name decides, the line only among equals.
        on_line = [i for i in named if view.start_lines[i] == place.line]
        return on_line or named
    if place.line is not None:
        return _around(files, place.line, view)
    return [i for i, kind in enumerate(view.types) if kind == "module" and int(view.file_of[i]) in files]


def _files(path: str, view: IndexView, root: str) -> set[int]:
    for wanted in relative_paths(path, root):
        exact = {f for f, file in enumerate(view.files) if file.path == wanted}
        ends = exact or {f for f, file in enumerate(view.files) if wanted and file.path.endswith("/" + wanted)}
        if ends:
            return ends
        # Windows writes a name in any case.
        if folded := {f for f, file in enumerate(view.files) if f"/{file.path}".lower().endswith(f"/{wanted}".lower())}:
            return folded if wanted else set()
    return set()


def _named(text: str, view: IndexView, files: Container[int] | None = None) -> list[int]:
    """Entities of that qualified name, else of a dotted end of it, else of that name; of some files or of all."""
    name = text.removesuffix("()").replace("::", ".").replace("#", ".")
    tests: tuple[Callable[[int], bool], ...] = (
        lambda i: view.qualified_names[i] == name,
        lambda i: "." in name and view.qualified_names[i].endswith("." + name),
        lambda i: view.names[i] == name,
        lambda i: "." in name and _dotted(view, i) == name,
    )
    for fits in tests:
        if found := [i for i in range(len(view)) if fits(i) and (files is None or int(view.file_of[i]) in files)]:
            return found
    return []


def _dotted(view: IndexView, i: int) -> str:
    """`package.module.Class.method`, as imports spell it."""
    path = view.files[int(view.file_of[i])].path.rsplit(".", 1)[0].replace("/", ".").removesuffix(".__init__")
    return f"{path}.{view.qualified_names[i]}"


def _around(files: set[int], line: int, view: IndexView) -> list[int]:
    """The innermost entity around a line in each of the files."""
    inside = (innermost(view, [i for i in range(len(view)) if int(view.file_of[i]) == f], line) for f in sorted(files))
    return [i for i in inside if i is not None]


def _spelled(view: IndexView, i: int) -> str:
    path = view.files[int(view.file_of[i])].path
    if view.types[i] == "module":
        return path
    return f"{view.qualified_names[i] or view.names[i]} #{path}:{int(view.start_lines[i])}"
