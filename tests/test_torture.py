"""The short form of bench/torture.py: some seconds of each trouble."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and mounts a tmpfs")
@pytest.mark.parametrize("part", ["many", "kills", "mirror", "full", "readonly", "damage", "cycles", "rss"])
def test_the_brain_survives(part):
    command = [sys.executable, str(ROOT / "bench" / "torture.py"), "--short", "--only", part]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    line = done.stdout.splitlines()[2]
    if "skipped:" in line:
        pytest.skip(line)
    assert line.split()[-1]
