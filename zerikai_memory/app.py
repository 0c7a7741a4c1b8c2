"""Memory: one method per use case. It composes the parts and decides nothing; both fronts talk to it alone."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from filelock import Timeout

from zerikai_memory.answer.ask import AskOptions, AskParts, ask
from zerikai_memory.answer.lookup import open_entity
from zerikai_memory.brief.build import build_brief
from zerikai_memory.brief.collect import collect_facts
from zerikai_memory.brief.reading import workspace_reader
from zerikai_memory.brief.sections import check_sections, section_bodies
from zerikai_memory.embed.base import Embedder
from zerikai_memory.embed.choose import open_embedder
from zerikai_memory.errors import BusyError, Cancelled, InputError, WorkspaceError
from zerikai_memory.health import HealthParts, examine
from zerikai_memory.lang import EXTRACTOR_VERSION
from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.registry import language_of
from zerikai_memory.memory.notes import clean_category, clean_content
from zerikai_memory.model import (
    Brief,
    CodeEntity,
    DropReport,
    Finding,
    Hit,
    Note,
    QueryAnswer,
    ScanProgress,
    ScanReport,
    Walk,
    Workspace,
    WorkspaceInfo,
)
from zerikai_memory.redact import mask_secrets
from zerikai_memory.retrieve.search import Searcher, SearchOptions
from zerikai_memory.scan.job import ScanJob
from zerikai_memory.scan.read import working_file
from zerikai_memory.scan.run import ScanParts, run_scan
from zerikai_memory.settings import Settings, source_checkout
from zerikai_memory.store.brain import Brain
from zerikai_memory.workspace.identity import (
    check_root,
    choose_workspace,
    find_workspace,
    require_known,
    workspace_root,
)
from zerikai_memory.workspace.walk import walk

# How often a scan that waits for another process's scan looks again.
LOCK_POLL_S = 0.2
# A drop waits this long for a running scan before it gives up.
DROP_WAIT_S = 10.0


class Memory:
    """The code memory of one brain folder; thread-safe, cheap to make, opens files on first use."""

    def __init__(
        self, settings: Settings | None = None, *, cwd: Path | None = None, embedder: Embedder | None = None
    ) -> None:
        self.settings = settings or Settings.from_env(os.environ, source_checkout())
        self.cwd = cwd or _working_folder()
        self.home = _home_folder()
        self._embedder = embedder or open_embedder(self.settings.embedding)
        self._brain = Brain(self.settings.home)
        self._mutex = threading.Lock()
        self._jobs: dict[str, ScanJob] = {}
        self._searchers: dict[str, Searcher] = {}

    def resolve(self, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Workspace:
        """The workspace meant by a path, id, id prefix or name; without one: ZERIKAI_WORKSPACE, `roots`, cwd.

        Raises WorkspaceError that lists the known workspaces when nothing or more than one thing fits.
        """
        return choose_workspace(
            workspace,
            self._brain.registry.known(),
            setting=self.settings.workspace,
            roots=roots,
            cwd=self.cwd,
            home=self.home,
        )

    def start_scan(
        self, workspace: str | None = None, *, roots: Sequence[str] = (), force_refresh_brief: bool = False
    ) -> ScanJob:
        """Start a scan in the background, or join the one that runs; registers a new workspace."""
        target = self.resolve(workspace, roots=roots)
        check_root(workspace_root(target), self.home, self.settings.home)
        with self._mutex:
            job = self._jobs.get(target.id)
            if job is None or job.finished:
                job = ScanJob(
                    lambda progress, cancelled: self._scan(
                        target, force_refresh_brief=force_refresh_brief, progress=progress, cancelled=cancelled
                    ),
                    lambda progress: _running(target, progress),
                )
                self._jobs[target.id] = job
            return job

    def scan(
        self,
        workspace: str | None = None,
        *,
        dry_run: bool = False,
        force_refresh_brief: bool = False,
        progress: Callable[[ScanProgress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ScanReport:
        """Bring the index up to the files on disk, in the caller's thread; `dry_run` only plans."""
        target = self.resolve(workspace)
        check_root(workspace_root(target), self.home, self.settings.home)
        progress, cancelled = progress or _ignore, cancelled or _never
        if dry_run:
            return run_scan(self._scan_parts(target, progress, cancelled), dry_run=True)
        return self._scan(target, force_refresh_brief=force_refresh_brief, progress=progress, cancelled=cancelled)

    def query(
        self,
        question: str,
        workspace: str | None = None,
        *,
        roots: Sequence[str] = (),
        category: str | None = None,
        use_cloud: bool | None = None,
        limit: int | None = None,
        budget_tokens: int | None = None,
    ) -> QueryAnswer:
        """Answer a question with cited entities and notes; an honest "nothing relevant" is an answer."""
        target = self._known(workspace, roots)
        limit = self.settings.top_k if limit is None else limit
        parts = AskParts(
            workspace=target,
            index=self._brain.index(target.id),
            searcher=self._searcher(target),
            notes=self._brain.notes,
            read=lambda path: working_file(workspace_root(target), path),
            extract=extract,
            brief=lambda: section_bodies(live.text) if (live := self._brain.briefs.live(target)) else {},
        )
        return ask(parts, question, self._ask_options(limit, category, use_cloud, budget_tokens))

    def entity(self, wanted: str, workspace: str | None = None, *, roots: Sequence[str] = ()) -> tuple[Hit, ...]:
        """The stored entities of this id or name as today's files say them; raises InputError for none."""
        target = self._known(workspace, roots)
        read = partial(working_file, workspace_root(target))
        return open_entity(self._brain.index(target.id), read, extract, wanted)

    def entities(self, workspace: str | None = None, *, file: str | None = None) -> list[CodeEntity]:
        """The stored entities of a workspace or of one file of it, in file and line order."""
        target = self._known(workspace)
        index = self._brain.index(target.id)
        found = index.entities(file)
        if file is not None and not found and file not in index.file_states():
            raise InputError(f"file: {file!r} is not in the index of {target.name!r}; give a path as a scan lists it")
        return found

    def save(
        self, content: str, workspace: str | None = None, *, roots: Sequence[str] = (), category: str = "fact"
    ) -> Note:
        """Store a note; the same content in the same category is recognised and returned, not doubled."""
        target = self._known(workspace, roots)
        return self._brain.notes.add(target.id, clean_category(category), clean_content(content))

    def brief(self, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Brief:
        """The live brief; raises InputError when the workspace has none yet."""
        target = self._known(workspace, roots)
        brief = self._brain.briefs.live(target)
        if brief is None:
            raise InputError(f"{target.name!r} has no brief yet; scan it, or write one with update_brief")
        return brief

    def set_brief(self, text: str, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Brief:
        """Replace the brief with `text` as a new version; raises InputError for an empty or far too long text."""
        target = self._known(workspace, roots)
        warnings = check_sections(text)
        return replace(self._brain.briefs.add(target, mask_secrets(text), "edited"), warnings=warnings)

    def regenerate_brief(self, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Brief:
        """Write a new version of the brief from the index by rules."""
        return self._write_brief(self._known(workspace, roots))

    def workspaces(self) -> list[WorkspaceInfo]:
        """All registered workspaces, by name."""
        return [self._info(entry.workspace, entry.last_scan_at) for entry in self._brain.registry.all()]

    def drop(self, workspace: str, *, everything: bool = False) -> DropReport:
        """Remove index, vectors, brief, snapshots and registry row; `everything` also notes and usage rows."""
        known = self._brain.registry.known()
        target = find_workspace(workspace, known, self.cwd)
        if target is None:
            names = ", ".join(repr(w.name) for w in known) or "none"
            raise WorkspaceError(f"workspace: {workspace!r} is not registered; nothing was removed. Known: {names}")
        try:
            with self._brain.scan_lock(target.id).acquire(timeout=DROP_WAIT_S):
                return self._drop(target, everything)
        except Timeout as error:
            raise BusyError(f"a scan of {target.name!r} is running; try again when it has ended") from error

    def doctor(self) -> list[Finding]:
        """Check settings and brain, read-only."""
        return examine(HealthParts(self.settings, self._brain, self._embedder))

    def close(self) -> None:
        """Stop running scans and close the stores."""
        with self._mutex:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.cancel()
        for job in jobs:
            job.join()
        self._brain.close()

    def _known(self, workspace: str | None, roots: Sequence[str] = ()) -> Workspace:
        return require_known(self.resolve(workspace, roots=roots), self._brain.registry.known())

    def _searcher(self, target: Workspace) -> Searcher:
        index = self._brain.index(target.id)
        if not index.exists():
            raise InputError(f"the index of {target.name!r} is gone; scan it again")
        with self._mutex:
            if target.id not in self._searchers:
                self._searchers[target.id] = Searcher(index, self._brain.view(target.id), self._embedder)
            return self._searchers[target.id]

    def _ask_options(
        self, limit: int, category: str | None, use_cloud: bool | None, budget_tokens: int | None
    ) -> AskOptions:
        settings = self.settings
        search = SearchOptions(
            files=(limit + 1) // 2,
            entities=limit,
            ranker=settings.ranker,
            distance_threshold=settings.query_distance_threshold,
            lexical_rerank=settings.enable_lexical_rerank,
            lexical_rerank_weight=settings.lexical_rerank_weight,
        )
        return AskOptions(search, limit, category, budget_tokens, use_cloud)

    def _scan(
        self,
        target: Workspace,
        *,
        force_refresh_brief: bool,
        progress: Callable[[ScanProgress], None],
        cancelled: Callable[[], bool],
    ) -> ScanReport:
        with self._scan_turn(target, progress, cancelled):
            self._brain.registry.add(target)
            report = run_scan(self._scan_parts(target, progress, cancelled))
            if report.status != "completed":
                return report
            if report.added or report.changed or report.removed:
                self._brain.registry.scanned(target.id, time.time())
            if report.files and (force_refresh_brief or self._brain.briefs.live(target) is None):
                progress(ScanProgress("brief", report.done, report.total))
                self._write_brief(target)
            return replace(report, warnings=(*report.warnings, *self._settings_warnings()))

    def _settings_warnings(self) -> tuple[str, ...]:
        return tuple(f"setting not used: {problem}" for problem in self.settings.problems)

    @contextmanager
    def _scan_turn(
        self, target: Workspace, progress: Callable[[ScanProgress], None], cancelled: Callable[[], bool]
    ) -> Iterator[None]:
        """Hold the scan lock; while another process scans the same workspace, wait for it and then see what is left."""
        lock = self._brain.scan_lock(target.id)
        while True:
            try:
                lock.acquire(timeout=LOCK_POLL_S)
                break
            except Timeout:
                progress(ScanProgress("waiting for another scan", 0, 0))
                if cancelled():
                    raise Cancelled("stopped while another process was scanning; nothing was written") from None
        try:
            yield
        finally:
            lock.release()

    def _scan_parts(
        self, target: Workspace, progress: Callable[[ScanProgress], None], cancelled: Callable[[], bool]
    ) -> ScanParts:
        root = workspace_root(target)
        return ScanParts(
            workspace=target,
            root=root,
            index=self._brain.index(target.id),
            embedder=self._embedder,
            walk=lambda: self._walk(root, language_of, cancelled),
            extract=extract,
            extractor_version=EXTRACTOR_VERSION,
            max_file_bytes=self.settings.max_file_bytes,
            progress=progress,
            cancelled=cancelled,
        )

    def _walk(self, root: Path, language: Callable[[str], str | None], cancelled: Callable[[], bool]) -> Walk:
        return walk(
            root,
            language_of=language,
            respect_gitignore=self.settings.respect_gitignore,
            max_file_bytes=self.settings.max_file_bytes,
            brain=self.settings.home,
            cancelled=cancelled,
        )

    def _write_brief(self, target: Workspace) -> Brief:
        index = self._brain.index(target.id)
        root = workspace_root(target)
        # Manifests and build files are of no indexed language, so the index alone does not name them.
        files = [file.path for file in self._walk(root, lambda _: "any", _never).files]
        read = workspace_reader(root, files)
        facts = collect_facts(target.path, files, index.entities(), index.references(), read)
        return self._brain.briefs.add(target, build_brief(facts), "rules")

    def _info(self, workspace: Workspace, last_scan_at: float | None) -> WorkspaceInfo:
        index = self._brain.index(workspace.id)
        counts = index.counts() if index.exists() else None
        return WorkspaceInfo(
            id=workspace.id,
            name=workspace.name,
            path=workspace.path,
            exists=workspace_root(workspace).is_dir(),
            files=counts.files if counts else None,
            entities=counts.entities if counts else None,
            notes=self._brain.notes.count(workspace.id),
            last_scan_at=last_scan_at,
            incomplete=counts is None or bool(index.meta("incomplete")),
            has_brief=self._brain.briefs.live(workspace) is not None,
            size_bytes=self._brain.size_bytes(workspace.id) if counts else None,
        )

    def _drop(self, target: Workspace, everything: bool) -> DropReport:
        removed = self._brain.remove_derived(target.id)
        if versions := self._brain.briefs.remove(target.id):
            removed.append(f"brief ({versions} versions)")
        if everything and (count := self._brain.notes.remove_all(target.id)):
            removed.append(f"{count} notes")
        self._brain.registry.remove(target.id)
        removed.append("registry row")
        with self._mutex:
            self._searchers.pop(target.id, None)
        return DropReport(
            workspace=target.name,
            workspace_id=target.id,
            path=target.path,
            removed=tuple(removed),
            kept_notes=self._brain.notes.count(target.id),
            kept_usage=0,
        )


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


def _working_folder() -> Path:
    """The working folder, or `/` when it was deleted under us: that is no project either way."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def _home_folder() -> Path:
    """The person's home folder, or `/` for a user that has none (a container's): neither is a project."""
    try:
        return Path.home()
    except RuntimeError:
        return Path("/")


def _ignore(progress: ScanProgress) -> None:
    pass


def _never() -> bool:
    return False
