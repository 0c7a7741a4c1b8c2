"""A model server on loopback that embeds: Ollama's and OpenAI's protocol, vectors from the words' hashes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fake_embedder import FakeEmbedder


@dataclass
class VectorServer:
    """`statuses` are answered first, in order; `reply` stands for the vectors of a reply; longer texts get 400."""

    url: str = ""
    dimensions: int = 32
    models: list[dict[str, Any]] = field(
        default_factory=lambda: [{"name": "tiny:latest", "details": {"family": "nomic-bert"}}]
    )
    statuses: list[int] = field(default_factory=list)
    reply: Any = None
    longest: int = 100_000
    silent_s: float = 0.0
    inputs: list[list[str]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def vector_server(**state: Any) -> Iterator[VectorServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    face = VectorServer(url=f"http://127.0.0.1:{server.server_port}", **state)
    server.face = face  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield face
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        face: VectorServer = self.server.face  # type: ignore[attr-defined]
        self._json(200, {"models": face.models if self.path == "/api/tags" else []})

    def do_POST(self) -> None:
        face: VectorServer = self.server.face  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        face.inputs.append(body["input"])
        face.keys.append(self.headers.get("authorization", ""))
        time.sleep(face.silent_s)
        if face.statuses:
            self._json(face.statuses.pop(0), {"error": "no"})
        elif max(map(len, body["input"])) > face.longest:
            self._json(400, {"error": {"message": "input is too long"}})
        else:
            vectors = FakeEmbedder("server", face.dimensions).encode(body["input"])
            vectors[~vectors.any(axis=1), 0] = 1
            rows = (3 * vectors).tolist() if face.reply is None else face.reply
            if self.path == "/api/embed":
                self._json(200, {"model": body["model"], "embeddings": rows})
            else:
                found = [{"index": i, "embedding": row} for i, row in enumerate(rows)]
                self._json(200, {"object": "list", "model": body["model"], "data": found[::-1]})

    def _json(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):
            self.wfile.write(body)
