#!/usr/bin/env python3
"""What a question costs without a model, in process and through MCP, and as a ratio to numpy's exact search.

    bench/question_speed.py [FOLDER] [--entities 16000] [--rounds 3]

Copies projects out of FOLDER (one a subfolder; by default the packages of this environment) until the scan has that
many entities, starts the server as a process and asks in turns, in every round, the same questions in process, through
MCP, and of numpy alone, which has as many threads as it likes. Half of the questions are those of
entity_questions.json, half the first sentences of docstrings of the projects. Each question counts with its quickest
round: other work on the machine only adds.
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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
import numpy as np
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings

HERE = Path(__file__).resolve().parent
NO_SERVER = "http://127.0.0.1:9"
# Of each of the two kinds of questions.
ASKED = 120
# Questions before the first that counts: they load the index and, from the second on, its words.
WARMING = 10
LEFT_OUT = shutil.ignore_patterns("node_modules", ".git", "dist", "*.min.js", "*.map", "__pycache__")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(np.__file__).parents[1])
    parser.add_argument("--entities", type=int, default=16_000)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        memory = Memory(
            Settings(home=Path(name) / "brain", vector_store="exact", ollama_host=NO_SERVER), cwd=Path(name)
        )
        project = Path(name) / "project"
        entities = fill(memory, args.folder, project, args.entities)
        questions = questions_about(memory, project)
        asking = Asking(memory, project, questions, memory._brain.view(memory.resolve(str(project)).id).get().vectors)
        found = anyio.run(measure, asking, args.rounds)
        memory.close()
    print(f"{entities} entities, {len(questions)} questions, load of the machine {os.getloadavg()[0]:.1f}")
    for title, one in found.items():
        print(f"{title:<28} {one.line()}")
    ratio = found["through MCP"].p50 / found["numpy's exact search"].p50
    print(f"through MCP / numpy's search {ratio:.1f}")
    return 0


def fill(memory: Memory, folder: Path, project: Path, wanted: int) -> int:
    """Copy projects until there are so many entities; projects that there are too few of are copied again."""
    entities, copies = 0, 0
    while entities < wanted:
        for source in sorted(path for path in folder.iterdir() if path.is_dir()):
            if entities >= wanted:
                break
            shutil.copytree(source, project / f"part{copies}" / source.name, ignore=LEFT_OUT)
            entities = memory.scan(str(project)).entities
        copies += 1
    return entities


def questions_about(memory: Memory, project: Path) -> list[str]:
    """Different questions of two kinds, of which the second has answers in the project."""
    written = [one["question"] for one in json.loads((HERE / "entity_questions.json").read_text("utf-8"))]
    said = [entity.docstring.split(".")[0] for entity in memory.entities(str(project)) if entity.docstring]
    sentences = [text for text in said if 20 < len(text) < 150 and "\n" not in text and ":" not in text]
    return list(dict.fromkeys([*spread(written, ASKED), *spread(sentences, ASKED)]))


def spread(texts: Sequence[str], most: int) -> list[str]:
    return list(texts[:: max(1, len(texts) // most)][:most])


@dataclass(frozen=True, slots=True, eq=False)
class Asking:
    memory: Memory
    project: Path
    questions: list[str]
    vectors: np.ndarray


@dataclass(slots=True)
class Times:
    """Milliseconds of every question by round, and of processor time per question by round."""

    rounds: list[list[float]]
    processor: list[float]

    @property
    def quickest(self) -> list[float]:
        return [min(times) for times in zip(*self.rounds, strict=True)]

    @property
    def p50(self) -> float:
        return statistics.median(self.quickest)

    def line(self) -> str:
        tail = sorted(self.quickest)[int(len(self.quickest) * 0.95)]
        used = f", {min(self.processor):.1f} ms of processor time a question" if self.processor else ""
        return f"p50 {self.p50:.2f} ms, p95 {tail:.2f} ms{used}"


async def measure(asking: Asking, rounds: int) -> dict[str, Times]:
    """All three ways of asking, in turns."""
    home = asking.memory.settings.home
    env = os.environ | {"ZERIKAI_HOME": str(home), "VECTOR_STORE": "exact", "OLLAMA_HOST": NO_SERVER}
    server = StdioServerParameters(command=sys.executable, args=["-m", "zerikai_memory"], env=env)
    inside, through, alone = Times([], []), Times([], []), Times([], [])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        for question in asking.questions[:WARMING]:
            asking.memory.query(question, str(asking.project))
            await ask(session, question, asking.project)
        await anyio.sleep(1)
        for _ in range(rounds):
            started, times = time.process_time(), []
            for question in asking.questions:
                times.append(timed(lambda question=question: asking.memory.query(question, str(asking.project))))
            inside.processor.append((time.process_time() - started) * 1000 / len(times))
            inside.rounds.append(times)
            before = served_ms()
            through.rounds.append([await ask(session, question, asking.project) for question in asking.questions])
            after = served_ms()
            if before is not None and after is not None:
                through.processor.append((after - before) / len(asking.questions))
            alone.rounds.append([exact_search(asking.vectors, i) for i in range(len(asking.questions))])
    return {"in process": inside, "through MCP": through, "numpy's exact search": alone}


async def ask(session: ClientSession, question: str, project: Path) -> float:
    started = time.perf_counter()
    result = await session.call_tool("query_memory", {"user_query": question, "workspace": str(project)})
    if result.is_error:
        raise SystemExit(result.content[0].text)
    return (time.perf_counter() - started) * 1000


def timed(work) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def exact_search(vectors: np.ndarray, i: int) -> float:
    """Milliseconds of finding the nearest ten by one matrix product."""
    query = vectors[i * 7 % len(vectors)]
    return timed(lambda: np.argpartition(-(vectors @ query), 10)[:10])


def served_ms() -> float | None:
    """Processor time that the server, our only child, has used; None where the system does not tell."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(os.getpid()):
            return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")
    return None


if __name__ == "__main__":
    sys.exit(main())
