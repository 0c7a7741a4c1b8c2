"""Cut and flip bytes in each file of a brain in turn: recorded data is refused or whole, derived data is made anew."""

from __future__ import annotations

import random
import shutil
import sys
from collections import Counter
from collections.abc import Collection
from pathlib import Path

from bench.tortures.ground import Row, child, differences, memory, project
from zerikai_memory.app import Memory
from zerikai_memory.errors import DamagedError, ZerikaiError

NOTES = 40
FLIPS = 48


def run(folder: Path, seed: int, rounds: int, flips: bool = True) -> Row:
    """Every file x every kind of damage, each looked at by a new process; flipped bits differ from run to run."""
    row = Row("damaged files")
    work, home = folder / "project", folder / "whole"
    project(work, random.Random(seed), 40)
    one = memory(home)
    one.scan(str(work))
    project(work, random.Random(seed + 1), 42)
    one.scan(str(work))
    for number in range(NOTES):
        one.save(f"note {number} of the damaged brain", str(work))
    one.close()
    two = memory(home)  # its first change of the day makes the backup, with all notes in it
    two.save("one more note", str(work))
    two.close()
    files = sorted(path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())
    results: Counter[str] = Counter()
    for turn in range(rounds):
        for file in files:
            # All kinds of one file in one process each would be slow; one process looks at all kinds of one file.
            looked = child("damage", folder, work, file, seed + turn, *([] if flips else ["bits flipped"]))
            out, err = looked.communicate(timeout=300)
            for line in out.splitlines():
                kind, _, text = line.partition(" ")
                if kind == "wrong":
                    row.wrong.append(f"{file}, {text}")
                else:
                    results[text] += 1
            if looked.returncode:
                last = err.strip().splitlines()[-1:] or [f"status {looked.returncode}"]
                row.wrong.append(f"{file}: the process died: {last[0]}")
    row.done = f"{len(files)} files x {len(KINDS) - (not flips)} kinds x {rounds}"
    row.note = ", ".join(f"{text} {count}" for text, count in results.most_common())
    return row


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(1, max(2, len(data)))]


def _flip(data: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(FLIPS if data else 0):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def _header(data: bytes, rng: random.Random) -> bytes:
    return rng.randbytes(min(100, len(data))) + data[100:]


def _page(data: bytes, rng: random.Random) -> bytes:
    start = rng.randrange(0, max(1, len(data)), 4096)
    return data[:start] + bytes(len(data[start : start + 4096])) + data[start + 4096 :]


KINDS = {
    "emptied": lambda data, rng: b"",
    "cut": _cut,
    "bits flipped": _flip,
    "header random": _header,
    "page zeroed": _page,
    "random": lambda data, rng: rng.randbytes(len(data)),
}


def look(folder: Path, work: Path, file: str, seed: int, without: Collection[str] = ()) -> None:
    """Damage one file in each way but `without` and use the brain; prints `wrong ...` or `seen ...`."""
    rng = random.Random(f"{seed} {file}")
    for kind, damage in KINDS.items():
        if kind in without:
            continue
        home = folder / "damaged"
        shutil.rmtree(home, ignore_errors=True)
        shutil.copytree(folder / "whole", home)
        (home / file).write_bytes(damage((home / file).read_bytes(), rng))
        one = memory(home)
        try:
            _use(one, home, work, file, kind)
        except Exception as error:
            print(f"wrong {kind}: {type(error).__name__} {error}")
        finally:
            one.close()


def _use(one: Memory, home: Path, work: Path, file: str, kind: str) -> None:
    """Ask, scan, ask again, read every note; the only errors are ours, and name the file."""
    one.doctor()
    refused = False
    recorded = file == "zerikai.db"
    for call in (
        lambda: one.query("amber delta", str(work)),
        lambda: one.brief(str(work)),
        lambda: one.scan(str(work)),
        lambda: one.workspaces(),
    ):
        try:
            call()
        except DamagedError as error:
            refused = True
            if Path(file).name not in str(error):
                print(f"wrong {kind}: the error does not name the file: {error}")
        except ZerikaiError:
            # A flipped bit inside a recorded value, an id say, is valid to SQLite: "no brief yet" is in words at least.
            if not recorded:
                raise
    try:
        one.scan(str(work))
        # SQLite keeps no checksums: a flipped letter in a stored name is valid, and a scan trusts unchanged files.
        unnoticed = kind == "bits flipped" and not refused and differences(one, work)
        for difference in [] if unnoticed else differences(one, work):
            print(f"wrong {kind}: {difference}")
        if not one.query("amber delta", str(work)).results:
            print(f"wrong {kind}: nothing is found after the scan")
        notes = [note.content for note in one.query("", str(work), category="fact", limit=50).notes]
        wanted = {f"note {number} of the damaged brain" for number in range(NOTES)}
        whole = wanted <= set(notes)
        if not whole and not recorded:
            print(f"wrong {kind}: {len(wanted - set(notes))} notes are missing")
        print(
            "seen",
            ("as before" if whole and not unnoticed else "changed text not noticed") if not refused else "made anew",
        )
    except ZerikaiError as error:
        if not recorded:
            print(f"wrong {kind}: after the scan still: {error}")
            return
        _restore(one, home, work, kind)


def _restore(one: Memory, home: Path, work: Path, kind: str) -> None:
    """zerikai.db is refused: a backup brings it back, and the damaged file is kept."""
    one.upkeep.restore_backup(one.upkeep.backups()[0].name)
    again = memory(home)
    again.scan(str(work))
    notes = [note.content for note in again.query("", str(work), category="fact", limit=50).notes]
    if len(notes) < NOTES:
        print(f"wrong {kind}: {NOTES - len(notes)} notes are not in the restored backup")
    kept = list(home.glob("zerikai.db.damaged-*"))
    print("seen refused, restored from backup" if kept else f"wrong {kind}: the damaged file is gone")
    again.close()


if __name__ == "__main__":
    look(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), sys.argv[5:])
