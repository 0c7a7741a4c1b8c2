"""Past sessions as a person or agent uses them: sources, index, recall, list, show, forget."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from filelock import FileLock, Timeout

from zerikai_memory.errors import BusyError, DamagedError, InputError, StoreError
from zerikai_memory.model import Workspace
from zerikai_memory.model_sessions import (
    Recall,
    SessionInfo,
    SessionPlace,
    SessionsForgotten,
    SessionsIndexed,
    SessionStep,
)
from zerikai_memory.sessions.choice import Choice, within
from zerikai_memory.sessions.cleaning import clamp
from zerikai_memory.sessions.formats.registry import places
from zerikai_memory.sessions.index import IndexParts, index_sessions
from zerikai_memory.sessions.mentions import KnownNames, known_names, mentions
from zerikai_memory.sessions.search import holds_words, search
from zerikai_memory.sessions.survey import Survey, stored_path, survey
from zerikai_memory.store.session_filter import SessionFilter
from zerikai_memory.store.tape import TapeStore
from zerikai_memory.store.tape_usage import Spending
from zerikai_memory.store.view import IndexView
from zerikai_memory.workspace.paths import from_disk

# As much as is read before an answer without being asked for: a fraction of a second.
QUIET_BYTES = 5_000_000
# An index run beside another one waits this long.
LOCK_WAIT_S = 2.0
# The dialogue around a step in a reply, which may have 8 kB, how much of a message of it, and of the step itself.
DIALOGUE_BYTES, MESSAGE_BYTES, STEP_BYTES = 6_500, 2_000, 4_500
TITLE_CHARS = 100
# Messages so far from a step never fit.
NEAR_STEPS = 100
MAX_STEP = 10**9

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ArchiveParts:
    """What the use cases work with; `chosen` are (agent, folder) pairs, `view` the entities of a scanned workspace."""

    store: TapeStore
    lock: Callable[[], FileLock]
    known: Callable[[], Sequence[Workspace]]
    home: Path
    cwd: Path
    chosen: tuple[tuple[str, str], ...]
    max_chars: int
    view: Callable[[Workspace], IndexView | None] = lambda workspace: None


class Archive:
    """All past sessions of this person's agents on this machine."""

    def __init__(self, parts: ArchiveParts) -> None:
        self._parts = parts
        self._store = parts.store
        self._chosen = Choice(parts.store, parts.known, parts.cwd)
        self._index = IndexParts(parts.store, places(parts.home, parts.chosen), parts.max_chars)

    @property
    def store(self) -> TapeStore:
        """The store of the messages."""
        return self._store

    def places(self) -> list[SessionPlace]:
        """Where transcripts are looked for, and what lies there."""
        seen = self._survey()
        files, sizes, behind = Counter[Path](), Counter[Path](), Counter[Path]()
        unread = defaultdict[Path, dict[str, str]](dict)
        for path, (reason, folder) in seen.unread.items():
            unread[folder][path] = reason
        for transcript in seen.transcripts:
            folder = transcript.place.folder
            files[folder] += 1
            sizes[folder] += transcript.size
            behind[folder] += transcript.behind_bytes
            if transcript.known and transcript.known.trouble:
                unread[folder][stored_path(transcript.path)] = transcript.known.trouble
        return [
            SessionPlace(
                place.format.name,
                from_disk(str(place.folder)),
                place.folder.is_dir(),
                files[place.folder],
                sizes[place.folder],
                behind[place.folder],
                unread[place.folder],
            )
            for place in self._index.places
        ]

    def index(
        self,
        progress: Callable[[int, int], None] = lambda done, total: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> SessionsIndexed:
        """Bring the index up to the transcripts; raises BusyError while another process does so."""
        with self._locked(LOCK_WAIT_S):
            return self._index_whole(progress, cancelled)

    @contextmanager
    def _locked(self, wait_s: float) -> Iterator[None]:
        """Alone among index runs; raises BusyError while another is one, StoreError where no lock can be made."""
        try:
            lock = self._parts.lock()
            lock.acquire(timeout=wait_s)
        except Timeout as error:
            raise BusyError("another process is indexing sessions just now; try again when it has ended") from error
        except OSError as error:
            raise StoreError(
                f"new transcripts cannot be indexed, the brain folder is not writable ({error}); what is indexed is "
                "still searched. Change the folder's permissions, or set ZERIKAI_HOME to a folder that can be written"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def _index_whole(self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]) -> SessionsIndexed:
        """Index; a damaged file is derived data: it is set aside and made anew, once."""
        try:
            if not self._store.set_damaged_aside():
                return index_sessions(self._index, self._survey(), progress, cancelled)
        except DamagedError:
            self._store.set_damaged_aside()
        report = index_sessions(self._index, self._survey(), progress, cancelled)
        old = f"{self._store.path.name}.damaged-*"
        aside = f"the index was damaged and made anew; what vanished transcripts said is only in {old}"
        return replace(report, warnings=(*report.warnings, aside))

    def recall(
        self,
        query: str | None = None,
        session: str | None = None,
        step: int | None = None,
        *,
        workspace: str | None = None,
        agent: str | None = None,
        role: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: int = 5,
    ) -> Recall:
        """Hits of a question; without one the dialogue of `session` (around `step`); with neither the latest sessions.

        With `session` a question is searched in that session alone; with `step` as well the dialogue is opened.
        A little that is new is indexed first; of more the reply says how much is missing.
        """
        behind, warnings = self.catch_up()
        wanted = self._chosen.messages(session, workspace, agent, role, since, until)
        if step is not None and query and query.strip():
            warnings = (*warnings, "query: not searched, because a step opens its dialogue")
        elif query and query.strip():
            hits = search(self._store, query, wanted, limit, self._names())
            warnings = warnings if hits else (*warnings, *self._chosen.reasons(wanted, query))
            return Recall(hits=tuple(hits), behind_bytes=behind, warnings=warnings)
        if wanted.session is not None:
            (info,) = self._list(SessionFilter(session=wanted.session, agent=wanted.agent), 1) or (None,)
            shown = self._dialogue(wanted, step, info.steps if info else 0)
            return Recall(
                steps=shown,
                sessions=(info,) if info else (),
                omitted=(info.steps if info else 0) - len(shown),
                behind_bytes=behind,
                warnings=warnings,
            )
        if step is not None:
            raise InputError("step: give the session whose step is meant, as a hit names it")
        sessions = self._list(wanted, limit)
        warnings = warnings if sessions else (*warnings, *self._chosen.reasons(wanted))
        return Recall(sessions=sessions, behind_bytes=behind, warnings=warnings)

    @staticmethod
    def can_search(query: str) -> bool:
        """Whether a question holds a word: signs alone find nothing."""
        return holds_words(query)

    def spent(self, since: float | None = None, workspace: str | None = None) -> Spending:
        """Tokens that agents spent since a time (seconds, UTC), in all projects or one; a little new is read first."""
        _, warnings = self.catch_up()
        project = self._chosen.project(workspace) if workspace and workspace.strip() else None
        if not self._store.exists():
            return Spending(warnings=warnings)
        return replace(self._store.spent(since, project), warnings=warnings)

    def show(self, session: str, first: int = 1, last: int = MAX_STEP) -> list[SessionStep]:
        """The messages of a session, whole; a little that is new is read first."""
        agent, found = self._sought(session)
        return self._store.steps(found, first, last, agent)

    def forget(self, session: str) -> SessionsForgotten:
        """Remove the text of a session from the index for good, copies too; its transcript file stays."""
        agent, found = self._sought(session)
        return SessionsForgotten((found,), self._store.forget(agent, found))

    def messages_of(self, workspace: str | None, since: str | None) -> SessionFilter:
        """Which messages a project and a time mean; raises InputError or WorkspaceError for what means none."""
        return self._chosen.messages(None, workspace, None, None, since, None)

    def _sought(self, session: str) -> tuple[str, str]:
        """Agent and id of a session, of an index that is brought up to date; the error says what it lacks."""
        _, warnings = self.catch_up()
        try:
            return self._chosen.session(session)
        except InputError as error:
            raise InputError("; ".join((str(error), *warnings))) from error

    def mentions(self, text: str, project: str) -> tuple[str, ...]:
        """Files and entities of a folder's index that a text names."""
        return mentions(text, self._names()(project))

    def close(self) -> None:
        """Close the index."""
        self._store.close()

    def _names(self) -> Callable[[str], KnownNames | None]:
        """What the indexes know, by the folder of a session; each is looked up once, and only for a hit."""

        @cache
        def names(project: str) -> KnownNames | None:
            try:
                above = [one for one in self._parts.known() if within(project, one.path)]
                workspace = max(above, key=lambda one: len(one.path), default=None)
                view = self._parts.view(workspace) if workspace else None
            except StoreError as error:  # links are an extra: without them the hit still tells its message
                _LOG.warning("hits of %s are not linked: %s", project, error)
                return None
            if view is None or workspace is None:
                return None
            files = [file.path for file in view.files]
            lines = zip(view.file_of.tolist(), view.start_lines.tolist(), strict=True)
            places = [f"{files[file]}:{line}" for file, line in lines]
            return known_names(files, view.names, view.qualified_names, places, workspace.path)

        return names

    def _list(self, wanted: SessionFilter, limit: int) -> tuple[SessionInfo, ...]:
        if not self._store.exists():
            return ()
        return tuple(replace(i, title=_short(" ".join(i.title.split()))) for i in self._store.sessions(wanted, limit))

    def _survey(self) -> Survey:
        return survey(self._index.places, self._store.sources())

    def catch_up(self) -> tuple[int, tuple[str, ...]]:
        """Read what is new if it is little; bytes that stay unread, and what to say about them."""
        seen = self._survey()
        behind = seen.behind_bytes
        if behind <= QUIET_BYTES:
            if not any(transcript.changed for transcript in seen.transcripts) and not seen.vanished:
                return 0, ()
            try:
                with self._locked(0):
                    return index_sessions(self._index, self._survey()).behind_bytes, ()
            except DamagedError:
                raise
            except (BusyError, StoreError) as error:  # what is indexed already still answers
                return behind, (str(error),)
        size = f"{behind / 1e6:.0f} MB"
        return behind, (f"{size} of transcripts are not in the index: run `zerikai-memory sessions index`",)

    def _dialogue(self, wanted: SessionFilter, step: int | None, steps: int) -> tuple[SessionStep, ...]:
        """The messages around a step, or from the first on, as far as there is room."""
        middle, session = step or 1, wanted.session or ""
        near = self._store.steps(session, middle - NEAR_STEPS, middle + NEAR_STEPS, wanted.agent)
        if step is not None and not any(one.step == step for one in near):
            raise InputError(f"step: {step} is none of session {session!r}, which has 1 to {steps}")
        room, kept = DIALOGUE_BYTES, list[SessionStep]()
        for one in sorted(near, key=lambda one: (abs(one.step - middle), one.step)):
            shown = replace(one, text=_cut(one.text, STEP_BYTES if one.step == step else MESSAGE_BYTES))
            room -= len(shown.text.encode()) + 90  # its facts
            if room < 0 and kept:
                break
            kept.append(shown)
        return tuple(sorted(kept, key=lambda one: one.step))


def _cut(text: str, most_bytes: int) -> str:
    """The text, cut to about so many bytes of UTF-8 with a mark that says by how much."""
    return clamp(text, most_bytes * len(text) // max(1, len(text.encode())))


def _short(title: str) -> str:
    return title if len(title) <= TITLE_CHARS else f"{title[: TITLE_CHARS - 4]} ..."
