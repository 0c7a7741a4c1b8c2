"""All values of VECTOR_STORE give the same answers, and trouble with Chroma is never in the way of one."""

import json
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.store.chroma_server import chroma_server, free_port
from tests.store.mirror_cases import SpreadEmbedder
from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings
from zerikai_memory.store.mirrors import MirrorOptions

pytestmark = pytest.mark.filterwarnings("ignore")

WORDS = "open close parse render send receive store load check merge split join rank route price cite".split()
THINGS = "basket invoice request template session token vector header cookie socket table index".split()
QUESTIONS = (
    "how is a basket parsed",
    "render_template",
    "where do we send the session token",
    "merge and split of a table with an index",
    "check the price of an invoice",
    "socket",
)


def write_project(folder: Path) -> None:
    """Four files of 192 functions and classes: more than the ranking takes from any one source."""
    folder.mkdir(exist_ok=True)
    for part in range(4):
        lines = [f'"""Part {part} of the shop."""\n']
        for i, word in enumerate(WORDS):
            for thing in THINGS[part * 3 : part * 3 + 3]:
                lines.append(f'def {word}_{thing}(value, {thing}_{i}):\n    """{word.title()} the {thing}."""\n')
                lines.append(f"    return {word}(value)\n\n\n")
        (folder / f"part_{part}.py").write_text("".join(lines))


def memory_of(home: Path, store: str, url: str = "", **bounds: float) -> Memory:
    settings = Settings(home=home, vector_store=store)
    options = MirrorOptions(store, url, **({"search_wait_s": 20.0} | bounds))
    return Memory(settings, cwd=home.parent, embedder=SpreadEmbedder(), mirror=options)


def hits(memory: Memory, project: Path, ranker: str) -> list[list[tuple]]:
    found = []
    for question in QUESTIONS:
        memory.settings = Settings(home=memory.settings.home, ranker=ranker, query_distance_threshold=None)
        answer = memory.query(question, str(project), limit=10)
        assert answer.warnings == ()
        found.append([(hit.qualified_name, hit.file_path, hit.distance, hit.score) for hit in answer.results])
    return found


def test_all_four_stores_give_the_same_hits_and_distances(tmp_path: Path) -> None:
    home, project = tmp_path / "brain", tmp_path / "project"
    write_project(project)
    port = free_port()
    with ExitStack() as stack:
        url = stack.enter_context(chroma_server(tmp_path / "server", port))
        found = {}
        for name, store, bounds in (
            ("exact", "exact", {}),
            ("auto", "auto", {}),
            ("auto, many", "auto", {"auto_exact_up_to": 10}),
            ("chroma", "chroma", {}),
            ("chroma-http", "chroma-http", {}),
        ):
            memory = memory_of(home, store, url, **bounds)
            try:
                report = memory.scan(str(project), mirror_wait_s=60)
                assert report.warnings == ()
                if name == "auto, many":
                    wait_until_open(memory, project)
                found[name] = [hits(memory, project, ranker) for ranker in ("hybrid", "classic")]
                workers = memory._mirrors._workers.values()
                jobs = {worker.task.job for worker in workers if worker.alive and worker.task.job == "serve"}
                assert jobs == ({"serve"} if name in ("auto, many", "chroma", "chroma-http") else set())
            finally:
                memory.close()
    assert any(found["exact"][0])
    for name, answers in found.items():
        assert answers == found["exact"], name


def wait_until_open(memory: Memory, project: Path) -> None:
    """Under auto no question waits for Chroma, so the first ones are answered exactly."""
    memory.query("socket", str(project))
    (worker,) = memory._mirrors._workers.values()
    deadline = time.monotonic() + 60
    while worker.left is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_server_that_is_not_there_goes_and_comes_back(tmp_path: Path) -> None:
    home, project, port = tmp_path / "brain", tmp_path / "project", free_port()
    write_project(project)
    url = f"http://127.0.0.1:{port}"
    memory = memory_of(home, "chroma-http", url, retry_s=0.0)
    try:
        report = memory.scan(str(project), mirror_wait_s=30)
        (warning,) = report.warnings
        assert "mirror is not up to date" in warning
        exact = answered(memory, project, "Chroma did not answer")
        with chroma_server(tmp_path / "server", port):
            assert answered(memory, project, "") == exact
            (collection,) = collections(url)
            assert collection["metadata"]["embedding"] == SpreadEmbedder().fingerprint
        assert answered(memory, project, "Chroma did not answer") == exact
        with chroma_server(tmp_path / "server", port):
            assert answered(memory, project, "") == exact
        with chroma_server(tmp_path / "empty", port):  # a server that lost everything is filled again
            assert answered(memory, project, "") == exact
            memory.drop(str(project))
            assert collections(url) == []
    finally:
        memory.close()


def answered(memory: Memory, project: Path, warning: str) -> list[tuple]:
    """The hits of a question, with a warning that says so when Chroma did not answer, or without any."""
    answer = memory.query("render the template", str(project), limit=8)
    assert len(answer.warnings) == bool(warning), answer.warnings
    assert warning in "".join(answer.warnings)
    return [(hit.qualified_name, hit.distance) for hit in answer.results]


def collections(url: str) -> list[dict]:
    import urllib.request

    path = "/api/v2/tenants/default_tenant/databases/default_database/collections"
    with urllib.request.urlopen(url + path, timeout=10) as reply:
        found: list[dict] = json.load(reply)
        return found


def test_several_windows_answer_by_one_server_and_one_of_them_by_one_folder(tmp_path: Path) -> None:
    project, port = tmp_path / "project", free_port()
    write_project(project)
    with ExitStack() as stack:
        url = stack.enter_context(chroma_server(tmp_path / "server", port))
        for store in ("chroma-http", "chroma"):
            first, second = (memory_of(tmp_path / "brain", store, url) for _ in range(2))
            stack.callback(first.close)
            stack.callback(second.close)
            first.scan(str(project), mirror_wait_s=60)
            assert answered(first, project, "") == answered(second, project, "")
            (project / "new.py").write_text(f"def render_the_template_{store[-4:]}(template): pass\n")
            second.scan(str(project))
            assert f"render_the_template_{store[-4:]}" in dict(answered(first, project, ""))
            assert answered(second, project, "") == answered(first, project, "")


def test_a_server_that_accepts_and_never_answers_costs_a_bounded_wait(tmp_path: Path) -> None:
    import socket

    project = tmp_path / "project"
    write_project(project)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        memory = memory_of(tmp_path / "brain", "chroma-http", url, start_wait_s=1.5, search_wait_s=0.5)
        try:
            memory.scan(str(project))
            began = time.monotonic()
            answered(memory, project, "Chroma did not answer")
            answered(memory, project, "Chroma did not answer")  # and the next one does not wait at all
            assert time.monotonic() - began < 30
        finally:
            memory.close()


def test_exact_never_starts_a_mirror(tmp_path: Path) -> None:
    project = tmp_path / "project"
    write_project(project)
    memory = memory_of(tmp_path / "brain", "exact")
    try:
        memory.scan(str(project), mirror_wait_s=5)
        memory.query("socket", str(project))
        assert memory._mirrors._workers == {}
        assert not (tmp_path / "brain" / "vector_db").exists()
    finally:
        memory.close()
