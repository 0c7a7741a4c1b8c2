"""The cases of tests/data/cases: load one, write its workspace, apply its setup steps.

Steps that change files are done here; the runs themselves (`scan`, `query`, `import`, `save_to_memory`, `hook`)
belong to the test, which walks through `case.setup` and calls `apply_step` for the rest.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "data" / "cases"
Step = dict[str, Any]


@dataclass(frozen=True)
class Case:
    id: str
    folder: Path
    tree: dict[str, str]
    setup: list[Step]
    expect: dict[str, Any]


def load_case(case_id: str) -> Case:
    folder = CASES / case_id
    record = json.loads((folder / "expected.json").read_text("utf-8"))
    return Case(case_id, folder, record.get("tree", {}), record.get("setup", []), record["expect"])


def build_workspace(case: Case, workspace: Path, *, with_setup: bool = True) -> Path:
    """Write `files/`, then `tree`; then apply every file-changing setup step that stands before the first run."""
    workspace.mkdir(parents=True, exist_ok=True)
    if (case.folder / "files").is_dir():
        shutil.copytree(case.folder / "files", workspace, dirs_exist_ok=True, symlinks=True)
    write_tree(workspace, case.tree)
    for step in case.setup if with_setup else ():
        if step["op"] not in STEPS:
            break
        apply_step(step, workspace)
    return workspace


def write_tree(workspace: Path, tree: dict[str, str]) -> None:
    for path, text in tree.items():
        _write(workspace / path, text.encode("utf-8"))


def apply_step(step: Step, workspace: Path) -> None:
    STEPS[step["op"]](step, workspace)


def git(workspace: Path, *args: str, stdin: bytes | None = None) -> bytes:
    """Run git without any configuration of the machine or the person; returns its output."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "case@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    done = subprocess.run(["git", *args], cwd=workspace, env=env, input=stdin, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def _target(step: Step, workspace: Path) -> Path:
    return Path(os.path.normpath(workspace / step["path"]))


def _filled(text: str, workspace: Path) -> str:
    return text.replace("{ws}", str(workspace))


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _write_bytes_path(step: Step, workspace: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(workspace) + b"/" + base64.b64decode(step["path_b64"])))
    _write(path, step["text"].encode("utf-8"))


def _append(step: Step, workspace: Path) -> None:
    with _target(step, workspace).open("ab") as file:
        file.write(step["text"].encode("utf-8"))


def _delete(step: Step, workspace: Path) -> None:
    path = _target(step, workspace)
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _rename(step: Step, workspace: Path) -> None:
    source, target = workspace / step["from"], workspace / step["to"]
    target.parent.mkdir(parents=True, exist_ok=True)
    source.rename(target)
    if not step.get("keep_mtime", True):
        os.utime(target)


def _symlink(step: Step, workspace: Path) -> None:
    path = _target(step, workspace)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(_filled(step["target"], workspace))


def _socket(step: Step, workspace: Path) -> None:
    """A socket path may not be longer than about 100 bytes, so it is bound from within its folder."""
    path, before = _target(step, workspace), Path.cwd()
    with socket.socket(socket.AF_UNIX) as bound:
        os.chdir(path.parent)
        try:
            bound.bind(path.name)
        finally:
            os.chdir(before)


def _touch_all(step: Step, workspace: Path) -> None:
    for path in workspace.rglob("*"):
        if path.is_file():
            moved = path.stat().st_mtime + float(step["mtime"])
            os.utime(path, (moved, moved))


def _generate(step: Step, workspace: Path) -> None:
    _write(_target(step, workspace), generated(step).encode("utf-8"))


def generated(step: Step) -> str:
    if counter := step.get("counter"):
        return "".join(counter["template"] % n for n in range(counter["times"]))
    return "".join(part.get("text") or part["repeat"] * part["times"] for part in step["parts"])


STEPS: dict[str, Callable[[Step, Path], None]] = {
    "write": lambda step, ws: _write(_target(step, ws), step["text"].encode("utf-8")),
    "write_b64": lambda step, ws: _write(_target(step, ws), base64.b64decode(step["b64"])),
    "write_bytes_path": _write_bytes_path,
    "append": _append,
    "delete": _delete,
    "rename": _rename,
    "symlink": _symlink,
    "mkfifo": lambda step, ws: os.mkfifo(_target(step, ws)),
    "socket": _socket,
    "chmod": lambda step, ws: _target(step, ws).chmod(int(step["mode"], 8)),
    "touch_all": _touch_all,
    "git": lambda step, ws: git(ws, *(_filled(arg, ws) for arg in step["args"])) and None,
    "generate": _generate,
}
