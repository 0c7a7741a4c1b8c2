"""The view `tests`: from code to the tests that run it, from a test to the code it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from zerikai_memory.codemap.views.impact import touched
from zerikai_memory.codemap.views.relations import ANY
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.codemap.views.target import Subject, subjects
from zerikai_memory.codemap.views.tested import namesake_tests, runnable_rows, with_files
from zerikai_memory.codemap.views.walk import ALL_KINDS, Neighbours, outside, reach, used
from zerikai_memory.model_map import Edge, Evidence
from zerikai_memory.model_views import MapPart, ViewRequest


def tests(table: MapTable, request: ViewRequest) -> list[MapPart]:
    """Tests of the target, or what the target tests when it is a test itself."""
    parts: list[MapPart] = []
    for subject in subjects(table, request.target or ""):
        paths = {table.entities[id].file_path for id in subject.ids}
        if paths and all(table.is_test(path) for path in paths):
            parts += _tested_by(table, subject, request)
        else:
            parts += _tests_of(table, subject, request)
    return parts


def _tests_of(table: MapTable, subject: Subject, request: ViewRequest) -> Iterator[MapPart]:
    steps = [s for s in touched(table, subject, request.depth) if table.is_test(s.entity.file_path)]
    rows = runnable_rows(table, steps, subject.inside)
    yield with_files(MapPart("tests", rows, subject.row))
    known = {step.entity.id for step in steps}
    guessed = [
        step
        for step in touched(table, subject, request.depth if request.guesses else 1, guesses=True)
        if table.is_test(step.entity.file_path) and step.entity.id not in known
    ]
    told = {row.entity_id for row in rows}
    by_name = [row for row in runnable_rows(table, guessed, subject.inside) if row.entity_id not in told]
    files = {row.file_path for row in (*rows, *by_name)}
    by_name += namesake_tests(table, {table.entities[id].file_path for id in subject.ids}, files)
    if by_name:
        note = "they use something of this name or are named alike; nothing more is known"
        yield MapPart("tests by name only", tuple(by_name), subject.row, note=note, guesses=True)


def _tested_by(table: MapTable, subject: Subject, request: ViewRequest) -> Iterator[MapPart]:
    neighbours = outside(_with_fixtures(table), subject.inside)

    def tested(guesses: bool) -> MapPart:
        steps = reach(
            table,
            subject.inside,
            neighbours,
            depth=request.depth,
            evidence=ANY if guesses else (Evidence.RESOLVED, Evidence.IMPORTED_NAME),
            stop=lambda step: not table.is_test(step.entity.file_path),
        )
        rows = [s.row(table, subject.inside) for s in steps if not table.is_test(s.entity.file_path)]
        rows.sort(key=lambda row: (row.depth, row.lines))
        return MapPart("tested code", tuple(rows), subject.row, uses=True)

    sure = tested(False)
    yield sure
    told = {row.entity_id for row in sure.rows}
    guessed = tested(True)
    if rows := tuple(row for row in guessed.rows if row.entity_id not in told):
        note = "something of this name is used there, nothing more is known"
        yield replace(guessed, title="tested code by name only", rows=rows, note=note, guesses=True)


def _with_fixtures(table: MapTable) -> Neighbours:
    plain = used(table, ALL_KINDS)

    def of(node: str) -> Iterator[tuple[str, Edge]]:
        yield from plain(node)
        yield from ((edge.target, edge) for edge in table.fixtures_used.get(node, ()) if edge.target)

    return of
