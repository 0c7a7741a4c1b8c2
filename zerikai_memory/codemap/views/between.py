"""The view `path`: how one thing reaches another, edge by edge, each with its line."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import pairwise

from zerikai_memory.codemap.views.relations import ANY
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.codemap.views.target import Subject, spelled, subjects
from zerikai_memory.codemap.views.walk import ALL_KINDS, RUNS, STRENGTH, SURE, Neighbours, Step, used, users
from zerikai_memory.errors import InputError
from zerikai_memory.model_map import EdgeKind, Evidence
from zerikai_memory.model_views import MapPart, ViewRequest

# No chain of calls that a reader follows is longer.
_MOST_STEPS = 60
_RUN = RUNS | {EdgeKind.INHERIT}
_ARROW = re.compile(r"\s*(?:->|=>|→)\s*")


def between(table: MapTable, request: ViewRequest) -> list[MapPart]:
    """The shortest way from A to B of a target `A -> B`, or back from B when there is no other; guesses on request."""
    names = names_of_path(request.target or "")
    if len(names) != 2 or not all(names):
        raise InputError(f'target: the view "path" needs "A -> B", got {request.target!r}')
    starts, goals = subjects(table, names[0]), subjects(table, names[1])
    if _inside(goals) <= _inside(starts):
        return [MapPart("path", (), starts[0].row, note=f"{_named(starts)} contains {_named(goals)}")]
    for guesses in (False, True) if request.guesses else (False,):
        if way := _best(table, starts, goals, request, guesses=guesses):
            return [_part(table, starts, way)]
        if back := _best(table, goals, starts, request, guesses=guesses):
            note = f"{names[0]} does not reach {names[1]}; this is the way back"
            return [_part(table, goals, back, note)]
    note = f"no way from {_named(starts)} to {_named(goals)} or back is known"
    if not request.guesses and _way(table, starts, goals, request.depth, ALL_KINDS, guesses=True):
        note += "; there is one through calls whose target is known by its name only (the command shows it: --guesses)"
    return [MapPart("path", (), starts[0].row, note=note)]


def names_of_path(target: str) -> list[str]:
    """What stands before and after the arrow of `A -> B`."""
    return _ARROW.split(target)


def _best(
    table: MapTable, starts: tuple[Subject, ...], goals: tuple[Subject, ...], request: ViewRequest, *, guesses: bool
) -> list[Step]:
    """The shortest way; of several one by calls, which says more than that a file imports another."""
    way = _way(table, starts, goals, request.depth, ALL_KINDS, guesses=guesses)
    if all(step.kind in _RUN for step in way):
        return way
    return _way(table, starts, goals, len(way), _RUN, guesses=guesses) or way


def _way(
    table: MapTable,
    starts: tuple[Subject, ...],
    goals: tuple[Subject, ...],
    most: int | None,
    kinds: frozenset[EdgeKind],
    *,
    guesses: bool,
) -> list[Step]:
    """The shortest way, looked for from both ends: most things have few users, so that end is soon done."""
    start = _inside(starts)
    evidence = ANY if guesses else SURE
    forward, backward = used(table, kinds), users(table, kinds)
    there = _Side(dict.fromkeys(sorted(start)), forward)
    back = _Side(dict.fromkeys(sorted(_inside(goals) - start)), backward)
    for _ in range(most or _MOST_STEPS):
        side, other = (there, back) if len(there.edge) <= len(back.edge) else (back, there)
        meeting = side.grow(table, other, evidence)
        if meeting is not None:
            nodes = [*there.chain(meeting)[::-1], *back.chain(meeting)[1:]]
            return [
                _step(table, forward, via, node, depth, evidence)
                for depth, (via, node) in enumerate(pairwise(nodes), start=1)
            ]
        if not side.edge:
            return []
    return []


class _Side:
    """What was reached from one end, each with the node it was reached from, and the newest of it."""

    def __init__(self, known: dict[str, str | None], neighbours: Neighbours) -> None:
        self.known = known
        self.edge = list(known)
        self._neighbours = neighbours

    def grow(self, table: MapTable, other: _Side, evidence: Collection[Evidence]) -> str | None:
        """Go one step further; gives a node that the other side knows too."""
        newest: list[str] = []
        for node in self.edge:
            for found, edge in self._neighbours(node):
                if found in self.known or edge.evidence not in evidence or found not in table.entities:
                    continue
                self.known[found] = node
                newest.append(found)
                if found in other.known:
                    return found
        self.edge = newest
        return None

    def chain(self, node: str) -> list[str]:
        """The nodes from one back to the end that this side began at."""
        nodes = [node]
        while (before := self.known[nodes[-1]]) is not None:
            nodes.append(before)
        return nodes


def _step(
    table: MapTable, forward: Neighbours, via: str, node: str, depth: int, evidence: Collection[Evidence]
) -> Step:
    edges = [edge for found, edge in forward(via) if found == node and edge.evidence in evidence]
    if not edges:  # a call of the class, which runs the constructor that the way goes through
        owner = table.owner(table.entities[node])
        edges = [e for found, e in forward(via) if owner is not None and found == owner.id and e.evidence in evidence]
    best = min(edges, key=lambda edge: STRENGTH.index(edge.evidence)).evidence
    return Step(table.entities[node], via, tuple(edge for edge in edges if edge.evidence is best), best, depth)


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
