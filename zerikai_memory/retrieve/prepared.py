"""What ranking needs of a view besides its arrays: names, words, factors. Made once per view."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from zerikai_memory.retrieve.concepts import ProjectConcepts
from zerikai_memory.retrieve.names import KeywordTable, NameTable
from zerikai_memory.retrieve.overloads import overloads
from zerikai_memory.retrieve.rank import (
    CLASS_COSINE_SLACK,
    CONSTANT_FACTOR,
    CONSTRUCTOR_FACTOR,
    LOCAL_FACTOR,
    MODULE_MEMBER_FACTOR,
    PRIVATE_COSINE_SLACK,
    PRIVATE_FACTOR,
    Flags,
    Floats,
    Ints,
)
from zerikai_memory.retrieve.spelling import Speller
from zerikai_memory.retrieve.traits import LEGACY_FACTOR, Side, legacy_flags, main_sides, side_factors, side_of
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import Lexicon
from zerikai_memory.store.view import IndexView

# The kinds of files, by number.
SIDES: tuple[Side | None, ...] = (None, *Side)
_CLASSES = frozenset({"class", "component", "interface", "enum"})


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What depends on the view alone; `side_of` [m] is a position in SIDES, `speaker` [n] as overloads() gives it."""

    view: IndexView
    lexicon: Lexicon
    speller: Speller
    concepts: ProjectConcepts
    position: dict[int, int]
    names: NameTable
    keywords: KeywordTable
    entity_factor: Floats
    member_factor: Floats
    legacy_factor: Floats
    class_of: Ints
    class_slack: Floats
    speaker: Ints
    side_of: Ints
    main_sides: frozenset[Side]
    documents: Flags
    written: Flags

    def side_factor(self, question: str) -> Floats:
        """[m] the factor of each file for what kind of file it is."""
        factors = side_factors(question, self.main_sides)
        found: Floats = np.array([factors[side] for side in SIDES])[self.side_of]
        return found


def prepare(view: IndexView, lexicon: Lexicon, index: WorkspaceIndex) -> Prepared:
    """Everything about a view that no question changes."""
    paths = [file.path for file in view.files]
    local = _local_to_functions(view)
    sides = tuple(side_of(path) for path in paths)
    return Prepared(
        view=view,
        lexicon=lexicon,
        speller=Speller(view, lexicon),
        concepts=ProjectConcepts(lexicon.stems),
        position={int(row): i for i, row in enumerate(view.rowids)},
        names=NameTable(view),
        keywords=KeywordTable(view),
        entity_factor=np.array([_name_factor(name) for name in view.names])
        * np.where(local, LOCAL_FACTOR, 1.0)
        * np.array([CONSTANT_FACTOR if kind in ("constant", "property") else 1.0 for kind in view.types]),
        member_factor=np.array([MODULE_MEMBER_FACTOR if kind == "module" else 1.0 for kind in view.types]),
        legacy_factor=np.where(legacy_flags(paths), LEGACY_FACTOR, 1.0),
        class_of=_class_of(view),
        class_slack=np.array(
            [PRIVATE_COSINE_SLACK if name.startswith("_") else CLASS_COSINE_SLACK for name in view.names], np.float64
        ),
        speaker=overloads(view, index),
        side_of=np.array([SIDES.index(side) for side in sides], np.int64),
        main_sides=main_sides(sides),
        documents=np.array([side == Side.DOCS for side in sides]),
        written=np.array([file.language == "markdown" for file in view.files], bool),
    )


def _class_of(view: IndexView) -> Ints:
    """[n] position of the class that directly holds each entity, or -1."""
    names = list(zip(view.file_of.tolist(), view.qualified_names, strict=True))
    classes = {key: i for i, (key, kind) in enumerate(zip(names, view.types, strict=True)) if kind in _CLASSES}
    return np.array([classes.get((f, name.rpartition(".")[0]), -1) for f, name in names], np.int64)


def _name_factor(name: str) -> float:
    if name == "constructor" or (name.startswith("__") and name.endswith("__")):
        return CONSTRUCTOR_FACTOR
    return PRIVATE_FACTOR if name.startswith("_") else 1.0


def _local_to_functions(view: IndexView) -> list[bool]:
    """Whether each entity is defined inside a function: it is a detail of the one around it."""
    functions = {
        (int(f), name)
        for f, name, kind in zip(view.file_of, view.qualified_names, view.types, strict=True)
        if kind in ("function", "method", "component")
    }
    return [
        (int(f), name.rpartition(".")[0]) in functions
        for f, name in zip(view.file_of, view.qualified_names, strict=True)
    ]
