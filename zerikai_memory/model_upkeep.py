"""Values of upkeep: what was dropped, undone, moved, backed up and found. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class DropReport:
    """What a drop removed and what it left."""

    workspace: str
    workspace_id: str
    path: str
    removed: tuple[str, ...]
    kept_notes: int
    kept_usage: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A copy of a workspace's index; `number` 1 is the newest, `before` says what followed it (scan or undo).

    `files` and `entities` are None when the copy cannot be read.
    """

    number: int
    made_at: float
    before: str
    files: int | None
    entities: int | None
    size_bytes: int


@dataclass(frozen=True, slots=True)
class UndoReport:
    """What an undo brought back."""

    workspace: str
    workspace_id: str
    restored: Snapshot
    files_before: int | None
    entities_before: int | None


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a move or merge of a workspace did, or would do (`dry_run`).

    `joined_notes` are those that say the same in both: one of each stays.
    """

    workspace: str
    old_path: str
    new_path: str
    notes: int
    joined_notes: int
    brief_versions: int
    files: int | None
    entities: int | None
    dry_run: bool = False
    backup: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy of zerikai.db."""

    name: str
    made_at: float
    size_bytes: int


FindingLevel = Literal["ok", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `doctor`: what was checked, how it stands, and what to do if it is not well."""

    level: FindingLevel
    check: str
    message: str
    fix: str = ""
