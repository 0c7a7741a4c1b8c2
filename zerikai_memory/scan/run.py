"""One scan from walk to report: plan it, apply it, journal it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from zerikai_memory.embed.base import Embedder
from zerikai_memory.errors import Cancelled
from zerikai_memory.model import (
    DiskFile,
    Extraction,
    ScanProgress,
    ScanReport,
    ScanStatus,
    SkippedPath,
    Walk,
    Workspace,
)
from zerikai_memory.scan.apply import Batch, write_batch
from zerikai_memory.scan.last_good import with_last_good
from zerikai_memory.scan.plan import Freshness, ScanPlan, files_to_hash, plan_scan
from zerikai_memory.scan.read import ReadFunction, SourceFile, read_bytes, read_source
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.records import FileState

# What the short reasons of an extraction mean, for the report.
CONTENT_REASONS = {
    "binary": "the content is not text",
    "minified": "written by a minifier, not by a person",
    "generated": "says of itself that it is generated",
    "timeout": "took too long to parse",
}

ProgressFunction = Callable[[ScanProgress], None]
CancelledFunction = Callable[[], bool]


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


@dataclass(slots=True)
class _Outcome:
    """What applying a plan met, file by file."""

    failed: list[SkippedPath] = field(default_factory=list)
    embedded: int = 0
    done: int = 0
    unread: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)


def run_scan(parts: ScanParts, *, dry_run: bool = False) -> ScanReport:
    """Bring the index up to the files on disk, or with `dry_run` only say what would be done.

    The caller holds the workspace's scan lock. A cancel or a kill leaves a consistent, incomplete index; the next
    scan goes on from there. Raises Cancelled when it is stopped before there was anything to write.
    """
    started = time.monotonic()
    parts.progress(ScanProgress("walk", 0, 0))
    walk = parts.walk()
    freshness = Freshness(parts.extractor_version, parts.embedder.fingerprint)
    stored = parts.index.file_states(parts.extractor_version) if parts.index.exists() else {}
    hashes = _hash_suspects(parts, files_to_hash(walk.files, stored, freshness))
    plan = plan_scan(walk.files, stored, hashes, freshness)
    outcome = _Outcome()
    limits = {file.path: _limit(parts, file) for file in walk.files}
    status: ScanStatus = "dry_run" if dry_run else _apply(parts, plan, limits, outcome)
    states = parts.index.file_states() if parts.index.exists() else {}
    report = ScanReport(
        workspace=parts.workspace.name,
        workspace_id=parts.workspace.id,
        root=parts.workspace.path,
        status=status,
        added=tuple(path for path in plan.add if path not in outcome.unread),
        changed=tuple(path for path in plan.change if path not in outcome.unread),
        removed=tuple(sorted({*plan.remove, *(outcome.unread & stored.keys())})),
        kept=len(plan.keep),
        skipped=(*walk.skipped, *_content_skips(states)),
        partial=tuple(sorted(state.path for state in states.values() if state.partial)),
        failed=tuple(outcome.failed),
        embedded=outcome.embedded,
        done=outcome.done,
        total=len(plan.add) + len(plan.change),
        seconds=round(time.monotonic() - started, 3),
    )
    report = _with_counts(report, parts, walk)
    return replace(report, warnings=(*report.warnings, *outcome.warnings))


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


def _apply(parts: ScanParts, plan: ScanPlan, limits: Mapping[str, int], outcome: _Outcome) -> ScanStatus:
    """Write what the plan says, a batch a transaction; the incomplete mark stays when this is left early."""
    index = parts.index
    if plan.empty and index.exists() and not index.meta("incomplete"):
        return "completed"
    if warning := parts.before_write():
        outcome.warnings.append(warning)
    index.begin(parts.extractor_version, parts.embedder.fingerprint)
    todo = (*plan.add, *plan.change)
    batch = Batch(remove=list(plan.remove))
    for path in todo:
        if parts.cancelled():
            _write(parts, batch, outcome)
            return "cancelled"
        _take(parts, path, limits[path], batch, outcome)
        outcome.done += 1
        parts.progress(ScanProgress("index", outcome.done, len(todo), path))
        if batch.full:
            _write(parts, batch, outcome)
            batch = Batch()
    _write(parts, batch, outcome)
    index.finish()
    return "completed"


def _take(parts: ScanParts, path: str, limit: int, batch: Batch, outcome: _Outcome) -> None:
    """Read and extract one file into the batch; one that cannot be read loses its records and is named."""
    source = read_source(parts.root, path, limit, parts.read)
    if isinstance(source, SkippedPath):
        outcome.failed.append(source)
        outcome.unread.add(path)
        batch.remove.append(path)
        return
    extraction = parts.extract(source.content, path)
    if extraction.partial:
        extraction = with_last_good(extraction, parts.index.entities(path), source.content)
    batch.add(source, extraction)


def _write(parts: ScanParts, batch: Batch, outcome: _Outcome) -> None:
    if batch.sources or batch.remove:
        outcome.embedded += write_batch(parts.index, batch, parts.embedder, parts.extractor_version)


def _content_skips(states: Mapping[str, FileState]) -> list[SkippedPath]:
    """Files that were read and left out for what is in them; known from the index, so that every report names them."""
    return [
        SkippedPath(state.path, state.skip_reason, CONTENT_REASONS.get(state.skip_reason, ""))
        for state in sorted(states.values(), key=lambda state: state.path)
        if state.skip_reason
    ]


def _with_counts(report: ScanReport, parts: ScanParts, walk: Walk) -> ScanReport:
    if not parts.index.exists():
        return replace(report, warnings=_warnings(report, walk))
    counts = parts.index.counts()
    report = replace(
        report,
        files=counts.files,
        entities=counts.entities,
        entities_by_type=counts.by_type,
        entities_by_language=counts.by_language,
    )
    return replace(report, warnings=_warnings(report, walk))


def _warnings(report: ScanReport, walk: Walk) -> tuple[str, ...]:
    """What a person must know that the counts do not say."""
    found = []
    if report.status == "cancelled":
        found.append(f"stopped after {report.done} of {report.total} files; the next scan goes on from there")
    if report.status != "dry_run" and report.files == 0:
        found.append(_nothing_indexed(walk))
    return tuple(found)


def _nothing_indexed(walk: Walk) -> str:
    """Why a scan ended with no file: the rule that left out most, when there is one."""
    if not walk.files and walk.excluded_by:
        rule, count = max(walk.excluded_by.items(), key=lambda item: (item[1], item[0]))
        return f"no file was indexed; the rule {rule} left out most ({count} paths)"
    return "no file was indexed: the folder holds no file of a known language"
