from pathlib import Path

import numpy as np
import pytest

from tests.store.mirror_cases import SpreadEmbedder, functions, index_of, put
from zerikai_memory.retrieve import nearness
from zerikai_memory.retrieve.query import understand
from zerikai_memory.retrieve.search import Searcher, SearchOptions
from zerikai_memory.store.vectors import ExactVectorIndex, Nearest, distances_around
from zerikai_memory.store.view import ViewCache


@pytest.fixture
def index(tmp_path: Path):
    index = index_of(tmp_path)
    put(index, tmp_path / "src", many=functions(400), more=functions(400, start=400))
    yield index
    index.close()


def test_around_what_another_index_found_distances_are_real_and_the_rest_is_at_the_median(index) -> None:
    view = ViewCache(index).get()
    query = SpreadEmbedder().encode(["handler request"])[0]
    exact = ExactVectorIndex(view).distances(query)
    near = np.argsort(exact)[:20]
    assert np.array_equal(distances_around(view, query, near, len(view)), exact)
    found = distances_around(view, query, near, 100)
    assert np.array_equal(found[near], exact[near])
    rest = np.delete(found, near)
    assert len(set(rest.tolist())) == 1
    assert rest[0] == pytest.approx(np.median(exact), abs=0.05)


@pytest.mark.parametrize("ranker", ["hybrid", "classic"])
@pytest.mark.parametrize("question", ["handler_77", "how is request 512 handled", "send 3"])
def test_a_large_index_ranks_by_the_nearest_of_another_index_as_by_all_distances(
    index, monkeypatch, question: str, ranker: str
) -> None:
    def nearest(view, query, k) -> Nearest:
        return Nearest(np.argsort(ExactVectorIndex(view).distances(query), kind="stable")[:k])

    options = SearchOptions(files=2, entities=5, ranker=ranker)
    exact = Searcher(index, ViewCache(index), SpreadEmbedder()).search(understand(question), options)
    monkeypatch.setattr(nearness, "DISTANCES_UP_TO", 100)
    found = Searcher(index, ViewCache(index), SpreadEmbedder(), nearest).search(understand(question), options)
    assert [c.entity_id for c in found.candidates] == [c.entity_id for c in exact.candidates]
    assert [c.distance for c in found.candidates] == [c.distance for c in exact.candidates]


def test_a_warning_of_the_store_reaches_the_ranking(index) -> None:
    searcher = Searcher(index, ViewCache(index), SpreadEmbedder(), lambda *_: Nearest(None, "Chroma did not answer"))
    ranking = searcher.search(understand("handler"), SearchOptions(files=2, entities=5))
    assert ranking.store_warning == "Chroma did not answer"
