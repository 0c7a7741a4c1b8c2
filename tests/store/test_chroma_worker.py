"""The worker process over a real Chroma folder: few starts, because each imports chromadb for a second or two."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tests.store.mirror_cases import (
    SHOP,
    WORKSPACE,
    SpreadEmbedder,
    chroma_folder,
    functions,
    index_of,
    left,
    put,
    vectors_of,
)
from zerikai_memory.store.mirror_process import MirrorProcess, NotReady
from zerikai_memory.store.mirror_state import MirrorState, remove_mirrors
from zerikai_memory.store.mirror_task import WorkerTask, worker_command, worker_environment
from zerikai_memory.store.vectors import MirrorError

# chromadb's own warnings in the tests that open its folder are not ours.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def index(tmp_path: Path):
    index = index_of(tmp_path)
    put(index, tmp_path / "src", shop=SHOP, empty="", many=functions(60))
    yield index
    index.close()


@pytest.fixture
def state(tmp_path: Path):
    state = MirrorState(tmp_path, WORKSPACE)
    yield state
    state.close()


@pytest.fixture
def start(tmp_path: Path, index):
    workers = []

    def start(job: str, **options) -> MirrorProcess:
        worker = MirrorProcess(WorkerTask(str(tmp_path), str(index.path), WORKSPACE, job), **options)
        workers.append(worker)
        return worker

    yield start
    for worker in workers:
        worker.stop()


def drained(worker: MirrorProcess) -> None:
    assert worker.wait_drained(60, lambda _: True), worker.trouble


def ended(worker: MirrorProcess) -> None:
    deadline = time.monotonic() + 60
    while worker.alive:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_worker_mirrors_full_records_answers_like_the_exact_index_and_follows_changes(
    index, state, start, tmp_path: Path
) -> None:
    worker = start("serve")
    drained(worker)
    assert left(index) == 0
    vectors = vectors_of(index)
    query = SpreadEmbedder().encode(["handler request send"])[0]
    exact = {entity: 2 - 2 * float(vector @ query) for entity, vector in vectors.items() if vector.any()}
    ids, distances = worker.search(query, len(vectors), 20)
    assert set(ids) == set(exact)
    assert np.allclose(distances, [exact[entity] for entity in ids], atol=2e-3)
    assert list(distances) == sorted(distances)

    # Another worker must not open the same folder: it waits, and says who cannot answer.
    second = start("serve")
    with pytest.raises(NotReady, match="another process"):
        second.search(query, 3, 20)
    second.stop()

    put(index, tmp_path / "src", many=functions(60, start=1000), shop=None)
    ids, _ = worker.search(query, 200, 20)
    assert set(ids) == {entity for entity, vector in vectors_of(index).items() if vector.any()}
    assert left(index) == 0
    worker.stop()
    assert state.get("open") == ""

    with chroma_folder(state.build_folder()) as collection:
        assert collection.name == state.collection()
        assert collection.metadata == {"workspace": WORKSPACE, "embedding": SpreadEmbedder().fingerprint}
        found = collection.get(include=["documents", "metadatas", "embeddings"])
    entities = {entity.id: entity for entity in index.entities()}
    assert set(found["ids"]) == set(entities)
    assert {frozenset(metadata) for metadata in found["metadatas"]} == {
        frozenset(
            "language entity_type name qualified_name file_path start_line line_number end_line parent parent_class"
            " return_type param_count decorators has_docstring".split()
        )
    }
    for entity, metadata, document in zip(found["ids"], found["metadatas"], found["documents"], strict=True):
        assert metadata["start_line"] == metadata["line_number"] == entities[entity].start_line
        assert document
    assert len(list(state.folder.glob("g*"))) == 1


def test_killed_while_it_writes_the_next_worker_brings_the_mirror_up_to_the_index(index, state, start) -> None:
    worker = start("drain")
    while worker.left is None:
        time.sleep(0.01)
    os.kill(worker._process.pid, signal.SIGKILL)
    ended(worker)
    assert state.get("open")
    worker = start("drain")
    drained(worker)
    ended(worker)
    assert (left(index), state.count(), state.get("open")) == (0, len(index.entities()), "")


def test_a_folder_whose_files_are_damaged_is_replaced_and_never_answers_wrong(index, state, start, tmp_path) -> None:
    worker = start("drain")
    drained(worker)
    ended(worker)
    database = state.build_folder() / "chroma.sqlite3"
    content = bytearray(database.read_bytes())
    content[4096 : len(content) // 2] = b"\xa5" * (len(content) // 2 - 4096)
    database.write_bytes(content)
    worker = start("serve")
    drained(worker)
    query = SpreadEmbedder().encode(["handler"])[0]
    put(index, tmp_path / "src", more="def more(): pass\n")
    ids, _ = worker.search(query, 200, 30)
    assert len(ids) == sum(vector.any() for vector in vectors_of(index).values())
    worker.stop()
    assert state.build == 2
    assert [path.name for path in state.folder.glob("g*")] == ["g2"]


def test_a_drop_ends_a_foreign_worker_and_leaves_no_text_on_disk(index, state, start, tmp_path: Path) -> None:
    worker = start("serve")
    drained(worker)
    index.close()
    for path in index.path.parent.glob(f"{WORKSPACE}*"):
        path.unlink()
    state.close()
    assert remove_mirrors(tmp_path, WORKSPACE)
    ended(worker)
    assert list((tmp_path / "vector_db").rglob("*")) == []


PARENT = """
import sys, time
from zerikai_memory.store.mirror_process import MirrorProcess
from zerikai_memory.store.mirror_task import WorkerTask
worker = MirrorProcess(WorkerTask(*sys.argv[1:]))
print(worker._process.pid, flush=True)
while worker.left is None:
    time.sleep(0.01)
print("at work", flush=True)
time.sleep(600)
"""


def test_a_worker_does_not_outlive_a_parent_that_was_killed(index, tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path), str(index.path), WORKSPACE, "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert parent.stdout.readline() == "at work\n"
        parent.kill()
    deadline = time.monotonic() + 60
    while running(pid):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def running(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not yet collected does not."""
    try:
        os.kill(pid, 0)
        status = Path(f"/proc/{pid}/stat")
        return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def test_a_worker_that_is_told_to_end_within_its_delay_does_nothing(start, tmp_path: Path) -> None:
    worker = start("drain", delay_s=30.0)
    began = time.monotonic()
    worker.stop()
    assert time.monotonic() - began < 20
    assert not (tmp_path / "vector_db").exists()


def test_a_worker_that_dies_is_an_error_and_not_a_wait(index, start) -> None:
    worker = start("serve")
    os.kill(worker._process.pid, signal.SIGSEGV)
    with pytest.raises(MirrorError, match="ended"):
        worker.search(np.ones(64, np.float32), 3, 20)


def test_chroma_reads_no_settings_of_the_folder_we_stand_in(tmp_path: Path, index) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / ".env").write_text("chroma_server_host=evil.example\nis_persistent=maybe\n")
    (project / "chromadb.py").write_text("raise SystemExit('foreign code')\n")
    program = (
        "import sys; from zerikai_memory.store.mirror_process import MirrorProcess\n"
        "from zerikai_memory.store.mirror_task import WorkerTask\n"
        "worker = MirrorProcess(WorkerTask(*sys.argv[1:]))\n"
        "print(worker.wait_drained(60, lambda _: True), worker.trouble); worker.stop()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), str(index.path), WORKSPACE, "drain"],
        cwd=project, capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.stdout.strip() == "True", done.stderr


def test_a_worker_replies_with_nothing_but_json_lines(tmp_path: Path, index) -> None:
    task = WorkerTask(str(tmp_path), str(index.path), WORKSPACE, "drain")
    done = subprocess.run(
        worker_command(task), input=b"", capture_output=True, timeout=90, check=False, env=worker_environment()
    )
    assert done.stderr == b""
    for line in done.stdout.splitlines():
        assert json.loads(line)
