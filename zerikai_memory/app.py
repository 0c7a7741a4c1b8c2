"""Memory: one method per use case. It composes the parts and decides nothing; both fronts talk to it alone."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from zerikai_memory.answer.ask import AskParts, ask
from zerikai_memory.answer.lookup import open_entity
from zerikai_memory.answer.options import ask_options
from zerikai_memory.answer.routing import rules_of
from zerikai_memory.answer.synthesis import SynthesisParts
from zerikai_memory.brief.frozen import FrozenBrief
from zerikai_memory.brief.sections import section_bodies
from zerikai_memory.brief.stale import stale_hint
from zerikai_memory.brief.writing import BriefWriter
from zerikai_memory.embed.base import Embedder
from zerikai_memory.embed.choose import open_embedder
from zerikai_memory.errors import InputError, StoreError, WorkspaceError
from zerikai_memory.health import HealthParts, examine
from zerikai_memory.lang.extract import extract
from zerikai_memory.llm.attempts import Purpose
from zerikai_memory.llm.base import AttemptLog, Call
from zerikai_memory.llm.choose import Backends
from zerikai_memory.llm.clerk import Clerk
from zerikai_memory.llm.vectors import vector_source
from zerikai_memory.mapping import CodeViews, open_mapping
from zerikai_memory.memory.ledger import Ledger, LedgerParts
from zerikai_memory.memory.notes import Draft, clean_name, command_session
from zerikai_memory.memory.recall import DecayDays
from zerikai_memory.memory.records import WorkspaceRecords
from zerikai_memory.meter.booking import noted
from zerikai_memory.meter.metering import Metering
from zerikai_memory.model import (
    Brief,
    CodeEntity,
    Hit,
    Note,
    QueryAnswer,
    ScanProgress,
    ScanReport,
    Workspace,
    WorkspaceInfo,
)
from zerikai_memory.model_upkeep import DropReport, Finding
from zerikai_memory.proposing import Proposals
from zerikai_memory.redact import mask_secrets
from zerikai_memory.retrieve.search import Searcher
from zerikai_memory.scan.job import ScanJob
from zerikai_memory.scan.read import working_file
from zerikai_memory.scanning import Scanning, ScanWatch
from zerikai_memory.sessions.answering import SESSIONS, answer_from_sessions
from zerikai_memory.sessions.archive import Archive, ArchiveParts
from zerikai_memory.settings import Settings, source_checkout
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.mirrors import MirrorOptions, Mirrors
from zerikai_memory.store.sketch import changed_share
from zerikai_memory.upkeep.moved import move_hint, moved_from
from zerikai_memory.upkeep.upkeep import Upkeep, UpkeepParts
from zerikai_memory.usage_reports.usage import Usage, open_usage
from zerikai_memory.workspace.identity import (
    choose_workspace,
    find_workspace,
    require_known,
    workspace_root,
)
from zerikai_memory.workspace.places import home_folder, working_folder

# A model that is loaded first, or reads a long prompt without a graphics card, takes so long.
MODEL_WAIT_S = 120.0


class Memory:
    """The code memory of one brain folder; thread-safe, cheap to make, opens files on first use."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        cwd: Path | None = None,
        embedder: Embedder | None = None,
        mirror: MirrorOptions | None = None,
        attempts: AttemptLog | None = None,
    ) -> None:
        self.settings = settings or Settings.from_env(os.environ, source_checkout())
        self.cwd = cwd or working_folder()
        self.home = home_folder()
        self.session = clean_name(self.settings.session) or uuid.uuid4().hex[:12]
        self._embedder = embedder or open_embedder(self.settings.embedding, vector_source(self.settings))
        # Notes are saved and recalled without waiting for a server, and are never sent to one for their vectors.
        self._notes_embedder = embedder or open_embedder()
        self._backends = Backends(self.settings)
        self._brain = Brain(self.settings.home)
        self.metering = Metering(self.settings, self._brain, self.session)
        self._attempts = attempts
        options = mirror or MirrorOptions(self.settings.vector_store, self.settings.chroma_url)
        self._mirrors = Mirrors(self.settings.home, options)
        self._mutex = threading.Lock()
        self._searchers: dict[str, Searcher] = {}
        self._briefs = FrozenBrief(self._brain.briefs)
        self._writer = BriefWriter(
            self._backends, self._briefs, attempts or self.metering.booking(), mode=self.settings.memory_mode
        )
        self._clerk = Clerk(self._backends, attempts or self.metering.booking(), mode=self.settings.memory_mode)
        self._scanning = Scanning(
            self.settings, self._brain, self._mirrors, self._briefs, self._embedder, self._writer, home=self.home
        )

    @cached_property
    def ledger(self) -> Ledger:
        """Records of decisions, facts and attempts: saved, recalled, confirmed, looked over."""
        return Ledger(
            LedgerParts(
                notes=self._brain.notes,
                embedder=self._notes_embedder,
                decay=DecayDays(self.settings.time_decay_days, self.settings.decision_decay_days),
                session=self.session,
                index=self._brain.index,
                view=lambda id: self._brain.view(id).get(),
                read=lambda target, path: working_file(workspace_root(target), path),
                extract=extract,
                hire=self._clerk.hire,
            )
        )

    @cached_property
    def mapping(self) -> CodeViews:
        """Views of the code map: who calls, imports and tests what, and what a change touches."""
        maps = self._scanning.maps
        return open_mapping(self.settings, self._known, self._brain, maps, self._briefs, self.ledger)

    @property
    def upkeep(self) -> Upkeep:
        """What a person does to stored workspaces by hand: undo, move, merge, back up, repair."""
        return Upkeep(
            UpkeepParts(
                brain=self._brain,
                home=self.home,
                cwd=self.cwd,
                snapshots=self.settings.snapshots,
                adopt_brief=self._briefs.live,
                renew_brief=self._briefs.renew,
                rescan=lambda workspace: self.scan(workspace.id),
            )
        )

    @property
    def sessions(self) -> Archive:
        """What was said in past sessions of coding agents, of all projects; needs no scan."""
        return Archive(
            ArchiveParts(
                store=self._brain.tape,
                lock=self._brain.tape_lock,
                known=self._brain.registry.known,
                home=self.home,
                cwd=self.cwd,
                chosen=self.settings.session_places or (),
                max_chars=self.settings.max_content_chars,
                view=lambda known: view.get() if (view := self._brain.scanned_view(known.id)) else None,
            )
        )

    @property
    def proposals(self) -> Proposals:
        """What past sessions say that may be worth a record; a person accepts or rejects it."""
        return Proposals(self.sessions, self.ledger, self._brain.registry.known, self._known, self._clerk.hire)

    @cached_property
    def usage(self) -> Usage:
        """What models, agents and our replies cost: reports, comparing and purging, counting of replies."""
        return open_usage(
            self._brain, self.settings, self.session, self.resolve, self.sessions.spent, tend=self.metering.meter.tend
        )

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
        return self._scanning.start(self.resolve(workspace, roots=roots), force_refresh_brief)

    def scan(
        self,
        workspace: str | None = None,
        *,
        dry_run: bool = False,
        force_refresh_brief: bool = False,
        mirror_wait_s: float = 0.0,
        progress: Callable[[ScanProgress], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> ScanReport:
        """Bring the index up to the files on disk, in the caller's thread; `dry_run` only plans.

        The mirror follows in a process of its own, which is waited for at most `mirror_wait_s`.
        """
        target = self.resolve(workspace)
        watch = ScanWatch(progress or (lambda _: None), cancelled or (lambda: False))
        if dry_run:
            return self._scanning.plan(target, watch)
        return self._scanning.run(target, watch, force_refresh_brief=force_refresh_brief, mirror_wait_s=mirror_wait_s)

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
        task: str | None = None,
        model_wait_s: float = MODEL_WAIT_S,
        progress: Callable[[int], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> QueryAnswer:
        """Answer a question with cited entities and notes; an honest "nothing relevant" is an answer.

        A model that writes the answer has `model_wait_s` seconds, then citations alone answer; `progress` gets the
        number of characters it has written. What models are asked for is booked under `task`.
        """
        limit = self.settings.top_k if limit is None else limit
        if (category := category and mask_secrets(category)) and category.strip().lower() == SESSIONS:
            return answer_from_sessions(self.sessions, question, workspace, limit, budget_tokens)
        target = self._known(workspace, roots)
        log = self._attempts or self.metering.booking(task)
        parts = AskParts(
            workspace=target,
            index=self._brain.index(target.id),
            searcher=self._searcher(target),
            notes=WorkspaceRecords(self.ledger, target),
            read=lambda path: working_file(workspace_root(target), path),
            extract=extract,
            brief=lambda: section_bodies(live.text) if (live := self._briefs.live(target)) else {},
            synthesis=SynthesisParts(
                self._backends,
                rules_of(self.settings),
                lambda: live.text if (live := self._briefs.live(target)) else "",
                Purpose("query", target.id, log),
                Call(model_wait_s, cancelled, progress),
            ),
            related=self.mapping.related(target, extract),
        )
        return noted(ask(parts, question, ask_options(self.settings, limit, category, use_cloud, budget_tokens)), log)

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
        self,
        content: str,
        workspace: str | None = None,
        *,
        roots: Sequence[str] = (),
        category: str = "fact",
        outcome: str | None = None,
        supersedes: Sequence[str] = (),
        anchors: Sequence[str] = (),
        details: Mapping[str, Any] | None = None,
        agent: str | None = None,
        by_command: bool = False,
    ) -> Note:
        """Append a record; the same live text, category and outcome is recognised and returned, not doubled."""
        session = command_session(self.settings.session) if by_command else self.session
        draft = Draft(content, category, outcome, supersedes, anchors, details, session)
        return self.ledger.save(self._known(workspace, roots), draft, agent)

    def records(self, workspace: str | None = None) -> WorkspaceRecords:
        """The records of a workspace: listed, confirmed, looked over, exported and imported."""
        return WorkspaceRecords(self.ledger, self._known(workspace))

    def brief(self, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Brief:
        """The live brief, with a warning when it may be out of date; raises InputError when there is none yet."""
        target = self._known(workspace, roots)
        brief = self._briefs.live(target)
        if brief is None:
            raise InputError(f"{target.name!r} has no brief yet; a scan that finds files writes one")
        hint = self._stale(target, brief)
        return replace(brief, warnings=(*brief.warnings, hint)) if hint else brief

    def _stale(self, target: Workspace, brief: Brief) -> str | None:
        """Why the brief may be out of date; a hint is not worth failing for a damaged index."""
        index, root = self._brain.index(target.id), workspace_root(target)
        try:
            if not index.exists():
                return None
            sketches, indexed = self._brain.briefs.sketches(brief), index.file_states()
        except StoreError:
            return None
        changed = changed_share(*sketches) if sketches else None
        return stale_hint(brief.text, changed, indexed, lambda path: (root / path).exists())

    def set_brief(self, text: str, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Brief:
        """Replace the brief with `text` as a new version; raises InputError for an empty or far too long text."""
        return self._briefs.replace(self._known(workspace, roots), text)

    def brief_history(self, workspace: str | None = None) -> list[Brief]:
        """Every version of the brief, newest first."""
        return self._briefs.versions(self._known(workspace))

    def restore_brief(self, version: int, workspace: str | None = None) -> Brief:
        """Make an older version of the brief the newest one; raises InputError for a version that never was."""
        return self._briefs.restore(self._known(workspace), version)

    def regenerate_brief(
        self, workspace: str | None = None, *, roots: Sequence[str] = (), wait_s: float = 0.0
    ) -> Brief:
        """Write a new version of the brief from the index by rules; a model, if there is one, then writes the next.

        The model is waited for at most `wait_s` seconds.
        """
        target = self._known(workspace, roots)
        brief = self._scanning.write_brief(target)
        if wait_s > 0:
            self._writer.wait(target.id, wait_s)
            live = self._briefs.live(target)
            return brief if live is None or live.version == brief.version else live
        return brief

    def workspaces(self) -> list[WorkspaceInfo]:
        """All registered workspaces, by name."""
        return self.upkeep.workspaces()

    def drop(self, workspace: str, *, everything: bool = False) -> DropReport:
        """Remove index, vectors, brief, snapshots and registry row; `everything` also notes and usage rows."""
        trouble = ""
        if target := find_workspace(workspace, self._brain.registry.known(), self.cwd):
            trouble = self._mirrors.drop(target.id, self._brain.index(target.id))
        report = self.upkeep.drop(workspace, everything=everything)
        with self._mutex:
            self._searchers.pop(report.workspace_id, None)
        left = (f"not removed: the collection on {self.settings.chroma_url} ({trouble})",) if trouble else ()
        return replace(report, removed=(*report.removed, *left))

    def doctor(self, *, repair: bool = False) -> list[Finding]:
        """Check settings and brain, read-only; with `repair` mend first what is derived."""
        repaired = self.upkeep.repair() if repair else []
        return [*repaired, *examine(HealthParts(self.settings, self._brain, self._embedder))]

    def close(self) -> None:
        """Stop running scans and close the stores."""
        self._scanning.close()
        self._mirrors.close()
        self.metering.close()
        self.usage.replies.flush()
        self._brain.close()

    def _known(self, workspace: str | None, roots: Sequence[str] = ()) -> Workspace:
        target, known = self.resolve(workspace, roots=roots), self._brain.registry.known()
        try:
            return require_known(target, known)
        except WorkspaceError as error:
            if old := moved_from(self._brain, target, known):
                raise WorkspaceError(f"{move_hint(old, target, registered=False)}. {error}") from error
            raise

    def _searcher(self, target: Workspace) -> Searcher:
        index = self._brain.index(target.id)
        if not index.exists():
            told = "its first scan is still running or was never finished; scan it and wait for the end"
            raise InputError(f"{target.name!r} has no index yet: {told}")
        with self._mutex:
            if target.id not in self._searchers:
                nearest, view = partial(self._mirrors.nearest, target.id, index), self._brain.view(target.id)
                read = partial(working_file, workspace_root(target))
                self._searchers[target.id] = Searcher(index, view, self._embedder, nearest, read)
            return self._searchers[target.id]
