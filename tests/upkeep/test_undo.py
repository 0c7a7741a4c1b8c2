"""Snapshots before each changing scan, and undo by restoring them into the live index."""

import subprocess
import sys
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.errors import DamagedError, InputError, WorkspaceError
from zerikai_memory.settings import Settings

STATES = ["def first():\n    return 1\n", "def second():\n    return 2\n", "def third():\n    return 3\n"]


def scan_states(memory: Memory, workspace: Path, states: list[str]) -> None:
    for text in states:
        (workspace / "a.py").write_text(text)
        assert memory.scan(str(workspace)).status == "completed"


def names(memory: Memory, workspace: Path) -> set[str]:
    return {entity.name for entity in memory.entities(str(workspace))} - {"a"}


def undo(memory: Memory, workspace: Path, number: int | None = None):
    return memory.upkeep.undo(memory.resolve(str(workspace)), number)


def snapshots(memory: Memory, workspace: Path):
    return memory.upkeep.snapshots(memory.resolve(str(workspace)))


def test_each_undo_goes_one_scan_further_back_and_says_so_at_the_end(memory, workspace):
    scan_states(memory, workspace, STATES)
    assert names(memory, workspace) == {"third"}
    undo(memory, workspace)
    assert names(memory, workspace) == {"second"}
    undo(memory, workspace)
    assert names(memory, workspace) == {"first"}
    with pytest.raises(InputError, match="no older snapshot"):
        undo(memory, workspace)
    assert names(memory, workspace) == {"first"}


def test_an_undo_can_be_taken_back_by_number(memory, workspace):
    scan_states(memory, workspace, STATES[:2])
    undo(memory, workspace)
    (before_undo, _) = snapshots(memory, workspace)
    assert (before_undo.number, before_undo.before) == (1, "undo")
    undo(memory, workspace, 1)
    assert names(memory, workspace) == {"second"}


def test_an_answer_follows_an_undo_at_once_also_in_another_process(home, memory, workspace):
    scan_states(memory, workspace, STATES[:2])
    other = Memory(Settings(home=home))
    assert other.query("second", str(workspace)).results[0].name == "second"
    assert memory.query("second", str(workspace)).results[0].name == "second"
    undo(memory, workspace)
    for asked in (memory, other):
        hits = asked.query("first", str(workspace)).results
        assert hits[0].name == "first"
        assert hits[0].state != "fresh"  # the file on disk says something else by now
        assert all(hit.name != "second" for hit in asked.query("second", str(workspace)).results)
    other.close()


def test_the_generation_after_an_undo_was_never_seen_before(memory, workspace):
    scan_states(memory, workspace, STATES)
    index = memory._brain.index(memory.resolve(str(workspace)).id)
    before = index.generation()
    undo(memory, workspace)
    assert index.generation() > before


def test_a_scan_after_an_undo_brings_the_files_back_and_can_itself_be_undone(memory, workspace):
    scan_states(memory, workspace, STATES)
    undo(memory, workspace)
    assert memory.scan(str(workspace)).changed == ("a.py",)
    assert names(memory, workspace) == {"third"}
    undo(memory, workspace)
    assert names(memory, workspace) == {"second"}


def test_only_scans_that_change_something_take_a_snapshot_and_the_first_has_nothing_to_take(memory, workspace):
    scan_states(memory, workspace, STATES[:1])
    assert snapshots(memory, workspace) == []
    memory.scan(str(workspace))
    assert snapshots(memory, workspace) == []
    scan_states(memory, workspace, STATES[1:2])
    assert len(snapshots(memory, workspace)) == 1


@pytest.mark.parametrize(("keep", "left"), [(0, 0), (1, 1), (2, 2), (5, 4)])
def test_the_setting_says_how_many_are_kept(home, workspace, keep, left):
    memory = Memory(Settings(home=home, snapshots=keep))
    scan_states(memory, workspace, [f"def f{number}():\n    pass\n" for number in range(5)])
    assert len(snapshots(memory, workspace)) == left
    memory.close()


def test_together_they_stay_below_the_cap(home, workspace, monkeypatch):
    memory = Memory(Settings(home=home))
    scan_states(memory, workspace, STATES[:2])
    size = snapshots(memory, workspace)[0].size_bytes
    monkeypatch.setattr("zerikai_memory.store.snapshots.MAX_TOTAL_BYTES", int(size * 2.5))
    scan_states(memory, workspace, [f"def f{number}():\n    pass\n" for number in range(4)])
    assert len(snapshots(memory, workspace)) == 2
    monkeypatch.setattr("zerikai_memory.store.snapshots.MAX_TOTAL_BYTES", 1000)
    (workspace / "a.py").write_text("def last():\n    pass\n")
    report = memory.scan(str(workspace))
    assert report.status == "completed"
    assert any("no snapshot was taken" in warning for warning in report.warnings)
    memory.close()


def test_a_damaged_snapshot_is_refused_and_the_index_stays(memory, workspace, home):
    scan_states(memory, workspace, STATES[:2])
    (path,) = (home / "snapshots").rglob("*.db")
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(DamagedError, match=path.name):
        undo(memory, workspace)
    assert names(memory, workspace) == {"second"}


def test_a_damaged_index_can_be_undone_too(home, workspace):
    memory = Memory(Settings(home=home))
    scan_states(memory, workspace, STATES[:2])
    memory.close()
    (path,) = (home / "index").glob("*.db")
    path.write_bytes(b"no database" * 1000)
    memory = Memory(Settings(home=home))
    report = undo(memory, workspace)
    assert (report.files_before, names(memory, workspace)) == (None, {"first"})
    assert list((home / "index").glob("*.damaged-*"))
    memory.close()


@pytest.mark.parametrize("number", [0, 2, 99])
def test_a_number_that_is_not_there_is_refused(memory, workspace, number):
    scan_states(memory, workspace, STATES[:2])
    with pytest.raises(InputError, match="--to"):
        undo(memory, workspace, number)


KILLED_UNDO = """
import os, sys
from pathlib import Path
from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings
from zerikai_memory.store import snapshots
snapshots._copy_into = lambda ready, index: os._exit(9)
memory = Memory(Settings(home=Path(sys.argv[1])))
memory.upkeep.undo(memory.resolve(sys.argv[2]))
"""


def test_a_killed_undo_leaves_the_index_as_it_was(home, memory, workspace):
    scan_states(memory, workspace, STATES[:2])
    killed = subprocess.run([sys.executable, "-c", KILLED_UNDO, str(home), str(workspace)], check=False)
    assert killed.returncode == 9
    assert names(memory, workspace) == {"second"}
    undo(memory, workspace)
    assert names(memory, workspace) == {"first"}


def test_an_unknown_workspace_has_nothing_to_undo(memory, workspace):
    target = memory.resolve(str(workspace))
    for call in (memory.upkeep.undo, memory.upkeep.snapshots):
        with pytest.raises(WorkspaceError, match="not indexed yet"):
            call(target)
