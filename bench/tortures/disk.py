"""A disk that is full and a disk that is read-only: clear errors, nothing lost, and on it goes afterwards."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.tortures.ground import Row, differences, memory, project
from zerikai_memory.app import Memory
from zerikai_memory.errors import ZerikaiError

SIZE_MB = 24


def run_full(folder: Path, seed: int) -> Row:
    """A small tmpfs filled up: while saving, and before and in a scan."""
    row = Row("full disk")
    try:
        with _small_disk(folder / "disk") as disk:
            _full(row, folder, disk, seed)
    except PermissionError as error:
        row.skipped = str(error)
    return row


def _full(row: Row, folder: Path, disk: Path, seed: int) -> None:
    work, home = folder / "project", disk / "brain"
    project(work, random.Random(seed), 30)
    one = memory(home)
    one.scan(str(work))
    kept = [one.save(f"note {i}", str(work)).id for i in range(20)]
    errors = 0
    for free in (0, 20_000, 60_000, 200_000, 500_000):
        project(work, random.Random(seed + free), 60)
        filler = _fill(disk, free)
        for what, call in _calls(one, work, kept, f"{free} free"):
            errors += _refused(row, f"{free} bytes free, {what}", call)
        fresh = memory(home)  # a process that starts on the full disk
        ask = partial(fresh.query, "amber", str(work))
        errors += _refused(row, f"{free} bytes free, new process", ask, reads=True)
        fresh.close()
        filler.unlink()
        kept.append(one.save(f"space is back after {free}", str(work)).id)
        if one.scan(str(work)).status != "completed":
            row.wrong.append(f"after {free} bytes free: the next scan did not complete")
        row.wrong += differences(one, work)
    stored = {note.id for note in one._brain.notes.latest(one.resolve(str(work)).id, None, 1000)}
    row.wrong += [f"{len(set(kept) - stored)} acknowledged notes lost"] * bool(set(kept) - stored)
    row.done, row.note = "5 levels of free space", f"{errors} clear errors, then all went on"
    one.close()


def _calls(one: Memory, work: Path, kept: list[str], text: str) -> Iterator[tuple[str, Callable[[], object]]]:
    for number in range(30):
        yield "save", lambda number=number: kept.append(one.save(f"{text} {number} " + "x" * 4000, str(work)).id)  # type: ignore[misc]
    yield "brief", lambda: one.set_brief(f"# Overview\n{text}\n" + "words and more words\n" * 500, str(work))
    yield "scan", lambda: one.scan(str(work))
    yield "query", lambda: one.query("amber", str(work))


def run_read_only(folder: Path, seed: int) -> Row:
    """A brain on a disk that turns read-only and back."""
    row = Row("read-only brain")
    try:
        with _small_disk(folder / "disk") as disk:
            work, home = folder / "project", disk / "brain"
            project(work, random.Random(seed), 30)
            one = memory(home)
            one.scan(str(work))
            one.save("kept", str(work))
            one.close()  # an open log keeps the disk from turning read-only
            _mount("-o", "remount,ro", str(disk))
            fresh = memory(home)
            errors = 0
            for mine in (one, fresh):
                if not mine.query("amber", str(work)).results:
                    row.wrong.append("a question found nothing")
                mine.brief(str(work))
                mine.workspaces()
                mine.doctor()
                errors += _refused(row, "save", lambda mine=mine: mine.save("no", str(work)))  # type: ignore[misc]
                errors += _refused(row, "scan", lambda mine=mine: mine.scan(str(work)))  # type: ignore[misc]
            if errors != 4:
                row.wrong.append(f"{errors} of 4 writes were refused")
            _mount("-o", "remount,rw", str(disk))
            for mine in (one, fresh):
                mine.save(f"again {mine is one}", str(work))
                mine.scan(str(work))
                mine.close()
            row.done, row.note = "2 processes", f"{errors} clear errors, questions answered, then all went on"
    except PermissionError as error:
        row.skipped = str(error)
    return row


def _refused(row: Row, what: str, call: Callable[[], object], *, reads: bool = False) -> int:
    """1 when the call was refused with a reason a person can act on, 0 when it worked."""
    try:
        call()
    except ZerikaiError as error:
        text = str(error)
        if reads or not any(word in text for word in ("full", "cannot be written", "cannot be made", "read-only")):
            row.wrong.append(f"{what}: {text}")
        return 1
    except Exception as error:
        row.wrong.append(f"{what}: {type(error).__name__} {error}")
    return 0


def _fill(disk: Path, free: int) -> Path:
    """Fill the disk until about `free` bytes are left."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"\0" * 4096)
        except OSError:
            pass
        file.truncate(max(0, file.tell() - free))
    return filler


@contextmanager
def _small_disk(path: Path) -> Iterator[Path]:
    """A tmpfs of SIZE_MB; raises PermissionError with the reason where mounting is not allowed."""
    path.mkdir(parents=True, exist_ok=True)
    try:
        _mount("-t", "tmpfs", "-o", f"size={SIZE_MB}m", "tmpfs", str(path))
    except (OSError, subprocess.CalledProcessError) as error:
        reason = getattr(error, "stderr", None) or str(error)
        raise PermissionError(f"no tmpfs can be mounted here: {reason.strip()}") from error
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", str(path)], check=False, capture_output=True)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True, text=True)
