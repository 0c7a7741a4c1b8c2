"""An Ollama on loopback: lists models, chats, cuts prompts silently at the window like the real one."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Face:
    """`models` as /api/tags lists them; `cut_at` is the window that the server really has."""

    url: str = ""
    models: list[dict[str, Any]] = field(default_factory=lambda: [{"name": "small:latest", "model": "small:latest"}])
    loaded: list[str] = field(default_factory=list)
    answer: str = "A local answer."
    status: int = 200
    finish: str = "stop"
    ends: bool = True
    counts: bool = True
    cut_at: int = 100_000
    silent_s: float = 0.0
    upstream: str = ""  # a llama.cpp server's /v1, which then answers and counts
    requests: list[dict[str, Any]] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)


@contextmanager
def ollama_face(**state: Any) -> Iterator[Face]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    face = Face(url=f"http://127.0.0.1:{server.server_port}", **state)
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
        face: Face = self.server.face  # type: ignore[attr-defined]
        loaded = [{"name": name} for name in face.loaded]
        self._json(200, {"models": face.models if self.path == "/api/tags" else loaded})

    def do_POST(self) -> None:
        face: Face = self.server.face  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        face.requests.append(body)
        if face.status != 200:
            self._json(face.status, {"error": "no"})
            return
        if face.silent_s:
            self.connection.settimeout(face.silent_s)
            if self.connection.recv(1) == b"":
                face.hung_up.set()
                return
        self._stream(face, body)

    def _stream(self, face: Face, body: dict[str, Any]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Connection", "close")
        self.end_headers()
        half = len(face.answer) // 2
        lines = [{"message": {"role": "assistant", "content": t}} for t in (face.answer[:half], face.answer[half:])]
        if face.upstream:
            lines = _asked(face.upstream, body)
        elif face.ends:
            tokens = sum(len(m["content"]) for m in body["messages"]) // 4
            counts = {"prompt_eval_count": min(tokens, face.cut_at), "eval_count": 5} if face.counts else {}
            lines.append({"message": {"role": "assistant", "content": ""}, "done_reason": face.finish, **counts})
        for number, line in enumerate(lines):
            value = {"model": body["model"], "done": number == 2, **line}
            self.wfile.write(json.dumps(value).encode() + b"\n")

    def _json(self, status: int, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _asked(upstream: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines of a reply that a real server wrote, with its counts."""
    options = body["options"]
    asked = {"messages": body["messages"], "max_tokens": options["num_predict"], "temperature": options["temperature"]}
    request = urllib.request.Request(
        f"{upstream}/chat/completions", json.dumps(asked).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as response:
        reply = json.load(response)
    text, usage = reply["choices"][0]["message"]["content"], reply["usage"]
    counts = {"prompt_eval_count": usage["prompt_tokens"], "eval_count": usage["completion_tokens"]}
    half = len(text) // 2
    contents = (text[:half], text[half:], "")
    lines: list[dict[str, Any]] = [{"message": {"role": "assistant", "content": piece}} for piece in contents]
    lines[-1] |= counts
    return lines
