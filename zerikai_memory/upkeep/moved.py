"""Recognise a project folder that was moved or renamed: the registered path is gone, another holds the same files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from zerikai_memory.errors import InputError, StoreError
from zerikai_memory.model import Workspace
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.records import FileState
from zerikai_memory.workspace.identity import workspace_root
from zerikai_memory.workspace.paths import to_disk

# Files that are compared, spread over the project; and the share that must be equal: some are edited after a move.
SAMPLE, SHARE = 40, 0.6


def moved_from(brain: Brain, target: Workspace, known: Sequence[Workspace]) -> Workspace | None:
    """The registered workspace whose folder is gone and whose files `target` holds; None when `target` is known."""
    if any(workspace.id == target.id for workspace in known):
        return None
    gone = [workspace for workspace in known if not workspace_root(workspace).is_dir()]
    return next((workspace for workspace in gone if _same_files(brain, workspace, target)), None)


def move_hint(old: Workspace, target: Workspace, *, registered: bool) -> str:
    """A sentence that says what to do about a moved folder."""
    command = "merge" if registered else "move"
    return (
        f"{target.path!r} holds the files of {old.name!r}, whose folder {old.path!r} is gone. If it was moved, "
        f"`zerikai-memory workspace {command} {old.id[:8]} {target.path!r}` keeps its notes and brief"
    )


def _same_files(brain: Brain, old: Workspace, target: Workspace) -> bool:
    index = brain.index(old.id)
    try:
        states = index.file_states() if index.exists() else {}
    except StoreError:
        return False
    telling = [state for _, state in sorted(states.items()) if state.size]
    sample = telling[:: max(1, len(telling) // SAMPLE)][:SAMPLE]
    equal = sum(_is_there(state, target) for state in sample)
    return bool(sample) and equal >= SHARE * len(sample)


def _is_there(state: FileState, target: Workspace) -> bool:
    try:
        path = to_disk(workspace_root(target), state.path)
        if not path.is_file() or path.stat().st_size != state.size:
            return False
        return hashlib.sha256(path.read_bytes()).hexdigest() == state.sha256
    except (OSError, InputError):
        return False
