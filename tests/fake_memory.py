"""A memory without disk: fixed answers, and a record of what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError, WorkspaceError
from zerikai_memory.model import (
    Brief,
    CodeEntity,
    EntityType,
    Hit,
    Note,
    QueryAnswer,
    Route,
    ScanProgress,
    ScanReport,
    SkippedPath,
    Workspace,
    WorkspaceInfo,
)
from zerikai_memory.model_upkeep import DropReport, Finding
from zerikai_memory.model_usage_report import ReplyCost, UsageReport
from zerikai_memory.scan.job import ScanJob
from zerikai_memory.settings import Settings
from zerikai_memory.usage_reports.lines import usage_line

PROJECT = Workspace(id="11111111-aaaa-5bbb-8ccc-222222222222", name="proj", path="/home/me/proj")
HIT = Hit(
    name="login",
    qualified_name="Session.login",
    entity_type="method",
    file_path="auth/session.py",
    start_line=12,
    end_line=20,
    distance=0.84,
    score=1.2,
    state="fresh",
    text="def login(self): ...",
    entity_id="e1",
)
NOTE = Note(id="n1", category="decision", content="Tokens rotate.", created_at=1_790_000_000, workspace_id=PROJECT.id)
ENTITY = CodeEntity(
    id="e1",
    name="login",
    qualified_name="Session.login",
    entity_type=EntityType.METHOD,
    language="python",
    file_path="auth/session.py",
    start_line=12,
    end_line=20,
    signature="def login(self)",
    docstring="Log in.",
    parent="Session",
    decorators=("retry",),
)
REPORT = ScanReport(
    workspace="proj",
    workspace_id=PROJECT.id,
    root=PROJECT.path,
    status="completed",
    added=("a.py",),
    kept=3,
    skipped=(SkippedPath("node_modules", "default"), SkippedPath("big.bin", "binary")),
    files=4,
    entities=9,
    entities_by_type={"function": 9},
    embedded=9,
    seconds=0.5,
)


class FakeMemory(Memory):
    """Knows one project called `proj`; `scan_steps` blocks each step of a scan until the test lets it go on."""

    def __init__(self, *, workspace: str | None = None, scan_steps: int = 0) -> None:
        self.settings = Settings(home=Path("/nowhere"), workspace=workspace)
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.scan_steps = scan_steps
        self.go_on = threading.Semaphore(0)
        self.scan_cancelled = threading.Event()
        self.answer = QueryAnswer(
            workspace="proj",
            question="how",
            answer="def login(self): ...",
            results=(HIT,),
            notes=(NOTE,),
            route=Route("none", None, "no model is configured"),
            nothing_relevant=False,
            omitted=0,
        )
        self.error: Exception | None = None

    @property
    def usage(self) -> FakeUsage:
        return FakeUsage(self)

    def _asked(self, name: str, **arguments: Any) -> None:
        self.calls.append((name, arguments))
        if self.error is not None:
            raise self.error

    def resolve(self, workspace: str | None = None, *, roots: Any = ()) -> Workspace:
        if workspace not in (None, "proj", PROJECT.id, PROJECT.path):
            raise WorkspaceError(f"No workspace {workspace!r}. Known: proj (/home/me/proj).")
        return PROJECT

    def start_scan(
        self, workspace: str | None = None, *, roots: Any = (), force_refresh_brief: bool = False
    ) -> ScanJob:
        self._asked("start_scan", workspace=workspace, roots=roots, force_refresh_brief=force_refresh_brief)
        return ScanJob(self._scan, self._running)

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
        self._asked("scan", workspace=workspace, dry_run=dry_run)
        return self._scan(progress or (lambda progress: None), cancelled or (lambda: False))

    def _scan(self, progress: Callable[[ScanProgress], None], cancelled: Callable[[], bool]) -> ScanReport:
        for step in range(1, self.scan_steps + 1):
            progress(ScanProgress("indexing", step, self.scan_steps, f"f{step}.py"))
            while not self.go_on.acquire(timeout=0.01):
                if cancelled():
                    self.scan_cancelled.set()
                    return self._running(ScanProgress("indexing", step, self.scan_steps), "cancelled")
        return REPORT

    def _running(self, progress: ScanProgress, status: Any = "running") -> ScanReport:
        return ScanReport(
            workspace="proj",
            workspace_id=PROJECT.id,
            root=PROJECT.path,
            status=status,
            done=progress.done,
            total=progress.total,
        )

    def query(self, question: str, workspace: str | None = None, **more: Any) -> QueryAnswer:
        self._asked("query", question=question, workspace=workspace, **more)
        self.resolve(workspace)
        return self.answer

    def entities(self, workspace: str | None = None, *, file: str | None = None) -> list[CodeEntity]:
        self._asked("entities", workspace=workspace, file=file)
        return [ENTITY]

    def entity(self, wanted: str, workspace: str | None = None, *, roots: Any = ()) -> tuple[Hit, ...]:
        self._asked("entity", wanted=wanted, workspace=workspace)
        self.resolve(workspace)
        if wanted not in (HIT.entity_id, HIT.qualified_name):
            raise InputError(f"entity: {wanted!r} is no id or name of a stored entity")
        return (HIT,)

    def save(
        self, content: str, workspace: str | None = None, *, roots: Any = (), category: str = "fact", **more: Any
    ) -> Note:
        given = {name: value for name, value in more.items() if value}
        self._asked("save", content=content, workspace=workspace, category=category, **given)
        return Note("n2", category, content, 1_790_000_000, PROJECT.id)

    def brief(self, workspace: str | None = None, *, roots: Any = ()) -> Brief:
        self._asked("brief", workspace=workspace)
        self.resolve(workspace)
        return Brief("proj", PROJECT.id, 1, "# Overview\nA project.", "rules", 1_790_000_000)

    def set_brief(self, text: str, workspace: str | None = None, *, roots: Any = ()) -> Brief:
        self._asked("set_brief", text=text, workspace=workspace)
        return Brief("proj", PROJECT.id, 2, text, "person", 1_790_000_000)

    def brief_history(self, workspace: str | None = None) -> list[Brief]:
        self._asked("brief_history", workspace=workspace)
        return [self.brief()]

    def restore_brief(self, version: int, workspace: str | None = None) -> Brief:
        self._asked("restore_brief", version=version, workspace=workspace)
        return Brief("proj", PROJECT.id, 4, "# Overview\nOld.", "restored", 1_790_000_000)

    def regenerate_brief(self, workspace: str | None = None, *, roots: Any = (), wait_s: float = 0) -> Brief:
        self._asked("regenerate_brief", workspace=workspace)
        return Brief("proj", PROJECT.id, 3, "# Overview\nAnew.", "rules", 1_790_000_000)

    def workspaces(self) -> list[WorkspaceInfo]:
        return [
            WorkspaceInfo(
                id=PROJECT.id,
                name="proj",
                path=PROJECT.path,
                exists=True,
                files=4,
                entities=9,
                notes=2,
                last_scan_at=1_790_000_000,
                incomplete=False,
                has_brief=True,
                size_bytes=4096,
            )
        ]

    def drop(self, workspace: str, *, everything: bool = False) -> DropReport:
        self._asked("drop", workspace=workspace, everything=everything)
        kept = 0 if everything else 2
        return DropReport("proj", PROJECT.id, PROJECT.path, ("index", "brief"), kept_notes=kept, kept_usage=0)

    def doctor(self) -> list[Finding]:
        self._asked("doctor")
        return [Finding("ok", "home", "writable"), Finding("error", "database", "newer", "update zerikai-memory")]

    def close(self) -> None:
        self.calls.append(("close", {}))


def refusal(text: str) -> InputError:
    """An error as the app raises it for a wrong argument."""
    return InputError(text)


class FakeUsage:
    """Nothing was spent; `replies` are told to the memory."""

    def __init__(self, memory: FakeMemory) -> None:
        self._memory = memory
        self.reports = self.replies = self

    def report(self, by: str, days: int, workspace: str | None) -> UsageReport:
        self._memory._asked("usage_report", by=by, days=days, workspace=workspace)
        return UsageReport(
            by=by,
            workspace=workspace or "",
            since="2026-11-01",
            until="2026-11-30",
            zone="UTC",
            lines=tuple(usage_line("total", (), lambda *which: None) for _ in range(20)),
            total=usage_line("total", (), lambda *which: None),
            top_tasks=(),
            budgets=(),
            replies=ReplyCost(0, 0, 0, 0, 0),
        )

    def given(self, tool: str, workspace: str, text: str, files: Any, task: str | None) -> None:
        self._memory.calls.append(("reply", {"tool": tool, "workspace": workspace, "text": text, "files": list(files)}))
