"""From a question to ranked candidates of one workspace: gather the evidence, rank, group, judge relevance."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from zerikai_memory.embed.base import Embedder
from zerikai_memory.errors import EmbeddingError
from zerikai_memory.retrieve.absent import Read, nowhere, unplaced
from zerikai_memory.retrieve.documents import MIN_TERMS, decisive_documents, with_best_section
from zerikai_memory.retrieve.foreign import in_english
from zerikai_memory.retrieve.frames import frame_entities, frames_told
from zerikai_memory.retrieve.literals import literal_boosts
from zerikai_memory.retrieve.nearness import distances_of, nearest_first
from zerikai_memory.retrieve.overloads import folded
from zerikai_memory.retrieve.placing import outside, with_place
from zerikai_memory.retrieve.prepared import Prepared, prepare
from zerikai_memory.retrieve.query import Query
from zerikai_memory.retrieve.rank import (
    Evidence,
    Flags,
    Floats,
    Ints,
    Scores,
    classic,
    group_by_file,
    score,
)
from zerikai_memory.retrieve.relevance import MIN_COVERAGE, coverage, strangeness
from zerikai_memory.retrieve.scope import Scope, in_order, looked_up, scope_of
from zerikai_memory.retrieve.spelling_variants import as_the_project_spells
from zerikai_memory.retrieve.unspaced import telling, unspaced
from zerikai_memory.retrieve.wording import Wording, meant_vectors, wording_of
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import Lexicon
from zerikai_memory.store.vectors import Nearest, Vector, squared_distances
from zerikai_memory.store.view import IndexView, ViewCache

# Best entities taken from each source; 50 to 500 gave the same ranking within .003.
POOL = 200
# How many of the nearest the classic ranker reorders, as documented for the seed.
CLASSIC_POOL = 75
# The keyword term of the hybrid ranking is the cosine of the question's and the name's word sets, times the rerank
# weight and this: .2 at the default weight. Entity recall@5 .649 -> .662; .1 to .5 all help.
KEYWORD_SCALE = 4.0
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
    """A ranked entity: its row and id in the index, and why it is here. `distance` None: no vector to compare.

    `line` is the line of it that the question asks for, None: no line in particular.
    """

    rowid: int
    entity_id: str
    name: str
    qualified_name: str
    file_path: str
    sha256: str
    distance: float | None
    score: float
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates to show in order; `more` counts entities that the question asks for as well, by name or filter.

    With `nothing_relevant` the candidates are only the nearest, to be named and not cited.
    """

    candidates: tuple[Candidate, ...]
    nothing_relevant: bool
    more: int
    incomplete: bool
    text_only: bool
    store_warning: str = ""
    embedding_warning: str = ""
    warnings: tuple[str, ...] = ()


NearestFunction = Callable[[IndexView, Vector, int], Nearest]


def exactly(view: IndexView, query: Vector, k: int) -> Nearest:
    """No other index is asked: all distances are computed."""
    return Nearest(None)


class Searcher:
    """Ranks questions over one workspace's index; keeps what depends on the index alone between questions."""

    def __init__(
        self,
        index: WorkspaceIndex,
        views: ViewCache,
        embedder: Embedder,
        nearest: NearestFunction = exactly,
        read: Read = nowhere,
    ) -> None:
        self._index = index
        self._nearest = nearest
        self._read = read
        self._views = views
        self._embedder = embedder
        self._mutex = threading.Lock()
        self._prepared: Prepared | None = None

    def search(self, query: Query, options: SearchOptions) -> Ranking:
        """Rank the workspace's entities for a question; again when a scan has committed meanwhile, at most ATTEMPTS."""
        for _ in range(ATTEMPTS):
            prepared = self._prepare()
            prepared.lexicon.note_question()
            counts = prepared.lexicon.frequencies
            placed = as_the_project_spells(with_place(query, prepared.names.paths_named), counts)
            corrected, misspelt = prepared.speller.corrected(placed)
            asked = in_english(corrected, counts, prepared.names.exact)
            ranking = self._rank(prepared, asked, options)
            if self._index.generation() == prepared.view.generation:
                break
        return replace(ranking, warnings=(*misspelt, *ranking.warnings)) if misspelt else ranking

    def _rank(self, prepared: Prepared, query: Query, options: SearchOptions) -> Ranking:
        view = prepared.view
        if not (query.words or query.identifiers or query.paths or query.frames or query.filters) or not len(view):
            return Ranking((), True, 0, view.incomplete, view.embedding != self._embedder.fingerprint)
        elsewhere, alone = outside(query, prepared.names.paths_named)
        abroad = tuple(f"{place}: no such file in the project" for place in elsewhere)
        if alone:
            text_only = view.embedding != self._embedder.fingerprint
            return Ranking((), True, 0, view.incomplete, text_only, warnings=abroad)
        scope = scope_of(self._index, view, prepared.position, query)
        if query.looked_up:
            names = prepared.names
            defined, namesakes = names.looked_up(query), names.namesakes(query)
            defined |= literal_boosts(self._index, prepared, query) > 0
            scope = looked_up(self._index, prepared.position, query.looked_up, defined, namesakes, scope)
        wording = wording_of(prepared, query, scope, POOL)
        vectors, trouble = self._vectors(view, query, wording)
        text_only = not vectors
        asked = self._asked(prepared, query, scope)
        if len(set(prepared.speaker[asked].tolist())) > options.files and (
            query.name_alone or query.looked_up or query.empty
        ):
            # Many bear the name: the reader must tell them apart, so each place goes to another file.
            options = replace(options, files=options.entities)
        found = self._evidence(prepared, query, wording, vectors, scope, options)
        order, scores = self._order(prepared, query, found, scope, options, text_only)
        if traced := frame_entities(view, query.frames):
            order = list(dict.fromkeys([*traced, *asked]))[: options.entities]
            asked = [*traced, *asked]
        elif query.empty:
            order = in_order(view, scope.allowed)[: options.entities] if scope.allowed is not None else []
        distances = None if text_only else found.distances
        lines = traced or prepared.names.lines(query)
        candidates = tuple(_candidate(view, i, distances, scores[i], lines.get(i)) for i in order)
        relevant = bool(order) and (
            query.empty or bool(traced) or (self._relevant(prepared, query, wording, found, order) and not scope.empty)
        )
        if not relevant:
            candidates = candidates[:NEAREST_SHOWN]
        told = (*scope.warnings, *frames_told(view, query.frames, traced))
        told += abroad or unplaced(view, prepared.names, query, self._read)
        return Ranking(
            candidates,
            not relevant,
            len(set(asked) - set(order)) if relevant else 0,
            view.incomplete,
            view.embedding != self._embedder.fingerprint,
            found.store_warning,
            trouble,
            told,
        )

    def _asked(self, prepared: Prepared, query: Query, scope: Scope) -> list[int]:
        """Entities that the question asks for by name, or by filters alone."""
        if query.empty and scope.allowed is not None:
            return [int(i) for i in np.flatnonzero(scope.allowed)]
        named = [i for identifier in query.identifiers for i in prepared.names.exact(identifier)]
        if query.looked_up and query.paths:
            named = [*(prepared.names.lines(query) or prepared.names.modules(query))]
        return [int(i) for i in scope.keep(np.array(list(dict.fromkeys(named)), np.int64))]

    def _order(
        self,
        prepared: Prepared,
        query: Query,
        found: _Found,
        scope: Scope,
        options: SearchOptions,
        text_only: bool,
    ) -> tuple[list[int], Floats]:
        if scope.empty:
            # Nothing is let in; the nearest are named all the same.
            scope = Scope()
        if options.ranker == "classic" and not text_only:
            return self._classic(prepared, query, found, scope, options)
        at_line = np.isin(np.arange(len(prepared.view)), [*prepared.names.lines(query)])
        written = prepared.written if len(query.terms) >= MIN_TERMS else None
        return _hybrid(
            found, scope, options, text_only, written, np.where(at_line, np.arange(len(at_line)), prepared.speaker)
        )

    def _vectors(self, view: IndexView, query: Query, wording: Wording) -> tuple[Sequence[Vector], str]:
        """The question's vector and that of all it means, or none and what is wrong: then words answer alone."""
        text = " ".join(query.plain.split())
        if not text or view.embedding != self._embedder.fingerprint:
            return (), ""
        try:
            shares = (wording.share, 1.0 if wording.share else 0.0)
            vectors = [row[0] for row in meant_vectors(self._embedder, [text], [wording.meaning], *shares)]
        except EmbeddingError as error:
            return (), f"only words were compared: {error}"
        if not vectors[0].any():
            return (), ""  # the model knows none of the words: how far anything is cannot be told
        if len(vectors[0]) != view.vectors.shape[1] and view.vectors.any():
            return (), (
                f"only words were compared: the embedding model gives vectors of {len(vectors[0])} numbers now, the "
                f"index holds {view.vectors.shape[1]}; the next scan embeds again"
            )
        return vectors, ""

    def _cut(self, view: IndexView) -> float:
        """Squared L2 above which nothing is relevant; where no scan has measured it, distance alone lets nothing in."""
        cut = self._embedder.relevance_cut if view.relevance_cut is None else view.relevance_cut
        return 0.0 if cut is None else cut

    def _prepare(self) -> Prepared:
        view = self._views.get()
        with self._mutex:
            if self._prepared is None or self._prepared.view is not view:
                self._prepared = prepare(view, Lexicon(self._index, view.generation, len(view)), self._index)
            return self._prepared

    def _evidence(
        self,
        prepared: Prepared,
        query: Query,
        wording: Wording,
        vectors: Sequence[Vector],
        scope: Scope,
        options: SearchOptions,
    ) -> _Found:
        view = prepared.view
        lexical = wording.lexical
        named, placed = prepared.names.boosts(query), prepared.names.places(query)
        named += literal_boosts(self._index, prepared, query)
        distances, file_cosines = np.full(len(view), 2.0), np.zeros(len(view.files))
        nearest = Nearest(None)
        vector = vectors[0] if vectors else None
        if vector is not None:
            nearest = self._nearest(view, vector, POOL)
            others = np.flatnonzero(lexical + named + placed if scope.allowed is None else scope.allowed)
            distances = distances_of(view, vector, nearest, others).astype(np.float64)
            file_cosines = 1 - squared_distances(view.file_vectors, vector).astype(np.float64) / 2
        side_factor = prepared.side_factor(query.plain)
        side_factor[decisive_documents(lexical, view.file_of, prepared.written, len(query.terms))] = 1.0
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
            class_of=np.full(len(view), -1) if vector is None or unspaced(query.terms) else prepared.class_of,
            class_slack=prepared.class_slack,
        )
        if scope.allowed is not None and not scope.empty:
            inside = np.flatnonzero(scope.allowed)
            near = inside[np.argsort(distances[inside], kind="stable")][:POOL] if vector is not None else inside
        else:
            near = nearest_first(nearest, distances, POOL) if vector is not None else np.empty(0, np.int64)
        return _Found(evidence, distances, named + placed, placed, near, nearest.warning, vectors)

    def _classic(
        self, prepared: Prepared, query: Query, found: _Found, scope: Scope, options: SearchOptions
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
            self._cut(prepared.view) if cut is None else cut,
        )
        scores, order = np.zeros(len(distances)), near[places]
        scores[order] = values
        named_places = scope.keep(np.flatnonzero(found.placed))
        first = named_places[np.argsort(-found.placed[named_places], kind="stable")]
        shown = list(dict.fromkeys(int(i) for i in (*first, *order)))[: options.entities]
        return shown, scores + found.placed

    def _relevant(
        self, prepared: Prepared, query: Query, wording: Wording, found: _Found, order: Sequence[int]
    ) -> bool:
        if any(found.named[i] > 0 for i in order):
            return True
        entities = len(found.distances)
        counts = prepared.lexicon.frequencies(query.terms)
        # A number that the project does not hold says nothing of what is asked about.
        terms = [word for word in telling(query.terms, counts) if counts[word] or not word.isdigit()]
        counts = {word: counts[word] for word in terms}
        rows = [int(prepared.view.rowids[i]) for i in order]
        if coverage(counts, prepared.lexicon.holders(rows, terms), entities) >= MIN_COVERAGE:
            return True
        if not found.vectors:
            return False
        # As the cut is measured: by all that the question means.
        places, meant, view = [*order, *found.near], found.vectors[1], prepared.view
        matrices = (view.vectors[places], view.file_vectors)
        nearest = [float(squared_distances(matrix, meant).min()) for matrix in matrices]
        meaning = wording.meaning if wording.share > 0 else prepared.concepts.meaning(query.plain, query.terms)
        return sum(nearest) / 2 + strangeness(counts, meaning.understood, entities) <= self._cut(view)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    evidence: Evidence
    distances: Floats
    named: Floats
    placed: Floats
    near: Ints
    store_warning: str
    vectors: Sequence[Vector]


def _hybrid(
    found: _Found, scope: Scope, options: SearchOptions, text_only: bool, written: Flags | None, speaker: Ints
) -> tuple[list[int], Floats]:
    evidence = found.evidence
    scores: Scores = score(evidence)
    named = np.flatnonzero(evidence.name_boost)
    candidates: Ints = np.unique(np.concatenate((found.near, np.flatnonzero(evidence.lexical), named)))
    candidates = scope.keep(candidates)
    if options.distance_threshold is not None and not text_only:
        near = found.distances[candidates] <= options.distance_threshold
        candidates = candidates[near | (evidence.name_boost[candidates] > 0)]
    scores, candidates = folded(scores, candidates, speaker)
    order = group_by_file(scores, evidence.file_of, candidates, options.files, options.entities)
    if written is not None:
        order = with_best_section(order, evidence.lexical, evidence.file_of, written, candidates)
    return order, scores.entity


def _candidate(view: IndexView, i: int, distances: Floats | None, value: float, line: int | None) -> Candidate:
    file = view.files[int(view.file_of[i])]
    return Candidate(
        rowid=int(view.rowids[i]),
        entity_id=view.ids[i],
        name=view.names[i],
        qualified_name=view.qualified_names[i],
        file_path=file.path,
        sha256=file.sha256,
        # Without a vector of its own it is at no distance.
        distance=round(float(distances[i]), 4) if distances is not None and view.vectors[i].any() else None,
        score=round(float(value), 4),
        line=line,
    )
