"""What the code map hands across borders: edges between entities, each with its evidence and its line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from zerikai_memory.model import CodeEntity


class Evidence(StrEnum):
    """How an edge is known, strongest first. A guess (SAME_NAME) is never shown as a fact.

    RESOLVED: followed to the definition by the rules of the language. IMPORTED_NAME: the name is imported from a file
    of the project that was found, but not its definition in there (or the receiver's type is only likely). SAME_NAME:
    something in the project has this name, nothing more is known. EXTERNAL: it leads out of the project.
    """

    RESOLVED = "resolved"
    IMPORTED_NAME = "imported-name"
    SAME_NAME = "same-name"
    EXTERNAL = "external"


class EdgeKind(StrEnum):
    """What the source does with the target."""

    CALL = "call"
    IMPORT = "import"
    INHERIT = "inherit"
    DECORATE = "decorate"
    PATCH = "patch"
    REGISTER = "register"
    LINK = "link"  # a Markdown link, an HTML script or style
    # What markup uses of CSS; a function, class, constant or property of code that is imported, read or passed on.
    USE = "use"


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` uses `target` at `file_path:line`. Both are entity ids; a file stands as its module entity.

    `target` is None where `evidence` is EXTERNAL; `target_name` is the name as it is written there (of REGISTER the
    role: `route GET /users -> list_users`). IMPORT leads to the module; what is imported from it is a USE. Of
    SAME_NAME edges only the nearest of the `candidates` are kept.
    """

    kind: EdgeKind
    evidence: Evidence
    source: str
    target: str | None
    target_name: str
    file_path: str
    line: int
    candidates: int = 1


@dataclass(frozen=True, slots=True)
class MapState:
    """What a map was built from: `generation` of the index, git commit of the project then (None: no git)."""

    schema_version: int
    generation: int
    repo_commit: str | None


class CodeGraph(Protocol):
    """A whole map, read-only and thread-safe; what the views work on."""

    @property
    def state(self) -> MapState:
        """What it was built from."""

    def entities(self) -> Iterable[CodeEntity]:
        """All entities, in file and line order."""

    def entity(self, id: str) -> CodeEntity | None:
        """One entity."""

    def from_entity(self, id: str) -> Sequence[Edge]:
        """Edges whose source is this entity, by line."""

    def to_entity(self, id: str) -> Sequence[Edge]:
        """Edges whose target is this entity, by file and line."""
