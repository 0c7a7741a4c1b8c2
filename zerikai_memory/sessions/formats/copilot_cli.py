"""Copilot CLI: `session-state/<session>/events.jsonl`, events whose kinds grow with every release."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from zerikai_memory.sessions.formats.base import (
    NOTHING,
    UNKNOWN,
    Format,
    Json,
    Line,
    Said,
    block_text,
    seconds,
    text_field,
    tool_text,
)

_KNOWN = ("session.", "tool.", "hook.", "subagent.", "skill.", "system.", "permission.", "assistant.", "user.", "abort")


def read(record: Json) -> Line:
    """An event; the transformed text of the person holds what the program added, so it is not read."""
    kind = record["type"]
    data = record.get("data") or {}
    if not isinstance(data, dict):
        raise TypeError(f"data is {type(data).__name__}")
    if kind in ("session.start", "session.resume"):
        return _start(data)
    if kind == "session.title_changed":
        return Line(title=text_field(data, "title") or None)
    if kind in ("user.message", "assistant.message"):
        return Line(said=tuple(_message(kind, data, record)))
    return NOTHING if kind.startswith(_KNOWN) else UNKNOWN


def _start(data: Json) -> Line:
    context = data.get("context")
    cwd = text_field(context, "cwd") if isinstance(context, dict) else ""
    return Line(session_id=text_field(data, "sessionId") or None, cwd=cwd or None)


def _message(kind: str, data: Json, record: Json) -> Iterator[Said]:
    at = seconds(record.get("timestamp"))
    event = text_field(record, "id") if at is None else ""
    text = block_text(data.get("content"))
    if text:
        yield Said("user" if kind == "user.message" else "assistant", text, at, event and f"{event}/{text[:80]}")
    if reasoning := text_field(data, "reasoningText"):
        yield Said("thinking", reasoning, at, event and f"{event}/thinking")
    requests = data.get("toolRequests")
    for request in requests if isinstance(requests, list) else ():
        if isinstance(request, dict):
            call = text_field(request, "toolCallId")
            yield Said("tool", tool_text(request.get("name"), request.get("arguments")), at, entry=call)


def _find(folder: Path) -> Iterator[str]:
    try:
        sessions = sorted(folder.iterdir())
    except OSError:
        return
    for session in sessions:
        if session.suffix == ".jsonl":  # builds before 1.0 kept one file per session
            yield str(session)
        elif (session / "events.jsonl").is_file():
            yield str(session / "events.jsonl")


COPILOT_CLI = Format(
    name="copilot-cli",
    find=_find,
    session_id=lambda path: path.parent.name if path.name == "events.jsonl" else path.stem,
    read=read,
)
