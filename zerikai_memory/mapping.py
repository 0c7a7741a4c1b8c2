"""Views of the code map as the app composes them: the graph, what changed since, brief and decisions beside it."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from zerikai_memory.answer.related import RelatedParts
from zerikai_memory.brief.frozen import FrozenBrief
from zerikai_memory.codemap.maps import CodeMaps
from zerikai_memory.codemap.views.answer import OF_PROJECT, check_request, view_parts
from zerikai_memory.codemap.views.between import names_of_path
from zerikai_memory.codemap.views.declared import MANIFESTS, declared_in, guard_fact, guard_line
from zerikai_memory.codemap.views.named import OF_USES, with_names
from zerikai_memory.codemap.views.profile import profile_text
from zerikai_memory.codemap.views.spoken import lines_said, spoken_names
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.codemap.views.target import find, left_out, offered
from zerikai_memory.errors import InputError, WorkspaceError
from zerikai_memory.lang.registry import language_of
from zerikai_memory.memory.ledger import Ledger
from zerikai_memory.model import Brief, Extraction, Note, Workspace
from zerikai_memory.model_map import CodeGraph
from zerikai_memory.model_views import EntryPointFact, MapFreshness, MapPart, MapReply, ProjectTexts, ViewRequest
from zerikai_memory.redact import mask_secrets
from zerikai_memory.scan.drift import Drift
from zerikai_memory.scan.read import working_file
from zerikai_memory.settings import Settings
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.mentions import entities_mentioning, files_mentioning
from zerikai_memory.store.records import FileState
from zerikai_memory.workspace.commit import repo_commit
from zerikai_memory.workspace.identity import workspace_root
from zerikai_memory.workspace.opening import open_inside
from zerikai_memory.workspace.walk import walk

# Enough of the changed files to see where; their number is told as well.
CHANGED_SHOWN = 20
DECISIONS = 8
# A manifest is short; a longer file of that name is something else.
_MAX_MANIFEST_BYTES = 200_000
_MAY_BE_RUN = re.compile(r"\.(pyw?|[cm]?[jt]s)$")


@dataclass(frozen=True, slots=True)
class ViewParts:
    """What views are made from; each is asked for one workspace."""

    settings: Settings
    known: Callable[[str | None, Sequence[str]], Workspace]
    index: Callable[[str], WorkspaceIndex]
    graph: Callable[[Workspace], CodeGraph]
    brief: Callable[[Workspace], Brief | None]
    decisions: Callable[[Workspace, int], Sequence[Note]]


def open_mapping(
    settings: Settings,
    known: Callable[[str | None, Sequence[str]], Workspace],
    brain: Brain,
    maps: CodeMaps,
    briefs: FrozenBrief,
    ledger: Ledger,
) -> CodeViews:
    """The views over the stores of one brain."""
    return CodeViews(
        ViewParts(
            settings=settings,
            known=known,
            index=brain.index,
            graph=maps.graph,
            brief=briefs.live,
            decisions=lambda project, most: ledger.latest(project, "decision", most),
        )
    )


class CodeViews:
    """The views of all workspaces of one process; thread-safe."""

    def __init__(self, parts: ViewParts) -> None:
        self._parts = parts
        self._mutex = threading.Lock()
        self._desks: dict[str, _Desk] = {}

    def view(
        self,
        view: str,
        target: str | None = None,
        workspace: str | None = None,
        *,
        roots: Sequence[str] = (),
        depth: int | None = None,
        guesses: bool = False,
    ) -> MapReply:
        """One view of the map of a workspace.

        Raises InputError for an unknown view or target (with near names) and for a workspace without an index.
        """
        request = ViewRequest((target or "").strip() or None, depth, guesses)
        check_request(view, request)
        project = self._parts.known(workspace, roots)
        reply = self.of(project).view(view, request)
        if view != "profile":
            return reply
        brief = self._parts.brief(project)
        decisions = [_decision(note) for note in self._parts.decisions(project, DECISIONS)]
        text = profile_text(brief.text if brief else None, reply.parts, decisions)
        return replace(reply, parts=(), text=text, omitted=0)

    def related(self, project: Workspace, extract: Callable[[bytes, str], Extraction]) -> RelatedParts:
        """What questions about uses are answered with."""
        read = partial(working_file, workspace_root(project))
        return RelatedParts(self.of(project), self._parts.index(project.id), read, extract, partial(lines_said, own=()))

    def of(self, project: Workspace) -> _Desk:
        """The views of one known workspace."""
        with self._mutex:
            if project.id not in self._desks:
                self._desks[project.id] = _Desk(project, self._parts)
            return self._desks[project.id]


class _Desk:
    """One workspace's map with what was worked out from it, until the map changes."""

    def __init__(self, project: Workspace, parts: ViewParts) -> None:
        self._project = project
        self._parts = parts
        self._root = workspace_root(project)
        self._mutex = threading.Lock()
        self._open: _Open | None = None
        self._drift = Drift(self._root, self._walk, parts.settings.max_file_bytes)

    def view(self, view: str, request: ViewRequest) -> MapReply:
        """A view without what stands beside the map."""
        opened = self._opened()
        parts = opened.parts(view, request)
        if view in OF_USES:
            parts = with_names(opened.table, parts, opened.files_saying, lambda path: _content(self._root, path, None))
        freshness, changed = self._freshness(opened)
        marked = tuple(_marked(part, changed) for part in parts)
        incomplete = ("the index is incomplete: a scan is running or was interrupted",) if opened.incomplete else ()
        notes = (*incomplete, *opened.left_out(view, request))
        return MapReply(
            workspace=self._project.name,
            view=view,
            target=request.target,
            parts=marked,
            freshness=freshness,
            notes=notes,
            omitted=sum(part.omitted for part in marked),
        )

    def relation(self, view: str, name: str) -> MapReply | None:
        """The view of what `name` names exactly; None when nothing is called so."""
        opened = self._opened()
        if not find(opened.table, name):
            return None
        if (part := offered(opened.table, name)) is None:
            return self.view(view, ViewRequest(name))
        freshness, changed = self._freshness(opened)
        parts = (_marked(part, changed),)
        return MapReply(self._project.name, view, name, parts, freshness, omitted=part.omitted)

    def _opened(self) -> _Open:
        index = self._parts.index(self._project.id)
        graph = self._parts.graph(self._project)
        with self._mutex:
            if self._open is None or self._open.table.graph is not graph:
                self._open = _Open(MapTable(graph), index, self._root)
            return self._open

    def _freshness(self, opened: _Open) -> tuple[MapFreshness, frozenset[str]]:
        state = opened.table.graph.state
        told = MapFreshness(state.schema_version, state.repo_commit, head_commit=repo_commit(self._root))
        try:
            changed = self._drift.changed(opened.states())
        except (WorkspaceError, OSError):
            return replace(told, changed_count=None), frozenset()
        return replace(told, changed_files=changed[:CHANGED_SHOWN], changed_count=len(changed)), frozenset(changed)

    def _walk(self) -> Iterable[str]:
        settings = self._parts.settings
        found = walk(
            self._root,
            language_of=language_of,
            respect_gitignore=settings.respect_gitignore,
            max_file_bytes=settings.max_file_bytes,
            brain=settings.home,
        )
        return [file.path for file in found.files]


class _Open:
    """One state of a map: its table, the index's files, and project texts read on first use."""

    def __init__(self, table: MapTable, index: WorkspaceIndex, root: Path) -> None:
        self.table = table
        self._index = index
        self._root = root
        self._states: dict[str, FileState] | None = None
        self._generation = -1
        self._declared: tuple[EntryPointFact, ...] | None = None
        self._mentions: dict[str, int] = {}
        self._whole: dict[str, Sequence[MapPart]] = {}
        self.texts = ProjectTexts(self._declared_once, self._mentions_once)

    def parts(self, view: str, request: ViewRequest) -> Sequence[MapPart]:
        """The parts of a view; views of the whole project are worked out once."""
        if request.target or view not in OF_PROJECT:
            return view_parts(self.table, view, request, self.texts)
        if view not in self._whole:
            self._whole[view] = view_parts(self.table, view, request, self.texts)
        return self._whole[view]

    def left_out(self, view: str, request: ViewRequest) -> tuple[str, ...]:
        """What else the names of a target stand for."""
        if not request.target or view in OF_PROJECT:
            return ()
        names = names_of_path(request.target) if view == "path" else [request.target]
        return tuple(told for name in names if (told := left_out(self.table, name)))

    def files_saying(self, name: str) -> list[str]:
        """Paths of files whose text may hold a name."""
        return files_mentioning(self._index, name)

    @property
    def incomplete(self) -> bool:
        """Whether a scan has not finished the index."""
        return bool(self._index.meta("incomplete"))

    def states(self) -> dict[str, FileState]:
        """Stored state of every indexed file."""
        generation = self._index.generation()
        if self._states is None or generation != self._generation:
            self._states, self._generation = self._index.file_states(), generation
        return self._states

    def _declared_once(self) -> tuple[EntryPointFact, ...]:
        if self._declared is None:
            folders = {"", *self.table.folders}
            self._declared = (*declared_in(folders, partial(_text, self._root)), *self._guards())
        return self._declared

    def _guards(self) -> Iterable[EntryPointFact]:
        for path in sorted(self.table.by_file):
            if not (_MAY_BE_RUN.search(path) and self.table.is_product(path)):
                continue
            content = _content(self._root, path, None)
            line = guard_line(path, content) if content is not None else None
            if line is not None:
                yield guard_fact(path, line)

    def _mentions_once(self, names: Sequence[str]) -> Sequence[int]:
        new = [name for name in dict.fromkeys(names) if name not in self._mentions]
        self._mentions.update(zip(new, entities_mentioning(self._index, new), strict=True))
        # The full text knows no case, no whole names and no comments: what it finds is looked at again.
        doubtful = [name for name in new if self._mentions[name] > 1]
        said = spoken_names(self.table, doubtful, lambda path: _content(self._root, path, None)) if doubtful else ()
        self._mentions.update((name, 1) for name in doubtful if name not in said)
        return [self._mentions[name] for name in names]


def _text(root: Path, path: str) -> str | None:
    """A manifest with secrets masked; None when there is none."""
    if path.rpartition("/")[2] in MANIFESTS and not (root / path).is_file():
        return None  # most folders have none, and asking is cheaper than opening
    content = _content(root, path, _MAX_MANIFEST_BYTES)
    return None if content is None else mask_secrets(content.decode("utf-8", "replace").replace("\r\n", "\n"))


def _content(root: Path, path: str, most: int | None) -> bytes | None:
    try:
        with open_inside(root, path) as file:
            return file.read(-1 if most is None else most)
    except (OSError, InputError):
        return None  # gone or led astray since the scan: the views do without it


def _marked(part: MapPart, changed: frozenset[str]) -> MapPart:
    """The part with the rows marked whose lines may be off."""
    if not changed:
        return part
    rows = tuple(
        replace(row, changed=True) if row.file_path in changed or row.site_path in changed else row for row in part.rows
    )
    subject = part.subject
    if subject is not None and subject.file_path in changed:
        subject = replace(subject, changed=True)
    return replace(part, rows=rows, subject=subject)


def _decision(note: Note) -> str:
    day = datetime.fromtimestamp(note.created_at, UTC).strftime("%Y-%m-%d")
    return f"note:{note.id} ({day}) {note.content}"
