"""What a view is about: a name, qualified name, path, path:line, citation or id; never another thing in its place."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from zerikai_memory.codemap.views.table import CLASSES, MapTable
from zerikai_memory.errors import InputError
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_views import OFFERED, MapPart, MapRow

# Up to so many things of one name are each shown apart; with more the answer would be a list of lists.
MOST_APART = 5
LISTED = 12
LEFT_OUT_LISTED = 5
NEAR_NAMES = 5
# difflib on every name of a large project takes a second; those that share parts with the wanted one are enough.
_NEAR_CANDIDATES = 300

_CITATION = re.compile(r"^(?P<name>.*?)\s*#(?P<path>[^#]+?):(?P<line>\d+)(?:\s*\([\d.\-]+\))?(?:\s*\[\w+\])?$")
_PATH_LINE = re.compile(r"^(?P<path>.+?):(?P<line>\d+)(?:[-:]\d+)?$")
_PATH_NAME = re.compile(r"^(?P<path>[^:#]+\.\w+)(?:::?|#)(?P<name>[^\d:][^:]*)$")


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that a target means.

    `ids` are its own entities (a property and its setter are two), `inside` these with all they contain.
    """

    row: MapRow
    ids: frozenset[str]
    inside: frozenset[str]
    kind: str  # folder, file, class, or the entity's own kind

    @property
    def whole(self) -> bool:
        """Whether it stands for what it contains: a file or a folder."""
        return self.kind in ("folder", "file")


def subjects(table: MapTable, text: str) -> tuple[Subject, ...]:
    """The things that `text` names, most important first, at most MOST_APART.

    Raises InputError when nothing is called so, with near names, or when too many things are.
    """
    wanted = text.strip().strip("`'\"").strip()
    if not wanted:
        raise InputError("target: is empty; give a name, qualified name, path, path:line or entity id")
    found = find(table, wanted)
    if not found:
        near = near_names(table, wanted)
        hint = f"; near names: {', '.join(near)}" if near else "; query_memory finds code by what it does"
        raise InputError(f"target: {text!r} is no entity, file or folder of the map{hint}")
    found = _chosen(table, found, wanted)
    if len(found) > MOST_APART:
        listed = "; ".join(spelled(subject.row) for subject in found[:LISTED])
        more = f"; and {len(found) - LISTED} more" if len(found) > LISTED else ""
        raise InputError(f"target: {text!r} names {len(found)} things, give one of them: {listed}{more}")
    return tuple(found)


def left_out(table: MapTable, text: str) -> str:
    """What else a bare name stands for where a view tells only of what the name alone says; empty when nothing."""
    found = find(table, wanted := text.strip().strip("`'\"").strip())
    chosen = _chosen(table, found, wanted)
    others = [subject for subject in found if subject not in chosen]
    if not others or len(others) == len(found):
        return ""
    listed = "; ".join(spelled(subject.row) for subject in others[:LEFT_OUT_LISTED])
    more = f"; and {len(others) - LEFT_OUT_LISTED} more" if len(others) > LEFT_OUT_LISTED else ""
    return f"{text!r} also names {len(others)} things that are left out here, ask for one of them: {listed}{more}"


def offered(table: MapTable, text: str) -> MapPart | None:
    """The things to choose from when a name stands for too many; None for any other name."""
    wanted = text.strip().strip("`'\"").strip()
    found = _chosen(table, find(table, wanted), wanted)
    if len(found) <= MOST_APART:
        return None
    rows = tuple(subject.row for subject in found[:LISTED])
    note = f"{text!r} names {len(found)} things, ask for one of them as it is written here:"
    return MapPart(OFFERED, rows, note=note, omitted=len(found) - len(rows))


def _chosen(table: MapTable, found: list[Subject], wanted: str) -> list[Subject]:
    """Of too many things of one name the product's own at the top of a file, which the name alone says in full."""
    alone = [subject for subject in found if subject.row.name == wanted]
    own = any(table.is_own(subject.row.file_path) for subject in alone)
    return alone if own and len(found) > MOST_APART >= len(alone) else found


def find(table: MapTable, wanted: str) -> list[Subject]:
    """All things of that name, most important first; none is not an error here, a line that no file has is one."""
    entities, folder = _entities(table, wanted)
    folders = [_folder(table, folder)] if folder is not None else []
    told = [entity for entity in entities if table.said(entity)] or entities
    groups: dict[tuple[str, str], list[CodeEntity]] = defaultdict(list)
    for entity in told:
        groups[entity.file_path, entity.qualified_name].append(entity)
    found = [_subject(table, group) for group in groups.values()]
    order = table.importance
    found.sort(
        key=lambda s: (table.sides.get(s.row.file_path) is not None, -order.get(s.row.file_path, 0.0), s.row.file_path)
    )
    return [*found, *folders]


def spelled(row: MapRow) -> str:
    """`name #path:line`, which is a target that means this row alone; a file is its path."""
    return row.name if row.entity_type in ("module", "folder") else f"{row.name} #{row.file_path}:{row.start_line}"


def _entities(table: MapTable, wanted: str) -> tuple[Sequence[CodeEntity], str | None]:
    """(entities meant, folder meant)."""
    if wanted in table.entities:
        return [table.entities[wanted]], None
    if match := _CITATION.match(wanted):
        named = _in_files(_named(table, match["name"].strip()), _files(table, match["path"].strip()))
        # The line may be older than the map: the name decides, the line only among equals.
        on_line = [entity for entity in named if entity.start_line == int(match["line"])]
        around = [e for e in named if e.start_line <= int(match["line"]) <= e.end_line]
        if named or match["name"].strip():
            return on_line or around or named, None
        return _around(table, _files(table, match["path"].strip()), int(match["line"])), None
    if match := _PATH_LINE.match(wanted):
        return _around(table, _files(table, match["path"]), int(match["line"])), None
    if (match := _PATH_NAME.match(wanted)) and (files := _files(table, match["path"])):
        return _in_files(_named(table, match["name"].strip()), files), None
    path = _clean(wanted)
    files = _files(table, wanted)
    if path in table.folders and not (files and files[0] == path):
        # A bare word may be a folder and something in the code as well: both are meant.
        return ([] if "/" in wanted else _named(table, wanted)), path
    modules = [module for file in files if (module := table.module(file)) is not None]
    return modules or _named(table, wanted), None


def _clean(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./").strip("/")


def _files(table: MapTable, text: str) -> list[str]:
    """Files of this path, or whose path ends with it; a dotted module name is a path too."""
    path = _clean(text)
    if path in table.by_file:
        return [path]
    named = "." in path.rpartition("/")[2]  # a bare word is a name, and a file only with its extension
    if named or "/" in path:
        base = path.rpartition("/")[2].lower()
        ends = "/" + path
        found = [file for file in table.files_by_name.get(base, ()) if ("/" + file).endswith(ends)]
        if not found and "/" in path:  # without its extension
            found = [f for f in table.files_by_name.get(base, ()) if ("/" + f.rpartition(".")[0]).endswith(ends)]
        if found:
            return found
    if "." in path and "/" not in path:
        return _files_of_module(table, path)
    return []


def _files_of_module(table: MapTable, dotted: str) -> list[str]:
    """Files of `package.module`, or of a package."""
    path = "/" + dotted.replace(".", "/")
    last = dotted.rpartition(".")[2].lower()
    files = [file for file in table.files_by_name.get(last, ()) if ("/" + file.rpartition(".")[0]).endswith(path)]
    packages = [
        file for file in table.files_by_name.get("__init__", ()) if ("/" + file.rpartition("/")[0]).endswith(path)
    ]
    exact = [file for file in (*files, *packages) if file.startswith(path[1:])]
    return exact or [*files, *packages]


def _named(table: MapTable, text: str) -> Sequence[CodeEntity]:
    """Entities of that name as it is written, else of a dotted name, of a dotted end of one, as imports spell it."""
    written = table.by_name.get(text, ()) if "." not in text[1:] else ()
    if written:
        alone = table.by_qualified_name.get(text, ())
        return [*alone, *(entity for entity in written if entity not in alone)]
    if text.startswith("#") and " " not in text:
        by_id = [e for e in table.entities.values() if e.entity_type is EntityType.ELEMENT and e.name.endswith(text)]
        return [e for e in by_id if e.name.partition("#")[2] == text[1:]]
    name = text.removesuffix("()").replace("::", ".").replace("#", ".") if " " not in text else text
    if name != text and "." not in name:
        return _named(table, name)
    if found := table.by_qualified_name.get(text) or table.by_qualified_name.get(name):
        return found
    last = name.rpartition(".")[2] or name
    same = table.by_name.get(last, ())
    if "." in name:
        ends = [entity for entity in same if entity.qualified_name.endswith("." + name)]
        ends = ends or [entity for entity in same if f".{_dotted(entity)}".endswith("." + name)]
        return ends or table.by_name.get(text, ())
    return same or table.by_name.get(text, ())


def _dotted(entity: CodeEntity) -> str:
    """`package.module.Class.method`, as imports spell it."""
    path = entity.file_path.rpartition(".")[0].replace("/", ".").removesuffix(".__init__")
    return f"{path}.{entity.qualified_name}"


def _in_files(entities: Iterable[CodeEntity], files: Iterable[str]) -> list[CodeEntity]:
    allowed = set(files)
    return [entity for entity in entities if entity.file_path in allowed]


def _around(table: MapTable, files: Iterable[str], line: int) -> list[CodeEntity]:
    """The innermost entity around a line of each file; the file where there is none."""
    found = []
    files = list(files)
    ends = {file: max(e.end_line for e in table.by_file[file]) for file in files}
    if files and not any(1 <= line <= end for end in ends.values()):
        told = ", ".join(f"{file} has the lines 1 to {end}" for file, end in list(ends.items())[:NEAR_NAMES])
        raise InputError(f"target: line {line} is not in the map: {told} (as it was scanned)")
    for file in files:
        if not 1 <= line <= ends[file]:
            continue
        inside = [
            e
            for e in table.by_file[file]
            if (e.decorator_start_line or e.start_line) <= line <= e.end_line and e.entity_type is not EntityType.TODO
        ]
        inside = inside or [module for module in (table.module(file),) if module is not None]
        found += sorted(inside, key=lambda e: (e.end_line - e.start_line, e.entity_type is EntityType.MODULE))[:1]
    return found


def _subject(table: MapTable, group: Sequence[CodeEntity]) -> Subject:
    first = group[0]
    kind = first.entity_type.value
    if first.entity_type is EntityType.MODULE:
        kind = "file"
    elif first.entity_type in CLASSES:
        kind = "class"
    inside = frozenset(member.id for entity in group for member in table.members(entity))
    return Subject(table.row(first), frozenset(entity.id for entity in group), inside, kind)


def _folder(table: MapTable, folder: str) -> Subject:
    files = [path for path in table.by_file if path.startswith(folder + "/")]
    inside = frozenset(entity.id for path in files for entity in table.by_file[path])
    modules = frozenset(module.id for path in files if (module := table.module(path)) is not None)
    return Subject(MapRow(folder + "/", "folder", folder + "/", 0), modules, inside, "folder")


def near_names(table: MapTable, wanted: str) -> list[str]:
    """Names and paths that are spelled much like the wanted one."""
    match = _CITATION.match(wanted) or _PATH_NAME.match(wanted)
    text = (match["name"] if match else _PATH_LINE.sub(r"\g<path>", wanted)).strip().lower()
    spelled_as: dict[str, str] = {}
    for entity in table.entities.values():
        if entity.entity_type is EntityType.MODULE:
            spelled_as.setdefault(entity.file_path.lower(), entity.file_path)
            spelled_as.setdefault(entity.file_path.rpartition("/")[2].lower(), entity.file_path)
        elif table.said(entity):
            spelled_as.setdefault(entity.name.lower(), entity.name)
            spelled_as.setdefault(entity.qualified_name.lower(), entity.qualified_name)
    last = text.rpartition(".")[2] if "/" not in text else text
    grams = {text[i : i + 3] for i in range(len(text) - 2)} or {text}
    scored = sorted((-sum(gram in key for gram in grams), len(key), key) for key in spelled_as)[:_NEAR_CANDIDATES]
    keys = [key for shared, _, key in scored if shared]
    close = difflib.get_close_matches(text, keys, NEAR_NAMES, 0.6)
    if last != text:
        close += difflib.get_close_matches(last, keys, NEAR_NAMES, 0.75)
    close = close or [key for key in keys if text and text in key][:NEAR_NAMES]
    return list(dict.fromkeys(spelled_as[key] for key in close))[:NEAR_NAMES]
