"""What a change of the target would touch, and the tests that run it; guesses are off unless asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from zerikai_memory.codemap.views.relations import ANY
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.codemap.views.target import Subject, subjects
from zerikai_memory.codemap.views.tested import importing_tests, runnable_rows, with_files
from zerikai_memory.codemap.views.walk import ALL_KINDS, SURE, Neighbours, Step, outside, reach, users
from zerikai_memory.model import EntityType
from zerikai_memory.model_map import Edge, EdgeKind, Evidence
from zerikai_memory.model_views import MapPart, MapRow, ViewRequest


def impact(table: MapTable, request: ViewRequest) -> list[MapPart]:
    """Everything that a change of the target can reach, and the tests to run after it."""
    parts: list[MapPart] = []
    for subject in subjects(table, request.target or ""):
        parts += _impact_of(table, subject, request)
    return parts


def touched(table: MapTable, subject: Subject, depth: int | None, *, guesses: bool = False) -> list[Step]:
    """The steps of an impact, tests among them."""
    return reach(
        table,
        subject.inside,
        outside(_affected(table, subject), subject.inside),
        depth=depth,
        evidence=ANY if guesses else SURE,
        stop=lambda step: all(_names_only(table, edge) for edge in step.edges),
    )


def _impact_of(table: MapTable, subject: Subject, request: ViewRequest) -> Iterator[MapPart]:
    steps = touched(table, subject, request.depth)
    tests = [step for step in steps if table.is_test(step.entity.file_path)]
    others = [step for step in steps if not table.is_test(step.entity.file_path)]
    yield MapPart("impact", _sorted(table, subject, others), subject.row)
    named = runnable_rows(table, tests, subject.inside)
    yield with_files(MapPart("tests to run", named, subject.row))
    known_files = {row.file_path for row in named if row.entity_type == EntityType.MODULE}
    if further := importing_tests(table, [subject.row.file_path], known_files):
        note = "whether they run it cannot be read off: they import its file, straight or through others"
        yield MapPart("tests that import it", further, subject.row, note=note)
    known = {step.entity.id for step in steps}
    if request.guesses:
        guessed = [step for step in touched(table, subject, request.depth, guesses=True) if step.entity.id not in known]
        note = "reached through calls whose target is known by its name only"
        yield MapPart("impact by name only", _sorted(table, subject, guessed), subject.row, note=note, guesses=True)
    elif count := len(_guessed_users(table, subject) - known):
        note = f"{count} more use something of this name, no more is known of them; `callers` lists them apart"
        yield MapPart("impact by name only", (), subject.row, note=note, omitted=count, guesses=True)


def _sorted(table: MapTable, subject: Subject, steps: list[Step]) -> tuple[MapRow, ...]:
    order = table.importance

    def key(step: Step) -> tuple[object, ...]:
        path = step.entity.file_path
        sure = step.evidence is Evidence.RESOLVED
        return (not sure, step.depth, -order.get(path, 0.0), path, step.edges[0].line)

    return tuple(step.row(table, subject.inside) for step in sorted(steps, key=key))


def _guessed_users(table: MapTable, subject: Subject) -> set[str]:
    return {
        edge.source
        for id in subject.inside
        for edge in table.graph.to_entity(id)
        if edge.evidence is Evidence.SAME_NAME and edge.source not in subject.inside
    }


def _affected(table: MapTable, subject: Subject) -> Neighbours:
    """Who is affected by a change of an entity."""
    all_users = users(table, ALL_KINDS)

    def of(node: str) -> Iterator[tuple[str, Edge]]:
        for source, edge in all_users(node):
            if node in subject.inside or table.is_test(edge.file_path) or not _names_only(table, edge):
                yield source, edge
        yield from ((edge.source, edge) for edge in table.fixture_users.get(node, ()))
        yield from _through_bases(table, node)

    return of


def _names_only(table: MapTable, edge: Edge) -> bool:
    """Whether a file only names something: an import runs nothing of it.

    It is told where it names the target itself, and where it makes a file a test of it.
    """
    if edge.kind is EdgeKind.USE:
        return table.entities[edge.source].entity_type is EntityType.MODULE
    return edge.kind in (EdgeKind.IMPORT, EdgeKind.LINK)


def _through_bases(table: MapTable, node: str) -> Iterator[tuple[str, Edge]]:
    """Calls of the method that this one overrides: this one runs when the object is of its class, which is likely."""
    entity = table.entities[node]
    if entity.entity_type is not EntityType.METHOD:
        return
    for base in table.overridden(entity):
        for edge in table.graph.to_entity(base.id):
            # Another override that calls `super()` runs the base's method and never this one.
            if edge.kind is EdgeKind.CALL and table.entities[edge.source].name != entity.name:
                sure = edge.evidence is Evidence.RESOLVED
                yield edge.source, replace(edge, evidence=Evidence.IMPORTED_NAME) if sure else edge
