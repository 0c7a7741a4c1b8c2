"""Memory: one method per use case. It composes the parts and decides nothing; both fronts talk to it alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from zerikai_memory.model import (
    Brief,
    CodeEntity,
    DropReport,
    Finding,
    Note,
    QueryAnswer,
    ScanProgress,
    ScanReport,
    Workspace,
    WorkspaceInfo,
)
from zerikai_memory.scan.job import ScanJob
from zerikai_memory.settings import Settings, source_checkout


class Memory:
    """The code memory of one brain folder; thread-safe, cheap to make, opens files on first use."""

    def __init__(self, settings: Settings | None = None, *, cwd: Path | None = None) -> None:
        self.settings = settings or Settings.from_env(os.environ, source_checkout())
        self.cwd = cwd or Path.cwd()

    def resolve(self, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Workspace:
        """The workspace meant by a path, id, id prefix or name; without one: ZERIKAI_WORKSPACE, `roots`, cwd.

        Raises WorkspaceError that lists the known workspaces when nothing or more than one thing fits.
        """
        raise NotImplementedError

    def start_scan(
        self, workspace: str | None = None, *, roots: Sequence[str] = (), force_refresh_brief: bool = False
    ) -> ScanJob:
        """Start a scan in the background, or join the one that runs; registers a new workspace."""
        raise NotImplementedError

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
        raise NotImplementedError

    def query(
        self,
        question: str,
        workspace: str | None = None,
        *,
        roots: Sequence[str] = (),
        category: str | None = None,
        use_cloud: bool | None = None,
        show_sources: bool = True,
        limit: int | None = None,
        budget_tokens: int | None = None,
    ) -> QueryAnswer:
        """Answer a question with cited entities and notes; an honest "nothing relevant" is an answer."""
        raise NotImplementedError

    def entities(self, workspace: str | None = None, *, file: str | None = None) -> list[CodeEntity]:
        """The stored entities of a workspace or of one file of it, in file and line order."""
        raise NotImplementedError

    def save(
        self, content: str, workspace: str | None = None, *, roots: Sequence[str] = (), category: str = "fact"
    ) -> Note:
        """Store a note; the same content in the same category is recognised and returned, not doubled."""
        raise NotImplementedError

    def brief(self, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Brief:
        """The live brief; raises InputError when the workspace has none yet."""
        raise NotImplementedError

    def set_brief(self, text: str, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Brief:
        """Replace the brief with `text` as a new version."""
        raise NotImplementedError

    def regenerate_brief(self, workspace: str | None = None, *, roots: Sequence[str] = ()) -> Brief:
        """Write a new version of the brief from the index by rules."""
        raise NotImplementedError

    def workspaces(self) -> list[WorkspaceInfo]:
        """All registered workspaces, by name."""
        raise NotImplementedError

    def drop(self, workspace: str, *, everything: bool = False) -> DropReport:
        """Remove index, vectors, brief, snapshots and registry row; `everything` also notes and usage rows."""
        raise NotImplementedError

    def doctor(self) -> list[Finding]:
        """Check settings and brain, read-only."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop running scans and close the stores."""
