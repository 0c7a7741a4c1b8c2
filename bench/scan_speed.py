#!/usr/bin/env python3
"""What a scan and a question cost, as ratios to yardsticks of the same run.

    bench/scan_speed.py [FOLDER]        default: the packages of this environment's site-packages

Yardstick of the scan: `ast.parse` of the same Python files. Yardstick of a question: one product of a matrix of as many
256-dimensional vectors with a vector. Prints CPU seconds, peak memory and bytes on disk beside the ratios.
"""

from __future__ import annotations

import ast
import resource
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np

from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

QUESTIONS = (
    "where is the configuration file parsed",
    "how are errors reported to the caller",
    "open a connection with a timeout",
    "write a table to the terminal",
    "split text into tokens",
    "read_text",
)


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(np.__file__).parents[1] / "numpy").resolve()
    files = sorted(folder.rglob("*.py"))
    parse = cpu(lambda: [parsed(path) for path in files])
    with tempfile.TemporaryDirectory() as home:
        memory = Memory(Settings(home=Path(home), vector_store="exact"))
        first = cpu(lambda: memory.scan(str(folder)))
        second = cpu(lambda: memory.scan(str(folder)))
        report = memory.scan(str(folder))
        disk = sum(path.stat().st_size for path in Path(home).rglob("*") if path.is_file())
        memory.query("warm up", str(folder))
        question = statistics.median(wall(lambda q=q: memory.query(q, str(folder))) for q in QUESTIONS * 5)
        memory.close()
    matrix = np.random.default_rng(1).normal(size=(report.entities, 256)).astype(np.float32)
    product = statistics.median(wall(lambda: matrix @ matrix[0]) for _ in range(30))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{folder.name}: {report.files} files, {report.entities} entities; ast.parse {parse:.2f} s")
    print(f"first scan     {first:.2f} CPU s   {first / parse:.2f} x ast.parse")
    print(f"second scan    {second:.3f} CPU s   {second / parse:.3f} x ast.parse")
    print(f"question       {question * 1000:.1f} ms median   {question / product:.1f} x one exact vector search")
    print(f"peak memory    {peak:.0f} MB; on disk {disk / 1e6:.1f} MB")
    return 0


def parsed(path: Path) -> ast.AST | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            return None


def cpu(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def wall(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
