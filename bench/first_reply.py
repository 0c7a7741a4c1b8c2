"""What a start costs: time to the first reply and memory, against a trivial server on the same SDK, in turns.

Run: python bench/first_reply.py [RUNS]. Prints both medians of the time from spawn to the reply to `initialize` and
their ratio (the promise is at most 1.5), on Linux the resident memory then and of ours once all is loaded, and the
characters of JSON that every session pays for our tools.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TRIVIAL = """
from mcp.server import MCPServer
mcp = MCPServer("trivial", version="1")
@mcp.tool()
def add(a: int, b: int) -> int:
    return a + b
mcp.run()
"""
OURS = [sys.executable, "-m", "zerikai_memory"]
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}},
}
# Loading in the background starts 0.3 s after the first reply and takes about a second on a quiet machine.
LOADED_AFTER_S = 5.0


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds from spawn to the complete reply, and resident memory in MiB (None where the system does not tell)."""

    seconds: float
    resident_mib: float | None


def start(command: list[str], home: str, rest_s: float = 0.0) -> Start:
    """Start a server, shake hands, measure its memory `rest_s` seconds later, end it."""
    started = time.perf_counter()
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"ZERIKAI_HOME": home},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(HELLO).encode() + b"\n")
        process.stdin.flush()
        reply = json.loads(process.stdout.readline())
        elapsed = time.perf_counter() - started
        time.sleep(rest_s)
        resident = resident_mib(process.pid)
        process.stdin.close()
    assert "result" in reply, reply
    return Start(elapsed, resident)


def resident_mib(pid: int) -> float | None:
    """Resident memory of a process, from /proc."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return None
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def compare(runs: int) -> tuple[list[Start], list[Start], Start]:
    """Starts of ours and of the trivial server in turns, and one of ours at rest; each has one unmeasured run first."""
    trivial = [sys.executable, "-c", TRIVIAL]
    with tempfile.TemporaryDirectory() as home:
        pairs = [(start(OURS, home), start(trivial, home)) for _ in range(runs + 1)][1:]
        return [ours for ours, _ in pairs], [other for _, other in pairs], start(OURS, home, LOADED_AFTER_S)


async def session_cost() -> tuple[int, int, int]:
    """Characters of names, descriptions and input schemas; of output schemas; of instructions."""
    from mcp import Client

    from zerikai_memory.app import Memory
    from zerikai_memory.mcp_server.server import create_server

    async with Client(create_server(Memory)) as session:
        tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await session.list_tools()).tools]
        inputs = sum(len(json.dumps({k: t[k] for k in ("name", "description", "inputSchema")})) for t in tools)
        return inputs, sum(len(json.dumps(tool["outputSchema"])) for tool in tools), len(session.instructions or "")


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    ours, trivial, rested = compare(runs)
    ours_s, trivial_s = (statistics.median(one.seconds for one in starts) for starts in (ours, trivial))
    ratio = ours_s / trivial_s
    print(f"first reply, median of {runs}: ours {ours_s:.3f} s, trivial {trivial_s:.3f} s, ratio {ratio:.2f}")
    if rested.resident_mib is not None:
        then, other = (statistics.median(one.resident_mib or 0 for one in starts) for starts in (ours, trivial))
        print(
            f"resident then: ours {then:.0f} MiB, trivial {other:.0f}; ours with all loaded {rested.resident_mib:.0f}"
        )
    inputs, outputs, instructions = asyncio.run(session_cost())
    print(f"each session pays: tools {inputs} characters, output schemas {outputs}, instructions {instructions}")
    return 0 if ratio <= 1.5 else 1


if __name__ == "__main__":
    sys.exit(main())
