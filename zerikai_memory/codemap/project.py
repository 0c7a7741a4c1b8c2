"""A project as resolvers see it: the facts of each file, existence of paths, names; every look-up is recorded.

The edges of a file depend on its own facts and on what its resolver looked up elsewhere. `Project` records those
look-ups as keys, so that after a change only the files that asked for what has changed are resolved again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeVar

from zerikai_memory.model import CodeEntity, EntityType, Reference

T = TypeVar("T")


@dataclass(frozen=True)
class FileFacts:
    """What one file offers to others: its entities (the module first) and its references but for the calls.

    Calls are apart (`Project.calls`) because only the file's own edges may depend on them.
    """

    path: str
    language: str
    entities: tuple[CodeEntity, ...]
    references: tuple[Reference, ...]

    @property
    def module(self) -> CodeEntity:
        """The entity that stands for the file."""
        return self.entities[0]

    @cached_property
    def by_id(self) -> Mapping[str, CodeEntity]:
        """Entities by id."""
        return {entity.id: entity for entity in self.entities}

    @cached_property
    def by_name(self) -> Mapping[str, tuple[CodeEntity, ...]]:
        """Entities by qualified name, in source order; the module has the empty name."""
        found: dict[str, list[CodeEntity]] = {}
        for entity in self.entities:
            found.setdefault(entity.qualified_name, []).append(entity)
        return {name: tuple(entities) for name, entities in found.items()}


@dataclass(frozen=True, slots=True)
class Named:
    """An entity found by its bare name alone."""

    id: str
    name: str
    qualified_name: str
    entity_type: EntityType
    language: str
    file_path: str


class Facts(Protocol):
    """Where a project's facts come from: one consistent state of the index, or a test's dictionary."""

    def paths(self) -> Iterable[str]:
        """Files that have entities."""

    def file(self, path: str) -> FileFacts | None:
        """The facts of one file; None when it is not indexed or has no entities."""

    def calls(self, path: str) -> Sequence[Reference]:
        """The CALL references of one file, by line."""

    def named(self, name: str) -> Sequence[Named]:
        """All entities whose `name` is this, by file and position; modules are not among them."""

    def text(self, path: str) -> str | None:
        """Content of a file that need not be indexed (package.json, tsconfig.json); None when it is not there."""


class Project:
    """Facts with their look-ups recorded. Not thread-safe; one build uses one.

    Keys: `f:PATH` what a file offers, `p:PATH` whether a file or folder exists, `n:NAME` who has a name, `t:PATH` a
    text. A value that is computed from look-ups and used for several files goes through `memo`.
    """

    def __init__(self, facts: Facts, name: str = "") -> None:
        self._facts = facts
        # Of the project's folder: a workspace that is itself a package is imported by it.
        self.name = name
        self.files = frozenset(facts.paths())
        self._folders = folders_of(self.files)
        self._memo: dict[object, tuple[Any, frozenset[str]]] = {}
        self._asked: list[set[str]] = [set()]

    def file(self, path: str) -> FileFacts | None:
        """What a file offers; None when it is not in the project."""
        if path not in self.files:
            self._asked[-1].add(f"p:{path}")
            return None
        self._asked[-1].add(f"f:{path}")
        return self._facts.file(path)

    def calls(self, path: str) -> Sequence[Reference]:
        """The calls of the file that is being resolved; those of another are nobody's business."""
        return self._facts.calls(path)

    def exists(self, path: str) -> bool:
        """Whether an indexed file, or a folder with one below it, has this path (`""` is the root)."""
        self._asked[-1].add(f"p:{path}")
        return path in self.files or path in self._folders

    def named(self, name: str) -> Sequence[Named]:
        """All entities of this bare name in the project, whatever their language."""
        self._asked[-1].add(f"n:{name}")
        return self._facts.named(name)

    def text(self, path: str) -> str | None:
        """Content of a small file beside the code, as it is on disk now."""
        self._asked[-1].add(f"t:{path}")
        return self._facts.text(path)

    def memo(self, key: object, compute: Callable[[], T]) -> T:
        """`compute()` once per build; whoever asks again inherits its look-ups. It must not ask for its own key."""
        known = self._memo.get(key)
        if known is None:
            with self.recording() as asked:
                value = compute()
            known = self._memo[key] = value, frozenset(asked)
        self._asked[-1] |= known[1]
        result: T = known[0]
        return result

    @contextmanager
    def recording(self) -> Iterator[set[str]]:
        """The look-ups made inside; those around do not get them."""
        self._asked.append(set())
        try:
            yield self._asked[-1]
        finally:
            self._asked.pop()


def folders_of(files: Iterable[str]) -> frozenset[str]:
    """Every folder that holds one of the files, the root included as an empty name."""
    found = {""}
    for path in files:
        while (path := path.rpartition("/")[0]) and path not in found:
            found.add(path)
    return frozenset(found)
