"""doctor --repair: mend what is derived and say what was done; recorded data is never touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from zerikai_memory.errors import BusyError, ZerikaiError
from zerikai_memory.model import Workspace
from zerikai_memory.model_upkeep import Finding
from zerikai_memory.store.backups import remove_partials, set_aside
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.turn import ScanTurn
from zerikai_memory.workspace.identity import workspace_root


@dataclass(frozen=True, slots=True)
class RepairParts:
    """What is mended, and the scan that makes an index anew."""

    brain: Brain
    snapshots: int
    renew_brief: Callable[[Workspace], str | None]
    rescan: Callable[[Workspace], object]


def repair(parts: RepairParts) -> list[Finding]:
    """Do what can be done without a person; a repair that fails is a finding too."""
    done: list[Finding] = []
    for folder in ("backups", "contexts", "index"):
        for path in remove_partials(parts.brain.home / folder):
            done.append(_done("brain", f"removed {path}, left by a killed process"))
    try:
        known = parts.brain.registry.known()
    except ZerikaiError as error:  # recorded data: a person decides
        return [*done, Finding("error", "zerikai.db", f"was not repaired: {error}")]
    for workspace in known:
        name = f"workspace {workspace.name}"
        try:
            done += [_done(name, text) for text in _mend(parts, workspace)]
        except (ZerikaiError, OSError) as error:
            done.append(Finding("error", name, f"was not repaired: {error}"))
    return done or [Finding("ok", "repair", "nothing that is derived needed it")]


def _mend(parts: RepairParts, workspace: Workspace) -> Iterator[str]:
    brain = parts.brain
    for path in remove_partials(brain.home / "snapshots" / workspace.id):
        yield f"removed {path}, left by a killed process"
    for path in brain.snapshots(workspace.id, parts.snapshots).damaged():
        yield f"its damaged snapshot was renamed to {set_aside(path)[-1]}"
    if renewed := parts.renew_brief(workspace):
        yield renewed
    index = brain.index(workspace.id)
    wrong = index.damage() if index.exists() else "there was none"
    if wrong is None and not index.meta("incomplete"):
        return
    turn = ScanTurn(brain.scan_lock(workspace.id), brain.scan_status(workspace.id))
    if wrong and index.exists():
        with turn.hold_briefly(workspace, 0):
            aside = brain.set_index_aside(workspace.id)
        yield f"its damaged index was renamed to {aside[-1]}"
    elif other := turn.other():
        raise BusyError(f"it is being scanned by {other.who}")
    if workspace_root(workspace).is_dir():
        parts.rescan(workspace)
        yield f"it was scanned again ({wrong or 'its last scan had not ended'})"


def _done(check: str, message: str) -> Finding:
    return Finding("ok", check, message)
