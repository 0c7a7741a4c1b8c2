"""Everything a person does to stored workspaces by hand: list, undo, move, merge, drop, back up, repair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.errors import DamagedError, InputError, StoreError, WorkspaceError
from zerikai_memory.model import Workspace, WorkspaceInfo
from zerikai_memory.model_upkeep import Backup, DropReport, Finding, MoveReport, Snapshot, UndoReport
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.index import IndexCounts
from zerikai_memory.store.turn import ScanTurn
from zerikai_memory.store.usage_history import UsageHistory
from zerikai_memory.upkeep.move import merge_workspaces, move_workspace
from zerikai_memory.upkeep.repair import RepairParts, repair
from zerikai_memory.workspace.identity import (
    canonical_path,
    check_root,
    find_workspace,
    new_workspace,
    require_known,
    workspace_root,
)

# An undo or drop waits this long for a running scan before it gives up.
WAIT_S = 10.0


@dataclass(frozen=True, slots=True)
class UpkeepParts:
    """What upkeep works with: `adopt_brief` stores a hand edit of a brief before anything else happens to it."""

    brain: Brain
    home: Path
    cwd: Path
    snapshots: int
    adopt_brief: Callable[[Workspace], object]
    renew_brief: Callable[[Workspace], str | None]
    rescan: Callable[[Workspace], object]


class Upkeep:
    """The commands for what is stored; each takes a workspace by path, name or id."""

    def __init__(self, parts: UpkeepParts) -> None:
        self._parts = parts
        self._brain = parts.brain

    def workspaces(self) -> list[WorkspaceInfo]:
        """All registered workspaces, by name; one whose index is damaged has no counts."""
        return [self._info(entry.workspace, entry.last_scan_at) for entry in self._brain.registry.all()]

    def snapshots(self, target: Workspace) -> list[Snapshot]:
        """The snapshots of a workspace's index, newest first."""
        target = require_known(target, self._brain.registry.known())
        return self._brain.snapshots(target.id, self._parts.snapshots).all()

    def undo(self, target: Workspace, number: int | None = None) -> UndoReport:
        """Bring the index back to before its last scan, or to snapshot `number`; each undo goes one scan further.

        Raises InputError without such a snapshot, BusyError while a scan runs, DamagedError for a damaged snapshot.
        """
        target = require_known(target, self._brain.registry.known())
        index = self._brain.index(target.id)
        with self._turn(target).hold_briefly(target, WAIT_S):
            if index.exists() and index.damage():
                self._brain.set_index_aside(target.id)
                index = self._brain.index(target.id)
            before = self._counts(target)
            restored = self._brain.snapshots(target.id, self._parts.snapshots).restore(index, number)
        return UndoReport(
            workspace=target.name,
            workspace_id=target.id,
            restored=restored,
            files_before=before.files if before else None,
            entities_before=before.entities if before else None,
        )

    def move(self, old: str, new: str) -> MoveReport:
        """Re-key a workspace to another folder; nothing is embedded again."""
        source = self._registered(old)
        known = self._brain.registry.known()
        path = canonical_path(new, self._parts.cwd)
        check_root(path, self._parts.home, self._brain.home)
        target = new_workspace(path, [workspace for workspace in known if workspace.id != source.id])
        if any(workspace.id == target.id for workspace in known) and target.id != source.id:
            raise WorkspaceError(
                f"{target.path!r} is registered already; `zerikai-memory workspace merge {source.id[:8]} "
                f"{target.path!r}` gives it the notes and brief of {source.name!r}"
            )
        self._parts.adopt_brief(source)
        return move_workspace(self._brain, source, target)

    def merge(self, old: str, new: str, *, dry_run: bool = False) -> MoveReport:
        """Give notes, brief versions and usage of one workspace to another and forget the first."""
        source, target = self._registered(old), self._registered(new)
        if not dry_run:
            self._parts.adopt_brief(source)
            self._parts.adopt_brief(target)
        return merge_workspaces(self._brain, source, target, dry_run=dry_run)

    def drop(self, workspace: str, *, everything: bool = False) -> DropReport:
        """Remove index, vectors, brief, snapshots and registry row; `everything` also notes and usage rows."""
        target = self._registered(workspace)
        with self._turn(target).hold_briefly(target, WAIT_S):
            removed = self._brain.remove_derived(target.id)
            if versions := self._brain.briefs.remove(target.id):
                removed.append(f"brief ({versions} version{'s' * (versions > 1)})")
            if everything and (count := self._brain.notes.remove_all(target.id)):
                removed.append(f"{count} notes")
            usage = UsageHistory(self._brain.recorded)
            if everything and (count := usage.forget(target.id)):
                removed.append(f"{count} usage rows (what they cost stays in the sums of all workspaces)")
            self._brain.registry.remove(target.id)
            removed.append("registry row")
        self._brain.recorded.compact()
        return DropReport(
            workspace=target.name,
            workspace_id=target.id,
            path=target.path,
            removed=tuple(removed),
            kept_notes=self._brain.notes.count(target.id),
            kept_usage=usage.count(target.id),
        )

    def backups(self) -> list[Backup]:
        """The copies of zerikai.db, newest first."""
        return [Backup(found.name, found.made_at, found.size_bytes) for found in self._brain.backups.all()]

    def restore_backup(self, name: str) -> tuple[str, ...]:
        """Put a copy in the place of zerikai.db; returns where the old files are now."""
        self._brain.recorded.close()
        try:
            return tuple(str(path) for path in self._brain.backups.restore(name))
        except OSError as error:
            raise StoreError(f"the backup was not restored: {error}") from error

    def repair(self) -> list[Finding]:
        """Mend what is derived; a finding for each thing that was done."""
        return repair(RepairParts(self._brain, self._parts.snapshots, self._parts.renew_brief, self._parts.rescan))

    def _turn(self, target: Workspace) -> ScanTurn:
        return ScanTurn(self._brain.scan_lock(target.id), self._brain.scan_status(target.id))

    def _registered(self, text: str) -> Workspace:
        known = self._brain.registry.known()
        target = find_workspace(text, known, self._parts.cwd)
        if target is None:
            names = ", ".join(repr(w.name) for w in known) or "none"
            raise WorkspaceError(f"workspace: {text!r} is not registered; nothing was changed. Known: {names}")
        return target

    def _counts(self, workspace: Workspace) -> IndexCounts | None:
        index = self._brain.index(workspace.id)
        try:
            return index.counts() if index.exists() else None
        except (DamagedError, InputError):
            return None

    def _info(self, workspace: Workspace, last_scan_at: float | None) -> WorkspaceInfo:
        counts = self._counts(workspace)
        return WorkspaceInfo(
            id=workspace.id,
            name=workspace.name,
            path=workspace.path,
            exists=workspace_root(workspace).is_dir(),
            files=counts.files if counts else None,
            entities=counts.entities if counts else None,
            notes=self._brain.notes.count(workspace.id),
            last_scan_at=last_scan_at,
            incomplete=counts is None or bool(self._brain.index(workspace.id).meta("incomplete")),
            has_brief=self._brain.briefs.live(workspace) is not None,
            size_bytes=self._brain.size_bytes(workspace.id) if counts else None,
        )
