"""How a workspace's mirror stands, from its bookkeeping alone: nothing of Chroma is opened."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from filelock import Timeout

from zerikai_memory.errors import ZerikaiError
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.mirror_state import MirrorState
from zerikai_memory.store.outbox import mirror_token, waiting


@dataclass(frozen=True, slots=True)
class MirrorStatus:
    """`folder` is where it is; `trouble` is a sentence about what is wrong, empty when all is well.

    `left` entities of the index are not in it yet; `busy` means that a worker has it open now.
    """

    folder: Path
    records: int
    left: int
    busy: bool
    trouble: str


def mirror_status(home: Path, workspace_id: str, index: WorkspaceIndex, url: str = "") -> MirrorStatus | None:
    """The status of a mirror, or None when there is none."""
    state = MirrorState(home, workspace_id, url)
    if not state.database.path.exists():
        return None
    try:
        busy = _held(state)
        with index.database.read() as connection:
            known, left = state.knows(mirror_token(connection)), waiting(connection)
        return MirrorStatus(
            folder=state.build_folder(),
            records=state.count(),
            left=left if known else index.counts().entities,
            busy=busy,
            trouble=_trouble(state, busy),
        )
    except ZerikaiError as error:
        return MirrorStatus(state.folder, 0, 0, False, str(error))
    finally:
        state.close()


def _trouble(state: MirrorState, busy: bool) -> str:
    if trouble := state.get("trouble"):
        return f"it was given up after it was damaged twice: {trouble}"
    if not state.local or busy:
        return ""
    if damaged := state.damaged_files():
        return f"it is damaged: {damaged}"
    return "its process was killed; the next one checks it first" if state.get("open") else ""


def _held(state: MirrorState) -> bool:
    lock = state.lock()
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False
