"""One scan from walk to report: plan it, apply it, journal it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.embed.base import Embedder
from zerikai_memory.errors import Cancelled, EmbeddingError
from zerikai_memory.model import (
    DiskFile,
    Extraction,
    ScanProgress,
    ScanReport,
    SkippedPath,
    Walk,
    Workspace,
)
from zerikai_memory.retrieve.calibrate import calibrated_cut
from zerikai_memory.scan.apply import Batch, write_batch
from zerikai_memory.scan.last_good import with_last_good
from zerikai_memory.scan.plan import Freshness, ScanPlan, files_to_hash, plan_scan
from zerikai_memory.scan.read import ReadFunction, SourceFile, read_bytes, read_source
from zerikai_memory.scan.report import NOTHING, Outcome, report_plan, report_scan
from zerikai_memory.store.embedding_notes import Cut, forget_vectors, note_cut, noted_cut, noted_dimensions
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.view import load_view

ProgressFunction = Callable[[ScanProgress], None]
CancelledFunction = Callable[[], bool]

# A cut holds while the number of entities has not changed by more than this share: it moves with its logarithm.
MEASURED_FOR = 0.2


@dataclass(frozen=True, slots=True)
class ScanParts:
    """What a scan works with; the walk, the reader and the extractor are functions so that tests can step between."""

    workspace: Workspace
    root: Path
    index: WorkspaceIndex
    embedder: Embedder
    walk: Callable[[], Walk]
    extract: Callable[[bytes, str], Extraction]
    extractor_version: int
    max_file_bytes: int
    read: ReadFunction = read_bytes
    progress: ProgressFunction = lambda _: None
    cancelled: CancelledFunction = lambda: False
    # Runs once, before the first write of a scan that changes something; returns a warning for the report.
    before_write: Callable[[], str | None] = lambda: None


def run_scan(parts: ScanParts, *, dry_run: bool = False) -> ScanReport:
    """Bring the index up to the files on disk, or with `dry_run` only say what would be done.

    The caller holds the workspace's scan lock. A cancel or a kill leaves a consistent, incomplete index; the next
    scan goes on from there. Raises Cancelled when it is stopped before there was anything to write.
    """
    started = time.monotonic()
    parts.progress(ScanProgress("walk", 0, 0))
    walk = parts.walk()
    plan = _plan(parts, walk)
    if dry_run:
        return report_plan(parts.workspace, walk, plan, time.monotonic() - started)
    outcome = Outcome()
    if (plan.add or plan.change) and (warning := _model_changed(parts)):
        outcome.warnings.append(warning)
        plan = _plan(parts, walk)
    _apply(parts, plan, {file.path: _limit(parts, file) for file in walk.files}, outcome)
    exists = parts.index.exists()
    return report_scan(
        parts.workspace,
        walk,
        plan,
        outcome,
        parts.index.file_states() if exists else {},
        parts.index.counts() if exists else NOTHING,
        time.monotonic() - started,
    )


def _plan(parts: ScanParts, walk: Walk) -> ScanPlan:
    freshness = Freshness(parts.extractor_version, parts.embedder.fingerprint)
    stored = parts.index.file_states(parts.extractor_version) if parts.index.exists() else {}
    hashes = _hash_suspects(parts, files_to_hash(walk.files, stored, freshness))
    return plan_scan(walk.files, stored, hashes, freshness)


def _model_changed(parts: ScanParts) -> str | None:
    """Forget vectors of another length under the same name, so that they never mix; returns a warning then.

    Asks the embedding for its length, so that one that cannot be used now fails before anything is written.
    """
    length = parts.embedder.dimensions
    known = noted_dimensions(parts.index, parts.embedder.fingerprint)
    if known in (None, length):
        return None
    forget_vectors(parts.index)
    return f"the embedding model gives vectors of {length} numbers now, not {known}: everything was embedded again"


def _note_cut(parts: ScanParts, outcome: Outcome) -> None:
    """Measure the cut for "nothing relevant" and store it with the vectors, unless the noted one still holds."""
    index, fingerprint = parts.index, parts.embedder.fingerprint
    entities, known = index.counts().entities, noted_cut(index)
    if known and known.fingerprint == fingerprint and abs(entities - known.entities) <= MEASURED_FOR * known.entities:
        return
    try:
        value = calibrated_cut(index, load_view(index), parts.embedder)
    except EmbeddingError as error:
        outcome.warnings.append(f"the cut for 'nothing relevant' was not measured, the next scan does: {error}")
        return
    note_cut(index, None if value is None else Cut(value, entities, fingerprint))


def _hash_suspects(parts: ScanParts, suspects: list[DiskFile]) -> dict[str, str]:
    found = {}
    for file in suspects:
        if parts.cancelled():
            raise Cancelled("the scan was stopped before anything was written")
        source = read_source(parts.root, file.path, _limit(parts, file), parts.read)
        if isinstance(source, SourceFile):
            found[file.path] = source.sha256
    return found


def _limit(parts: ScanParts, file: DiskFile) -> int:
    """Bytes to read at most: the setting, or the listed size where an ignore file has lifted it."""
    return max(parts.max_file_bytes, file.size)


def _apply(parts: ScanParts, plan: ScanPlan, limits: Mapping[str, int], outcome: Outcome) -> None:
    """Write what the plan says, a batch a transaction; the incomplete mark stays when this is left early."""
    index = parts.index
    if plan.empty and index.exists() and not index.meta("incomplete"):
        _note_cut(parts, outcome)
        return
    if warning := parts.before_write():
        outcome.warnings.append(warning)
    index.begin(parts.extractor_version, parts.embedder.fingerprint)
    todo = (*plan.add, *plan.change)
    batch = Batch(remove=list(plan.remove))
    try:
        for path in todo:
            if parts.cancelled():
                raise Cancelled("the scan was stopped between two files")
            _take(parts, path, limits[path], batch, outcome)
            outcome.done += 1
            parts.progress(ScanProgress("index", outcome.done, len(todo), path))
            if batch.full:
                _write(parts, batch, outcome, parts.cancelled)
                batch = Batch()
        _write(parts, batch, outcome, parts.cancelled)
    except Cancelled:
        outcome.status = "cancelled"
        if batch.full:
            outcome.done -= len(batch.sources)
        else:  # what was read is kept where that takes no time
            _write(parts, batch, outcome)
        return
    _note_cut(parts, outcome)
    index.finish()


def _take(parts: ScanParts, path: str, limit: int, batch: Batch, outcome: Outcome) -> None:
    """Read and extract one file into the batch; one that cannot be read loses its records and is named."""
    source = read_source(parts.root, path, limit, parts.read)
    if isinstance(source, SkippedPath):
        outcome.failed.append(source)
        batch.remove.append(path)
        return
    extraction = parts.extract(source.content, path)
    if extraction.partial:
        extraction = with_last_good(extraction, parts.index.entities(path), source.content)
    batch.add(source, extraction)


def _write(parts: ScanParts, batch: Batch, outcome: Outcome, cancelled: CancelledFunction = lambda: False) -> None:
    if batch.sources or batch.remove:
        outcome.embedded += write_batch(parts.index, batch, parts.embedder, parts.extractor_version, cancelled)
        outcome.written |= {source.path for source, _ in batch.sources}
