"""Several processes on one brain: each edits, scans, asks and saves, and looks for what the others were promised."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

from bench.tortures.ground import Row, child, differences, memory, name, project, said, say, write

FILES = 60


def run(folder: Path, seed: int, seconds: float, processes: int = 4) -> Row:
    """Start the workers, wait for them, compare everything at the end."""
    row = Row(f"{processes} processes, one brain, {seconds:.0f} s")
    work, home, log = folder / "project", folder / "brain", folder / "log"
    project(work, random.Random(seed), FILES)
    first = memory(home)
    first.scan(str(work))
    workers = [child("many", home, work, log, seed + i, i, seconds) for i in range(processes)]
    for worker in workers:
        try:
            out, err = worker.communicate(timeout=seconds * 3 + 120)
        except TimeoutError:
            worker.kill()
            out, err = worker.communicate()
            row.wrong.append("a process hung")
        row.wrong += out.splitlines()
        if worker.returncode:
            row.wrong.append(f"status {worker.returncode}: {err.strip().splitlines()[-1:]}")
    first.scan(str(work))
    row.wrong += differences(first, work)
    promised = {str(line[2]) for line in said(log) if line[0] == "note"}
    stored = [note.content for note in first.query("", str(work), category="fact", limit=50).notes]
    stored = [note.content for note in first._brain.notes.latest(_id(first, work), None, 1_000_000)]
    row.wrong += [f"{len(promised - set(stored))} notes lost"] * bool(promised - set(stored))
    row.wrong += [f"{len(stored) - len(set(stored))} notes twice"] * (len(stored) != len(set(stored)))
    first.close()
    counts = {kind: sum(line[0] == kind for line in said(log)) for kind in ("scan", "found", "note", "recalled")}
    row.done = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    slow = [float(str(line[2])) for line in said(log) if line[0] in ("found", "recalled")]
    slow.sort()
    if slow:
        row.note = f"question p50 {slow[len(slow) // 2] * 1000:.0f} ms, p99 {slow[len(slow) * 99 // 100] * 1000:.0f} ms"
    return row


def _id(one: object, work: Path) -> str:
    return one.resolve(str(work)).id  # type: ignore[attr-defined,no-any-return]


def work(home: Path, folder: Path, log: Path, seed: int, number: int, seconds: float) -> None:
    """One process: own files to edit, everybody's promises to check; prints what goes wrong."""
    rng = random.Random(seed)
    mine = memory(home)
    names: dict[str, list[str]] = {}
    until, step = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        step += 1
        chosen = rng.random()
        if chosen < 0.25:
            file = f"own{number}/f{rng.randrange(5)}.py"
            before = names.get(file, [])
            gone = before[:1] if len(before) > 6 else []
            for one in gone:
                say(log, "removing", one)
            fresh = name(rng, (number + 1) * 100_000 + step)
            names[file] = [one for one in before if one not in gone] + [fresh]
            write(folder / file, names[file])
            report = mine.scan(str(folder))
            if report.status != "completed":
                print(f"scan {report.status}")
            say(log, "scan", fresh)
            _look(mine, folder, log, fresh)
            for one in gone:
                if _found(mine, folder, one):
                    print(f"{one} was removed and is still cited")
        elif chosen < 0.5:
            text = f"worker {number} learned thing {step} about {rng.choice('abcdef')}"
            say(log, "note", mine.save(text, str(folder)).id, text)
        else:
            _check_promise(mine, folder, log, rng)
    mine.close()


def _check_promise(mine: object, folder: Path, log: Path, rng: random.Random) -> None:
    promises = [line for line in said(log) if line[0] in ("scan", "note")]
    if not promises:
        return
    kind, first, *rest = rng.choice(promises[-200:])
    if kind == "scan":
        _look(mine, folder, log, str(first))
        return
    started = time.monotonic()
    answer = mine.query(str(rest[0]), str(folder), category="fact", limit=50)  # type: ignore[attr-defined]
    say(log, "recalled", first, time.monotonic() - started)
    if str(rest[0]) not in [note.content for note in answer.notes]:
        print(f"note {rest[0]!r} was acknowledged and is not recalled")


def _look(mine: object, folder: Path, log: Path, wanted: str) -> None:
    """A name that a scan has acknowledged is on top of the answer, in this process too, at the first call."""
    started = time.monotonic()
    found = _found(mine, folder, wanted)
    say(log, "found", wanted, time.monotonic() - started)
    if not found and ["removing", wanted] not in said(log):
        print(f"{wanted} was acknowledged and is not found")


def _found(mine: object, folder: Path, wanted: str) -> bool:
    hits = mine.query(wanted, str(folder)).results  # type: ignore[attr-defined]
    return any(hit.name == wanted and hit.state in ("fresh", "moved") for hit in hits)


if __name__ == "__main__":
    home, folder, log, seed, number, seconds = sys.argv[1:]
    work(Path(home), Path(folder), Path(log), int(seed), int(number), float(seconds))
