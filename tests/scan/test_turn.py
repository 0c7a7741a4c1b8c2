"""Two processes on one workspace: one scans, the other sees who and how far, and then does its own cheap scan."""

import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.errors import BusyError, StoreError
from zerikai_memory.settings import Settings

# Scans and then stands still in the middle of it, until its stdin ends.
SLOW = """
import sys
from pathlib import Path
from zerikai_memory.app import Memory
from zerikai_memory.scan import apply
from zerikai_memory.settings import Settings
from zerikai_memory.store import turn
apply.BATCH_ENTITIES, turn.TELL_EVERY_S = 1, 0
def step(progress):
    if progress.done == 4:
        print("in the middle", flush=True)
        sys.stdin.read()
print(Memory(Settings(home=Path(sys.argv[1]))).scan(sys.argv[2], progress=step).status)
"""


@pytest.fixture
def project(workspace):
    for number in range(8):
        (workspace / f"f{number}.py").write_text(f"def name_{number}():\n    return 1\n")
    return workspace


@pytest.fixture
def slow(home, project):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(home), str(project)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "in the middle\n"
    yield process
    process.kill()
    process.communicate()


def test_a_second_process_joins_sees_who_scans_and_then_has_nothing_left_to_do(home, memory, project, slow):
    job = memory.start_scan(str(project))
    deadline = time.monotonic() + 60
    while "process" not in job.progress.stage and time.monotonic() < deadline:
        time.sleep(0.02)
    running = job.wait(0)
    assert running.status == "running"
    assert re.search(rf"process {slow.pid} since \d\d:\d\d:\d\d UTC", running.warnings[0])
    assert (running.done, running.total) == (3, 8)
    slow.communicate("")
    report = job.wait(60)
    assert (report.status, report.added, report.kept) == ("completed", (), 8)


def test_questions_and_notes_do_not_wait_for_a_scan(memory, project, slow):
    started = time.monotonic()
    answer = memory.query("name_0", str(project))
    memory.save("written during the scan", str(project))
    assert time.monotonic() - started < 60
    assert answer.results[0].name == "name_0"
    assert any("incomplete" in warning for warning in answer.warnings)


def test_a_killed_scan_frees_its_turn_at_once_and_its_words_are_not_believed(memory, project, slow, home):
    slow.kill()
    slow.communicate()
    assert list((home / "locks").glob("*.json"))
    assert not any("being scanned" in finding.message for finding in memory.doctor())
    assert memory.scan(str(project)).status == "completed"
    assert not list((home / "locks").glob("*.json"))


def test_drop_undo_and_move_name_the_scan_they_wait_for(memory, project, slow, monkeypatch, tmp_path):
    monkeypatch.setattr("zerikai_memory.upkeep.upkeep.WAIT_S", 0.1)
    monkeypatch.setattr("zerikai_memory.upkeep.move.WAIT_S", 0.1)
    (tmp_path / "new").mkdir()
    for call in (
        lambda: memory.drop(str(project)),
        lambda: memory.upkeep.undo(memory.resolve(str(project))),
        lambda: memory.upkeep.move(str(project), str(tmp_path / "new")),
    ):
        with pytest.raises(BusyError, match=f"process {slow.pid}"):
            call()
    assert memory.workspaces()[0].name == "project"


def test_a_waiting_scan_can_be_cancelled(memory, project, slow):
    job = memory.start_scan(str(project))
    time.sleep(0.3)
    job.cancel()
    with pytest.raises(Exception, match="nothing was written"):
        job.wait(60)


def test_a_lock_that_cannot_be_made_is_told_in_words(home, project):
    home.mkdir()
    (home / "locks").write_text("in the way")
    memory = Memory(Settings(home=home))
    with pytest.raises(StoreError, match="cannot be"):
        memory.scan(str(project))
    memory.close()


def test_a_question_during_many_commits_finds_what_was_there_all_the_time(memory, project, monkeypatch):
    monkeypatch.setattr("zerikai_memory.scan.apply.BATCH_ENTITIES", 1)
    memory.scan(str(project))
    stop, missed = threading.Event(), []

    def ask() -> None:
        while not stop.is_set():
            if not any(hit.name == "name_7" for hit in memory.query("name_7", str(project)).results):
                missed.append("name_7")

    asking = threading.Thread(target=ask)
    asking.start()
    for turn in range(6):
        for path in Path(project).glob("*.py"):
            path.write_text(f"# {turn}\n{path.read_text()}")
        memory.scan(str(project))
    stop.set()
    asking.join()
    assert missed == []
