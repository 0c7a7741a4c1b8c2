"""Values that cross module borders: entities, scan plans and reports, query answers, notes, briefs.

Standard library only, no behaviour beyond derived properties. Lines are 1-based and inclusive; only a line feed
ends a line. Paths are POSIX strings relative to the workspace root. A `distance` is squared L2 of unit vectors
(0 identical, 2 orthogonal, small is near); a `score` is large when good. Times are seconds since the epoch, UTC.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from zerikai_memory.model_notes import Note as Note
from zerikai_memory.model_sessions import SessionHit


class EntityType(StrEnum):
    """Kinds of entities; the words are part of the stored format and of the `kind:` filter."""

    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"
    METHOD = "method"
    COMPONENT = "component"
    INTERFACE = "interface"
    TYPE = "type"
    ENUM = "enum"
    NAMESPACE = "namespace"
    CONSTANT = "constant"
    SECTION = "section"
    ELEMENT = "element"
    RULE = "rule"
    PROPERTY = "property"
    # Registrations by a call: what runs on a request, on the command line, on an event or in every request.
    ROUTE = "route"
    COMMAND = "command"
    HANDLER = "handler"
    TODO = "todo"


@dataclass(frozen=True, slots=True)
class CodeEntity:
    """One definition in one file, as parsed: no line and no content is part of its id.

    `qualified_name` is dotted without the module (`Outer.inner`); `parent` is the qualified name of the enclosing
    entity or None. `start_line` is the line of the definition itself, `decorator_start_line` that of its first
    decorator when it has one. `modifiers` are words such as async, generator, static, abstract, exported, private.
    """

    id: str
    name: str
    qualified_name: str
    entity_type: EntityType
    language: str
    file_path: str
    start_line: int
    end_line: int
    signature: str
    docstring: str | None = None
    parent: str | None = None
    decorators: tuple[str, ...] = ()
    decorator_start_line: int | None = None
    params: tuple[str, ...] = ()
    return_type: str | None = None
    type_params: str | None = None
    modifiers: tuple[str, ...] = ()
    body_hash: str = ""

    @property
    def is_async(self) -> bool:
        """Whether the definition is declared async."""
        return "async" in self.modifiers

    @property
    def exported(self) -> bool:
        """Whether the file makes the name visible to others (export, module.exports, public name)."""
        return "exported" in self.modifiers


class ReferenceKind(StrEnum):
    """What a mention of another name does.

    ALIAS: the file calls `name` what `target_text` (`module` or `module:name`) is. REGISTER: `name` is the function
    that is registered and `target_text` says for what: `route GET /users -> list_users`, `command build -> build`,
    `event message -> on_message`, `fixture db -> db`, `hook startup -> warm_up`, `middleware cors`.
    BIND: in lines A to B the file's `name` is what `target_text` says (`A-B chain`, see `lang.ecmascript_chains`; a
    member `this.x` has no lines). EXPORT: the module gives out `name` (`*` all, `=` itself) as the chain
    `target_text`. LINK: a document leads to `target_text`. USE: markup or a text names `name`.
    """

    CALL = "call"
    IMPORT = "import"
    INHERIT = "inherit"
    DECORATE = "decorate"
    PATCH = "patch"
    ALIAS = "alias"
    REGISTER = "register"
    BIND = "bind"
    EXPORT = "export"
    LINK = "link"
    USE = "use"


# What mentions a name for its own sake; the other kinds say how names are to be understood.
MENTIONS = frozenset(
    {
        ReferenceKind.CALL,
        ReferenceKind.INHERIT,
        ReferenceKind.DECORATE,
        ReferenceKind.PATCH,
        ReferenceKind.ALIAS,
        ReferenceKind.REGISTER,
    }
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A mention of `name` at `line`, inside `from_entity` (an entity id of the same file, or None)."""

    kind: ReferenceKind
    name: str
    target_text: str
    file_path: str
    line: int
    from_entity: str | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """All that one file says: entities in source order (the module first), references, and what was unreadable.

    `bodies` maps entity id -> its own source text: a class or module without its members, a function whole.
    `partial` is true when the parser met errors and some of the file may be missing. `skip_reason` is set when the
    content was recognised as minified, generated, binary or too slow to parse; then there are no entities.
    """

    language: str
    entities: tuple[CodeEntity, ...] = ()
    references: tuple[Reference, ...] = ()
    bodies: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False
    skip_reason: str | None = None
    bindings: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project folder: `id` is a UUIDv5 of the canonical `path`, `name` is unique among registered workspaces."""

    id: str
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class WorkspaceInfo:
    """A registered workspace with what is stored for it; None means not known, never zero."""

    id: str
    name: str
    path: str
    exists: bool
    files: int | None
    entities: int | None
    notes: int
    last_scan_at: float | None
    incomplete: bool
    has_brief: bool
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A file that the walk kept: its relative path and the stat values that tell whether to hash it again."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class SkippedPath:
    """A file or folder that was not indexed, and why (`reason` is a short code, `detail` a sentence part)."""

    path: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Walk:
    """What a walk of the workspace found.

    `excluded_by` counts, per ignore rule, the entries it left out (a folder is one entry, but when no file was kept
    each left-out folder counts with the files in it, so that the first rule tells why). `other_types` counts the
    files of no known language by suffix. Both are in falling order.
    """

    files: tuple[DiskFile, ...]
    skipped: tuple[SkippedPath, ...]
    excluded_by: Mapping[str, int] = field(default_factory=dict)
    other_types: Mapping[str, int] = field(default_factory=dict)


ScanStatus = Literal["completed", "running", "cancelled", "dry_run", "failed"]


@dataclass(frozen=True, slots=True)
class ScanProgress:
    """Where a running scan is; `total` is 0 until the walk has ended."""

    stage: str
    done: int
    total: int
    path: str = ""


@dataclass(frozen=True, slots=True)
class ScanReport:
    """What a scan did, and what it did not do.

    `skipped` are files of a known language that were not indexed; `excluded` counts, per ignore rule, the files and
    folders it left out unseen.
    """

    workspace: str
    workspace_id: str
    root: str
    status: ScanStatus
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    kept: int = 0
    skipped: tuple[SkippedPath, ...] = ()
    excluded: Mapping[str, int] = field(default_factory=dict)
    partial: tuple[str, ...] = ()
    failed: tuple[SkippedPath, ...] = ()
    files: int = 0
    entities: int = 0
    entities_by_type: Mapping[str, int] = field(default_factory=dict)
    entities_by_language: Mapping[str, int] = field(default_factory=dict)
    embedded: int = 0
    seconds: float = 0.0
    done: int = 0
    total: int = 0
    warnings: tuple[str, ...] = ()


CitationState = Literal["fresh", "moved", "changed", "stale", "gone"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A cited entity; its lines are those of the working file.

    `state`: fresh (as indexed), moved (the same text on other lines), changed (found again by name, its text is no
    longer what was indexed), stale (the file changed and it could not be told apart), gone (it no longer exists).
    """

    name: str
    qualified_name: str
    entity_type: str
    file_path: str
    start_line: int
    end_line: int
    distance: float | None
    score: float
    state: CitationState
    text: str
    entity_id: str

    @property
    def citation(self) -> str:
        """`name #file.py:line (distance)`, the form every answer cites."""
        distance = "-" if self.distance is None else f"{self.distance:.2f}"
        mark = "" if self.state == "fresh" else f" [{self.state}]"
        return f"{self.qualified_name or self.name} #{self.file_path}:{self.start_line} ({distance}){mark}"


@dataclass(frozen=True, slots=True)
class Route:
    """Who wrote the answer: `backend` none means quoted by rule from the index, without a model."""

    backend: str
    model: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class BriefSection:
    """A section of the project brief that answers a question; cited as `brief:NAME`."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """The reply to a question; `omitted` counts hits that the limit or the token budget left out."""

    workspace: str
    question: str
    answer: str
    results: tuple[Hit, ...]
    notes: tuple[Note, ...]
    route: Route
    nothing_relevant: bool
    omitted: int
    sections: tuple[BriefSection, ...] = ()
    sessions: tuple[SessionHit, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Brief:
    """One version of the project brief: nine sections of Markdown, locked until it is replaced on purpose."""

    workspace: str
    workspace_id: str
    version: int
    text: str
    source: str
    created_at: float
    warnings: tuple[str, ...] = ()
