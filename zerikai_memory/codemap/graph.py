"""A code map in memory: entities and edges with an index in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from zerikai_memory.model import CodeEntity
from zerikai_memory.model_map import Edge, MapState
from zerikai_memory.store.index import entity_of_row
from zerikai_memory.store.map import EdgeRow, edge_of


class MemoryGraph:
    """A `CodeGraph` of given entities and edges; an edge to or from an unknown entity is left out."""

    def __init__(self, state: MapState, entities: Iterable[CodeEntity], edges: Iterable[Edge]) -> None:
        self._state = state
        self._entities = {entity.id: entity for entity in entities}
        self._from: dict[str, list[Edge]] = {}
        self._to: dict[str, list[Edge]] = {}
        for edge in sorted(edges, key=lambda edge: (edge.file_path, edge.line)):
            if edge.source not in self._entities or (edge.target is not None and edge.target not in self._entities):
                continue
            self._from.setdefault(edge.source, []).append(edge)
            if edge.target is not None:
                self._to.setdefault(edge.target, []).append(edge)

    @property
    def state(self) -> MapState:
        """What it was built from."""
        return self._state

    def entities(self) -> Iterable[CodeEntity]:
        """All entities, as they were given."""
        return self._entities.values()

    def entity(self, id: str) -> CodeEntity | None:
        """One entity."""
        return self._entities.get(id)

    def from_entity(self, id: str) -> Sequence[Edge]:
        """Edges whose source is this entity, by line."""
        return self._from.get(id, ())

    def to_entity(self, id: str) -> Sequence[Edge]:
        """Edges whose target is this entity, by file and line."""
        return self._to.get(id, ())


class StoredGraph:
    """A `CodeGraph` of rows as they are stored; objects are made when they are asked for."""

    def __init__(self, state: MapState, entities: Sequence[Sequence[Any]], edges: Sequence[EdgeRow]) -> None:
        self._state = state
        self._rows = {str(row[0]): row for row in entities}
        self._edges = edges
        self._from: dict[str, list[int]] = {}
        self._to: dict[str, list[int]] = {}
        for index, row in enumerate(edges):
            source, target = row[0], row[1]
            # A scan may have gone on since the edges were written.
            if source in self._rows and (target is None or target in self._rows):
                self._from.setdefault(source, []).append(index)
                if target is not None:
                    self._to.setdefault(target, []).append(index)
        self._made: dict[str, CodeEntity] = {}

    @property
    def state(self) -> MapState:
        """What it was built from."""
        return self._state

    def entities(self) -> Iterable[CodeEntity]:
        """All entities, in file and line order."""
        return [self._entity(id) for id in self._rows]

    def entity(self, id: str) -> CodeEntity | None:
        """One entity."""
        return self._entity(id) if id in self._rows else None

    def from_entity(self, id: str) -> Sequence[Edge]:
        """Edges whose source is this entity, by line."""
        return [edge_of(self._edges[index]) for index in self._from.get(id, ())]

    def to_entity(self, id: str) -> Sequence[Edge]:
        """Edges whose target is this entity, by file and line."""
        return [edge_of(self._edges[index]) for index in self._to.get(id, ())]

    def _entity(self, id: str) -> CodeEntity:
        made = self._made.get(id)
        if made is None:
            made = self._made[id] = entity_of_row(self._rows[id])
        return made
