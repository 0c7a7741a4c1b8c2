#!/usr/bin/env python3
"""What a question costs through MCP on a large project, and as a ratio to numpy's exact search in the same run.

    bench/question_speed.py FOLDER [--entities 16000] [--questions FILE]

Copies projects out of FOLDER (one a subfolder) until the scan has that many entities, starts the server as a process
and asks the questions of FILE (a JSON list of texts; by default those of entity_questions.json) without a model.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

import anyio
import numpy as np
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

HERE = Path(__file__).resolve().parent
NO_SERVER = "http://127.0.0.1:9"
ASKED = 100
LEFT_OUT = shutil.ignore_patterns("node_modules", ".git", "dist", "*.min.js", "*.map")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--entities", type=int, default=16_000)
    parser.add_argument("--questions", type=Path)
    args = parser.parse_args()
    if args.questions:
        questions = json.loads(args.questions.read_text("utf-8"))
    else:
        questions = [one["question"] for one in json.loads((HERE / "entity_questions.json").read_text("utf-8"))]
    print(measure(args.folder, args.entities, questions))
    return 0


def measure(folder: Path, wanted: int, questions: list[str]) -> str:
    """The figures in one line."""
    with tempfile.TemporaryDirectory() as name:
        home, project = Path(name) / "brain", Path(name) / "project"
        memory = Memory(Settings(home=home, vector_store="exact"), cwd=Path(name))
        entities, copies = 0, 0
        while entities < wanted:
            for source in sorted(path for path in folder.iterdir() if path.is_dir()):
                if entities >= wanted:
                    break
                shutil.copytree(source, project / f"part{copies}" / source.name, ignore=LEFT_OUT)
                entities = memory.scan(str(project)).entities
            copies += 1
        view = memory._brain.view(memory.resolve(str(project)).id).get()
        vectors = view.vectors.copy()
        memory.close()
        chosen = questions[:: max(1, len(questions) // ASKED)][:ASKED]
        asked = anyio.run(ask, home, project, chosen)
    exact = exact_search(vectors)
    p50 = statistics.median(asked)
    tail = sorted(asked)[int(len(asked) * 0.95)]
    return (
        f"{entities} entities, {len(asked)} questions through MCP: p50 {p50:.1f} ms, p95 {tail:.1f} ms; numpy exact "
        f"search {exact:.2f} ms, ratio {p50 / exact:.1f}; load of the machine {os.getloadavg()[0]:.1f}"
    )


async def ask(home: Path, project: Path, questions: list[str]) -> list[float]:
    """Milliseconds per question, after a first one that loads the index."""
    env = os.environ | {"ZERIKAI_HOME": str(home), "VECTOR_STORE": "exact", "OLLAMA_HOST": NO_SERVER}
    server = StdioServerParameters(command=sys.executable, args=["-m", "zerikai_memory"], env=env)
    times = []
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        for question in [questions[0], *questions]:
            started = time.perf_counter()
            result = await session.call_tool("query_memory", {"user_query": question, "workspace": str(project)})
            times.append((time.perf_counter() - started) * 1000)
            if result.is_error:
                raise SystemExit(result.content[0].text)
    return times[1:]


def exact_search(vectors: np.ndarray) -> float:
    """Median milliseconds of the nearest ten by one matrix product."""
    times = []
    for i in range(100):
        query = vectors[i * 7 % len(vectors)]
        started = time.perf_counter()
        np.argpartition(-(vectors @ query), 10)[:10]
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


if __name__ == "__main__":
    sys.exit(main())
