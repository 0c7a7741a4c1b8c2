"""Antigravity: `brain/<session>/.system_generated/logs/transcript_full.jsonl`, else `transcript.jsonl` beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from zerikai_memory.sessions.formats.base import (
    NOTHING,
    Format,
    Json,
    Line,
    Said,
    seconds,
    text_field,
    tool_text,
)

_REQUEST = re.compile(r"(?s)<USER_REQUEST>(.*?)(?:</USER_REQUEST>|$)")


def read(record: Json) -> Line:
    """A step; a step that is written again, grown, is the same step. Results of tools are open-ended kinds."""
    source, kind = record.get("source"), record.get("type")
    if "type" not in record:
        raise KeyError("type")
    if kind == "USER_INPUT":
        return Line(said=tuple(_user(record)))
    if kind == "PLANNER_RESPONSE" or (source == "MODEL" and record.get("tool_calls")):
        return Line(said=tuple(_model(record)))
    return NOTHING


def _user(record: Json) -> Iterator[Said]:
    content = text_field(record, "content")
    asked = _REQUEST.findall(content)
    text = "\n".join(part.strip() for part in asked) if asked else content
    yield Said("user", text, seconds(record.get("created_at")), _step(record, "user"))


def _model(record: Json) -> Iterator[Said]:
    at = seconds(record.get("created_at"))
    if thinking := text_field(record, "thinking"):
        yield Said("thinking", thinking, at, _step(record, "thinking"))
    if text := text_field(record, "content"):
        yield Said("assistant", text, at, _step(record, "text"))
    calls = record.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            text = tool_text(call.get("name"), call.get("args", call.get("arguments")))
            yield Said("tool", text, at, _step(record, f"call-{number}"), text_field(call, "id"))


def _step(record: Json, part: str) -> str:
    """Steps count within their session, so the session is added where the identity is used."""
    index = record.get("step_index")
    return f"step/{index}/{part}" if isinstance(index, int) else ""


def _find(folder: Path) -> Iterator[str]:
    try:
        brains = sorted(folder.iterdir())
    except OSError:
        return
    for brain in brains:
        logs = brain / ".system_generated" / "logs"
        both = (logs / "transcript_full.jsonl", logs / "transcript.jsonl")
        if found := next((path for path in both if path.is_file()), None):
            yield str(found)


ANTIGRAVITY = Format(
    name="antigravity",
    find=_find,
    session_id=lambda path: path.parents[2].name,
    read=read,
    local_identity=True,
)
