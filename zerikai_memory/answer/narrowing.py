"""Of the uses of a thing those that a question asks for: subclasses, lines that raise it, lines that catch it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_views import MapPart, MapReply, MapRow
from zerikai_memory.retrieve.cite import WorkingFile

# What a line uses a class for stands in the line.
_LINES = {
    "raised": re.compile(r"\b(?:raise|throw|reject)\b"),
    "caught": re.compile(r"\b(?:except|catch|instanceof|suppress)\b"),
}
_CLASSES = ("class", "interface")

ReadFile = Callable[[str], WorkingFile]
EntitiesOf = Callable[[str], Sequence[CodeEntity]]
LinesSaid = Callable[[str, str, str], Sequence[int]]


def narrowed(reply: MapReply, only: str, read: ReadFile, entities: EntitiesOf, said: LinesSaid) -> MapReply:
    """The reply with the rows that `only` (subclasses, raised, caught) is about, and a note of the other uses.

    As it was where `only` says nothing about the things: no class has subclasses, no line names the raising.
    `entities` gives those of a file, `said` the lines of (a text, its path) in whose code a name stands.
    """
    if not only:
        return reply
    parts = [replace(part, rows=_rows(part, only, read, entities, said)) for part in reply.parts]
    found = any(part.rows for part in parts)
    if not found and not (only == "subclasses" and _of_classes(reply.parts)):
        unknown = f"no line is known where it is {only}; these are all its uses"
        return replace(reply, notes=(*reply.notes, unknown)) if only in _LINES and _places(reply.parts) else reply
    others = len(_places(reply.parts) - _places(parts))
    told = f"{others} other {'use' if others == 1 else 'uses'}: code_map view={reply.view} target={reply.target}"
    kept = tuple(part if part.guesses else replace(part, title=only) for part in parts if part.rows or not part.guesses)
    return replace(reply, parts=kept, notes=(*reply.notes, told) if others else reply.notes)


def _rows(part: MapPart, only: str, read: ReadFile, entities: EntitiesOf, said: LinesSaid) -> tuple[MapRow, ...]:
    if only == "subclasses":
        return tuple(row for row in part.rows if row.kind == "inherit")
    rows = {path: [row for row in part.rows if _site(row) == path] for path in dict.fromkeys(map(_site, part.rows))}
    name = ""
    if part.subject is not None and not part.guesses:
        name = part.subject.name.rpartition(".")[2]
        rows.setdefault(part.subject.file_path, [])
    found: list[MapRow] = []
    for path, own in rows.items():
        if (content := read(path).content) is not None:
            text = content.decode("utf-8", "replace")
            # Not every use in a line is an edge, so the name is looked for too.
            named = said(text, path, name) if name else ()
            found += _rows_of_file(text.split("\n"), own, named, _LINES[only], entities(path))
    return tuple(found)


def _rows_of_file(
    lines: Sequence[str],
    rows: Sequence[MapRow],
    named: Sequence[int],
    wanted: re.Pattern[str],
    entities: Sequence[CodeEntity],
) -> Iterable[MapRow]:
    """The rows of one file with their wanted lines, and rows for wanted lines of `named` that none of them has."""
    # The lines of a changed file are those of the scan; today's are found by name.
    by_line = {line: row for row in rows if not row.changed for line in row.lines if line <= len(lines)}
    found: dict[str, MapRow] = {}
    for line in sorted({*by_line, *named}):
        if wanted.search(lines[line - 1]) and (row := by_line.get(line) or _around(entities, line)):
            known = found.get(row.entity_id)
            found[row.entity_id] = replace(row, lines=(*(known.lines if known else ()), line))
    return found.values()


def _around(entities: Sequence[CodeEntity], line: int) -> MapRow | None:
    """A row for the smallest entity that a line stands in."""
    around = [entity for entity in entities if entity.start_line <= line <= entity.end_line]
    around = around or [entity for entity in entities if entity.entity_type is EntityType.MODULE]
    if not around:
        return None
    entity = min(around, key=lambda one: one.end_line - one.start_line)
    name = entity.file_path if entity.entity_type is EntityType.MODULE else entity.qualified_name
    path = entity.file_path
    return MapRow(name, entity.entity_type.value, path, entity.start_line, entity.id, kind="use", site_path=path)


def _site(row: MapRow) -> str:
    return row.site_path or row.file_path


def _of_classes(parts: Sequence[MapPart]) -> bool:
    return any(part.subject is not None and part.subject.entity_type in _CLASSES for part in parts)


def _places(parts: Sequence[MapPart]) -> set[tuple[str, str, int]]:
    return {(_site(row), row.entity_id, line) for part in parts for row in part.rows for line in row.lines}
