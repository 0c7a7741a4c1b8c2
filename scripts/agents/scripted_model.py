"""A model on loopback that does not think: it asks for the tools of a script, one after the other, then stops.

It speaks three dialects, streamed: chat completions, responses and messages. An agent sees a model; the agent's own
work (starting servers, showing tools to the model, calling them, handing results back) is real.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to ask for: the end of its name (agents put prefixes before it) and its arguments."""

    tool: str
    arguments: dict[str, Any]


@dataclass
class ScriptedModel:
    """Serves while it is entered as a context; `offered` are the tool names and `results` the tool replies it saw."""

    script: Sequence[Call]
    offered: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __enter__(self) -> ScriptedModel:
        model = self

        class Bound(_Handler):
            scripted = model

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Bound)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def next_call(self, tools: Sequence[str], results: Sequence[str]) -> tuple[str, str] | None:
        """Full name and JSON arguments of the call to make after `results`; None when the script is done."""
        if not tools:  # a request for a title or a summary
            return None
        self.offered = [*tools] if len(tools) > len(self.offered) else self.offered
        self.results = [*results] if len(results) > len(self.results) else self.results
        if len(results) >= len(self.script):
            return None
        call = self.script[len(results)]
        name = next((name for name in tools if name.endswith(call.tool)), None)
        return (name, json.dumps(call.arguments)) if name else None


class _Handler(BaseHTTPRequestHandler):
    scripted: ScriptedModel
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._json({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    def do_HEAD(self) -> None:
        self._json({})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        self.scripted.requests.append(path)
        for ending, dialect in (("/chat/completions", _chat), ("/responses", _responses), ("/messages", _messages)):
            if path.endswith(ending):
                self._stream(dialect(self.scripted, body), named=ending != "/chat/completions")
                return
        self._json({"input_tokens": 1})

    def _json(self, value: Any) -> None:
        data = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterator[Event], *, named: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if named else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        if not named:
            self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def _chat(model: ScriptedModel, body: Event) -> Iterator[Event]:
    tools = [tool["function"]["name"] for tool in body.get("tools") or []]
    results = [_text(message["content"]) for message in body["messages"] if message["role"] == "tool"]
    call = model.next_call(tools, results)
    delta: Event = {"role": "assistant", "content": "Done."}
    if call:
        function = {"name": call[0], "arguments": call[1]}
        calls = [{"index": 0, "id": f"call_{len(results)}", "type": "function", "function": function}]
        delta = {"role": "assistant", "tool_calls": calls}
    base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    yield base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    reason = "tool_calls" if call else "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    yield base | {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}


def _responses(model: ScriptedModel, body: Event) -> Iterator[Event]:
    spaces = {}  # tool name -> the namespace it is offered in
    for tool in body.get("tools") or []:
        for inner in tool.get("tools") or [tool]:
            spaces[inner.get("name") or inner["type"]] = tool.get("name") if "tools" in tool else None
    outputs = [item for item in body.get("input") or [] if item.get("type") == "function_call_output"]
    call = model.next_call(list(spaces), [_text(item["output"]) for item in outputs])
    item: Event = {"id": "m", "type": "message", "status": "completed", "role": "assistant"}
    item["content"] = [{"type": "output_text", "text": "Done.", "annotations": []}]
    if call:
        item = {"id": f"f{len(outputs)}", "type": "function_call", "status": "completed"}
        item |= {"call_id": f"call_{len(outputs)}", "name": call[0], "arguments": call[1]}
        if space := spaces[call[0]]:
            item["namespace"] = space
    usage: Event = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "r", "object": "response", "created_at": 1, "model": "scripted"}
    yield {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    done = whole | {"status": "completed", "output": [item], "usage": usage}
    yield {"type": "response.completed", "response": done}


def _messages(model: ScriptedModel, body: Event) -> Iterator[Event]:
    tools = [tool["name"] for tool in body.get("tools") or []]
    blocks = [block for m in body["messages"] if isinstance(m["content"], list) for block in m["content"]]
    results = [_text(block.get("content")) for block in blocks if block.get("type") == "tool_result"]
    call = model.next_call(tools, results)
    start: Event = {"id": "m", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    usage = {"input_tokens": 1, "output_tokens": 1}
    yield {"type": "message_start", "message": start | {"stop_reason": None, "stop_sequence": None, "usage": usage}}
    block: Event = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": "Done."}
    if call:
        block = {"type": "tool_use", "id": f"toolu_{len(results)}", "name": call[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": call[1]}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    reason = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": reason, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
