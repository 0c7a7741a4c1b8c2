#!/usr/bin/env python3
"""What each view of the code map costs, as a ratio to what it replaces: a search for the name in all files.

    bench/map_views.py [FOLDER]         default: the numpy of this environment

Yardstick: `name(` as a regular expression over the text of all indexed files, already in memory. Prints the median and
the 95th percentile of every view over the same names, the ratio, and the first view of a process (it loads the map).
The promise on a project of 17,000 entities: each view p50 below 30 ms.
"""

from __future__ import annotations

import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_views import VIEWS
from zerikai_memory.settings import Settings

NAMES = 40
WHOLE = ("profile", "overview", "entrypoints", "unused")
ROUNDS_WHOLE = 15


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(np.__file__).parent).resolve()
    with tempfile.TemporaryDirectory() as home:
        memory = Memory(Settings(home=Path(home), vector_store="exact"), cwd=folder)
        report = memory.scan(str(folder))
        entities = memory.entities(str(folder))
        chosen = sample(entities)
        texts = [(folder / path).read_bytes() for path in dict.fromkeys(e.file_path for e in entities)]
        plain = [seconds(lambda e=e: search(e.name, texts)) for e in chosen[:15]]
        yardstick = statistics.median(plain)
        memory.close()
        memory = Memory(Settings(home=Path(home), vector_store="exact"), cwd=folder)
        first = seconds(lambda: memory.mapping.view("callers", spelled(chosen[0]), str(folder)))
        print(f"{folder.name}: {report.files} files, {report.entities} entities")
        print(f"search for a name in all files   {yardstick * 1000:.1f} ms median")
        print(f"first view of a process          {first * 1000:.0f} ms")
        for view in VIEWS:
            times = measured(memory, str(folder), view, chosen)
            p50, p95 = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
            print(
                f"{view:<14} p50 {p50 * 1000:6.1f} ms   p95 {p95 * 1000:6.1f} ms   {p50 / yardstick:.2f} x the search"
            )
        memory.close()
    return 0


def measured(memory: Memory, folder: str, view: str, chosen: list[CodeEntity]) -> list[float]:
    if view in WHOLE:
        memory.mapping.view(view, None, folder)  # worked out once per state of the map
        return [seconds(lambda: memory.mapping.view(view, None, folder)) for _ in range(ROUNDS_WHOLE)]
    times = []
    for one, other in zip(chosen, [*chosen[1:], chosen[0]], strict=True):
        target = f"{spelled(one)} -> {spelled(other)}" if view == "path" else spelled(one)
        times.append(seconds(lambda target=target: memory.mapping.view(view, target, folder)))
    return times


def sample(entities: list[CodeEntity]) -> list[CodeEntity]:
    """Functions, methods and classes, the same for the same project."""
    named = [e for e in entities if e.entity_type in (EntityType.FUNCTION, EntityType.METHOD, EntityType.CLASS)]
    return random.Random(7).sample(named, min(NAMES, len(named)))


def spelled(entity: CodeEntity) -> str:
    return f"{entity.qualified_name} #{entity.file_path}:{entity.start_line}"


def search(name: str, texts: list[bytes]) -> int:
    pattern = re.compile(rb"\b" + re.escape(name.encode()) + rb"\s*\(")
    return sum(len(pattern.findall(text)) for text in texts)


def seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    try:
        work()
    except InputError as error:
        raise SystemExit(str(error)) from error
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
