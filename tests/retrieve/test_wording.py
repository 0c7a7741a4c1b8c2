"""When words of code are looked up beside a question's own, and what they do to its vector."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.retrieve.plain_project import scanned
from zerikai_memory.app import Memory
from zerikai_memory.embed.static import StaticEmbedder
from zerikai_memory.model import QueryAnswer
from zerikai_memory.retrieve.concepts import Meaning
from zerikai_memory.retrieve.prepared import Prepared, prepare
from zerikai_memory.retrieve.query import understand
from zerikai_memory.retrieve.scope import Scope
from zerikai_memory.retrieve.wording import Wording, meant_vectors, wording_of
from zerikai_memory.store.lexical import Lexicon


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, str]]:
    with scanned(tmp_path_factory.mktemp("wording")) as both:
        yield both


@pytest.fixture(scope="module")
def prepared(project: tuple[Memory, str]) -> Prepared:
    memory, folder = project
    workspace = memory.resolve(folder).id
    view = memory._brain.view(workspace).get()
    index = memory._brain.index(workspace)
    return prepare(view, Lexicon(index, view.generation, len(view)), index)


def asked(prepared: Prepared, question: str) -> Wording:
    return wording_of(prepared, understand(question), Scope(), 200)


def answered(project: tuple[Memory, str], question: str) -> QueryAnswer:
    memory, folder = project
    return memory.query(question, folder)


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("squeeze the reply so that it travels faster", "gzip_middleware.py"),
        ("which tongue does the visitor prefer", "locale.py"),
        ("remember who is visiting between two clicks", "session.py"),
    ],
)
def test_a_question_that_shares_no_word_finds_its_file(project: tuple[Memory, str], question: str, file: str) -> None:
    assert answered(project, question).results[0].file_path == file


@pytest.mark.parametrize(
    "question", ["compress the response with gzip", "language of a user", "get_language", "routes.py"]
)
def test_a_question_in_the_project_s_own_words_is_looked_up_as_it_is(prepared: Prepared, question: str) -> None:
    wording = asked(prepared, question)
    assert wording.share == 0
    assert wording.meaning == Meaning()


def test_the_less_the_project_says_the_more_counts_what_is_meant(prepared: Prepared) -> None:
    strange = asked(prepared, "squeeze the reply so that it travels faster")
    halfway = asked(prepared, "squeeze the response")
    assert strange.share == 1
    assert 0 < halfway.share < 1
    assert "compress" in halfway.meaning.words
    assert (strange.lexical > 0).any()


def test_a_question_in_another_language_means_nothing_here(prepared: Prepared) -> None:
    assert asked(prepared, "wie läuft die Bestellung ab").share == 0


def test_the_vector_goes_towards_what_is_meant_by_its_share() -> None:
    embedder = StaticEmbedder()
    text, meaning = "squeeze the reply", Meaning(("compress", "gzip", "response"))
    asked_for, meant = embedder.encode([text, "compress gzip response"])
    vectors = [matrix[0] for matrix in meant_vectors(embedder, [text], [meaning], 0.0, 0.5, 1.0)]
    assert np.allclose(vectors[0], asked_for)
    nearness = [float(vector @ meant) for vector in vectors]
    assert nearness == sorted(nearness)
    assert nearness[0] < nearness[2]
    assert np.allclose([np.linalg.norm(vector) for vector in vectors], 1, atol=1e-5)


def test_a_vector_of_unknown_words_stays_zero() -> None:
    assert not meant_vectors(StaticEmbedder(), ["???"], [Meaning()], 1.0)[0].any()


@pytest.mark.parametrize("question", ["where is user 4711 of 93", "session 12", "add path 5 to 6 7 8 9"])
def test_numbers_that_the_project_does_not_hold_refuse_nothing(project: tuple[Memory, str], question: str) -> None:
    assert not answered(project, question).nothing_relevant
