"""Which entities a question lets in at all: those that its filters fit and that hold its quoted phrases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.errors import InputError
from zerikai_memory.retrieve.filters import Filters, kinds_meant, languages_meant, parted, paths_meant
from zerikai_memory.retrieve.query import Query
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import rows_with_phrase
from zerikai_memory.store.view import IndexView

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """`allowed` [n] flags per entity, None: all of them; `warnings` say what was asked for and is nowhere."""

    allowed: Flags | None = None
    warnings: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing is let in."""
        return self.allowed is not None and not self.allowed.any()

    def keep(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of `positions` that are let in."""
        return positions if self.allowed is None else positions[self.allowed[positions]]


def scope_of(index: WorkspaceIndex, view: IndexView, position: Mapping[int, int], query: Query) -> Scope:
    """What the question lets in; `position` maps rows of the index to places of the view. Raises InputError."""
    filters, warnings = _without_absent(view, query.filters)
    allowed = filtered(view, filters) if filters.of_code else None
    if allowed is not None and not allowed.any():
        warnings.append(f"nothing in the index fits {filters}")
    if query.phrases:
        holders = [
            _flags(len(view), (position.get(row) for row in rows_with_phrase(index, phrase)))
            for phrase in query.phrases
        ]
        warnings += [
            f'"{phrase}" stands nowhere in the index' for phrase, held in _pairs(query, holders) if not held.any()
        ]
        phrased = _together([held for held in holders if held.any()], len(view))
        allowed = phrased if allowed is None else allowed & phrased
    return Scope(allowed, tuple(warnings))


def looked_up(
    index: WorkspaceIndex, position: Mapping[int, int], name: str, defined: Flags, namesakes: Flags, scope: Scope
) -> Scope:
    """The scope of a question that is one name: what bears it and what mentions it; all where nothing bears it.

    Whoever looks a name up wants no more cards than that, however few they are; `namesakes` are other things.
    """
    if not defined.any():
        return scope
    mentions = _flags(len(defined), (position.get(row) for row in rows_with_phrase(index, name, in_path=False)))
    allowed = defined | (mentions & ~namesakes)
    return Scope(allowed if scope.allowed is None else allowed & scope.allowed, scope.warnings)


def filtered(view: IndexView, filters: Filters) -> Flags:
    """[n] whether each entity fits every filter; InputError for a value that means nothing here."""
    paths = [file.path for file in view.files]
    files = _fitting(filters.lang, languages_meant, [file.language for file in view.files])
    files &= _fitting(filters.path, lambda values: paths_meant(values, paths), paths)
    allowed: Flags = files[view.file_of]
    return allowed & _fitting(filters.kind, kinds_meant, view.types) if filters.kind else allowed


def _without_absent(view: IndexView, filters: Filters) -> tuple[Filters, list[str]]:
    """The filters without paths to be kept out that are not there anyway, and a warning for each of these."""
    paths = [file.path for file in view.files]
    kept, warnings = [], []
    for value in filters.path:
        try:
            if value.startswith("!"):
                paths_meant([value[1:]], paths)
            kept.append(value)
        except InputError as error:
            warnings.append(f"{error}; nothing had to be kept out")
    return replace(filters, path=tuple(kept)), warnings


def _fitting(values: Sequence[str], meant: Callable[[Sequence[str]], frozenset[str]], each: Sequence[str]) -> Flags:
    """[n] whether each of a key's actual values is let in and not kept out."""
    wanted, unwanted = parted(values)
    let_in, kept_out = meant(wanted), meant(unwanted)
    return np.array([(not wanted or one in let_in) and one not in kept_out for one in each], bool)


def in_order(view: IndexView, allowed: Flags) -> list[int]:
    """Positions of the allowed entities by path and line: a filter alone is a list."""
    found = np.flatnonzero(allowed).tolist()
    return sorted(found, key=lambda i: (view.files[int(view.file_of[i])].path, view.start_lines[i]))


def _pairs(query: Query, holders: list[Flags]) -> Iterable[tuple[str, Flags]]:
    return zip(query.phrases, holders, strict=True)


def _together(holders: list[Flags], entities: int) -> Flags:
    """Holders of all phrases; of any where no entity holds all, because they may be of two places."""
    if not holders:
        return np.zeros(entities, bool)
    every: Flags = np.logical_and.reduce(holders)
    either: Flags = np.logical_or.reduce(holders)
    return every if every.any() else either


def _flags(entities: int, positions: Iterable[int | None]) -> Flags:
    flags = np.zeros(entities, bool)
    flags[[i for i in positions if i is not None]] = True
    return flags
