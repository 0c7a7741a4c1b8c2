"""The graph with the look-ups that all views share: files, members, constructors, bases, overrides."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

from zerikai_memory.codemap.views.fixtures import fixture_edges
from zerikai_memory.codemap.views.rank import page_rank
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_map import CodeGraph, Edge, EdgeKind, Evidence
from zerikai_memory.model_views import MapRow
from zerikai_memory.retrieve.traits import Side, side_of

K = TypeVar("K")
V = TypeVar("V")

CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "constructor"})
CLASSES = frozenset({EntityType.CLASS, EntityType.INTERFACE})
CALLABLES = frozenset({EntityType.FUNCTION, EntityType.METHOD, EntityType.COMPONENT})
# What no other code can refer to by name.
_ASIDE = frozenset({EntityType.SECTION, EntityType.TODO})
# How much an edge says about the importance of the file it leads to.
_WEIGHTS = {EdgeKind.IMPORT: 1.0, EdgeKind.INHERIT: 1.0, EdgeKind.LINK: 0.5}
_OTHER_WEIGHT = 0.3
_BROUGHT = re.compile(r"(^|/)(vendor|vendored|third_party|external)/", re.IGNORECASE)
# Bases of bases: deeper hierarchies are not met, loops in broken code are.
_MAX_BASES = 30


class MapTable:
    """A graph with what is worked out from it once; read-only and thread-safe after that."""

    def __init__(self, graph: CodeGraph) -> None:
        self.graph = graph
        self.entities: Mapping[str, CodeEntity] = {entity.id: entity for entity in graph.entities()}
        self.by_file: dict[str, list[CodeEntity]] = defaultdict(list)
        for entity in self.entities.values():
            self.by_file[entity.file_path].append(entity)
        self.sides = {path: side_of(path) for path in self.by_file}

    def is_test(self, path: str) -> bool:
        """Whether a file of the project is a test or belongs to tests."""
        return self.sides.get(path) is Side.TEST

    def is_product(self, path: str) -> bool:
        """Whether a file is neither test nor document nor example."""
        return self.sides.get(path) is None

    def is_own(self, path: str) -> bool:
        """Whether a file is the product's own: neither aside from it nor brought along from elsewhere."""
        return self.is_product(path) and not _BROUGHT.search(path)

    @cached_property
    def by_name(self) -> Mapping[str, tuple[CodeEntity, ...]]:
        """Entities by their bare name; modules are named by their paths alone."""
        return _grouped((e.name, e) for e in self.entities.values() if e.entity_type is not EntityType.MODULE)

    @cached_property
    def by_qualified_name(self) -> Mapping[str, tuple[CodeEntity, ...]]:
        """Entities by qualified name."""
        return _grouped((e.qualified_name, e) for e in self.entities.values() if e.qualified_name)

    @cached_property
    def files_by_name(self) -> Mapping[str, tuple[str, ...]]:
        """Paths by their last part in lower case, with and without extension."""
        found: dict[str, list[str]] = defaultdict(list)
        for path in self.by_file:
            base = path.rpartition("/")[2].lower()
            for key in {base, base.rpartition(".")[0] or base}:
                found[key].append(path)
        return {key: tuple(paths) for key, paths in found.items()}

    @cached_property
    def folders(self) -> frozenset[str]:
        """Every folder that holds a file of the map."""
        found: set[str] = set()
        for path in self.by_file:
            while (path := path.rpartition("/")[0]) and path not in found:
                found.add(path)
        return frozenset(found)

    def module(self, path: str) -> CodeEntity | None:
        """The entity that stands for a file."""
        return next((e for e in self.by_file.get(path, ()) if e.entity_type is EntityType.MODULE), None)

    def members(self, entity: CodeEntity) -> Iterator[CodeEntity]:
        """What an entity contains, itself first: everything of the file for a module."""
        yield entity
        start = "" if entity.entity_type is EntityType.MODULE else f"{entity.qualified_name}."
        for other in self.by_file[entity.file_path]:
            if other.id != entity.id and other.qualified_name.startswith(start):
                yield other

    def constructors(self, entity: CodeEntity) -> Iterator[CodeEntity]:
        """The methods that run when a class is called."""
        if entity.entity_type in CLASSES:
            names = {f"{entity.qualified_name}.{name}" for name in CONSTRUCTORS}
            yield from (e for e in self.by_file[entity.file_path] if e.qualified_name in names)

    def owner(self, entity: CodeEntity) -> CodeEntity | None:
        """The class of a method."""
        if entity.parent is None:
            return None
        return next(
            (
                e
                for e in self.by_file[entity.file_path]
                if e.qualified_name == entity.parent and e.entity_type in CLASSES
            ),
            None,
        )

    def bases(self, entity: CodeEntity) -> list[CodeEntity]:
        """All base classes of the project that are known for sure, nearest first."""
        found: dict[str, CodeEntity] = {}
        waiting = [entity]
        while waiting and len(found) < _MAX_BASES:
            for edge in self.graph.from_entity(waiting.pop(0).id):
                sure = edge.kind is EdgeKind.INHERIT and edge.evidence in (Evidence.RESOLVED, Evidence.IMPORTED_NAME)
                base = self.entities.get(edge.target or "") if sure else None
                if base is not None and base.id not in found and base.id != entity.id:
                    found[base.id] = base
                    waiting.append(base)
        return list(found.values())

    def overridden(self, method: CodeEntity) -> list[CodeEntity]:
        """Methods of base classes that this one takes the place of."""
        owner = self.owner(method)
        if owner is None:
            return []
        found = []
        for base in self.bases(owner):
            wanted = f"{base.qualified_name}.{method.name}"
            found += [e for e in self.by_file[base.file_path] if e.qualified_name == wanted]
        return found

    @cached_property
    def fixture_users(self) -> Mapping[str, tuple[Edge, ...]]:
        """Edges from test functions to the pytest fixtures they are given, by fixture."""
        return _grouped((edge.target or "", edge) for edge in fixture_edges(self.entities.values()))

    @cached_property
    def fixtures_used(self) -> Mapping[str, tuple[Edge, ...]]:
        """The same edges by test function."""
        return _grouped((edge.source, edge) for edges in self.fixture_users.values() for edge in edges)

    @cached_property
    def file_links(self) -> Mapping[str, Mapping[str, float]]:
        """{file: {file it depends on: weight}} by edges that are no guesses."""
        found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
        for entity in self.entities.values():
            for edge in self.graph.from_entity(entity.id):
                if edge.target is None or edge.evidence is Evidence.SAME_NAME:
                    continue
                target = self.entities.get(edge.target)
                if target is not None and target.file_path != entity.file_path:
                    found[entity.file_path][target.file_path] += _WEIGHTS.get(edge.kind, _OTHER_WEIGHT)
        return found

    @cached_property
    def file_dependents(self) -> Mapping[str, tuple[str, ...]]:
        """{file: files that depend on it}."""
        return _grouped((target, path) for path, links in sorted(self.file_links.items()) for target in links)

    @cached_property
    def importance(self) -> Mapping[str, float]:
        """PageRank of each file; only the product's own files vote, unless there is nothing else."""
        voters = [path for path in self.by_file if self.is_product(path)] or list(self.by_file)
        chosen = set(voters)
        links = {
            path: {target: weight for target, weight in self.file_links.get(path, {}).items() if target in chosen}
            for path in voters
        }
        return page_rank(links)

    def row(self, entity: CodeEntity, **more: object) -> MapRow:
        """How an entity is shown."""
        name = entity.file_path if entity.entity_type is EntityType.MODULE else entity.qualified_name or entity.name
        return MapRow(name, entity.entity_type.value, entity.file_path, entity.start_line, entity.id, **more)  # type: ignore[arg-type]

    def said(self, entity: CodeEntity) -> bool:
        """Whether code can name the entity (a section or a remark cannot be called)."""
        return entity.entity_type not in _ASIDE


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    found: dict[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return {key: tuple(values) for key, values in found.items()}
