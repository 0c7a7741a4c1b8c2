"""A scripted DeepSeek on loopback: whole stored prefix units, usage, keep-alives, errors, cut and odd streams.

The cache follows the documentation: units are stored at the end of each prompt and of each prompt with its output; a
prefix that two prompts share is stored after the second has been answered; a hit is a unit that is wholly a prefix.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from typing import Any

BYTES_PER_TOKEN = 4
ANSWER = "It is done in the shop."


@dataclass
class PrefixCache:
    """`cold` never hits: the real cache is best effort."""

    cold: bool = False
    units: set[str] = field(default_factory=set)
    prompts: list[str] = field(default_factory=list)

    def take(self, prompt: str, output: str) -> int:
        """Cached tokens of a prompt, which is then stored."""
        hit = max((len(u.encode()) for u in self.units if prompt.startswith(u)), default=0)
        for earlier in self.prompts:
            same = takewhile(lambda pair: pair[0] == pair[1], zip(earlier, prompt, strict=False))
            if shared := "".join(character for character, _ in same):
                self.units.add(shared)
        self.units |= {prompt, prompt + output}
        self.prompts.append(prompt)
        return 0 if self.cold else hit // BYTES_PER_TOKEN


@dataclass
class Say:
    """How one request is answered; the default is a complete stream with its usage."""

    text: str = ANSWER
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None  # sent as it is, with `kind`
    kind: str = "application/json"
    finish: str | None = "stop"
    usage: Callable[[dict[str, Any]], Any] = lambda usage: usage
    model: str | None = None
    keep_alives: int = 0
    keep_alive_s: float = 0.05
    silent_s: float = 0.0
    cut: str = ""  # "reset": the socket is torn in the middle of the text; "clean": the stream just ends there
    error_event: bool = False
    done: bool = True
    choices: int = 1


@dataclass
class Request:
    path: str
    body: dict[str, Any]
    raw: bytes
    headers: dict[str, str]
    hung_up: threading.Event = field(default_factory=threading.Event)

    @property
    def system(self) -> str:
        return self.body["messages"][0]["content"]

    @property
    def user(self) -> str:
        return self.body["messages"][1]["content"]


class Double:
    """The server: `script` is consumed in order, then `default` answers."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.script: list[Say] = []
        self.default = Say()
        self.requests: list[Request] = []
        self.usages: list[dict[str, Any]] = []
        self.cache = PrefixCache()
        self.lock = threading.Lock()


@contextmanager
def deepseek_double() -> Iterator[Double]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    double = Double(f"http://127.0.0.1:{server.server_port}")
    server.double = double  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield double
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["content-length"]))
        double: Double = self.server.double  # type: ignore[attr-defined]
        request = Request(self.path, json.loads(raw), raw, {k.lower(): v for k, v in self.headers.items()})
        with double.lock:
            say = double.script.pop(0) if double.script else double.default
            double.requests.append(request)
            usage = self._usage(double, request, say)
        try:
            self._answer(say, request, usage)
        except (BrokenPipeError, ConnectionResetError):
            request.hung_up.set()

    def _usage(self, double: Double, request: Request, say: Say) -> dict[str, Any]:
        prompt = "".join(f"<{m['role']}>{m['content']}" for m in request.body["messages"])
        if say.status != 200 or say.body is not None:
            return {}
        hit, total = double.cache.take(prompt, say.text), len(prompt.encode()) // BYTES_PER_TOKEN
        written = len(say.text.encode()) // BYTES_PER_TOKEN
        usage = {
            "prompt_tokens": total,
            "prompt_cache_hit_tokens": hit,
            "prompt_cache_miss_tokens": total - hit,
            "prompt_tokens_details": {"cached_tokens": hit},
            "completion_tokens": written,
            "completion_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": total + written,
        }
        double.usages.append(usage)
        return usage

    def _answer(self, say: Say, request: Request, usage: dict[str, Any]) -> None:
        if say.silent_s:
            self._wait_silently(say.silent_s, request)
        if say.status != 200 or say.body is not None:
            body = (say.body if say.body is not None else json.dumps({"error": {"message": "no"}})).encode()
            self._head(say.status, say.kind, {**say.headers, "Content-Length": str(len(body))})
            self.wfile.write(body)
            return
        self._head(200, "text/event-stream", say.headers)
        for _ in range(say.keep_alives):
            self._send(": keep-alive\n\n")
            time.sleep(say.keep_alive_s)
        self._stream(say, request, usage)

    def _stream(self, say: Say, request: Request, usage: dict[str, Any]) -> None:
        model = say.model or request.body["model"]
        half = len(say.text) // 2
        for number, piece in enumerate((say.text[:half], say.text[half:])):
            if number and say.cut == "reset":
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            if number and say.cut == "clean":
                return
            choices = [{"index": i, "delta": {"content": piece}, "finish_reason": None} for i in range(say.choices)]
            self._event({"model": model, "choices": choices})
        if say.error_event:
            self._event({"error": {"message": "overloaded"}})
            return
        self._event({"model": model, "choices": [{"index": 0, "delta": {}, "finish_reason": say.finish}]})
        if (shown := say.usage(usage)) is not None:
            self._event({"model": model, "choices": [], "usage": shown})
        if say.done:
            self._send("data: [DONE]\n\n")

    def _wait_silently(self, seconds: float, request: Request) -> None:
        """Say nothing, but notice when the client hangs up."""
        self.connection.settimeout(seconds)
        try:
            if self.connection.recv(1) == b"":
                request.hung_up.set()
                raise BrokenPipeError
        except TimeoutError:
            self.connection.settimeout(None)

    def _head(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Connection": "close", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True

    def _event(self, value: Any) -> None:
        self._send(f"data: {json.dumps(value)}\n\n")

    def _send(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()
