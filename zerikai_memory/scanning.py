"""Scanning as the app composes it: one job per workspace, the lock, a snapshot before, brief and mirror after."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from zerikai_memory.brief.build import build_brief
from zerikai_memory.brief.collect import collect_facts
from zerikai_memory.brief.frozen import FrozenBrief
from zerikai_memory.brief.imports import Import
from zerikai_memory.brief.reading import workspace_reader
from zerikai_memory.brief.writing import BriefWriter, Material
from zerikai_memory.codemap.maps import CodeMaps
from zerikai_memory.codemap.views.imports import imports_between
from zerikai_memory.embed.base import Embedder
from zerikai_memory.errors import (
    BusyError,
    Cancelled,
    DamagedError,
    EmbeddingError,
    InputError,
    StoreError,
    WorkspaceError,
)
from zerikai_memory.lang import EXTRACTOR_VERSION
from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.registry import language_of
from zerikai_memory.model import Brief, ScanProgress, ScanReport, Walk, Workspace
from zerikai_memory.scan.job import ScanJob
from zerikai_memory.scan.run import ScanParts, run_scan
from zerikai_memory.settings import Settings
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.mirrors import Mirrors
from zerikai_memory.store.turn import ScanTurn
from zerikai_memory.upkeep.moved import move_hint, moved_from
from zerikai_memory.workspace.identity import check_root, workspace_root
from zerikai_memory.workspace.walk import walk


@dataclass(frozen=True, slots=True)
class ScanWatch:
    """Who follows a scan: told of its progress, asked whether to stop."""

    progress: Callable[[ScanProgress], None]
    cancelled: Callable[[], bool]


class Scanning:
    """Scans of all workspaces of one process."""

    def __init__(
        self,
        settings: Settings,
        brain: Brain,
        mirrors: Mirrors,
        briefs: FrozenBrief,
        embedder: Embedder,
        writer: BriefWriter,
        *,
        home: Path,
    ) -> None:
        self._settings = settings
        self._brain = brain
        self._mirrors = mirrors
        self._briefs = briefs
        self._embedder = embedder
        self._writer = writer
        self._home = home
        self.maps = CodeMaps(brain.index, brain.map)
        self._mutex = threading.Lock()
        self._jobs: dict[str, ScanJob] = {}

    def start(self, target: Workspace, force_refresh_brief: bool) -> ScanJob:
        """Start a scan in the background, or join the one that runs."""
        self._check_scannable(target)
        with self._mutex:
            job = self._jobs.get(target.id)
            if job is None or job.finished or job.stopping:
                job = ScanJob(
                    lambda progress, cancelled: self._scan_and_mirror(
                        target, ScanWatch(progress, cancelled), force_refresh_brief=force_refresh_brief
                    ),
                    lambda progress: _running(target, progress),
                )
                self._jobs[target.id] = job
            return job

    def run(
        self, target: Workspace, watch: ScanWatch, *, force_refresh_brief: bool, mirror_wait_s: float
    ) -> ScanReport:
        """Scan in the caller's thread; mirror and brief are waited for at most `mirror_wait_s` seconds each."""
        self._check_scannable(target)
        report = self._scan_and_mirror(
            target, watch, force_refresh_brief=force_refresh_brief, mirror_wait_s=mirror_wait_s
        )
        if self._writer.wait(target.id, mirror_wait_s) or mirror_wait_s == 0:
            return report
        unwritten = "a model is still writing the brief; `brief regenerate` waits for it, until then the rules' holds"
        return replace(report, warnings=(*report.warnings, unwritten))

    def plan(self, target: Workspace, watch: ScanWatch) -> ScanReport:
        """What a scan would do; nothing is written."""
        self._check_scannable(target)
        return run_scan(self._scan_parts(target, watch), dry_run=True)

    def close(self) -> None:
        """Stop running scans and wait for them."""
        with self._mutex:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.cancel()
        for job in jobs:
            job.join()
        self._writer.close()

    def _check_scannable(self, target: Workspace) -> None:
        """Refuse a folder that cannot be a workspace, or a known one that is gone."""
        known = any(workspace.id == target.id for workspace in self._brain.registry.known())
        if known and not workspace_root(target).exists():
            raise WorkspaceError(
                f"The folder {target.path!r} of {target.name!r} is gone; nothing was changed. If it was moved, "
                f"`zerikai-memory workspace move {target.name!r} NEW_FOLDER` keeps what is stored; if it was deleted, "
                f"`zerikai-memory workspace drop {target.name!r}` forgets it."
            )
        check_root(workspace_root(target), self._home, self._settings.home)

    def _scan_and_mirror(
        self, target: Workspace, watch: ScanWatch, *, force_refresh_brief: bool, mirror_wait_s: float = 0.0
    ) -> ScanReport:
        report = self._scan(target, watch, force_refresh_brief)

        def go_on(done: int, total: int) -> bool:
            watch.progress(ScanProgress("mirror", done, total))
            return not watch.cancelled()

        warning = self._mirrors.follow(target.id, self._brain.index(target.id), mirror_wait_s, go_on)
        return replace(report, warnings=(*report.warnings, warning)) if warning else report

    def _scan(self, target: Workspace, watch: ScanWatch, force_refresh_brief: bool) -> ScanReport:
        turn = ScanTurn(self._brain.scan_lock(target.id), self._brain.scan_status(target.id))
        with turn.hold(watch.progress, watch.cancelled) as progress:
            watch = replace(watch, progress=progress)
            old = moved_from(self._brain, target, self._brain.registry.known())
            self._brain.registry.add(target)
            report = self._run_scan(target, watch)
            if report.status != "completed":
                return report
            if report.added or report.changed or report.removed:
                self._brain.registry.scanned(target.id, time.time())
            unmapped = self._map(target, watch) if report.files else ()
            if report.files and (force_refresh_brief or self._briefs.live(target) is None):
                watch.progress(ScanProgress("brief", report.done, report.total))
                self.write_brief(target)
            moved = (move_hint(old, target, registered=True),) if old else ()
            return replace(report, warnings=(*report.warnings, *unmapped, *moved, *self._settings_warnings()))

    def _map(self, target: Workspace, watch: ScanWatch) -> tuple[str, ...]:
        """Bring the code map up to the index; what keeps it from that is a warning, as it is also done on use."""
        try:
            self.maps.update(
                target, watch.cancelled, lambda done, total: watch.progress(ScanProgress("map", done, total))
            )
        except (Cancelled, StoreError, BusyError) as error:
            return (f"the code map is not up to date yet: {error}",)
        return ()

    def _run_scan(self, target: Workspace, watch: ScanWatch) -> ScanReport:
        """Scan; a damaged index is derived data: it is set aside and made anew, once."""
        try:
            if self._brain.index(target.id).suspicion.exists():
                raise DamagedError("an earlier call could not read it")
            return run_scan(self._scan_parts(target, watch))
        except EmbeddingError as error:
            remedy = "what was indexed before stays; scan again when the model can be used, or set another EMBEDDING"
            raise EmbeddingError(f"{error}; {remedy}") from error
        except DamagedError as error:
            aside = self._brain.set_index_aside(target.id)
            if not aside:
                raise
            report = run_scan(self._scan_parts(target, watch))
            warning = f"the index was damaged and made anew; the damaged file is now {aside[-1]} ({error})"
            return replace(report, warnings=(*report.warnings, warning))

    def _take_snapshot(self, target: Workspace) -> str | None:
        """Copy the index before a scan changes it; returns why that was not possible."""
        try:
            self._brain.snapshots(target.id, self._settings.snapshots).take(self._brain.index(target.id))
        except DamagedError:
            raise
        except StoreError as error:
            return f"no snapshot was taken, so undo cannot take this scan back: {error}"
        return None

    def _settings_warnings(self) -> tuple[str, ...]:
        return tuple(f"setting not used: {problem}" for problem in self._settings.problems)

    def _scan_parts(self, target: Workspace, watch: ScanWatch) -> ScanParts:
        root = workspace_root(target)
        return ScanParts(
            workspace=target,
            root=root,
            index=self._brain.index(target.id),
            embedder=self._embedder,
            walk=lambda: self._walk(root, language_of, watch.cancelled),
            extract=partial(extract, cancelled=watch.cancelled),
            extractor_version=EXTRACTOR_VERSION,
            max_file_bytes=self._settings.max_file_bytes,
            progress=watch.progress,
            cancelled=watch.cancelled,
            before_write=lambda: self._take_snapshot(target),
        )

    def _walk(self, root: Path, language: Callable[[str], str | None], cancelled: Callable[[], bool]) -> Walk:
        return walk(
            root,
            language_of=language,
            respect_gitignore=self._settings.respect_gitignore,
            max_file_bytes=self._settings.max_file_bytes,
            brain=self._settings.home,
            cancelled=cancelled,
        )

    def write_brief(self, target: Workspace) -> Brief:
        """Write a new version of the brief from the index by rules; a model, if there is one, then writes the next."""
        index = self._brain.index(target.id)
        root = workspace_root(target)
        # Manifests and build files are of no indexed language, so the index alone does not name them.
        files = [file.path for file in self._walk(root, lambda _: "any", lambda: False).files]
        read = workspace_reader(root, files)
        facts = collect_facts(
            target.path, files, index.entities(), index.references(), read, self._mapped_imports(target)
        )
        brief = self._briefs.replace(target, build_brief(facts), "rules")
        readme = (read(facts.readme.path) if facts.readme else None) or ""
        if model := self._writer.start(Material(target, brief, readme, files)):
            told = f"the model {model} is writing a new version in the background"
            return replace(brief, warnings=(*brief.warnings, told))
        return brief

    def _mapped_imports(self, target: Workspace) -> list[Import] | None:
        """Which file imports which, as the code map knows it; None when there can be no map."""
        try:
            return [Import(*found) for found in imports_between(self.maps.graph(target))]
        except (InputError, StoreError, BusyError):
            return None


def _running(target: Workspace, progress: ScanProgress) -> ScanReport:
    return ScanReport(
        workspace=target.name,
        workspace_id=target.id,
        root=target.path,
        status="running",
        done=progress.done,
        total=progress.total,
        warnings=(f"the scan is running ({progress.stage}); call again to wait for it",),
    )
