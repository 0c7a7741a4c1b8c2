"""Which entities of the project the frames of a trace mean.

Paths of a trace may come from another machine or from a build: a frame belongs to the file whose path agrees with it
longest from the end. Frames of libraries belong to no file of the project, unless the project is the library. What a
compiler has written stands in no file of the index: such a frame belongs to the source of the same path but for its
suffix, by the function's name, because its lines are others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from zerikai_memory.lang.registry import language_of
from zerikai_memory.retrieve.trace import Frame
from zerikai_memory.store.view import IndexView

# More names than these of a library's path must agree with one of the project's: `utils/index` is in both.
LIBRARY_AGREES = 2
# What JavaScript is compiled from and what it is compiled to.
_COMPILED_TO = ("js", "mjs", "cjs", "jsx")
_COMPILED_FROM = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})


def frame_entities(view: IndexView, frames: Sequence[Frame]) -> dict[int, int | None]:
    """{position of an entity that a frame is in: the frame's line in it}, innermost first, each once.

    The line is None where the file has changed so much that it lies outside of the entity.
    """
    if not frames:
        return {}
    index = _PathIndex([file.path for file in view.files])
    own = [frame for frame in frames if not frame.library]
    found = _entities(view, index, own, least=1)
    if not found and len(own) < len(frames):
        # The project may itself be what others install: then a folder must agree too.
        found = _entities(view, index, frames, least=2)
    return found


def frames_told(view: IndexView, frames: Sequence[Frame], traced: Mapping[int, int | None]) -> tuple[str, ...]:
    """What to say of frames: that none is of the project, or that what was found was compiled to another file."""
    if not frames:
        return ()
    if not traced:
        return ("no frame of the trace is in this project",)
    names = {frame.path.rsplit("/", 1)[-1].lower() for frame in frames}
    sources = dict.fromkeys(view.files[int(view.file_of[i])].path for i in traced)
    compiled = [path for path in sources if path.rsplit("/", 1)[-1].lower() not in names]
    if not compiled:
        return ()
    return (f"the lines of the trace are of compiled files: {', '.join(compiled)} by path and function alone",)


def _entities(view: IndexView, index: _PathIndex, frames: Sequence[Frame], least: int) -> dict[int, int | None]:
    found: dict[int, int | None] = {}
    for frame in frames:
        sources = _sources(index, frame)
        named = (_place(view, index, place, least) for place in (frame, *sources))
        places = chain(named, (_whole(view, index, place) for place in sources))
        if (entity := next((i for i in places if i is not None), None)) is not None:
            compiled = view.files[int(view.file_of[entity])].path.rpartition(".")[2] != frame.path.rpartition(".")[2]
            line = None if compiled else frame.line
            inside = line and view.first_lines[entity] <= line <= view.end_lines[entity]
            found.setdefault(entity, line if inside else None)
    return found


def _place(view: IndexView, index: _PathIndex, frame: Frame, least: int) -> int | None:
    for f, agreeing in index.find(frame.path):
        inside = np.flatnonzero(view.file_of == f).tolist()
        named = [i for i in inside if frame.name is not None and view.names[i] == frame.name]
        # One name in common may be chance: then what the frame says of the file must be true.
        whole = agreeing == view.files[f].path.count("/") + 1
        if agreeing < least or not (agreeing > 1 or whole or named):
            continue
        if (entity := _entity(view, inside, named, frame.line)) is not None:
            return entity
    return None


def _whole(view: IndexView, index: _PathIndex, frame: Frame) -> int | None:
    """The module of a source whose folder agrees with a compiled file's too: the function has no name or another."""
    for f, agreeing in index.find(frame.path):
        if agreeing > (LIBRARY_AGREES if frame.library else 1):
            return next((i for i in np.flatnonzero(view.file_of == f).tolist() if view.types[i] == "module"), None)
    return None


def _sources(index: _PathIndex, frame: Frame) -> list[Frame]:
    """Where a frame of a compiled file may be in what is compiled: without a line, its lines are others."""
    stem, _, suffix = frame.path.rpartition(".")
    if suffix.lower() not in _COMPILED_TO:
        return []
    return [replace(frame, path=f"{stem}{source}", line=None) for source in index.sources(stem)]


def _entity(view: IndexView, inside: Sequence[int], named: Sequence[int], line: int | None) -> int | None:
    """The innermost entity around the line; when the file has changed since, one of the frame's name or the file."""
    if line is None:
        # Of overloads the one with a body; a module may be called as what it holds.
        return max(named, key=lambda i: (view.types[i] != "module", _span(view, i)), default=None)
    if named and not any(view.first_lines[i] <= line <= view.end_lines[i] for i in named):
        return min(named, key=lambda i: abs(int(view.start_lines[i]) - line))
    around = innermost(view, inside, line)
    # A line behind the end: the file is the right one, and nothing in it can be told.
    return next((i for i in inside if view.types[i] == "module"), None) if around is None else around


def innermost(view: IndexView, positions: Iterable[int], line: int) -> int | None:
    """The smallest of the entities at `positions` that the line is in, decorators included."""

    def size(i: int) -> tuple[int, bool, int]:
        # A file of one function is as long as it.
        return _span(view, i), view.types[i] == "module", -int(view.first_lines[i])

    return min((i for i in positions if view.first_lines[i] <= line <= view.end_lines[i]), key=size, default=None)


def _span(view: IndexView, i: int) -> int:
    return int(view.end_lines[i] - view.first_lines[i])


class _PathIndex:
    """Files by the name they end in."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._parts = [path.lower().split("/") for path in paths]
        self._by_name: dict[str, list[int]] = defaultdict(list)
        for i, parts in enumerate(self._parts):
            self._by_name[parts[-1]].append(i)

    def sources(self, stem: str) -> list[str]:
        """The suffix of each source of that name that there is: `.ts` of `a/b` where a b.ts is."""
        name = stem.rsplit("/", 1)[-1].lower()
        suffixes = {known.removeprefix(name) for known in self._by_name if known.startswith(f"{name}.")}
        return [suffix for suffix in sorted(suffixes) if language_of(f"x{suffix}") in _COMPILED_FROM]

    def find(self, path: str) -> list[tuple[int, int]]:
        """(file, names that agree from the end), the longest agreement only, short paths first."""
        wanted = path.lower().strip("/").split("/")
        agreeing = [(i, _agreeing(wanted, self._parts[i])) for i in self._by_name.get(wanted[-1], ())]
        best = max((count for _, count in agreeing), default=0)
        return sorted(((i, c) for i, c in agreeing if c == best), key=lambda pair: (len(self._parts[pair[0]]), pair[0]))


def _agreeing(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(reversed(one), reversed(other), strict=False):
        if a != b:
            break
        count += 1
    return count
