#!/usr/bin/env python3
"""Scan real projects and ask them prepared questions, through the MCP server over stdio as an agent does.

    bench/real_input.py NAME=FOLDER ...        NAME is a project of real_questions.json

Prints for each project: entities by kind and language, seconds of the first and second scan, peak memory of the
server, bytes on disk, and for each question whether an expected entity came first.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from mcp import Client, StdioServerParameters

QUESTIONS = json.loads((Path(__file__).parent / "real_questions.json").read_text())


async def measure(name: str, folder: Path, home: Path) -> tuple[int, int]:
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "zerikai_memory"], env={"ZERIKAI_HOME": str(home)}
    )
    async with Client(server) as client:
        first = await timed(client, "scan_workspace", workspace=str(folder), wait=600)
        again = await timed(client, "scan_workspace", workspace=str(folder), wait=600)
        report, second = first[0], again[0]
        print(f"\n{name}: {report['entities']} entities in {report['files']} files, status {report['status']}")
        print(f"  by kind      {report['entities_by_type']}")
        print(f"  by language  {report['entities_by_language']}")
        print(f"  first scan   {first[1]:.2f} s")
        print(f"  second       {again[1]:.3f} s, {second['embedded']} embedded, {second['kept']} kept")
        disk = sum(path.stat().st_size for path in home.rglob("*") if path.is_file())
        print(f"  on disk      {disk / 1e6:.1f} MB")
        right = 0
        times = []
        for question, expected in QUESTIONS[name]:
            answer, seconds = await timed(client, "query_memory", user_query=question, workspace=str(folder))
            times.append(seconds)
            top = answer["results"][0] if answer["results"] else None
            good = top is not None and any(is_expected(top, wanted) for wanted in expected)
            right += good
            shown = (
                f"{top['qualified_name'] or top['name']} {top['file_path']}:{top['start_line']}" if top else "nothing"
            )
            print(
                f"  {'ok ' if good else 'NO '} {question}\n        -> {shown}"
                + ("" if good else f"   (expected {expected})")
            )
        median = sorted(times)[len(times) // 2] * 1000
        print(f"  right on top {right} of {len(times)}; median {median:.1f} ms a question")
    return right, len(QUESTIONS[name])


async def timed(client: Client, tool: str, **arguments: object) -> tuple[dict, float]:
    started = time.perf_counter()
    reply = await client.call_tool(tool, arguments)
    seconds = time.perf_counter() - started
    if reply.is_error:
        raise SystemExit(reply.content[0].text)
    return reply.structured_content, seconds


def is_expected(hit: dict, wanted: str) -> bool:
    path, _, name = wanted.partition(" ")
    return hit["file_path"].endswith(path) and same_name(hit, name)


def same_name(hit: dict, name: str) -> bool:
    """Names as the source spells them: an element by its id, a style rule by one selector of its list."""
    if name == "*":
        return True
    if hit["entity_type"] == "element":
        return hit["name"].rpartition("#")[2] == name
    if hit["entity_type"] == "rule":
        return name in [selector.strip() for selector in hit["name"].split(",")]
    return name in (hit["qualified_name"], hit["name"])


def main() -> int:
    projects = dict(argument.split("=", 1) for argument in sys.argv[1:])
    if not projects or not projects.keys() <= QUESTIONS.keys() - {"about"}:
        print(__doc__, file=sys.stderr)
        return 2
    totals = []
    for name, folder in projects.items():
        with tempfile.TemporaryDirectory() as home:
            totals.append(asyncio.run(measure(name, Path(folder).resolve(), Path(home))))
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"  peak memory  {peak:.0f} MB (largest server process so far)")
    print(f"\nin all {sum(right for right, _ in totals)} of {sum(count for _, count in totals)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
