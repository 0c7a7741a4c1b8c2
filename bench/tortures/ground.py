"""What the tortures share: projects with known entities, brains, child processes, and what must hold of a brain."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from zerikai_memory.app import Memory
from zerikai_memory.model import EntityType
from zerikai_memory.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
WORDS = "amber birch cobalt delta ember fjord garnet harbor iris juniper kelp lumen maple nectar onyx pollen".split()


@dataclass
class Row:
    """One line of the table: what was done how often, and a sentence for each thing that went wrong."""

    name: str
    done: str = ""
    wrong: list[str] = field(default_factory=list)
    note: str = ""
    skipped: str = ""


def memory(home: Path) -> Memory:
    """A memory without a Chroma mirror: the mirror has tortures of its own."""
    return Memory(Settings(home=home, vector_store="exact"), cwd=Path("/"))


def name(rng: random.Random, number: int) -> str:
    """A function name that no other has."""
    return f"{rng.choice(WORDS)}_{rng.choice(WORDS)}_{number:05d}"


def write(path: Path, names: list[str]) -> None:
    """A file that defines these functions, replaced at once as editors do."""
    text = "".join(
        f'def {one}(value):\n    """Give {one.replace("_", " ")}."""\n    return value\n\n\n' for one in names
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def project(folder: Path, rng: random.Random, files: int, functions: int = 8) -> None:
    """A project of `files` Python files."""
    for number in range(files):
        write(
            folder / f"pack{number % 7}" / f"m{number:04d}.py", [name(rng, number * 100 + i) for i in range(functions)]
        )


def on_disk(folder: Path) -> Counter[str]:
    """path:function of every definition in the files, by a regular expression and not by our parser."""
    found: Counter[str] = Counter()
    for path in folder.rglob("*.py"):
        for one in re.findall(r"^def (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            found[f"{path.relative_to(folder).as_posix()}:{one}"] += 1
    return found


def indexed(one: Memory, folder: Path) -> Counter[str]:
    """path:function of every stored function."""
    functions = (e for e in one.entities(str(folder)) if e.entity_type == EntityType.FUNCTION)
    return Counter(f"{e.file_path}:{e.name}" for e in functions)


def differences(one: Memory, folder: Path) -> list[str]:
    """What the index lacks or has too much after a scan."""
    wanted, got = on_disk(folder), indexed(one, folder)
    lost, ghosts = wanted - got, got - wanted
    return [f"{len(lost)} entities lost, e.g. {next(iter(lost), '')}"] * bool(lost) + [
        f"{len(ghosts)} ghosts or doubles, e.g. {next(iter(ghosts), '')}"
    ] * bool(ghosts)


def child(part: str, *arguments: object, **more: object) -> subprocess.Popen[str]:
    """A process that runs `python -m bench.tortures.PART ARGUMENTS`, with its words on stdout."""
    return subprocess.Popen(
        [sys.executable, "-m", f"bench.tortures.{part}", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        **more,  # type: ignore[call-overload]
    )


def say(path: Path, *what: object) -> None:
    """Append one line to a shared file, whole: what a process has been told is done."""
    line = json.dumps(what).encode() + b"\n"
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)


def said(path: Path) -> list[list[object]]:
    """The whole lines of a shared file."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in data[: data.rfind(b"\n") + 1].splitlines()]
