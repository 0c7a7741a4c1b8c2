"""The view `path`: how one thing reaches another, edge by edge, each with its line."""

from __future__ import annotations

import re

from zerikai_memory.codemap.views.relations import ANY
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.codemap.views.target import Subject, spelled, subjects
from zerikai_memory.codemap.views.walk import ALL_KINDS, SURE, Step, reach, used
from zerikai_memory.errors import InputError
from zerikai_memory.model_map import Evidence
from zerikai_memory.model_views import MapPart, ViewRequest

_ARROW = re.compile(r"\s*(?:->|=>|→)\s*")


def between(table: MapTable, request: ViewRequest) -> list[MapPart]:
    """The surest, then shortest way from A to B of a target `A -> B`; the other direction when there is only that."""
    names = _ARROW.split(request.target or "")
    if len(names) != 2 or not all(names):
        raise InputError(f'target: the view "path" needs "A -> B", got {request.target!r}')
    starts, goals = subjects(table, names[0]), subjects(table, names[1])
    if _inside(goals) <= _inside(starts):
        return [MapPart("path", (), starts[0].row, note=f"{_named(starts)} contains {_named(goals)}")]
    for evidence in (SURE, ANY):
        if way := _way(table, starts, goals, request, guesses=evidence is ANY):
            return [_part(table, starts, way)]
        if back := _way(table, goals, starts, request, guesses=evidence is ANY):
            note = f"{names[0]} does not reach {names[1]}; this is the way back"
            return [_part(table, goals, back, note)]
    note = f"no way from {_named(starts)} to {_named(goals)} or back is known"
    return [MapPart("path", (), starts[0].row, note=note)]


def _way(
    table: MapTable, starts: tuple[Subject, ...], goals: tuple[Subject, ...], request: ViewRequest, *, guesses: bool
) -> list[Step]:
    start = _inside(starts)
    goal = _inside(goals) - start
    steps = reach(
        table, start, used(table, ALL_KINDS), depth=request.depth, evidence=ANY if guesses else SURE, goal=goal
    )
    if not steps or steps[-1].entity.id not in goal:
        return []
    by_id = {step.entity.id: step for step in steps}
    way = [steps[-1]]
    while way[-1].via in by_id:
        way.append(by_id[way[-1].via])
    return way[::-1]


def _part(table: MapTable, starts: tuple[Subject, ...], way: list[Step], note: str = "") -> MapPart:
    first = table.entities[way[0].via]
    guessed = any(step.evidence is Evidence.SAME_NAME for step in way)
    if guessed:
        note = f"{note}; " if note else ""
        note += "it leads through calls whose target is known by its name only"
    # Each step is reached through the one before it: here the ids are told, also that of the first.
    rows = tuple(step.row(table, ()) for step in way)
    return MapPart("path", rows, table.row(first), note=note, guesses=guessed, uses=True)


def _inside(found: tuple[Subject, ...]) -> frozenset[str]:
    return frozenset(id for subject in found for id in subject.inside)


def _named(found: tuple[Subject, ...]) -> str:
    return ", ".join(spelled(subject.row) for subject in found)
