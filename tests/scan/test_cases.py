"""The life of an index, from bug reports: each case is a folder of tests/data/cases."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.casekit import STEPS, Case, apply_step, build_workspace, load_case
from tests.fake_embedder import FakeEmbedder
from zerikai_memory.app import Memory
from zerikai_memory.model import CodeEntity, EntityType, ScanReport
from zerikai_memory.settings import Settings


def of_code(memory: Memory, workspace: Path) -> list[CodeEntity]:
    return [e for e in memory.entities(str(workspace)) if e.entity_type != EntityType.MODULE]


def indexed_files(memory: Memory, workspace: Path) -> set[str]:
    return {e.file_path for e in memory.entities(str(workspace))}


def run_scans(memory: Memory, case: Case, workspace: Path) -> list[tuple[ScanReport, list[CodeEntity]]]:
    """Walk through the case's steps; what each scan reported and left in the index."""
    build_workspace(case, workspace, with_setup=False)
    states = []
    for step in case.setup or [{"op": "scan"}]:
        if step["op"] in STEPS:
            apply_step(step, workspace)
        elif step["op"] == "scan":
            report = memory.scan(str(workspace))
            states.append((report, of_code(memory, workspace)))
    return states


def matches(entity: CodeEntity, record: dict[str, object]) -> bool:
    return all(getattr(entity, key) == value for key, value in record.items())


@pytest.mark.parametrize(
    "case_id",
    [
        "C01",  # deleted files, the last file, a file that becomes ignored: no ghost
        "C03",  # fewer entities than before
        "C04",  # equal names in files of equal stem
    ],
)
def test_the_index_follows_the_files(case_id: str, memory: Memory, workspace: Path) -> None:
    case = load_case(case_id)
    states = run_scans(memory, case, workspace)
    for (_, entities), expect in zip(states, case.expect.get("after", [case.expect]), strict=True):
        if "entity_count" in expect:
            assert len(entities) == expect["entity_count"]
        if "entity_names" in expect:
            assert sorted(e.name for e in entities) == sorted(expect["entity_names"])
        for record in expect.get("entities", ()):
            assert any(matches(e, record) for e in entities), record
        assert len({e.id for e in entities}) == len(entities)


def test_a_removed_name_is_found_nowhere(memory: Memory, workspace: Path) -> None:
    (workspace / "a.py").write_text("def vanishing_name():\n    return 1\n")
    (workspace / "b.py").write_text("def staying():\n    return 1\n")
    memory.scan(str(workspace))
    assert memory.query("vanishing_name", str(workspace)).results
    (workspace / "a.py").unlink()
    memory.scan(str(workspace))
    answer = memory.query("vanishing_name", str(workspace))
    assert all(hit.name != "vanishing_name" for hit in answer.results)
    assert "vanishing" not in answer.answer


def test_nothing_is_written_or_embedded_when_nothing_changed(home: Path, workspace: Path) -> None:
    case = load_case("C06")
    embedder = FakeEmbedder()
    memory = Memory(Settings(home=home), embedder=embedder)
    build_workspace(case, workspace, with_setup=False)
    memory.scan(str(workspace))
    memory.close()
    before = dump(home)
    embedder.encoded.clear()
    reports = []
    for step in case.setup[1:4]:
        if step["op"] == "scan":
            reports.append(memory.scan(str(workspace)))
        else:
            apply_step(step, workspace)
    memory.close()
    assert [report.embedded for report in reports] == [0, 0]
    assert embedder.encoded == []
    assert dump(home) == before
    for step in case.setup[4:5]:
        apply_step(step, workspace)
    memory.scan(str(workspace))
    names = [e.name for e in of_code(memory, workspace)]
    memory.close()
    assert "stabla" in names
    assert "stable" not in names


def dump(home: Path) -> list[str]:
    """Every stored row of every database, and every other file."""
    rows = []
    for path in sorted(home.rglob("*")):
        if path.suffix == ".db":
            connection = sqlite3.connect(path)
            rows += list(connection.iterdump())
            connection.close()
        elif path.is_file() and path.suffix not in (".lock", ".log") and not path.name.endswith(("-wal", "-shm")):
            rows.append(f"{path.name} {path.read_bytes()!r}")
    return rows


KILLED_SCAN = """
import os, sys
from pathlib import Path
from zerikai_memory.app import Memory
from zerikai_memory.scan import apply
from zerikai_memory.settings import Settings
apply.BATCH_ENTITIES = 10
def step(progress):
    if progress.done >= 30:
        os._exit(9)
Memory(Settings(home=Path(sys.argv[1]))).scan(sys.argv[2], progress=step)
"""


def test_a_killed_scan_is_incomplete_and_the_next_one_goes_on(home: Path, workspace: Path) -> None:
    case = load_case("C07")
    build_workspace(case, workspace, with_setup=False)
    killed = subprocess.run([sys.executable, "-c", KILLED_SCAN, str(home), str(workspace)], check=False)
    assert killed.returncode == 9
    memory = Memory(Settings(home=home))
    (info,) = memory.workspaces()
    assert info.incomplete
    kept = {e.name for e in of_code(memory, workspace)}
    assert 0 < len(kept) < 60
    answer = memory.query(sorted(kept)[0], str(workspace))
    assert any("incomplete" in warning for warning in answer.warnings)
    report = memory.scan(str(workspace))
    entities = of_code(memory, workspace)
    (info,) = memory.workspaces()
    memory.close()
    assert len(entities) == len({e.id for e in entities}) == 60
    assert report.kept == len(kept)  # files that were whole are not done again
    assert not info.incomplete


def test_a_cancelled_scan_keeps_what_it_committed(memory: Memory, workspace: Path) -> None:
    build_workspace(load_case("C07"), workspace, with_setup=False)
    done = []
    report = memory.scan(str(workspace), progress=done.append, cancelled=lambda: len(done) > 10)
    assert report.status == "cancelled"
    assert 0 < report.entities < 120
    assert any("next scan" in warning for warning in report.warnings)
    assert memory.scan(str(workspace)).status == "completed"
    assert len(of_code(memory, workspace)) == 60


@pytest.mark.parametrize("dimensions", [64, 128])  # the same dimension under another name, and another dimension
def test_another_embedding_model_is_reported_and_embeds_again(home: Path, workspace: Path, dimensions: int) -> None:
    case = load_case("C09")
    build_workspace(case, workspace, with_setup=False)
    first = Memory(Settings(home=home), embedder=FakeEmbedder("A", 64))
    first.scan(str(workspace))
    note = first.save("keep me", str(workspace))
    first.close()
    second = Memory(Settings(home=home), embedder=FakeEmbedder("B", dimensions))
    answer = second.query("stable", str(workspace))
    assert any("model" in warning for warning in answer.warnings)
    assert answer.results[0].name == "stable"
    assert answer.results[0].distance is None
    report = second.scan(str(workspace))
    assert report.embedded > 0
    answer = second.query("stable", str(workspace))
    kept = second.query("", str(workspace), category="fact").notes
    second.close()
    assert not answer.warnings
    assert answer.results[0].distance is not None
    assert kept == (note,)


def test_a_raised_extractor_version_extracts_again_and_a_newer_one_is_refused(
    memory: Memory, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = load_case("C10")
    build_workspace(case, workspace, with_setup=False)
    monkeypatch.setattr("zerikai_memory.scanning.EXTRACTOR_VERSION", 1)
    memory.scan(str(workspace))
    monkeypatch.setattr("zerikai_memory.scanning.EXTRACTOR_VERSION", 2)
    assert len(memory.scan(str(workspace)).changed) == case.expect["after"][1]["files_reextracted"]
    before = memory.entities(str(workspace))
    monkeypatch.setattr("zerikai_memory.scanning.EXTRACTOR_VERSION", 1)
    with pytest.raises(Exception, match="newer"):
        memory.scan(str(workspace))
    assert memory.entities(str(workspace)) == before


def test_foreign_ignore_files_do_not_count(memory: Memory, workspace: Path) -> None:
    case = load_case("B05")
    build_workspace(case, workspace)
    memory.scan(str(workspace))
    assert indexed_files(memory, workspace) == set(case.expect["files_indexed_exactly"])


def test_a_scan_that_indexes_nothing_names_the_rule(memory: Memory, workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n")
    (workspace / ".memignore").write_text("*\n")
    report = memory.scan(str(workspace))
    assert report.files == 0
    assert any(".memignore" in warning and "*" in warning for warning in report.warnings)


def test_secret_files_reach_no_store_and_no_log(memory: Memory, home: Path, workspace: Path) -> None:
    case = load_case("B06")
    build_workspace(case, workspace)
    memory.scan(str(workspace))
    memory.query("KEY SECRET_TOKEN", str(workspace))
    assert indexed_files(memory, workspace) - set(case.expect["may_also_index"]) == {"app.py"}
    memory.close()
    for path in home.rglob("*"):
        if path.is_file():
            for secret in case.expect["store_text_absent"]:
                assert secret.encode() not in path.read_bytes(), path


def test_odd_paths_are_indexed_cited_and_valid_json(memory: Memory, workspace: Path) -> None:
    case = load_case("B10")
    build_workspace(case, workspace)
    report = memory.scan(str(workspace))
    assert report.status == case.expect["scan_status"]
    names = {e.name: e for e in of_code(memory, workspace)}
    for name in case.expect["entities_named"]:
        assert name in names
        answer = memory.query(name, str(workspace))
        assert answer.results[0].name == name
        assert answer.results[0].state == "fresh"
        json.dumps(answer.results[0].file_path).encode("utf-8")


def test_files_that_vanish_or_change_meanwhile(
    memory: Memory, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zerikai_memory.scan import run
    from zerikai_memory.scan.read import read_bytes

    case = load_case("B13")
    build_workspace(case, workspace, with_setup=False)

    def read(root: Path, path: str, limit: int) -> tuple[bytes, int]:
        (workspace / "vanish.py").unlink(missing_ok=True)
        found = read_bytes(root, path, limit)
        if path == "change.py":
            (root / path).write_text("def final_version():\n    return 1\n")
        return found

    real = run.ScanParts
    monkeypatch.setattr("zerikai_memory.scanning.ScanParts", lambda **parts: real(**parts, read=read))
    report = memory.scan(str(workspace))
    assert report.status == "completed"
    assert [failed.path for failed in report.failed] == ["vanish.py"]
    assert {"f_change_py"} <= {e.name for e in of_code(memory, workspace)}
    monkeypatch.setattr("zerikai_memory.scanning.ScanParts", real)
    memory.scan(str(workspace))
    assert indexed_files(memory, workspace) == set(case.expect["after"][0]["files_indexed_exactly"])
    assert any(e.name == "final_version" for e in of_code(memory, workspace))
