"""What our own answers cost an agent: the characters of a reply, and of the whole files it cites, both counted."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from zerikai_memory.errors import WorkspaceError, ZerikaiError
from zerikai_memory.meter.background import Background
from zerikai_memory.model import Workspace
from zerikai_memory.model_usage import ReplySize
from zerikai_memory.store.usage_history import UsageHistory

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReplyParts:
    """What is worked with; `read` gives the bytes of a file of a workspace, None for one that cannot be read."""

    history: UsageHistory
    find: Callable[[str], Workspace]
    read: Callable[[Workspace, str], bytes | None]
    session: str
    task: str = ""
    tracking: bool = True
    clock: Callable[[], float] = time.time


class Replies:
    """Counts replies after they were given: nothing on an answer's path waits for it, and nothing of it fails one."""

    def __init__(self, parts: ReplyParts) -> None:
        self._parts = parts
        self._background = Background("replies")

    def given(self, tool: str, workspace: str, text: str, files: Iterable[str] = (), task: str | None = None) -> None:
        """Have a reply counted, soon; `files` are paths in the workspace that it cites."""
        if self._parts.tracking:
            at, cited = self._parts.clock(), frozenset(files)
            self._background.do(
                lambda: self._count(at, tool, workspace, len(text), cited, (task or self._parts.task).strip())
            )

    def flush(self) -> None:
        """Wait until every reply is counted."""
        self._background.wait()

    def _count(self, at: float, tool: str, workspace: str, characters: int, files: frozenset[str], task: str) -> None:
        try:
            target = self._target(workspace)
            whole = self._whole_files(target, files) if target else None
            self._parts.history.add_reply(
                ReplySize(at, target.id if target else "", self._parts.session, task, tool, characters, whole)
            )
        except (ZerikaiError, OSError) as error:
            _LOG.warning("the size of a reply was not kept: %s", error)

    def _target(self, workspace: str) -> Workspace | None:
        """The workspace of a reply; None for one about past sessions of all projects, or of a folder not registered."""
        try:
            return self._parts.find(workspace)
        except WorkspaceError:
            return None

    def _whole_files(self, workspace: Workspace, files: Iterable[str]) -> int | None:
        """Characters of the files, each once; None where the reply cites none that is still there."""
        contents = [self._parts.read(workspace, path) for path in sorted(files)]
        sizes = [len(content.decode("utf-8", "replace")) for content in contents if content is not None]
        return sum(sizes) if sizes else None
