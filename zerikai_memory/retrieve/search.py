"""From a question to ranked candidates of one workspace: gather the evidence, rank, group, judge relevance."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from zerikai_memory.embed.base import Embedder
from zerikai_memory.retrieve.names import KeywordTable, NameTable
from zerikai_memory.retrieve.query import Query
from zerikai_memory.retrieve.rank import (
    CLASS_COSINE_SLACK,
    CONSTANT_FACTOR,
    CONSTRUCTOR_FACTOR,
    LOCAL_FACTOR,
    MODULE_MEMBER_FACTOR,
    PRIVATE_COSINE_SLACK,
    PRIVATE_FACTOR,
    Evidence,
    Flags,
    Floats,
    Ints,
    Scores,
    classic,
    group_by_file,
    score,
)
from zerikai_memory.retrieve.relevance import is_relevant
from zerikai_memory.retrieve.traits import LEGACY_FACTOR, Side, legacy_flags, side_factors, side_of
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import document_frequencies, lexical_scores, rows_with_phrase, words_in_rows
from zerikai_memory.store.vectors import ExactVectorIndex, Nearest, Vector, distances_around, squared_distances
from zerikai_memory.store.view import IndexView, ViewCache

# Best entities taken from each source; 50 to 500 gave the same ranking within .003.
POOL = 200
# Up to here all distances are computed (milliseconds) even where another index found the nearest.
DISTANCES_UP_TO = 200_000
# How many of the nearest the classic ranker reorders, as documented for the seed.
CLASSIC_POOL = 75
# The keyword term of the hybrid ranking is the cosine of the question's and the name's word sets, times the rerank
# weight and this: .2 at the default weight. Entity recall@5 .649 -> .662; .1 to .5 all help.
KEYWORD_SCALE = 4.0
_CLASSES = frozenset({"class", "component", "interface", "enum"})
# A quoted phrase that stands in the entity word for word.
PHRASE_BOOST = 0.5
# Named when nothing is relevant, so that the reader sees how far off the index is.
NEAREST_SHOWN = 3

# The view and the full text are read one after the other; a scan may commit in between, and again.
ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How to rank and how much to show. `distance_threshold` None leaves the cut to the embedding's own."""

    files: int
    entities: int
    ranker: str = "hybrid"
    distance_threshold: float | None = None
    lexical_rerank: bool = True
    lexical_rerank_weight: float = 0.05


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked entity: its row and id in the index, and why it is here. `distance` None: no vector to compare."""

    rowid: int
    entity_id: str
    name: str
    qualified_name: str
    file_path: str
    sha256: str
    distance: float | None
    score: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates to show in order; `same_name` counts entities that bear a name the question asks for.

    With `nothing_relevant` the candidates are only the nearest, to be named and not cited.
    """

    candidates: tuple[Candidate, ...]
    nothing_relevant: bool
    same_name: int
    incomplete: bool
    text_only: bool
    store_warning: str = ""


NearestFunction = Callable[[IndexView, Vector, int], Nearest]


def exactly(view: IndexView, query: Vector, k: int) -> Nearest:
    """No other index is asked: all distances are computed."""
    return Nearest(None)


class Searcher:
    """Ranks questions over one workspace's index; keeps what depends on the index alone between questions."""

    def __init__(
        self, index: WorkspaceIndex, views: ViewCache, embedder: Embedder, nearest: NearestFunction = exactly
    ) -> None:
        self._index = index
        self._nearest = nearest
        self._views = views
        self._embedder = embedder
        self._mutex = threading.Lock()
        self._prepared: _Prepared | None = None

    def search(self, query: Query, options: SearchOptions) -> Ranking:
        """Rank the workspace's entities for a question; again when a scan has committed meanwhile, at most ATTEMPTS."""
        for _ in range(ATTEMPTS):
            prepared = self._prepare()
            ranking = self._rank(prepared, query, options)
            if self._index.generation() == prepared.view.generation:
                break
        return ranking

    def _rank(self, prepared: _Prepared, query: Query, options: SearchOptions) -> Ranking:
        view = prepared.view
        text_only = view.embedding != self._embedder.fingerprint
        if query.empty or not len(view):
            return Ranking((), True, 0, view.incomplete, text_only)
        same_name = len({i for identifier in query.identifiers for i in prepared.names.exact(identifier)})
        if same_name > options.files:
            # Many bear the name: the reader must tell them apart, so each place goes to another file.
            options = replace(options, files=options.entities)
        found = self._evidence(prepared, query, text_only, options)
        if options.ranker == "classic" and not text_only:
            order, scores = self._classic(prepared, query, found, options)
        else:
            order, scores = _hybrid(found, options, text_only)
        distances = None if text_only else found.distances
        candidates = tuple(_candidate(view, i, distances, scores[i]) for i in order)
        relevant = bool(order) and self._relevant(query, found, order, text_only)
        if not relevant:
            candidates = candidates[:NEAREST_SHOWN]
        return Ranking(candidates, not relevant, same_name, view.incomplete, text_only, found.store_warning)

    def _prepare(self) -> _Prepared:
        view = self._views.get()
        with self._mutex:
            if self._prepared is None or self._prepared.view is not view:
                self._prepared = _prepare(view)
            return self._prepared

    def _evidence(self, prepared: _Prepared, query: Query, text_only: bool, options: SearchOptions) -> _Found:
        view = prepared.view
        lexical = np.zeros(len(view))
        for row, value in lexical_scores(self._index, query.words, POOL):
            if (i := prepared.position.get(row)) is not None:
                lexical[i] = value
        named, placed = prepared.names.boosts(query), prepared.names.places(query)
        for phrase in query.phrases:
            rows = [prepared.position.get(row) for row in rows_with_phrase(self._index, phrase, POOL)]
            named[[i for i in rows if i is not None]] += PHRASE_BOOST
        distances, file_cosines = np.full(len(view), 2.0), np.zeros(len(view.files))
        nearest = Nearest(None)
        if not text_only:
            vector = self._embedder.encode([" ".join(query.text.split())])[0]
            nearest = self._nearest(view, vector, POOL)
            distances = _distances(view, vector, nearest, np.flatnonzero(lexical + named + placed)).astype(np.float64)
            file_cosines = 1 - squared_distances(view.file_vectors, vector).astype(np.float64) / 2
        side_factor = np.array(side_factors(prepared.sides, query.text))
        keyword = np.zeros(len(view))
        if options.lexical_rerank:
            keyword = KEYWORD_SCALE * options.lexical_rerank_weight * prepared.keywords.similarity(query.terms)
        evidence = Evidence(
            lexical=lexical,
            keyword=keyword,
            cosines=1 - distances / 2,
            file_cosines=file_cosines,
            # A path is where to look, not a word to match: it counts whatever the rerank setting.
            name_boost=named + placed if options.lexical_rerank else placed,
            entity_factor=prepared.entity_factor,
            member_factor=prepared.member_factor,
            file_factor=prepared.legacy_factor * side_factor,
            # A heading that is asked for by its words is meant, wherever it stands.
            name_factor=prepared.legacy_factor * np.where(prepared.documents, 1.0, side_factor),
            file_of=view.file_of,
            class_of=prepared.class_of,
            class_slack=prepared.class_slack,
        )
        near = _near(nearest, distances, text_only)
        return _Found(evidence, distances, named + placed, placed, near, nearest.warning)

    def _classic(
        self, prepared: _Prepared, query: Query, found: _Found, options: SearchOptions
    ) -> tuple[list[int], Floats]:
        """The documented card: distance filter, then 1/distance + keyword hits x weight; named places come first."""
        near, distances = found.near, found.distances
        hits = prepared.keywords.hits(query.terms)
        cut = options.distance_threshold
        places, values = classic(
            distances[near],
            hits[near],
            options.lexical_rerank_weight if options.lexical_rerank else 0.0,
            CLASSIC_POOL,
            self._embedder.relevance_cut if cut is None else cut,
        )
        scores, order = np.zeros(len(distances)), near[places]
        scores[order] = values
        named_places = np.flatnonzero(found.placed)
        first = named_places[np.argsort(-found.placed[named_places], kind="stable")]
        shown = list(dict.fromkeys(int(i) for i in (*first, *order)))[: options.entities]
        return shown, scores + found.placed

    def _relevant(self, query: Query, found: _Found, order: Sequence[int], text_only: bool) -> bool:
        if any(found.named[i] > 0 for i in order):
            return True
        best = math.inf if text_only else float(found.distances[list(order)].min())
        rows = [int(self._prepared.view.rowids[i]) for i in order] if self._prepared else []
        return is_relevant(
            best_distance=best,
            cut=self._embedder.relevance_cut,
            frequencies=document_frequencies(self._index, query.terms),
            holders=words_in_rows(self._index, rows, query.terms),
            entities=len(found.distances),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    """What depends on the view alone."""

    view: IndexView
    position: dict[int, int]
    names: NameTable
    keywords: KeywordTable
    entity_factor: Floats
    member_factor: Floats
    legacy_factor: Floats
    class_of: Ints
    class_slack: Floats
    sides: tuple[Side | None, ...]
    documents: Flags


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    evidence: Evidence
    distances: Floats
    named: Floats
    placed: Floats
    near: Ints
    store_warning: str


def _prepare(view: IndexView) -> _Prepared:
    paths = [file.path for file in view.files]
    local = _local_to_functions(view)
    sides = tuple(side_of(path) for path in paths)
    return _Prepared(
        view=view,
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
        sides=sides,
        documents=np.array([side == Side.DOCS for side in sides]),
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


def _distances(view: IndexView, query: Vector, nearest: Nearest, others: Ints) -> Vector:
    """Distances of all entities; where another index found the nearest of many, real ones for them and `others`."""
    if nearest.positions is None:
        return ExactVectorIndex(view).distances(query)
    return distances_around(view, query, np.union1d(nearest.positions, others), DISTANCES_UP_TO)


def _near(nearest: Nearest, distances: Floats, text_only: bool) -> Ints:
    """Positions of the nearest POOL entities, nearest first."""
    if text_only:
        return np.empty(0, np.int64)
    if nearest.positions is None:
        return np.argsort(distances, kind="stable")[:POOL]
    # By real distance and then by row, as the exact index orders them: ties fall alike whoever answers. What is short
    # of POOL are entities without a vector, which the other index does not name.
    found = np.sort(nearest.positions)
    if len(found) < POOL:
        rest = np.setdiff1d(np.argsort(distances, kind="stable")[: 2 * POOL], found)
        found = np.sort(np.concatenate((found, rest)))
    order: Ints = found[np.argsort(distances[found], kind="stable")][:POOL]
    return order


def _hybrid(found: _Found, options: SearchOptions, text_only: bool) -> tuple[list[int], Floats]:
    evidence = found.evidence
    scores: Scores = score(evidence)
    named = np.flatnonzero(evidence.name_boost)
    candidates: Ints = np.unique(np.concatenate((found.near, np.flatnonzero(evidence.lexical), named)))
    if options.distance_threshold is not None and not text_only:
        near = found.distances[candidates] <= options.distance_threshold
        candidates = candidates[near | (evidence.name_boost[candidates] > 0)]
    order = group_by_file(scores, evidence.file_of, candidates, options.files, options.entities)
    return order, scores.entity


def _candidate(view: IndexView, i: int, distances: Floats | None, value: float) -> Candidate:
    file = view.files[int(view.file_of[i])]
    return Candidate(
        rowid=int(view.rowids[i]),
        entity_id=view.ids[i],
        name=view.names[i],
        qualified_name=view.qualified_names[i],
        file_path=file.path,
        sha256=file.sha256,
        distance=None if distances is None else round(float(distances[i]), 4),
        score=round(float(value), 4),
    )
