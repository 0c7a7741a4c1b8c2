"""A model server as the embedding of a workspace: scanned, asked, away, replaced."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.llm.vector_server import VectorServer, vector_server
from zerikai_memory.app import Memory
from zerikai_memory.errors import EmbeddingError
from zerikai_memory.retrieve.calibrate import MOST
from zerikai_memory.settings import Settings

KINDS = ("ollama", "openai")


@pytest.fixture
def server() -> Iterator[VectorServer]:
    with vector_server() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shop.py").write_text(
        'def open_till(amount):\n    """Open the till with an amount."""\n    return amount\n'
    )
    (folder / "mail.py").write_text("def send_receipt(address):\n    return address\n")
    return folder


def memory_of(tmp_path: Path, embedding: str, url: str, **more: object) -> Memory:
    settings = Settings(home=tmp_path / "home", vector_store="exact", embedding=embedding, ollama_host=url, **more)
    return Memory(settings, cwd=tmp_path)


def name_for(kind: str, url: str) -> str:
    return "ollama:tiny" if kind == "ollama" else f"openai:tiny@{url}/v1"


@pytest.mark.parametrize("kind", KINDS)
def test_a_project_is_scanned_and_asked_with_it(kind: str, server: VectorServer, project: Path, tmp_path: Path) -> None:
    memory = memory_of(tmp_path, name_for(kind, server.url), server.url)
    report = memory.scan(str(project))
    answer = memory.query("open the till", str(project))
    view = memory._brain.view(report.workspace_id).get()
    memory.close()
    assert (report.status, report.warnings) == ("completed", ())
    assert view.vectors.shape[1] == 32
    assert 0 < view.relevance_cut <= MOST
    assert answer.results[0].name == "open_till"
    assert answer.results[0].distance < 2
    assert not answer.warnings


@pytest.mark.parametrize("kind", KINDS)
def test_words_answer_alone_while_the_server_is_away(
    kind: str, server: VectorServer, project: Path, tmp_path: Path
) -> None:
    memory = memory_of(tmp_path, name_for(kind, server.url), server.url)
    memory.scan(str(project))
    server.statuses[:] = [500] * 50
    answer = memory.query("open the till", str(project))
    note = memory.save("the till opens at nine", str(project))
    found = memory.query("when does the till open", str(project), category="fact")
    memory.close()
    assert answer.results[0].name == "open_till"
    assert answer.results[0].distance is None
    assert any("only words were compared" in warning and "EMBEDDING=" in warning for warning in answer.warnings)
    assert [kept.id for kept in found.notes] == [note.id]


def test_notes_never_go_to_the_server(server: VectorServer, project: Path, tmp_path: Path) -> None:
    memory = memory_of(tmp_path, "ollama:tiny", server.url)
    memory.scan(str(project))
    memory.save("the alarm code is kept by Ada", str(project))
    memory.query("who keeps the alarm code", str(project), category="fact")
    memory.close()
    assert "Ada" not in str(server.inputs)


@pytest.mark.parametrize("kind", KINDS)
def test_a_scan_without_the_server_says_so_and_loses_nothing(
    kind: str, server: VectorServer, project: Path, tmp_path: Path
) -> None:
    first = memory_of(tmp_path, "static", server.url)
    before = first.scan(str(project))
    first.close()
    server.statuses[:] = [401] * 50 if kind == "openai" else [404] * 50
    second = memory_of(tmp_path, name_for(kind, server.url), server.url)
    with pytest.raises(EmbeddingError, match=r"EMBEDDING=.*what was indexed before stays"):
        second.scan(str(project))
    words = second.query("open the till", str(project))
    second.close()
    third = memory_of(tmp_path, "static", server.url)
    after = third.query("open the till", str(project))
    entities = len(third.entities(str(project)))
    third.close()
    assert any("embedding model differs" in warning for warning in words.warnings)
    assert entities == before.entities
    assert after.results[0].distance is not None
    assert not after.warnings


def test_a_server_that_dies_within_a_scan_leaves_what_was_written_and_the_next_scan_goes_on(
    server: VectorServer, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    for number in range(12):
        body = "".join(f"def f_{number}_{i}():\n    return {i}\n" for i in range(60))
        (folder / f"m{number}.py").write_text(body)
    memory = memory_of(tmp_path, "ollama:tiny", server.url)
    asked = len(server.inputs)
    server.statuses[:] = [200] * 0
    original = server.inputs

    class Dying(list):  # type: ignore[type-arg]
        def append(self, item: list[str]) -> None:
            super().append(item)
            if len(self) - asked > 9:
                server.statuses[:] = [404]

    server.inputs = Dying(original)
    with pytest.raises(EmbeddingError):
        memory.scan(str(folder))
    partly = len(memory.entities(str(folder)))
    server.inputs, server.statuses = [], []
    report = memory.scan(str(folder))
    memory.close()
    assert 0 < partly < report.entities
    assert 0 < report.embedded < report.entities + report.files


def test_another_model_under_the_same_name_is_noticed_and_embeds_everything_again(
    server: VectorServer, project: Path, tmp_path: Path
) -> None:
    first = memory_of(tmp_path, "ollama:tiny", server.url)
    first.scan(str(project))
    first.close()
    server.dimensions = 16
    second = memory_of(tmp_path, "ollama:tiny", server.url)
    words = second.query("open the till", str(project))
    (project / "new.py").write_text("def count_coins():\n    return 3\n")
    report = second.scan(str(project))
    answer = second.query("open the till", str(project))
    view = second._brain.view(report.workspace_id).get()
    second.close()
    assert any("16 numbers now, the index holds 32" in warning for warning in words.warnings)
    assert words.results[0].name == "open_till"
    assert any("everything was embedded again" in warning for warning in report.warnings)
    assert view.vectors.shape[1] == 16
    assert view.vectors.any(axis=1).all()
    assert answer.results[0].distance is not None


def test_behind_the_wall_a_scan_is_refused(server: VectorServer, project: Path, tmp_path: Path) -> None:
    memory = memory_of(tmp_path, "openai:m@https://api.openai.com/v1", server.url)
    with pytest.raises(EmbeddingError, match="MEMORY_MODE=local"):
        memory.scan(str(project))
    memory.close()


def test_the_cut_is_measured_again_when_the_project_has_grown(
    server: VectorServer, project: Path, tmp_path: Path
) -> None:
    memory = memory_of(tmp_path, "ollama:tiny", server.url)
    memory.scan(str(project))
    asked = sum(map(len, server.inputs))
    memory.scan(str(project))
    assert sum(map(len, server.inputs)) == asked
    (project / "more.py").write_text("".join(f"def more_{i}():\n    return {i}\n" for i in range(9)))
    memory.scan(str(project))
    memory.close()
    assert sum(map(len, server.inputs)) >= asked + 60
