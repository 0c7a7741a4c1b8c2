"""Which file imports what of which, followed through re-exports to where it is defined."""

from __future__ import annotations

from collections.abc import Iterator

from zerikai_memory.model import EntityType
from zerikai_memory.model_map import CodeGraph, EdgeKind, Evidence

_SURE = (Evidence.RESOLVED, Evidence.IMPORTED_NAME)


def imports_between(graph: CodeGraph) -> Iterator[tuple[str, str, str]]:
    """(importing file, file it leads to, name of what is imported) of every import inside the project, by file.

    A file is imported under its own name; what is imported from it, and named at the top of the other file, too.
    """
    for entity in graph.entities():
        for edge in graph.from_entity(entity.id):
            top = edge.kind is EdgeKind.USE and entity.entity_type is EntityType.MODULE
            if not (edge.kind is EdgeKind.IMPORT or top) or edge.evidence not in _SURE or edge.target is None:
                continue
            target = graph.entity(edge.target)
            if target is not None and target.file_path != edge.file_path:
                yield edge.file_path, target.file_path, target.name
