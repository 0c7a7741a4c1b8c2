"""A code map in memory: entities and edges with an index in both directions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zerikai_memory.model import CodeEntity
from zerikai_memory.model_map import Edge, MapState


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
