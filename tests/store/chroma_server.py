"""A real `chroma run` server on loopback for the tests, from the installed package, stopped by its own process."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

STARTS_WITHIN_S = 60


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@contextmanager
def chroma_server(folder: Path, port: int) -> Iterator[str]:
    """The URL of a server that answers; it is killed at the end."""
    code = "import sys; from chromadb.cli.cli import app; sys.exit(app())"
    command = [sys.executable, "-c", code, "run", "--host", "127.0.0.1", "--port", str(port), "--path", str(folder)]
    folder.mkdir(exist_ok=True)
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + STARTS_WITHIN_S
            while not _answers(url):
                assert server.poll() is None, "the server ended"
                assert time.monotonic() < deadline
                time.sleep(0.1)
            yield url
        finally:
            server.kill()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/api/v2/heartbeat", timeout=2) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False
