"""Arguments and input of the command line that are no text: any bytes can come from a shell."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names and arguments are text there")


def run(home: Path, workspace: Path, *words: bytes, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "zerikai_memory", *words],
        cwd=workspace,
        env=os.environ | {"ZERIKAI_HOME": str(home), "VECTOR_STORE": "exact"},
        input=stdin,
        capture_output=True,
        check=False,
        timeout=120,
    )


@pytest.fixture
def scanned(home: Path, workspace: Path) -> Path:
    Path(os.fsdecode(os.fsencode(workspace) + b"/b\xff.py")).write_text("def g(): pass\n")
    assert run(home, workspace, b"scan", b".").returncode == 0
    return workspace


@pytest.mark.parametrize(
    ("words", "stdin", "status", "shown"),
    [
        ((b"save", b"keep \xff this"), b"", 0, b"note:"),
        ((b"brief", b"set", b"two words \xff"), b"", 0, b"in place"),
        ((b"brief", b"set", b"\xff"), b"", 1, b"No such file: '\\\\xff'"),
        ((b"brief", b"set", b"-"), b"from \xff stdin", 0, b"in place"),
        ((b"entities", b"--file", b"b\xff.py"), b"", 0, b"b\\xff.py:1"),
        ((b"entities", b"--file", b"\xff"), b"", 1, b"is not in the index"),
        ((b"entities", b"\xff"), b"", 1, b"workspace:"),
        ((b"query", b"where is \xff g"), b"", 0, b"b\\xff.py"),
        ((b"scan", b"\xff"), b"", 1, b"workspace:"),
    ],
)
def test_bytes_that_are_no_text_are_shown_or_refused_in_a_sentence(
    home: Path, scanned: Path, words: tuple[bytes, ...], stdin: bytes, status: int, shown: bytes
) -> None:
    done = run(home, scanned, *words, stdin=stdin)
    assert done.returncode == status, done.stderr
    assert shown in done.stdout + done.stderr
    assert b"unexpected" not in done.stderr


def test_what_was_stored_shows_the_bytes(home: Path, scanned: Path) -> None:
    run(home, scanned, b"brief", b"set", b"-", stdin=b"from \xff stdin")
    assert b"from \\xff stdin" in run(home, scanned, b"brief", b"show").stdout
