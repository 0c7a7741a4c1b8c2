"""Which messages are meant by a session, workspace, agent, role and times as a person or model writes them."""

from __future__ import annotations

import difflib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.errors import InputError, WorkspaceError
from zerikai_memory.model import Workspace
from zerikai_memory.model_sessions import ROLES
from zerikai_memory.redact import echo
from zerikai_memory.sessions.formats.registry import BY_NAME
from zerikai_memory.store.session_filter import SessionFilter
from zerikai_memory.store.tape import TapeStore
from zerikai_memory.times import moment
from zerikai_memory.workspace.identity import canonical_path, find_workspace
from zerikai_memory.workspace.paths import from_disk

MOST_NEAR, MOST_LISTED = 3, 20


@dataclass(frozen=True, slots=True)
class Choice:
    """What is there to choose from: the sessions of the store, the workspaces that are `known`."""

    store: TapeStore
    known: Callable[[], Sequence[Workspace]]
    cwd: Path

    def messages(
        self,
        session: str | None,
        workspace: str | None,
        agent: str | None,
        role: str | None,
        since: str | None,
        until: str | None,
    ) -> SessionFilter:
        """The messages that all of these mean; raises InputError or WorkspaceError for what means none."""
        agent, role = _one_of("agent", agent, tuple(BY_NAME)), _one_of("role", role, ROLES)
        now = time.time()
        first = moment(since, "since", now) if since else None
        last = moment(until, "until", now, end_of_day=True) if until else None
        if first is not None and last is not None and first > last:
            raise InputError(f"since: {echo(since or '')} is after until, {echo(until or '')}; exchange them")
        found = self.session(session, agent) if session else None
        return SessionFilter(
            session=found[1] if found else None,
            agent=found[0] if found else agent,
            project=self.project(workspace) if workspace and workspace.strip() else None,
            role=role,
            since=first,
            until=last,
        )

    def session(self, text: str, agent: str | None = None) -> tuple[str, str]:
        """Agent and id of a session by the beginning of its id, `agent:` before it where two agents have the same.

        Raises InputError for none or several.
        """
        before, _, after = text.strip().removeprefix("session:").partition(":")
        named = before in BY_NAME and bool(after)
        wanted, agent = (after.strip(), before) if named else (text.strip().removeprefix("session:"), agent or None)
        found = self.store.matching_sessions(wanted, agent) if wanted and self.store.exists() else []
        exact = [one for one in found if one[1] == wanted]
        if len(one := exact or found) == 1:
            return one[0]
        if found:
            names = ", ".join(f"{agent}:{session}" for agent, session in one)
            raise InputError(f"session: {echo(text)} fits several: {names}")
        raise InputError(f"session: there is none {echo(text)}; `zerikai-memory sessions list` names them")

    def project(self, workspace: str) -> str:
        """The folder meant by a known workspace's path, name or id, by any folder, or by a session folder's name."""
        if found := find_workspace(workspace, self.known(), self.cwd):
            return found.path
        folders = self._folders()
        named = [folder for folder in folders if _name(folder).casefold() == workspace.casefold()]
        if workspace in folders or len(named) == 1:
            return workspace if workspace in folders else named[0]
        if named:
            raise WorkspaceError(
                f"workspace: {echo(workspace)} fits {len(named)} folders: {', '.join(named[:MOST_LISTED])}"
            )
        if "/" in workspace or "\\" in workspace or workspace in (".", "~"):
            path = canonical_path(workspace, self.cwd)
            folder = from_disk(str(path))
            if path.is_dir() or any(within(one, folder) for one in folders):
                return folder
        raise WorkspaceError(f"workspace: no project {echo(workspace)}; {_listed(workspace, folders)}")

    def reasons(self, wanted: SessionFilter, question: str = "") -> tuple[str, ...]:
        """Why nothing can be found: the project or agent has no session at all, or the question is a session's id."""
        folders, told = self._folders(), []
        if len(question.split()) == 1 and self.store.exists():
            found = [id for _, id in self.store.matching_sessions(question.strip(), None)]
            told += [f"query: {echo(id)} is a session; give it as session to open it" for id in found[:1]]
        if wanted.project is not None and not any(within(one, wanted.project) for one in folders):
            told.append(f"workspace: no session ran in {wanted.project}; {_listed(wanted.project, folders)}")
        if wanted.agent and not (self.store.exists() and self.store.sessions(SessionFilter(agent=wanted.agent), 1)):
            told.append(f"agent: no session of {wanted.agent} is in the index")
        return tuple(told)

    def _folders(self) -> list[str]:
        return self.store.projects() if self.store.exists() else []


def within(folder: str, above: str) -> bool:
    """Whether a folder is another one or lies in it."""
    return folder == above or folder.startswith(above.rstrip("/") + "/")


def _listed(wanted: str, folders: Sequence[str]) -> str:
    """The folders with sessions, those first that are written like the wanted one."""
    by_name = {name.casefold(): folder for folder in folders for name in (_name(folder), folder)}
    close = difflib.get_close_matches(wanted.casefold(), by_name, MOST_NEAR, 0.6)
    close += difflib.get_close_matches(_name(wanted).casefold(), by_name, MOST_NEAR, 0.6)
    near = list(dict.fromkeys(by_name[one] for one in close))
    rest = [folder for folder in folders if folder not in near][: MOST_LISTED - len(near)]
    more = len(folders) - len(near) - len(rest)
    listed = ", ".join([*near, *rest]) or "none yet"
    return f"folders with sessions: {listed}{f' and {more} more' if more > 0 else ''}"


def _name(folder: str) -> str:
    return folder.rstrip("/\\").replace("\\", "/").rpartition("/")[2]


def _one_of(argument: str, value: str | None, allowed: Sequence[str]) -> str | None:
    """The value as it is spelled in the list, None for none; raises InputError for another."""
    if not value or not value.strip():
        return None
    plain = "-".join(value.strip().casefold().replace("_", " ").split())
    if plain not in allowed:
        raise InputError(f"{argument}: got {echo(value, 40)}, expected one of {', '.join(allowed)}")
    return plain
