"""Keep a mirror up to its index: drain the outbox, verify by self-hits, and begin anew where the mirror is damaged."""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from zerikai_memory.errors import StoreError
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.mirror_records import next_batch, records_of
from zerikai_memory.store.mirror_state import MirrorState
from zerikai_memory.store.outbox import acknowledge, mirror_token, new_token, note_everything, waiting
from zerikai_memory.store.vectors import MirrorError, MirrorIndex, Vector

# Entities per step: a kill or a stop comes between two steps, and Chroma is fastest from about 1,000 on.
STEP = 1_000
# Records that must find themselves after every drain; damage shows in a share of all records, not in one.
SAMPLE = 64
# A mirror that was damaged again right after a rebuild is left alone for so long; exact answers go on meanwhile.
RETRY_AFTER_S = 3_600.0
# Every rewrite leaves its old text in Chroma's log: after this many writes per record a new build is smaller.
WORN_OUT_FACTOR, WORN_OUT_BASE = 2, 5_000
# Measured 4.5 to 5.4 kB per record; a full disk in the middle of a write is what damages a mirror.
BYTES_PER_RECORD, BYTES_SPARE = 6_000, 20_000_000

_LOG = logging.getLogger(__name__)


class OpenMirror(MirrorIndex, Protocol):
    """A mirror index that holds files or a connection."""

    def close(self) -> None:
        """Let them go."""


@dataclass(frozen=True, slots=True)
class SyncParts:
    """What a sync works with.

    `open` opens the build in use, `check` tells what is wrong with it without risk to this process, `forget` removes
    what a former build left outside of its folder, `between` runs between steps and tells whether to stop.
    """

    index: WorkspaceIndex
    state: MirrorState
    open: Callable[[MirrorState], OpenMirror]
    check: Callable[[MirrorState], str | None]
    forget: Callable[[str], None]
    between: Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one sync wrote; `left` entities wait in the outbox (0: the mirror is verified and equal to the index)."""

    written: int
    deleted: int
    left: int


class Behind(StoreError):
    """The mirror lacks entities that the index has; `args[0]` says how many."""


class Mirror:
    """The one open mirror of a workspace, in the process that holds its lock."""

    def __init__(self, parts: SyncParts) -> None:
        self._parts = parts
        self._chroma: OpenMirror | None = None
        self._opened = ""
        self._rebuilt = False
        self._verified = False

    def sync(self) -> SyncReport:
        """Drain the outbox and verify; a damaged mirror is replaced by a new build, once.

        Raises StoreError when the new build is damaged too, or when there is no place for it.
        """
        state = self._parts.state
        if state.get("trouble") and time.time() - float(state.get("trouble_at")) < RETRY_AFTER_S:
            raise StoreError(f"the mirror was given up: {state.get('trouble')}")
        while True:
            try:
                return self._sync_once()
            except StoreError as error:
                if not self._is_damage(error):
                    raise
                if self._rebuilt:
                    state.set(trouble=str(error)[:500], trouble_at=time.time())
                    raise
                self._begin_anew(str(error))

    def search(self, query: Vector, k: int) -> tuple[tuple[str, ...], Vector]:
        """The nearest of a mirror that is equal to the index; raises Behind when much is missing.

        A damaged folder raises too, and the next sync builds anew. A server may have come back with or without what
        was on it, so there it is looked at again first.
        """
        left = self.left()
        if left > STEP:
            raise Behind(str(left))
        if left or not self._verified:
            self.sync()
        try:
            return self._open().search(query, k)
        except MirrorError as error:
            if self._parts.state.local:
                self._begin_anew(str(error))
                raise
        self._chroma, self._verified = None, False
        self.sync()
        return self._open().search(query, k)

    def search_only(self, query: Vector, k: int) -> tuple[tuple[str, ...], Vector]:
        """The nearest of a mirror that another process keeps; raises Behind when anything is missing."""
        if left := self.left():
            raise Behind(str(left))
        name = self._parts.state.collection()  # its keeper may have begun a new one
        if self._chroma is None or self._opened != name:
            self._chroma, self._opened = self._parts.open(self._parts.state), name
        try:
            return self._chroma.search(query, k)
        except MirrorError:
            self._chroma = None
            raise

    def up_to_date(self) -> bool:
        """Whether the index has changed nothing since the last sync."""
        return self._verified and not self.left()

    def close(self) -> None:
        """Close the mirror; found closed, the next worker trusts it without a check."""
        if self._chroma is not None:
            chroma, self._chroma = self._chroma, None
            chroma.close()
            if self._parts.state.database.path.exists():  # else the mirror was dropped meanwhile
                self._parts.state.set(open="")

    def _sync_once(self) -> SyncReport:
        self._open()
        self._continue()
        written = deleted = 0
        while self._parts.between(self.left()):
            step = self._step()
            if step is None:
                break
            written, deleted = written + step[0], deleted + step[1]
        left = self.left()
        if not left and (written or deleted or not self._verified):
            self._verify()
        return SyncReport(written, deleted, left)

    def _open(self) -> OpenMirror:
        if self._chroma is None:
            state, embedding = self._parts.state, self._parts.index.meta("embedding")
            self._need_space(self.left())
            if not state.build or state.get("embedding") != embedding or self._missing() or self._worn_out():
                state.start_build(embedding)
            elif trouble := state.damaged_files() or (self._parts.check(state) if state.get("open") else None):
                raise _Damaged(trouble)
            state.set(open=f"{time.time():.0f}")
            self._chroma = self._parts.open(state)
        return self._chroma

    def _continue(self) -> None:
        """Where index and mirror do not know each other's last state, note everything; digests tell what is new."""
        index, state = self._parts.index, self._parts.state
        with index.database.read() as connection:
            token = mirror_token(connection)
        if not state.knows(token):
            token = new_token()
            mirrored = state.entities()
            with index.database.write() as connection:
                note_everything(connection, mirrored, token)
        state.settle(token)

    def _step(self) -> tuple[int, int] | None:
        """Mirror the next entities: into Chroma, then into the bookkeeping, then out of the outbox.

        Killed between two of these, the next worker does the step again and finds by the digests what is done.
        """
        index, state = self._parts.index, self._parts.state
        with index.database.read() as connection:
            before = mirror_token(connection)
            if not state.knows(before):  # restored meanwhile
                return None
            batch = next_batch(connection, STEP)
        if not batch.seqs:
            return None
        held = state.digests([record.entity_id for record in batch.records] + list(batch.gone))
        changed = [record for record in batch.records if held.get(record.entity_id) != record.digest]
        gone = [entity for entity in batch.gone if entity in held]
        chroma = self._open()
        chroma.upsert(changed)
        chroma.delete(batch.gone)  # all: a killed step may have written some that the bookkeeping does not know
        token = new_token()
        state.took(changed, gone, before, token)
        with index.database.write() as connection:
            if mirror_token(connection) != before:
                return None
            acknowledge(connection, batch.seqs, token)
        state.settle(token)
        return len(changed), len(gone)

    def _verify(self) -> None:
        index, state = self._parts.index, self._parts.state
        ids = state.sample(SAMPLE)
        with index.database.read() as connection:
            samples = records_of(connection, ids, state.get("embedding"))
        if trouble := self._open().verify(samples, state.count()):
            raise _Damaged(trouble)
        self._verified = True
        if superseded := state.get("superseded"):
            self._parts.forget(superseded)
            state.set(superseded="")
        state.remove_old_builds()

    def left(self) -> int:
        """Number of entities the mirror lacks or must forget, as far as the outbox tells."""
        with self._parts.index.database.read() as connection:
            known = self._parts.state.knows(mirror_token(connection))
            return waiting(connection) if known else max(1, self._parts.index.counts().entities)

    def _missing(self) -> bool:
        return self._parts.state.local and not self._parts.state.build_folder().is_dir()

    def _worn_out(self) -> bool:
        state = self._parts.state
        return int(state.get("written") or 0) > WORN_OUT_FACTOR * state.count() + WORN_OUT_BASE

    def _need_space(self, records: int) -> None:
        if self._parts.state.local:
            need = BYTES_PER_RECORD * records + BYTES_SPARE
            free = shutil.disk_usage(self._parts.state.home).free
            if free < need:
                raise StoreError(f"the mirror needs {need // 10**6} MB of disk, {free // 10**6} MB are free")

    def _is_damage(self, error: StoreError) -> bool:
        """Whether a new build would help: not where a server does not answer or the disk is full."""
        if isinstance(error, _Damaged):
            return True
        return self._parts.state.local and isinstance(error, MirrorError) and self._enough_space()

    def _enough_space(self) -> bool:
        return shutil.disk_usage(self._parts.state.home).free > BYTES_SPARE

    def _begin_anew(self, reason: str) -> None:
        state = self._parts.state
        _LOG.warning("mirror of %s: %s; it is built anew from the index", state.workspace_id, reason)
        chroma, self._chroma, self._verified = self._chroma, None, False
        if chroma is not None:
            try:
                chroma.close()
            except StoreError:
                _LOG.info("the damaged mirror could not be closed", exc_info=True)
        state.set_aside()
        state.start_build(self._parts.index.meta("embedding"))
        self._rebuilt = True


class _Damaged(StoreError):
    """The mirror does not hold what was written into it."""
