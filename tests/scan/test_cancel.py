"""A scan that is stopped inside one file: it ends at once, and the store is consistent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from zerikai_memory.app import Memory

MANY = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(3_000))


@pytest.mark.parametrize("asked", [3, 200, 4_000, 8_000, 14_000])  # while it is read, embedded and written
def test_a_scan_stopped_inside_a_file_keeps_the_store_whole(memory: Memory, workspace: Path, asked: int) -> None:
    (workspace / "a.py").write_text("def small(): pass\n")
    memory.scan(str(workspace))
    (workspace / "b.py").write_text(MANY)
    (workspace / "a.py").write_text("def other(): pass\n")
    times = []

    def cancelled() -> bool:
        times.append(time.monotonic())
        return len(times) > asked

    report = memory.scan(str(workspace), cancelled=cancelled)
    assert report.status == "cancelled"
    assert len(times) - asked < 10  # it is not asked again and again
    names = {e.name for e in memory.entities(str(workspace))}
    assert names in ({"a", "small"}, {"a", "other"})
    assert memory.scan(str(workspace)).status == "completed"
    assert len(memory.entities(str(workspace))) == 3_000 + 3


@pytest.mark.skipif(os.name == "nt", reason="a signal to another process is not Ctrl-C there")
def test_ctrl_c_inside_a_slow_file_ends_the_command(home: Path, workspace: Path) -> None:
    (workspace / "a.py").write_text("def small(): pass\n")
    for n in range(8):
        (workspace / f"slow{n}.py").write_text("a = b(c)\n" * 150_000)
    env = os.environ | {"ZERIKAI_HOME": str(home), "VECTOR_STORE": "exact"}
    command = [sys.executable, "-m", "zerikai_memory", "scan", str(workspace)]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not list(home.glob("index/*.db")) and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.02)
        time.sleep(0.3)
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (130, False), (out, err)
    assert time.monotonic() - started < 30  # a second on a quiet machine
    again = subprocess.run([*command, "--dry-run"], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert again.returncode == 0, again.stderr
