"""A server process spoken to line by line, so that a test sees every byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Any

REPLY_TIMEOUT_S = 60.0
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class StdioSession:
    """Spawns the server with almost no environment, as some clients do, and keeps what it writes.

    With `bare`, what `env` names is the whole environment.
    """

    def __init__(
        self, home: Path, cwd: Path | str = "/", command: list[str] | None = None, *, bare: bool = False, **env: str
    ) -> None:
        usual = {"PATH": os.environ["PATH"], "HOME": str(home), "ZERIKAI_HOME": str(home / "brain")}
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "zerikai_memory"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env if bare else usual | env,
        )
        self.lines: list[bytes] = []
        self._next_id = 0

    def __enter__(self) -> StdioSession:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, message: dict[str, Any] | bytes) -> None:
        """Write one message, or raw bytes and a line end."""
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return its response, passing over notifications."""
        self._next_id += 1
        self.send({"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params or {}})
        return self.response(self._next_id)

    def response(self, number: int) -> dict[str, Any]:
        """The response with this id."""
        assert self.process.stdout is not None
        while True:
            line = self.process.stdout.readline()
            assert line, f"the server ended: {self.process.stderr.read().decode() if self.process.stderr else ''}"
            self.lines.append(line)
            message: dict[str, Any] = json.loads(line)
            if message.get("id") == number:
                return message

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        """The handshake of the earlier protocol versions."""
        client = {"name": "test", "version": "0"}
        reply = self.request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return reply

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The result of a tool call."""
        result: dict[str, Any] = self.request("tools/call", {"name": tool, "arguments": arguments})["result"]
        return result

    def end(self, timeout_s: float = 30.0) -> tuple[int, bytes, str, float]:
        """Wait for the end: exit status, the rest of stdout, stderr, seconds it took."""
        started = time.monotonic()
        out, err = self.process.communicate(timeout=timeout_s)
        return self.process.returncode, out, err.decode(), time.monotonic() - started

    def close(self) -> tuple[int, bytes, str, float]:
        """Close stdin and wait for the end."""
        assert self.process.stdin is not None
        started = time.monotonic()
        self.process.stdin.close()
        self.process.stdin = None
        status, out, err, _ = self.end()
        return status, out, err, time.monotonic() - started
