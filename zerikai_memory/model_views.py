"""What a view of the code map answers with: parts of rows, each row an entity and the lines that show why it is there.

One shape for all views, so that text, JSON, Mermaid and DOT are each written once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

# In the order in which help and errors list them.
VIEWS = (
    "profile",
    "overview",
    "dependents",
    "dependencies",
    "callers",
    "callees",
    "impact",
    "tests",
    "entrypoints",
    "unused",
    "path",
)


@dataclass(frozen=True, slots=True)
class MapRow:
    """An entity that a view names. `name` is its qualified name, a file's path, or a name outside the project.

    `file_path` and `start_line` are where it is defined (empty and 0: outside the project). `lines` are the lines of
    `site_path` that show the relation: call sites, imports, links. `via` is the id of the entity through which it was
    reached, empty for the subject itself; `depth` counts the steps. `changed`: its file differs from the scanned one,
    so that its lines may be off.
    """

    name: str
    entity_type: str
    file_path: str
    start_line: int
    entity_id: str = ""
    kind: str = ""
    evidence: str = ""
    depth: int = 0
    via: str = ""
    site_path: str = ""
    lines: tuple[int, ...] = ()
    detail: str = ""
    changed: bool = False


@dataclass(frozen=True, slots=True)
class MapLink:
    """`files` files of the folder or file `source` use something of `target`."""

    source: str
    target: str
    files: int


# The title of a part that answers nothing: the rows are what an ambiguous name may stand for.
OFFERED = "names of this"


@dataclass(frozen=True, slots=True)
class MapPart:
    """Rows of one kind under a `title`, about `subject` when the view has a target; `omitted` rows are not listed.

    `uses` says that the subject uses the rows; else they use it. `links` are what a picture of the part draws where
    its rows are no steps from the subject.
    """

    title: str
    rows: tuple[MapRow, ...]
    subject: MapRow | None = None
    note: str = ""
    omitted: int = 0
    guesses: bool = False
    uses: bool = False
    links: tuple[MapLink, ...] = ()


@dataclass(frozen=True, slots=True)
class MapFreshness:
    """What the map was built from, and which files of the work tree differ from it now.

    `changed_files` may be cut, `changed_count` is not; None when it could not be found out.
    """

    schema_version: int
    repo_commit: str | None
    changed_files: tuple[str, ...] = ()
    changed_count: int | None = 0
    head_commit: str | None = None


@dataclass(frozen=True, slots=True)
class MapReply:
    """The answer of one view. `text` is what a view that is prose says (profile); `omitted` counts rows left out."""

    workspace: str
    view: str
    target: str | None
    parts: tuple[MapPart, ...]
    freshness: MapFreshness
    text: str = ""
    notes: tuple[str, ...] = ()
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class EntryPointFact:
    """An entry point that a project file declares: `name` as people run it, `target` as it is written there.

    `group` is one of those of the view, `why` says what declares it.
    """

    name: str
    target: str
    file_path: str
    line: int
    group: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """What was asked for; `depth` None means the view's own; `guesses` follows edges known by name alone."""

    target: str | None = None
    depth: int | None = None
    guesses: bool = False


@dataclass(frozen=True, slots=True)
class ProjectTexts:
    """What views need beyond the graph, each asked for when it is needed.

    `declared` gives entry points of project files, `mentioned` of some names those that stand elsewhere too.
    """

    declared: Callable[[], Sequence[EntryPointFact]] = field(default=lambda: ())
    mentions: Callable[[Sequence[str]], Sequence[int]] = field(default=lambda names: [0] * len(names))


class MapAnswers(Protocol):
    """The map as answering asks it."""

    def relation(self, view: str, name: str) -> MapReply | None:
        """The view of what `name` names exactly; None when nothing is called so."""
