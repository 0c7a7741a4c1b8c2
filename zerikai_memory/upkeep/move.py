"""Move a workspace to another folder, or merge one into another: recorded data is re-keyed in one transaction.

Derived files are copied before and removed after that transaction, so a kill in between leaves the old workspace whole
or the new one whole, and at worst a file that doctor names.
"""

from __future__ import annotations

from contextlib import ExitStack

from zerikai_memory.errors import InputError, StoreError, WorkspaceError
from zerikai_memory.model import Workspace
from zerikai_memory.model_upkeep import MoveReport
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.rekey import HandedOver, hand_over, preview
from zerikai_memory.store.turn import ScanTurn
from zerikai_memory.workspace.identity import workspace_root

# A scan that runs is waited for this long.
WAIT_S = 10.0


def move_workspace(brain: Brain, old: Workspace, new: Workspace) -> MoveReport:
    """Give everything that is stored for `old` to the folder of `new`, which is not registered yet."""
    if old.id == new.id:
        raise InputError(f"{old.path!r} is already where {old.name!r} is registered; nothing to move")
    warnings = []
    if workspace_root(old).is_dir():
        warnings.append(f"the folder {old.path} still exists; it is not registered any more")
    with ExitStack() as turns:
        _hold_both(turns, brain, old, new)
        backup = brain.backups.before("move")
        try:
            brain.copy_index(old.id, new.id)
        except StoreError as error:
            warnings.append(f"the index was not taken along: {error}; scan {new.path} again")
        with brain.recorded.write() as connection:
            done = hand_over(connection, old.id, new.id, register=new)
        brain.move_snapshots(old.id, new.id)
        _remove_old(brain, old, new, done)
    return _report(brain, old, new, done, backup=backup.name, warnings=tuple(warnings))


def merge_workspaces(brain: Brain, old: Workspace, new: Workspace, *, dry_run: bool) -> MoveReport:
    """Give notes, brief versions and usage of `old` to `new` and forget `old`; `dry_run` only counts."""
    if old.id == new.id:
        raise WorkspaceError(f"both names mean {new.path!r}; nothing to merge")
    if dry_run:
        with brain.recorded.read() as connection:
            return _report(brain, old, new, preview(connection, old.id, new.id), dry_run=True)
    with ExitStack() as turns:
        _hold_both(turns, brain, old, new)
        backup = brain.backups.before("merge")
        with brain.recorded.write() as connection:
            done = hand_over(connection, old.id, new.id, register=None)
        _remove_old(brain, old, new, done)
    return _report(brain, old, new, done, backup=backup.name)


def _hold_both(turns: ExitStack, brain: Brain, old: Workspace, new: Workspace) -> None:
    """Take both scan turns, always in the same order: two merges at once must not wait for each other."""
    for workspace in sorted((old, new), key=lambda one: one.id):
        turn = ScanTurn(brain.scan_lock(workspace.id), brain.scan_status(workspace.id))
        turns.enter_context(turn.hold_briefly(workspace, WAIT_S))


def _remove_old(brain: Brain, old: Workspace, new: Workspace, done: HandedOver) -> None:
    brain.remove_derived(old.id)
    brain.briefs.path(old.id).unlink(missing_ok=True)
    if done.brief_versions:
        brain.briefs.mirror(new)


def _report(
    brain: Brain,
    old: Workspace,
    new: Workspace,
    done: HandedOver,
    *,
    dry_run: bool = False,
    backup: str | None = None,
    warnings: tuple[str, ...] = (),
) -> MoveReport:
    index = brain.index(new.id)
    counts = index.counts() if index.exists() else None
    return MoveReport(
        workspace=new.name,
        old_path=old.path,
        new_path=new.path,
        notes=done.notes,
        joined_notes=done.joined_notes,
        brief_versions=done.brief_versions,
        files=counts.files if counts else None,
        entities=counts.entities if counts else None,
        dry_run=dry_run,
        backup=backup,
        warnings=warnings,
    )
