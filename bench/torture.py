"""Torture the brain: many processes, SIGKILL, full and read-only disks, damaged files, starts and stops, memory.

    python bench/torture.py            the long form: 2 minutes of 4 processes, 300 kills (about 10 minutes)
    python bench/torture.py --short    some seconds of each (runs in the tests)

Seeded and bounded; prints one table and ends with status 1 when anything went wrong. Needs Linux; the disk parts need
to be allowed to mount a small tmpfs and are skipped with the reason otherwise.
"""

from __future__ import annotations

import argparse
import logging
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.tortures import damage, disk, kills, life, many, mirror
from bench.tortures.ground import Row

# More would be the same trouble again; the first ones say what it is.
SHOWN = 5


def parts(seed: int, short: bool) -> dict[str, Callable[[Path], Row]]:
    """Every part by name, with the amount of trouble of the form asked for."""
    return {
        "many": lambda folder: many.run(folder, seed, 4 if short else 120),
        "kills": lambda folder: kills.run(folder, seed, 6 if short else 300),
        "mirror": lambda folder: mirror.run(folder, seed, *((2, 6) if short else (40, 150))),
        "full": lambda folder: disk.run_full(folder, seed),
        "readonly": lambda folder: disk.run_read_only(folder, seed),
        "damage": lambda folder: damage.run(folder, seed, 1 if short else 5, flips=not short),
        "cycles": lambda folder: life.run_cycles(folder, seed, 4 if short else 50),
        "rss": lambda folder: life.run_rss(folder, seed, 200 if short else 2000),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Torture the brain and print what held.")
    parser.add_argument("--short", action="store_true", help="some seconds of each part")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="parts: many kills mirror full readonly damage cycles rss")
    args = parser.parse_args()
    logging.disable(logging.WARNING)  # a full disk is told by its errors here
    wrong = 0
    print(f"seed {args.seed}\n{'part':<36} {'s':>5}  {'wrong':>5}  done; notes")
    for name, run in parts(args.seed, args.short).items():
        if args.only and name not in args.only:
            continue
        folder = Path(tempfile.mkdtemp(prefix="torture-"))
        started = time.monotonic()
        try:
            row = run(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        wrong += len(row.wrong)
        said = f"skipped: {row.skipped}" if row.skipped else f"{row.done}; {row.note}"
        print(f"{row.name:<36} {time.monotonic() - started:>5.0f}  {len(row.wrong):>5}  {said}", flush=True)
        for text in row.wrong[:SHOWN]:
            print(f"    wrong: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
