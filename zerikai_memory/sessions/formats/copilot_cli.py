"""Copilot CLI: `session-state/<session>/events.jsonl`, events whose kinds grow with every release."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from zerikai_memory.sessions.formats import base
from zerikai_memory.sessions.formats.spent import Counting, Spent, Tokens, count, without_cache

_KNOWN = ("session.", "tool.", "hook.", "subagent.", "skill.", "system.", "permission.", "assistant.", "user.", "abort")


def read(record: base.Json) -> base.Line:
    """An event; the transformed text of the person holds what the program added, so it is not read."""
    kind = record["type"]
    data = record.get("data") or {}
    if not isinstance(data, dict):
        raise TypeError(f"data is {type(data).__name__}")
    if kind in ("session.start", "session.resume"):
        return _start(data)
    if kind == "session.title_changed":
        return base.Line(title=base.text_field(data, "title") or None)
    if kind == "session.model_change":
        return base.Line(model=base.text_field(data, "newModel", "model"))
    if kind in ("user.message", "assistant.message"):
        return base.Line(said=tuple(_message(kind, data, record)), spent=tuple(_answer(kind, data, record)))
    if kind in ("assistant.usage", "session.usage_record"):
        return base.Line(spent=tuple(_measured(data, record)))
    if kind == "session.shutdown":
        return base.Line(spent=tuple(_summary(data, record)))
    return base.NOTHING if kind.startswith(_KNOWN) else base.UNKNOWN


def _start(data: base.Json) -> base.Line:
    context = data.get("context")
    cwd = base.text_field(context, "cwd") if isinstance(context, dict) else ""
    model = base.text_field(data, "selectedModel", "model")
    return base.Line(session_id=base.text_field(data, "sessionId") or None, cwd=cwd or None, model=model)


def _message(kind: str, data: base.Json, record: base.Json) -> Iterator[base.Said]:
    at = base.seconds(record.get("timestamp"))
    event = base.text_field(record, "id") if at is None else ""
    text = base.block_text(data.get("content"))
    if text:
        yield base.Said("user" if kind == "user.message" else "assistant", text, at, event and f"{event}/{text[:80]}")
    if reasoning := base.text_field(data, "reasoningText"):
        yield base.Said("thinking", reasoning, at, event and f"{event}/thinking")
    requests = data.get("toolRequests")
    for request in requests if isinstance(requests, list) else ():
        if isinstance(request, dict):
            call = base.text_field(request, "toolCallId")
            yield base.Said("tool", base.tool_text(request.get("name"), request.get("arguments")), at, entry=call)


def _answer(kind: str, data: base.Json, record: base.Json) -> Iterator[Spent]:
    """A message tells only its output."""
    output = count(data, "outputTokens")
    if kind == "assistant.message" and output is not None:
        identity = base.text_field(data, "messageId") or base.text_field(record, "id")
        at = base.seconds(record.get("timestamp"))
        yield Spent(Tokens(output=output), Counting.PART, at, identity, base.text_field(data, "model"))


def _measured(data: base.Json, record: base.Json) -> Iterator[Spent]:
    told = data.get("usage")
    usage = told if isinstance(told, dict) else data
    at, model = base.seconds(record.get("timestamp")), base.text_field(data, "model") or base.text_field(usage, "model")
    yield Spent(_tokens(usage), Counting.MEASURED, at, base.text_field(record, "id"), model)


def _summary(data: base.Json, record: base.Json) -> Iterator[Spent]:
    """All that was spent since the session was started or resumed, by model."""
    metrics, at = data.get("modelMetrics"), base.seconds(record.get("timestamp"))
    for model, one in metrics.items() if isinstance(metrics, dict) else ():
        usage, requests = one.get("usage"), one.get("requests")
        if isinstance(usage, dict):
            times = count(requests, "count") if isinstance(requests, dict) else None
            identity = f"{base.text_field(record, 'id')}/{model}"
            yield Spent(_tokens(usage), Counting.SUMMARY, at, identity, model, requests=1 if times is None else times)


def _tokens(usage: base.Json) -> Tokens:
    read, written = count(usage, "cacheReadTokens"), count(usage, "cacheWriteTokens")
    reasoning = count(usage, "reasoningTokens")
    return without_cache(Tokens(count(usage, "inputTokens"), read, written, count(usage, "outputTokens"), reasoning))


def _find(folder: Path, trouble: base.Trouble) -> Iterator[str]:
    for session in base.entries(folder, trouble):
        # Builds before 1.0 kept one file per session.
        yield session if session.endswith(".jsonl") else f"{session}{os.sep}events.jsonl"


COPILOT_CLI = base.Format(
    name="copilot-cli",
    find=_find,
    session_id=lambda path: path.parent.name if path.name == "events.jsonl" else path.stem,
    read=read,
)
