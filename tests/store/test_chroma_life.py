"""The mirror through the app: filled by a scan, told by doctor, following an undo, gone with a drop."""

import os
import subprocess
import sys
from pathlib import Path

from tests.store.test_chroma_answers import memory_of, write_project
from zerikai_memory.store.mirror_status import mirror_status


def brain_files(home: Path) -> bytes:
    return b"".join(path.read_bytes() for path in (home / "vector_db").rglob("*") if path.is_file())


def test_a_scan_fills_the_mirror_an_undo_takes_it_along_and_a_drop_removes_its_text(tmp_path: Path) -> None:
    home, project = tmp_path / "brain", tmp_path / "project"
    write_project(project)
    memory = memory_of(home, "auto")
    try:
        memory.scan(str(project), mirror_wait_s=60)
        target = memory.resolve(str(project))
        index = memory._brain.index(target.id)

        def status():
            return mirror_status(home, target.id, index)

        assert (status().records, status().left, status().trouble) == (len(index.entities()), 0, "")
        assert "render_template" in brain_files(home).decode("utf-8", "replace")
        before = memory._mirrors._workers[target.id]
        memory.scan(str(project), mirror_wait_s=60)
        assert memory._mirrors._workers[target.id] is before  # nothing changed, nothing was started

        (project / "new.py").write_text("def brand_new(): pass\n")
        memory.scan(str(project), mirror_wait_s=60)
        assert status().records == len(index.entities())
        memory.upkeep.undo(target)
        assert status().left
        memory._mirrors.stop(target.id)  # it is about to end, and holds the mirror until then
        assert "lacks changes" in told(memory)
        memory._mirrors.follow(target.id, index, 60, lambda done, total: True)
        assert (status().records, status().left) == (len(index.entities()), 0)
        memory._mirrors.stop(target.id)
        assert "is up to date" in told(memory)

        memory.drop(str(project))
        assert list((home / "vector_db").iterdir()) == []
    finally:
        memory.close()


def told(memory) -> str:
    """What doctor says of the mirror."""
    return " ".join(finding.message for finding in memory.doctor() if "mirror" in finding.message)


PROGRAM = """
import sys
from pathlib import Path
from tests.store.test_chroma_answers import memory_of
memory = memory_of(Path(sys.argv[1]), "chroma")
memory.scan(sys.argv[2], mirror_wait_s=60)
answer = memory.query("render the template", sys.argv[2])
assert answer.warnings == (), answer.warnings
assert any(worker.task.job == "serve" and worker.alive for worker in memory._mirrors._workers.values())
assert "chromadb" not in sys.modules
memory.close()
print("fine")
"""


def test_the_process_that_asks_chroma_does_not_import_it(tmp_path: Path) -> None:
    write_project(tmp_path / "project")
    root = str(Path(__file__).resolve().parents[2])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path / "brain"), str(tmp_path / "project")],
        env=os.environ | {"PYTHONPATH": root}, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("fine\n", "")
