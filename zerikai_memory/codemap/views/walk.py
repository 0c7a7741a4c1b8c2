"""Follow edges from a subject, the strongest evidence first: who reaches it, or what it reaches, in how many steps."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from zerikai_memory.codemap.views.table import CONSTRUCTORS, MapTable
from zerikai_memory.model import CodeEntity
from zerikai_memory.model_map import Edge, EdgeKind, Evidence
from zerikai_memory.model_views import MapRow

# Strongest first; a way through several edges is as sure as its weakest.
STRENGTH = (Evidence.RESOLVED, Evidence.IMPORTED_NAME, Evidence.SAME_NAME)
_RANK = {evidence: rank for rank, evidence in enumerate(STRENGTH)}
_KINDS = {kind: rank for rank, kind in enumerate(EdgeKind)}
SURE = frozenset({Evidence.RESOLVED, Evidence.IMPORTED_NAME})
RUNS = frozenset({EdgeKind.CALL, EdgeKind.DECORATE, EdgeKind.REGISTER})
ALL_KINDS = frozenset(EdgeKind)


@dataclass(frozen=True, slots=True)
class Step:
    """An entity that was reached: through `via`, by `edges` of one source, on a way as sure as `evidence`."""

    entity: CodeEntity
    via: str
    edges: tuple[Edge, ...]
    evidence: Evidence
    depth: int

    @property
    def kind(self) -> EdgeKind:
        """The kind of edge that says most."""
        return min((edge.kind for edge in self.edges), key=lambda kind: _KINDS[kind])

    def row(self, table: MapTable, subject: Collection[str], **more: object) -> MapRow:
        """How the step is shown; what is reached straight from the subject names no `via`."""
        first = self.edges[0]
        if self.kind is EdgeKind.REGISTER and "detail" not in more:
            more["detail"] = first.target_name
        return table.row(
            self.entity,
            kind=self.kind.value,
            evidence=self.evidence.value,
            depth=self.depth,
            via="" if self.via in subject else self.via,
            site_path=first.file_path,
            lines=tuple(sorted({edge.line for edge in self.edges})),
            **more,
        )


Neighbours = Callable[[str], Iterable[tuple[str, Edge]]]


def reach(
    table: MapTable,
    start: Collection[str],
    neighbours: Neighbours,
    *,
    depth: int | None,
    evidence: Collection[Evidence] = SURE,
    stop: Callable[[Step], bool] = lambda step: False,
) -> list[Step]:
    """Every entity reached from `start`, each once by its surest and then shortest way, in that order.

    `neighbours` gives (entity id, edge) pairs; the entities of `start` are never reached. Nothing is followed beyond
    a step that `stop` holds for.
    """
    done = set(start)
    found: list[Step] = []
    waiting: list[tuple[int, int, str, str]] = []
    # entity -> the one it is reached through -> strength -> edges
    edges: dict[str, dict[str, dict[int, list[Edge]]]] = {}

    def push(node: str, rank: int, level: int) -> None:
        if depth is not None and level > depth:
            return
        for other, edge in neighbours(node):
            if other in done or edge.evidence not in evidence or other not in table.entities:
                continue
            known = edges.setdefault(other, {}).setdefault(node, {})
            new = max(rank, _RANK[edge.evidence])
            if new not in known:
                heapq.heappush(waiting, (new, level, other, node))
            known.setdefault(new, []).append(edge)

    for node in sorted(start):
        push(node, 0, 1)
    while waiting:
        rank, level, entity, via = heapq.heappop(waiting)
        if entity in done:
            continue
        done.add(entity)
        ways = edges.pop(entity)
        taken = ways[via][rank]
        # Other parts of the same subject may be used by the same entity: their lines belong to it too.
        if level == 1:
            taken = [edge for by, known in ways.items() if by in start for edge in known.get(rank, ())]
        step = Step(table.entities[entity], via, tuple(dict.fromkeys(taken)), STRENGTH[rank], level)
        found.append(step)
        if not stop(step):
            push(entity, rank, level + 1)
    return found


def users(table: MapTable, kinds: frozenset[EdgeKind]) -> Neighbours:
    """Who uses an entity; a call of a class runs its constructor, so it counts for both."""

    def of(node: str) -> Iterator[tuple[str, Edge]]:
        for edge in table.graph.to_entity(node):
            if edge.kind in kinds:
                yield edge.source, edge
        entity = table.entities[node]
        if entity.name in CONSTRUCTORS and (owner := table.owner(entity)) is not None:
            yield from ((e.source, e) for e in table.graph.to_entity(owner.id) if e.kind in kinds & RUNS)

    return of


def used(table: MapTable, kinds: frozenset[EdgeKind]) -> Neighbours:
    """What an entity uses; a class uses what its constructor does."""

    def of(node: str) -> Iterator[tuple[str, Edge]]:
        for entity in (table.entities[node], *table.constructors(table.entities[node])):
            for edge in table.graph.from_entity(entity.id):
                if edge.kind in kinds and edge.target is not None:
                    yield edge.target, edge

    return of


def outside(neighbours: Neighbours, inside: Collection[str]) -> Neighbours:
    """The same without what lies inside the subject."""

    def of(node: str) -> Iterator[tuple[str, Edge]]:
        return ((other, edge) for other, edge in neighbours(node) if other not in inside)

    return of
