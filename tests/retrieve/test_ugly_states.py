"""Questions in everyday words in odd states: a brain that cannot be written, a server away, other vectors, threads."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.as_nobody import PRELOAD_AND_LEAVE_ROOT
from tests.fake_embedder import FakeEmbedder
from tests.llm.vector_server import VectorServer, vector_server
from zerikai_memory.app import Memory
from zerikai_memory.embed.remote import QUESTION_DEADLINE_S, RemoteEmbedder
from zerikai_memory.errors import EmbeddingError
from zerikai_memory.retrieve.calibrate import calibrated_cut
from zerikai_memory.retrieve.concepts import Meaning, ProjectConcepts
from zerikai_memory.retrieve.query import understand
from zerikai_memory.retrieve.search import Ranking, Searcher, SearchOptions
from zerikai_memory.retrieve.wording import meant_vectors
from zerikai_memory.settings import Settings
from zerikai_memory.store.embedding_notes import Cut, note_cut
from zerikai_memory.store.lexical import index_stems
from zerikai_memory.store.postings import load_postings
from zerikai_memory.store.view import ViewCache

SOURCES = {
    "gzip_middleware.py": 'class GZipMiddleware:\n    """Compress the response with gzip."""\n\n'
    "    def encode(self, body):\n"
    "        return gzip.compress(body)\n",
    "locale.py": 'def get_language(user):\n    """Language of a user, for translation."""\n    return user.language\n',
    "session.py": 'class SessionStore:\n    """Keep a session in a cookie; Größe, naïve, 会话 cached."""\n\n'
    "    def load(self, key):\n"
    "        return self.cache[key]\n",
}
EVERYDAY = "squeeze the reply so that it travels faster"
QUESTIONS = (
    EVERYDAY,
    "which tongue does the visitor prefer",
    "remember who is visiting between two clicks",
    "valdate the langage of a sesion",
    "how do I poach salmon",
    "compress the response",
    "会话 how",
    "GZipMiddleware",
    "4711",
)


def write(folder: Path, sources: dict[str, str] = SOURCES) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in sources.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def memory_of(home: Path, **more: object) -> Memory:
    return Memory(Settings(home=home, vector_store="exact", **more))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, str]]:
    base = tmp_path_factory.mktemp("states")
    folder = write(base / "project")
    memory = memory_of(base / "home")
    memory.scan(str(folder))
    yield memory, str(folder)
    memory.close()


def searcher_of(project: tuple[Memory, str], embedder: object | None = None) -> Searcher:
    """A searcher that has not been asked yet."""
    memory, folder = project
    index = memory._brain.index(memory.resolve(folder).id)
    return Searcher(index, ViewCache(index), embedder or memory._embedder)


def asked(searcher: Searcher, question: str) -> Ranking:
    return searcher.search(understand(question), SearchOptions(files=3, entities=5))


READ_ONLY = (
    PRELOAD_AND_LEAVE_ROOT
    + """
memory = Memory(Settings(home=Path(sys.argv[1]), vector_store="exact"), cwd=Path("/"))
answer = memory.query(sys.argv[3], sys.argv[2])
print(answer.results[0].name, memory.query(sys.argv[3], sys.argv[2]).results[0].name)
memory.close()
"""
)


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of another kind")
def test_a_read_only_brain_understands_everyday_words(open_folder: Path) -> None:
    home, folder = open_folder / "brain", write(open_folder / "project")
    memory = memory_of(home)
    memory.scan(str(folder))
    memory.close()
    folders = [home, *(path for path in home.rglob("*") if path.is_dir())]
    for path in home.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    home.chmod(0o555)
    try:
        done = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(home), str(folder), EVERYDAY],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        for path in folders:
            path.chmod(0o755)
    assert (done.stdout, done.returncode) == ("GZipMiddleware GZipMiddleware\n", 0), done.stderr


def test_the_first_question_and_a_later_one_are_answered_alike(project: tuple[Memory, str]) -> None:
    later = searcher_of(project)
    for _ in range(2):
        asked(later, "anything")
    lexicon = later._prepare().lexicon
    lexicon.wait()
    assert lexicon.in_memory
    for question in QUESTIONS:
        assert asked(searcher_of(project), question) == asked(later, question), question


def test_stems_in_memory_and_on_disk_are_the_same_after_files_have_gone(tmp_path: Path) -> None:
    folder = write(tmp_path / "project")
    memory = memory_of(tmp_path / "home")
    index = memory._brain.index(memory.scan(str(folder)).workspace_id)
    (folder / "locale.py").unlink()
    write(folder, {"session.py": "def keep_cookie(größe):\n    return größe\n"})
    memory.scan(str(folder))
    stems, postings = index_stems(index), load_postings(index, index.generation())
    memory.close()
    assert postings is not None
    assert stems == set(postings.terms)
    assert not {"languag", "session_", "cach"} & stems


SAID = """
import sys
from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings
from pathlib import Path
memory = Memory(Settings(home=Path(sys.argv[1]), vector_store="exact"), cwd=Path("/"))
for question in sys.argv[3:]:
    answer = memory.query(question, sys.argv[2])
    print([(hit.entity_id, hit.distance, hit.score) for hit in answer.results], answer.nothing_relevant)
memory.close()
"""


def test_two_processes_give_the_same_answers(project: tuple[Memory, str]) -> None:
    memory, folder = project
    said = []
    for seed, questions in (("1", QUESTIONS), ("2", QUESTIONS[::-1])):
        done = subprocess.run(
            [sys.executable, "-c", SAID, str(memory.settings.home), folder, *questions],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        said.append(dict(zip(questions, done.stdout.splitlines(), strict=True)))
    assert said[0] == said[1]


LOADED = """
import sys
from pathlib import Path
from zerikai_memory import app, cli
from zerikai_memory.mcp_server import server
from zerikai_memory.embed import static
from zerikai_memory.retrieve import concepts
from zerikai_memory.retrieve.query import understand
from zerikai_memory.retrieve.search import Searcher, SearchOptions
from zerikai_memory.settings import Settings
from zerikai_memory.store.view import ViewCache
print(static._loaded is None, concepts._loaded is None)
memory = app.Memory(Settings(home=Path(sys.argv[1]), vector_store="exact"), cwd=Path("/"))
index = memory._brain.index(memory.resolve(sys.argv[2]).id)
searcher = Searcher(index, ViewCache(index), memory._embedder)
for question in sys.argv[3:]:
    searcher.search(understand(question), SearchOptions(3, 5))
    print(static._loaded is None, concepts._loaded is None)
memory.close()
"""


def test_the_tables_are_read_when_a_question_needs_them(project: tuple[Memory, str]) -> None:
    memory, folder = project
    questions = ("lang:python", "compress the response", EVERYDAY)
    arguments = [str(memory.settings.home), folder, *questions]
    done = subprocess.run([sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["True True", "True True", "False True", "False False"], done.stderr


def test_threads_that_ask_at_once_get_what_one_gets(project: tuple[Memory, str]) -> None:
    alone = {question: asked(searcher_of(project), question) for question in QUESTIONS}
    searcher = searcher_of(project)
    with ThreadPoolExecutor(16) as pool:
        questions = QUESTIONS * 8
        for question, answer in zip(questions, pool.map(lambda q: asked(searcher, q), questions), strict=True):
            assert answer == alone[question], question


class Failing(FakeEmbedder):
    """Gives vectors for so many calls and fails then."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.calls = calls

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        if not self.calls:
            raise EmbeddingError("the model has gone")
        self.calls -= 1
        return super().encode(texts)


@pytest.fixture(scope="module")
def faked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Memory, str]]:
    """A project with the vectors of the fake embedding."""
    base = tmp_path_factory.mktemp("faked")
    folder = write(base / "project")
    memory = Memory(Settings(home=base / "home", vector_store="exact"), embedder=FakeEmbedder())
    memory.scan(str(folder))
    yield memory, str(folder)
    memory.close()


@pytest.mark.parametrize("calls", [0, 1])
def test_an_embedding_that_fails_meanwhile_leaves_the_words_and_what_they_mean(
    faked: tuple[Memory, str], calls: int
) -> None:
    with_vectors = asked(searcher_of(faked, Failing(calls=2)), EVERYDAY)
    without = asked(searcher_of(faked, Failing(calls=calls)), EVERYDAY)
    assert with_vectors.candidates[0].distance is not None
    assert without.candidates[0].file_path == "gzip_middleware.py"
    assert without.candidates[0].distance is None
    assert without.embedding_warning == "only words were compared: the model has gone"


def test_a_model_of_another_length_is_not_compared(faked: tuple[Memory, str]) -> None:
    other = FakeEmbedder(dimensions=16)
    other.fingerprint = FakeEmbedder().fingerprint
    ranking = asked(searcher_of(faked, other), EVERYDAY)
    assert "vectors of 16 numbers now, the index holds 64" in ranking.embedding_warning
    memory, folder = faked
    index = memory._brain.index(memory.resolve(folder).id)
    with pytest.raises(EmbeddingError, match="vectors of 16 numbers now, the index holds 64"):
        calibrated_cut(index, ViewCache(index).get(), other)


def test_an_index_of_another_embedding_is_asked_by_words_and_what_they_mean(project: tuple[Memory, str]) -> None:
    ranking = asked(searcher_of(project, FakeEmbedder()), EVERYDAY)
    assert ranking.text_only
    assert not ranking.embedding_warning
    assert ranking.candidates[0].file_path == "gzip_middleware.py"


def test_a_cut_that_is_measured_later_counts_for_those_who_keep_the_vectors(tmp_path: Path) -> None:
    folder = write(tmp_path / "project")
    memory = memory_of(tmp_path / "home")
    index = memory._brain.index(memory.scan(str(folder)).workspace_id)
    views = ViewCache(index)
    measured = views.get().relevance_cut
    assert measured is not None
    with index.database.write() as connection:
        # As an older version leaves it, which measured something else under another name.
        connection.execute("UPDATE meta SET key = 'relevance_cut' WHERE key = 'relevance_cut_2'")
        connection.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    assert views.get().relevance_cut is None
    report = memory.scan(str(folder))
    memory.close()
    assert report.kept == len(SOURCES)
    assert views.get().relevance_cut == measured


def test_the_same_cut_noted_again_changes_nothing(project: tuple[Memory, str]) -> None:
    memory, folder = project
    index = memory._brain.index(memory.resolve(folder).id)
    noted = [(note_cut(index, Cut(1.5, 3, "other")), index.generation())[1] for _ in range(2)]
    memory.scan(folder)
    assert noted[0] == noted[1]


@pytest.fixture
def server() -> Iterator[VectorServer]:
    with vector_server() as running:
        yield running


@pytest.mark.parametrize("question", [EVERYDAY, "compress the response"])
def test_a_server_that_has_failed_once_holds_up_no_question(
    server: VectorServer, tmp_path: Path, question: str
) -> None:
    folder = write(tmp_path / "project")
    memory = memory_of(tmp_path / "home", embedding="ollama:tiny", ollama_host=server.url)
    memory.scan(str(folder))
    server.statuses[:] = [401] * 50
    told = []
    for _ in range(3):
        warnings = memory.query(question, str(folder)).warnings
        told.append((any("only words were compared" in warning for warning in warnings), len(server.inputs)))
    memory.close()
    assert told == [(True, told[0][1])] * 3


class Recording:
    """A model server that notes how long it was given, and fails."""

    name = "recording"

    def __init__(self) -> None:
        self.deadlines: list[float] = []

    def vectors(self, texts: Sequence[str], deadline_s: float) -> Sequence[Sequence[float]]:
        self.deadlines.append(deadline_s)
        raise EmbeddingError("away")


def test_a_question_with_what_it_means_waits_no_longer_than_one_without() -> None:
    source = Recording()
    embedder = RemoteEmbedder(source, clock=lambda: 0.0)
    for _ in range(2):
        with pytest.raises(EmbeddingError):
            meant_vectors(embedder, ["squeeze the reply"], [Meaning(("compress", "gzip"))], 1.0)
    assert source.deadlines == [QUESTION_DEADLINE_S]


def test_a_question_without_a_word_asks_no_server(server: VectorServer, tmp_path: Path) -> None:
    folder = write(tmp_path / "project")
    settings = {"embedding": "ollama:tiny", "ollama_host": server.url}
    first = memory_of(tmp_path / "home", **settings)
    first.scan(str(folder))
    first.close()
    before = len(server.inputs)
    again = memory_of(tmp_path / "home", **settings)
    searcher = searcher_of((again, str(folder)))
    for question in ("lang:python", "kind:class", "", "???"):
        asked(searcher, question)
    again.close()
    assert len(server.inputs) == before


def test_lines_of_a_question_are_no_title_and_text(project: tuple[Memory, str]) -> None:
    lines = "squeeze the reply\nso that it\n\n  travels faster"
    assert asked(searcher_of(project), lines) == asked(searcher_of(project), " ".join(lines.split()))
    words = lines.split()
    concepts = ProjectConcepts(lambda: frozenset(["gzip", "compress", "respons"]))
    assert concepts.meaning(lines, words) == concepts.meaning(" ".join(words), words)
