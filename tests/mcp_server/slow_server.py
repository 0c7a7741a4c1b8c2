"""The real server process over a memory whose scans never end by themselves, and whose queries print."""

import sys
from pathlib import Path
from typing import Any

from zerikai_memory.mcp_server.process import serve

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def slow_memory(settings: object) -> Any:
    from tests.fake_memory import FakeMemory

    class NoisyMemory(FakeMemory):
        def query(self, *arguments: Any, **more: Any) -> Any:
            sys.stdout.write("noise from a tool\n")
            sys.stdout.flush()
            sys.stdout.write("unfinished noise")  # would reach the wire when the interpreter flushes at its end
            return super().query(*arguments, **more)

    return NoisyMemory(scan_steps=5)


if __name__ == "__main__":
    serve(slow_memory)
