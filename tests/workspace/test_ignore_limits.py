"""Ignore files that are none: huge, of endless rules, a pipe, a folder. The scan goes on and says so."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from zerikai_memory.model import Walk
from zerikai_memory.workspace.ignore import MAX_IGNORE_BYTES, MAX_RULES
from zerikai_memory.workspace.walk import walk


def walked(root: Path) -> Walk:
    return walk(root, language_of=lambda path: "python" if path.endswith(".py") else None)


def project(root: Path) -> Path:
    for name in ("first.py", "kept.py", "last.py"):
        (root / name).write_text("")
    return root


@pytest.mark.parametrize("name", [".memignore", ".gitignore"])
@pytest.mark.parametrize(
    ("middle", "word"),
    [
        (b"# a comment that fills the file\n" * (MAX_IGNORE_BYTES // 20), "bytes"),
        (b"x/*/y%d\n" * MAX_RULES, "rules"),
        (b"a[0-9]*/b?c/**/d\n" * 60_000, "rules"),
    ],
    ids=["long", "many rules", "both"],
)
def test_what_goes_beyond_the_limits_is_not_applied_and_is_named(
    tmp_path: Path, name: str, middle: bytes, word: str
) -> None:
    (project(tmp_path) / name).write_bytes(b"first.py\n" + middle + b"last.py\n")
    started = time.process_time()
    found = walked(tmp_path)
    assert time.process_time() - started < 20
    assert [file.path for file in found.files] == ["kept.py", "last.py"]
    (skip,) = found.skipped
    assert (skip.path, skip.reason) == (name, "too_large")
    assert word in skip.detail


def test_an_ignore_file_at_the_limit_of_rules_is_applied_whole(tmp_path: Path) -> None:
    rules = b"\n# c\n" + b"".join(b"x%d\n" % n for n in range(MAX_RULES - 1)) + b"last.py\n"
    (project(tmp_path) / ".memignore").write_bytes(rules)
    found = walked(tmp_path)
    assert [file.path for file in found.files] == ["first.py", "kept.py"]
    assert found.skipped == ()


def test_a_folder_with_the_name_of_an_ignore_file_is_named(tmp_path: Path) -> None:
    (project(tmp_path) / ".memignore").mkdir()
    found = walked(tmp_path)
    assert len(found.files) == 3
    assert [(skip.path, skip.reason) for skip in found.skipped] == [(".memignore", "unreadable")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("name", [".memignore", ".gitignore"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    os.mkfifo(project(tmp_path) / name)
    code = (
        "import sys; from pathlib import Path; from zerikai_memory.workspace.walk import walk\n"
        "found = walk(Path(sys.argv[1]), language_of=lambda path: 'x' if path.endswith('.py') else None)\n"
        "print(len(found.files), [(skip.path, skip.reason) for skip in found.skipped])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == f"3 [('{name}', 'unreadable')]\n"
