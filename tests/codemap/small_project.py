"""Edges of a project that is written down in a test: texts by path, each edge as one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from zerikai_memory.codemap.project import FileFacts, Named, Project
from zerikai_memory.codemap.resolve import Resolvers
from zerikai_memory.lang.extract import extract
from zerikai_memory.model import CodeEntity, EntityType, Reference, ReferenceKind
from zerikai_memory.model_map import Edge


class TextFacts:
    """`Facts` of texts by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._files: dict[str, FileFacts] = {}
        self._calls: dict[str, list[Reference]] = {}
        self._named: dict[str, list[Named]] = defaultdict(list)
        for path in sorted(texts):
            found = extract(texts[path].encode(), path)
            if not found.entities:
                continue
            others = [r for r in found.references if r.kind is not ReferenceKind.CALL]
            self._calls[path] = [r for r in found.references if r.kind is ReferenceKind.CALL]
            self._files[path] = FileFacts(path, found.language, found.entities, (*others, *found.bindings))
            for e in found.entities:
                if e.entity_type is not EntityType.MODULE:
                    named = Named(e.id, e.name, e.qualified_name, e.entity_type, e.language, path)
                    self._named[e.name].append(named)

    def paths(self) -> Iterable[str]:
        return self._files

    def file(self, path: str) -> FileFacts | None:
        return self._files.get(path)

    def calls(self, path: str) -> Sequence[Reference]:
        return self._calls[path]

    def named(self, name: str) -> Sequence[Named]:
        return self._named.get(name, ())

    def text(self, path: str) -> str | None:
        return self._texts.get(path)


def edges_of(texts: Mapping[str, str]) -> list[Edge]:
    """All edges of a project, by file and line."""
    return _resolved(TextFacts(texts))


def lines_of(texts: Mapping[str, str], path: str, *kinds: str) -> list[str]:
    """The edges of one file as `LINE kind evidence target`, of all kinds or of some."""
    facts = TextFacts(texts)
    entities = {e.id: e for p in facts.paths() for e in _file(facts, p).entities}
    return [
        f"{edge.line} {edge.kind} {edge.evidence} {_target(edge, entities)}"
        for edge in _resolved(facts)
        if edge.file_path == path and (not kinds or edge.kind in kinds)
    ]


def _resolved(facts: TextFacts) -> list[Edge]:
    resolvers = Resolvers(Project(facts))
    assert all(isinstance(layout, str) for layout in resolvers.layout.values())
    return [edge for path in facts.paths() for edge in resolvers.resolve(path, _file(facts, path).language)]


def _file(facts: TextFacts, path: str) -> FileFacts:
    found = facts.file(path)
    assert found is not None
    return found


def _target(edge: Edge, entities: Mapping[str, CodeEntity]) -> str:
    if edge.target is None:
        return edge.target_name
    entity = entities[edge.target]
    return f"{entity.file_path}:{entity.qualified_name}" if entity.qualified_name else entity.file_path
