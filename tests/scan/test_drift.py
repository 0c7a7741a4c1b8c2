"""What differs between the work tree and the index, told without a scan."""

import os
import time

import pytest

from zerikai_memory.scan.drift import Drift


@pytest.fixture
def project(memory, workspace):
    (workspace / "pkg").mkdir()
    for name in ("a.py", "pkg/b.py", "gone.py", "odd\udcff.py"):
        (workspace / name).write_text(f"def f():\n    return {name.encode(errors='replace')!r}\n")
    memory.scan(str(workspace))
    return workspace


@pytest.fixture
def drift(memory, project):
    target = memory.resolve(str(project))
    index = memory._brain.index(target.id)
    walked = []

    def walk():
        walked.append(1)
        return [path.relative_to(project).as_posix() for path in project.rglob("*.py") if "\udcff" not in path.name]

    found = Drift(project, walk, 1_500_000)
    changed = lambda: found.changed(index.file_states())  # noqa: E731
    changed.walked = walked
    return changed


def test_after_a_scan_nothing_differs(drift):
    assert drift() == ()


def test_changed_removed_and_added_files_are_told(drift, project):
    (project / "a.py").write_text("def g():\n    return 1\n")
    (project / "gone.py").unlink()
    (project / "pkg" / "new.py").write_text("x = 1\n")
    assert drift() == ("a.py", "gone.py", "pkg/new.py")


def test_a_change_of_the_same_size_just_after_the_scan_is_told(drift, project):
    text = (project / "a.py").read_text()
    (project / "a.py").write_text(text.replace("f", "g", 1))
    assert drift() == ("a.py",)


def test_a_touch_is_no_change_and_a_change_taken_back_is_none(drift, project):
    later = time.time() + 60
    os.utime(project / "a.py", (later, later))
    assert drift() == ()
    text = (project / "a.py").read_text()
    (project / "a.py").write_text("x = 12\n")
    assert drift() == ("a.py",)
    (project / "a.py").write_text(text)
    assert drift() == ()


def test_the_tree_is_walked_only_when_a_folder_has_changed(drift, project):
    for _ in range(3):
        drift()
    assert len(drift.walked) == 1
    (project / "pkg" / "new.py").write_text("x = 1\n")
    assert drift() == ("pkg/new.py",)
    assert len(drift.walked) == 2
    (project / "pkg" / "new.py").unlink()
    assert drift() == ()
