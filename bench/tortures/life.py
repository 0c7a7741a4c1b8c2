"""Starts and stops of the server, and the memory it uses after many questions."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from bench.tortures.ground import ROOT, Row, child, memory, on_disk, project


def run_cycles(folder: Path, seed: int, cycles: int) -> Row:
    """Start, ask, stop by EOF, SIGTERM, SIGINT or SIGKILL; nothing may be left over."""
    row = Row(f"{cycles} starts and stops", f"{cycles} cycles")
    work, home = folder / "project", folder / "brain"
    project(work, random.Random(seed), 20)
    first = memory(home)
    first.scan(str(work))
    first.close()
    first = memory(home)
    first.save("the first change by a later process also makes the backup of the day", str(work))
    first.close()
    before = _processes()
    files = {path.relative_to(home).as_posix() for path in home.rglob("*")}
    slowest = 0.0
    for number in range(cycles):
        slowest = max(slowest, _cycle(row, home, work, number))
    row.note = f"slowest end {slowest * 1000:.0f} ms"
    last = memory(home)
    last.scan(str(work))  # takes the lock: nobody holds it
    last.close()
    time.sleep(0.2)
    row.wrong += [f"left behind: process {command}" for command in _processes() - before]
    left = {path.relative_to(home).as_posix() for path in home.rglob("*")} - files - {"server.log"}
    row.wrong += [f"left behind: {name}" for name in sorted(left) if not name.endswith(("-wal", "-shm"))]
    return row


def _cycle(row: Row, home: Path, work: Path, number: int) -> float:
    server = subprocess.Popen(
        [sys.executable, "-m", "zerikai_memory"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env=os.environ | {"ZERIKAI_HOME": str(home), "VECTOR_STORE": "exact"},
    )
    assert server.stdin
    assert server.stdout
    client = {"name": "torture", "version": "0"}
    start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": start},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    tool = ("query_memory", {"user_query": "amber", "workspace": str(work)})
    if number % 2:
        tool = ("scan_workspace", {"workspace": str(work)})
    call = {"name": tool[0], "arguments": tool[1]}
    messages.append({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
    for message in messages:
        server.stdin.write(json.dumps(message).encode() + b"\n")
    server.stdin.flush()
    while number % 3 or number % 2 == 0:  # else it is stopped at work
        line = server.stdout.readline()
        if not line or json.loads(line).get("id") == 2:
            break
    stopped = time.monotonic()
    how = (None, signal.SIGTERM, signal.SIGINT, signal.SIGKILL)[number % 4]
    if how is None:
        server.stdin.close()
    else:
        server.send_signal(how)
    try:
        server.wait(timeout=5)
    except subprocess.TimeoutExpired:
        row.wrong.append(f"cycle {number}: still there 5 s after {how or 'EOF'}")
        server.kill()
        server.wait()
    took = time.monotonic() - stopped
    if took > 1:
        row.wrong.append(f"cycle {number}: took {took:.1f} s to end after {how or 'EOF'}")
    server.stdout.close()
    return took


def _processes() -> set[str]:
    """Command lines of our servers and workers that run now."""
    found = set()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if "zerikai_memory" in command and parent in (1, os.getpid()) and str(os.getpid()) != entry.name:
            found.add(f"{entry.name} {command[:80]}")
    return found


def run_rss(folder: Path, seed: int, questions: int) -> Row:
    """RSS of a process after a tenth of the questions and after all of them."""
    row = Row(f"memory after {questions} questions", f"{questions} questions")
    work, home = folder / "project", folder / "brain"
    project(work, random.Random(seed), 120)
    first = memory(home)
    first.scan(str(work))
    first.close()
    asked = child("life", home, work, seed, questions)
    out, err = asked.communicate(timeout=600)
    if asked.returncode:
        row.wrong.append(err.strip().splitlines()[-1])
        return row
    early, late = (int(text) for text in out.split())
    row.note = f"RSS {early / 1024:.0f} MB after {questions // 10}, {late / 1024:.0f} MB after {questions}"
    if late > early * 1.1:
        row.wrong.append("it grew by more than 10 %")
    return row


def ask(home: Path, work: Path, seed: int, questions: int) -> None:
    """Ask different questions and print the RSS in kB twice."""
    rng = random.Random(seed)
    mine = memory(home)
    names = sorted(key.partition(":")[2] for key in on_disk(work))
    for number in range(1, questions + 1):
        mine.query(f"where is {rng.choice(names).replace('_', ' ')} number {number}", str(work))
        if number in (questions // 10, questions):
            status = Path("/proc/self/status").read_text(encoding="utf-8")
            print(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))
    mine.close()


if __name__ == "__main__":
    ask(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
