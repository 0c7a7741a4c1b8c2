"""Ugly workspaces: each is refused in words or indexed, never a crash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.as_nobody import PRELOAD_AND_LEAVE_ROOT
from tests.casekit import build_workspace, load_case
from zerikai_memory.app import Memory
from zerikai_memory.errors import WorkspaceError
from zerikai_memory.model import EntityType


def code_names(memory: Memory, workspace: Path) -> list[str]:
    return [e.name for e in memory.entities(str(workspace)) if e.entity_type != EntityType.MODULE]


def reasons(memory: Memory, workspace: Path) -> dict[str, str]:
    return {skipped.path: skipped.reason for skipped in memory.scan(str(workspace)).skipped}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/no/such/folder", "no|neither"),
        ("/", "drive"),
        ("~", "home"),
        ("a_file.py", "file, not a folder"),
        ("x" * 300, "neither"),  # longer than any file name
        ("nul\0byte", "NUL"),
        ("file://[bad", "neither"),  # a URI that is none
    ],
)
def test_a_folder_that_cannot_be_a_workspace_is_refused(path: str, message: str, memory: Memory, home: Path) -> None:
    (memory.cwd / "a_file.py").write_text("x = 1\n")
    with pytest.raises(WorkspaceError, match=message):
        memory.scan(path)
    assert memory.workspaces() == []


def test_the_brain_itself_is_refused(memory: Memory, home: Path, workspace: Path) -> None:
    (workspace / "a.py").write_text("x = 1\n")
    memory.scan(str(workspace))
    with pytest.raises(WorkspaceError, match="brain"):
        memory.scan(str(home))


def test_an_empty_folder_is_a_warning(memory: Memory, workspace: Path) -> None:
    report = memory.scan(str(workspace))
    assert (report.status, report.files) == ("completed", 0)
    assert any("no file was indexed" in warning for warning in report.warnings)


READS_NOTHING = (
    PRELOAD_AND_LEAVE_ROOT
    + """
memory = Memory(Settings(home=Path(sys.argv[1])))
report = memory.scan(sys.argv[2])
print(report.status, sorted({e.file_path for e in memory.entities(sys.argv[2])}))
print(sorted(skipped.path for skipped in report.skipped))
"""
)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can become a user who may not read")
def test_unreadable_files_and_folders_are_named_and_the_rest_is_indexed(open_folder: Path) -> None:
    case = load_case("B08")
    workspace = build_workspace(case, open_folder / "project")
    brain = open_folder / "brain"
    brain.mkdir()
    os.chown(brain, 65534, 65534)
    done = subprocess.run(
        [sys.executable, "-c", READS_NOTHING, str(brain), str(workspace)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env={**os.environ, "HOME": str(open_folder)},
    )
    first, second = done.stdout.splitlines()
    assert first == f"completed {sorted(case.expect['files_indexed_exactly'])}"
    for path in case.expect["reported_skipped"]:
        assert repr(path) in second


def test_a_file_of_100_megabytes_is_skipped_with_the_reason(memory: Memory, workspace: Path) -> None:
    with (workspace / "huge.py").open("wb") as file:
        file.truncate(100_000_000)
    (workspace / "small.py").write_text("def small(): pass\n")
    assert reasons(memory, workspace) == {"huge.py": "too_large"}
    assert code_names(memory, workspace) == ["small"]


def test_invalid_utf8_and_nul_bytes_do_not_hide_the_rest(memory: Memory, workspace: Path) -> None:
    (workspace / "latin.py").write_bytes(b"# caf\xe9\ndef latin():\n    return '\xff\xfe'\n")
    (workspace / "binary.py").write_bytes(b"\0\1\2" * 4000)
    (workspace / "good.py").write_text("def good(): pass\n")
    assert reasons(memory, workspace) == {"binary.py": "binary"}
    assert sorted(code_names(memory, workspace)) == ["good", "latin"]
    again = memory.scan(str(workspace))
    assert (again.kept, again.total) == (2, 0)  # what was left out for its content is not read again


def test_a_file_of_50000_lines_is_indexed_with_exact_lines(memory: Memory, workspace: Path) -> None:
    (workspace / "long.py").write_text("".join(f"def f_{i}():\n    return {i}\n" for i in range(25_000)))
    report = memory.scan(str(workspace))
    assert report.entities == 25_001
    hit = memory.query("f_24999", str(workspace)).results[0]
    assert (hit.name, hit.start_line) == ("f_24999", 49_999)


def test_symlinks_cannot_loop_or_lead_out(memory: Memory, workspace: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.py").write_text("def outside_the_project(): pass\n")
    (workspace / "real.py").write_text("def real(): pass\n")
    (workspace / "loop").symlink_to(workspace, target_is_directory=True)
    (workspace / "self.py").symlink_to("self.py")
    (workspace / "out").symlink_to(outside, target_is_directory=True)
    (workspace / "out.py").symlink_to(outside / "secret.py")
    assert set(reasons(memory, workspace).values()) == {"symlink"}
    assert code_names(memory, workspace) == ["real"]


def test_a_file_that_became_a_link_since_it_was_listed_is_not_followed(
    memory: Memory, workspace: Path, tmp_path: Path
) -> None:
    from zerikai_memory.model import SkippedPath
    from zerikai_memory.scan.read import read_source, working_file

    (tmp_path / "secret.py").write_text("def outside_the_project(): pass\n")
    (workspace / "a.py").symlink_to(tmp_path / "secret.py")
    assert isinstance(read_source(workspace, "a.py", 1000), SkippedPath)
    assert working_file(workspace, "a.py").content is None


def test_a_folder_that_became_a_link_is_not_followed_out_of_the_workspace(
    memory: Memory, workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.py").write_text("def payload():\n    return 'outside'\n")
    (workspace / "sub").mkdir()
    (workspace / "sub" / "a.py").write_text("def payload(): pass\n")
    (workspace / "b.py").write_text("def other(): pass\n")
    memory.scan(str(workspace))
    (workspace / "sub" / "a.py").unlink()
    (workspace / "sub").rmdir()
    (workspace / "sub").symlink_to(tmp_path / "outside", target_is_directory=True)
    (hit,) = [hit for hit in memory.query("payload", str(workspace)).results if hit.name == "payload"]
    assert hit.state in ("gone", "stale")
    assert "outside" not in hit.text


def test_a_cited_file_that_has_grown_out_of_measure_is_stale_at_once(
    memory: Memory, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zerikai_memory.scan.read.MAX_CITED_BYTES", 1000)
    (workspace / "a.py").write_text("def grown(): pass\n")
    memory.scan(str(workspace))
    (workspace / "a.py").write_text("def grown(): pass\n" + "x = 1\n" * 1000)
    assert memory.query("grown", str(workspace)).results[0].state == "stale"


def test_a_folder_name_that_ends_in_white_space_is_another_folder(memory: Memory, tmp_path: Path) -> None:
    for name in ("sp", "sp "):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(f"def in_{len(name)}(): pass\n")
    assert Path(memory.scan(str(tmp_path / "sp ")).root).name == "sp "
    assert Path(memory.scan(str(tmp_path / "sp")).root).name == "sp"
    assert memory.query("in_3", str(tmp_path / "sp ")).results[0].name == "in_3"


def test_a_workspace_path_with_spaces_and_emoji_works(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "my project 🍞 'quoted'"
    folder.mkdir()
    (folder / "a b.py").write_text("def found(): pass\n")
    assert memory.scan(str(folder)).status == "completed"
    (hit,) = [hit for hit in memory.query("found", str(folder)).results if hit.name == "found"]
    assert hit.file_path == "a b.py"
    assert memory.workspaces()[0].name == folder.name


def test_a_report_counts_what_is_stored_and_names_what_was_left_out(memory: Memory, workspace: Path) -> None:
    (workspace / "good.py").write_text("def good(): pass\n")
    (workspace / "binary.py").write_bytes(b"\0\1\2" * 4000)
    (workspace / "node_modules").mkdir()
    (workspace / "node_modules" / "dep.js").write_text("function dep() {}\n")
    (workspace / "lib.min.js").write_text("function lib() {}\n")
    planned = memory.scan(str(workspace), dry_run=True)
    assert (planned.entities, planned.files, planned.partial) == (0, 0, ())
    report = memory.scan(str(workspace))
    assert report.added == ("good.py",)
    assert report.files == 1
    assert {rule.rstrip("/") for rule in report.excluded} >= {"node_modules", "*.min.js"} or len(report.excluded) == 2


def test_a_cancelled_scan_reports_only_what_it_stored(memory: Memory, workspace: Path) -> None:
    for i in range(30):
        (workspace / f"m{i:02}.py").write_text(f"def f_{i}(): pass\n")
    done = []
    report = memory.scan(str(workspace), progress=done.append, cancelled=lambda: len(done) > 5)
    assert len(report.added) == report.files < 30
