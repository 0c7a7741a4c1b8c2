"""Callers, callees, dependents and dependencies: the nearest edges of a subject, or some levels of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from zerikai_memory.codemap.views.table import CONSTRUCTORS, MapTable
from zerikai_memory.codemap.views.target import Subject, subjects
from zerikai_memory.codemap.views.walk import ALL_KINDS, RUNS, SURE, Neighbours, Step, outside, reach, used, users
from zerikai_memory.model_map import EdgeKind, Evidence
from zerikai_memory.model_views import MapPart, MapRow, ViewRequest

NO_TARGET = "the view {view!r} needs a target: a name, qualified name, path, path:line or entity id"
ANY = frozenset({*SURE, Evidence.SAME_NAME})


def callers(table: MapTable, request: ViewRequest) -> list[MapPart]:
    """Who calls, decorates with or registers the target, with the lines."""
    parts = []
    for subject in subjects(table, request.target or ""):
        parts += _users(table, subject, request, "callers", RUNS)
    return parts


def dependents(table: MapTable, request: ViewRequest) -> list[MapPart]:
    """What uses the target in any way: calls, imports, inherits, links."""
    parts = []
    for subject in subjects(table, request.target or ""):
        parts += _users(table, subject, request, "dependents", ALL_KINDS)
    return parts


def callees(table: MapTable, request: ViewRequest) -> list[MapPart]:
    """What the target calls, with the lines of the calls."""
    parts = []
    for subject in subjects(table, request.target or ""):
        parts += _uses(table, subject, request, "callees", RUNS)
    return parts


def dependencies(table: MapTable, request: ViewRequest) -> list[MapPart]:
    """What the target uses in any way."""
    parts = []
    for subject in subjects(table, request.target or ""):
        parts += _uses(table, subject, request, "dependencies", ALL_KINDS)
    return parts


def _users(
    table: MapTable, subject: Subject, request: ViewRequest, title: str, kinds: frozenset[EdgeKind]
) -> list[MapPart]:
    # A class is called by its name; its members are used for it only in `dependents`.
    start = subject.inside if subject.whole or title == "dependents" else _own(table, subject)
    # Inside a class its methods may call it, inside a file nothing is a use of the file.
    left_out = subject.inside if subject.whole else subject.ids
    return _parts(table, subject, start, outside(users(table, kinds), left_out), request, title)


def _uses(
    table: MapTable, subject: Subject, request: ViewRequest, title: str, kinds: frozenset[EdgeKind]
) -> list[MapPart]:
    start = _body(table, subject)
    parts = _parts(table, subject, start, outside(used(table, kinds), start), request, title)
    if (request.depth or 1) == 1:  # of more steps a constructor may be one
        parts = [replace(part, rows=_without_made(table, part.rows)) for part in parts]
    if beyond := tuple(_external(table, start, kinds)):
        parts.append(MapPart("outside the project", beyond, subject.row))
    return [replace(part, uses=True) for part in parts]


def _without_made(table: MapTable, rows: tuple[MapRow, ...]) -> tuple[MapRow, ...]:
    """Rows without the constructors of classes that are listed themselves: one call is told once."""
    listed = {row.entity_id for row in rows}
    return tuple(
        row
        for row in rows
        if row.name.rpartition(".")[2] not in CONSTRUCTORS
        or (owner := table.owner(table.entities[row.entity_id])) is None
        or owner.id not in listed
    )


def _body(table: MapTable, subject: Subject) -> frozenset[str]:
    """What the subject contains; of a function what stands in its lines (`f.help = ...` below it does not)."""
    if subject.whole or subject.kind == "class":
        return subject.inside
    own = [table.entities[id] for id in subject.ids]

    def within(id: str) -> bool:
        entity = table.entities[id]
        return any(e.start_line <= entity.start_line and entity.end_line <= e.end_line for e in own)

    return frozenset(id for id in subject.inside if within(id))


def _own(table: MapTable, subject: Subject) -> frozenset[str]:
    """The subject itself, and for a class its constructors."""
    made = (made.id for id in subject.ids for made in table.constructors(table.entities[id]))
    return subject.ids | frozenset(made)


def _parts(
    table: MapTable,
    subject: Subject,
    start: Collection[str],
    neighbours: Neighbours,
    request: ViewRequest,
    title: str,
) -> list[MapPart]:
    depth = request.depth or 1
    known = reach(table, start, neighbours, depth=depth)
    main = MapPart(title, _rows(table, subject, known), subject.row)
    # A guess is followed no further unless that is asked for: guesses of guesses are noise.
    told = {step.entity.id for step in known}
    guessed = reach(table, start, neighbours, depth=depth if request.guesses else 1, evidence=ANY)
    guesses = [step for step in guessed if step.evidence is Evidence.SAME_NAME and step.entity.id not in told]
    if not guesses:
        return [main]
    # The fewer things have the name, the likelier this one is meant.
    candidates = {step.entity.id: step.edges[0].candidates for step in guesses}
    rows = tuple(sorted(_rows(table, subject, guesses), key=lambda row: candidates[row.entity_id]))
    note = "something of this name is used there, nothing more is known"
    return [main, MapPart(f"{title} by name only", rows, subject.row, note, guesses=True)]


def _rows(table: MapTable, subject: Subject, steps: list[Step]) -> tuple[MapRow, ...]:
    """Nearest first, product code before tests, then the surest and most important."""
    order = table.importance

    def key(step: Step) -> tuple[object, ...]:
        path = step.entity.file_path
        return (
            step.depth,
            table.is_test(path),
            step.evidence is not Evidence.RESOLVED,
            -order.get(path, 0.0),
            path,
            step.edges[0].line,
        )

    return tuple(step.row(table, subject.inside) for step in sorted(steps, key=key))


def _external(table: MapTable, start: Collection[str], kinds: Collection[EdgeKind]) -> Iterator[MapRow]:
    """Names outside the project that the subject uses, each with its lines."""
    found: dict[tuple[str, str, str], MapRow] = {}
    for id in sorted(start, key=lambda id: (table.entities[id].file_path, table.entities[id].start_line)):
        for edge in table.graph.from_entity(id):
            if edge.target is not None or edge.kind not in kinds:
                continue
            key = (edge.target_name, edge.kind.value, edge.file_path)
            row = found.get(key) or MapRow(
                edge.target_name,
                "external",
                "",
                0,
                kind=edge.kind.value,
                evidence=Evidence.EXTERNAL.value,
                depth=1,
                site_path=edge.file_path,
            )
            found[key] = replace(row, lines=tuple(sorted({*row.lines, edge.line})))
    yield from found.values()
