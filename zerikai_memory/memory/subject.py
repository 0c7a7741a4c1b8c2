"""Which records are about a piece of code: anchors of theirs that a name, path, `path:line` or citation means."""

from __future__ import annotations

from collections.abc import Collection

from zerikai_memory.errors import InputError
from zerikai_memory.memory.anchors import entities_meant, near, near_names
from zerikai_memory.memory.places import Place, readings, relative_paths
from zerikai_memory.redact import echo
from zerikai_memory.store.view import IndexView

# (path, qualified name) as an anchor keeps them.
Kept = tuple[str, str]


def places_meant(text: str, kept: Collection[Kept], view: IndexView | None, root: str) -> list[Kept]:
    """Those of the kept anchors that a text means: of the entity, of what is inside of it, of all in a file.

    A line means also what surrounds the entity there. Without an index, or for code that is gone, names decide alone.
    Raises InputError for a text that means no code at all, with near names.
    """
    if not text.strip():
        raise InputError("entity: got an empty text; give a name, a path, path:line or a citation, or leave it out")
    meant = [] if view is None else entities_meant(text, view, root)
    by_index = _of_index(meant, kept, view, text) if view is not None else set()
    by_name = {place for place in kept if any(_named(reading, place, root) for reading in readings(text))}
    if not (meant or by_name):
        names = dict.fromkeys([*([] if view is None else near_names(text, view)), *_near_kept(text, kept)])
        hint = f"; near names: {', '.join(names)}" if names else ""
        raise InputError(f"entity: {echo(text, 200)} is no code of the index and no anchor of a record{hint}")
    return sorted(by_index | by_name)


def _of_index(meant: list[int], kept: Collection[Kept], view: IndexView, text: str) -> set[Kept]:
    there = {(view.files[int(f)].path, name) for f, name in zip(view.file_of, view.qualified_names, strict=True)}
    by_line = any(reading.line is not None and not reading.name for reading in readings(text))
    found: set[Kept] = set()
    for i in meant:
        file, name = view.files[int(view.file_of[i])].path, view.qualified_names[i]
        if view.types[i] == "module":
            found |= {(path, kept_name) for path, kept_name in kept if path == file and (not by_line or not kept_name)}
            continue
        for path, kept_name in kept:
            here = path == file or (path, kept_name) not in there  # moved since
            around = by_line and kept_name and name.startswith(kept_name + ".")
            if here and (kept_name == name or kept_name.startswith(name + ".") or (around and path == file)):
                found.add((path, kept_name))
    return found


def _named(reading: Place, place: Kept, root: str) -> bool:
    path, kept_name = place
    if reading.path:
        wanted = relative_paths(reading.path, root)
        if not any(path == one or path.endswith("/" + one) for one in wanted if one):
            return False
    name = reading.name.removesuffix("()").replace("::", ".")
    if not name:
        return bool(reading.path) and reading.line is None
    return kept_name == name or kept_name.endswith("." + name) or f".{kept_name}".rfind(f".{name}.") >= 0


def _near_kept(text: str, kept: Collection[Kept]) -> list[str]:
    spelled: dict[str, str] = {}
    for path, name in kept:
        spelled.setdefault(name.lower(), name)
        spelled.setdefault(name.rsplit(".", 1)[-1].lower(), name)
        spelled.setdefault(path.lower(), path)
        spelled.setdefault(path.rsplit("/", 1)[-1].lower(), path)
    place = next(place for place in readings(text[:200]) if place.name or place.line)
    return near(place.name or place.path.replace("\\", "/").rsplit("/", 1)[-1], spelled)
