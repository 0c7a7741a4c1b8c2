"""Where code says a name in ways that no edge tells: as a value, a default, an annotation, in a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zerikai_memory.codemap.views.spoken import ReadFile, lines_said
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.model import CodeEntity
from zerikai_memory.model_map import EdgeKind, Evidence
from zerikai_memory.model_views import MapPart, MapRow

# Views that would otherwise say that nothing uses the target.
OF_USES = ("dependents", "impact")
NOTE = "its name stands in code there; how it is used is not known"
PLACES_SHOWN = 5
_WHOLE = ("module", "folder")


def with_names(
    table: MapTable, parts: Sequence[MapPart], files: Callable[[str], Sequence[str]], read: ReadFile
) -> list[MapPart]:
    """The parts, with one more behind each that knows of no use: the lines of code that say the name all the same.

    `files` gives the paths in whose text a name may stand, `read` the bytes of a file. Where uses are known nothing is
    added: what else says the name is then most often one of them.
    """
    guessed = {part.subject.entity_id for part in parts if part.guesses and part.rows and part.subject}
    told: list[MapPart] = []
    for part in parts:
        told.append(part)
        subject = part.subject
        known = part.rows or part.omitted or part.guesses or part.title not in OF_USES
        if known or subject is None or subject.entity_type in _WHOLE or subject.entity_id in guessed:
            continue
        if rows := _rows(table, table.entities[subject.entity_id], files, read):
            title = f"{part.title} by name only"
            if part.title == "impact":  # guesses are no part of it: they are counted, and where they stand is told
                told.append(MapPart(title, (), subject, f"{NOTE}: {_places(rows)}", len(rows), guesses=True))
            else:
                told.append(MapPart(title, rows, subject, NOTE, guesses=True))
    return told


def _places(rows: Sequence[MapRow]) -> str:
    places = [f"{row.site_path}:{line}" for row in rows for line in row.lines]
    return ", ".join(places[:PLACES_SHOWN]) + (f" and {len(places) - PLACES_SHOWN} more" * (len(places) > PLACES_SHOWN))


def _rows(
    table: MapTable, subject: CodeEntity, files: Callable[[str], Sequence[str]], read: ReadFile
) -> tuple[MapRow, ...]:
    """What says the name, its own file first, then product code before tests."""
    name = subject.name.lstrip("#")
    paths = set(files(name))
    if sum(entity.name == subject.name for entity in table.entities.values()) > 1:
        paths &= _near(table, subject)
    rows = []
    for path in sorted(paths, key=lambda path: (path != subject.file_path, table.is_test(path), path)):
        content = read(path)
        own = [(e.start_line, e.end_line) for e in table.by_file.get(path, ()) if e.name.lstrip("#") == name]
        if content is not None:
            rows += _in_file(table, path, lines_said(content.decode("utf-8", "replace"), path, name, own))
    return tuple(rows)


def _near(table: MapTable, subject: CodeEntity) -> set[str]:
    """Its file and those that import it: elsewhere the name means another of those that bear it."""
    module = table.module(subject.file_path)
    edges = table.graph.to_entity(module.id) if module else ()
    return {subject.file_path, *(edge.file_path for edge in edges if edge.kind is EdgeKind.IMPORT)}


def _in_file(table: MapTable, path: str, lines: Sequence[int]) -> list[MapRow]:
    """A row for each innermost entity that holds some of the lines."""
    holders: dict[str, list[int]] = {}
    entities = table.by_file.get(path, ())
    for line in lines:
        around = [e for e in entities if e.start_line <= line <= e.end_line]
        if around:
            holder = min(around, key=lambda e: e.end_line - e.start_line)
            holders.setdefault(holder.id, []).append(line)
    return [
        table.row(
            table.entities[id],
            kind=EdgeKind.USE.value,
            evidence=Evidence.SAME_NAME.value,
            depth=1,
            site_path=path,
            lines=tuple(found),
        )
        for id, found in holders.items()
    ]
