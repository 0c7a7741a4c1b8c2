"""Time from spawn to the reply to `initialize`: ours against a trivial server on the same SDK, in turns.

Run: python bench/first_reply.py [RUNS]. Prints both medians and their ratio; the promise is at most 1.5.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

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


def first_reply_s(command: list[str], home: str) -> float:
    """Seconds from spawning `command` to its complete reply."""
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
        process.stdin.close()
    assert "result" in reply, reply
    return elapsed


def compare(runs: int) -> tuple[float, float]:
    """Median seconds of (ours, trivial) over interleaved runs; one unmeasured run of each comes first."""
    trivial = [sys.executable, "-c", TRIVIAL]
    times: dict[str, list[float]] = {"ours": [], "trivial": []}
    with tempfile.TemporaryDirectory() as home:
        for run in range(runs + 1):
            for name, command in (("ours", OURS), ("trivial", trivial)):
                elapsed = first_reply_s(command, home)
                if run:  # the first one compiles and fills the disk cache
                    times[name].append(elapsed)
    return statistics.median(times["ours"]), statistics.median(times["trivial"])


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    ours, trivial = compare(runs)
    ratio = ours / trivial
    print(f"first reply, median of {runs}: ours {ours:.3f} s, trivial {trivial:.3f} s, ratio {ratio:.2f}")
    return 0 if ratio <= 1.5 else 1


if __name__ == "__main__":
    sys.exit(main())
