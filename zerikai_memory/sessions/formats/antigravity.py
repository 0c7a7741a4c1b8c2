"""Antigravity: `brain/<session>/.system_generated/logs/transcript_full.jsonl`, else `transcript.jsonl` beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zerikai_memory.sessions.formats import base

_REQUEST = re.compile(r"(?s)<USER_REQUEST>(.*?)(?:</USER_REQUEST>|$)")


def read(record: base.Json) -> base.Line:
    """A step; a step that is written again, grown, is the same step. Results of tools are open-ended kinds."""
    source, kind = record.get("source"), record.get("type")
    if "type" not in record:
        raise KeyError("type")
    if kind == "USER_INPUT":
        return base.Line(said=tuple(_user(record)))
    if kind == "PLANNER_RESPONSE" or (source == "MODEL" and record.get("tool_calls")):
        return base.Line(said=tuple(_model(record)))
    return base.NOTHING


def _user(record: base.Json) -> Iterator[base.Said]:
    content = _content(record)
    asked = _REQUEST.findall(content)
    text = "\n".join(part.strip() for part in asked) if asked else content
    yield base.Said("user", text, base.seconds(record.get("created_at")), _step(record, "user"))


def _model(record: base.Json) -> Iterator[base.Said]:
    at = base.seconds(record.get("created_at"))
    if thinking := base.text_field(record, "thinking"):
        yield base.Said("thinking", thinking, at, _step(record, "thinking"))
    if text := _content(record):
        yield base.Said("assistant", text, at, _step(record, "text"))
    calls = record.get("tool_calls")
    for number, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            text = base.tool_text(call.get("name"), _unquoted(call.get("args", call.get("arguments"))))
            yield base.Said("tool", text, at, _step(record, f"call-{number}"), base.text_field(call, "id"))


def _content(record: base.Json) -> str:
    content = record.get("content")
    return base.text_field(content, "text") if isinstance(content, dict) else base.text_field(record, "content")


def _unquoted(arguments: Any) -> Any:
    """Arguments whose texts stand in quotes of their own."""
    if not isinstance(arguments, dict):
        return arguments
    return {key: _plain(value) if isinstance(value, str) else value for key, value in arguments.items()}


def _plain(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


def _step(record: base.Json, part: str) -> str:
    """Steps count within their session, so the session is added where the identity is used; another time: another."""
    index = record.get("step_index")
    return f"step/{index}/{record.get('created_at')}/{part}" if isinstance(index, int) else ""


def _find(folder: Path, trouble: base.Trouble) -> Iterator[str]:
    for brain in base.entries(folder, trouble):
        logs = f"{brain}{os.sep}.system_generated{os.sep}logs{os.sep}transcript"
        full = f"{logs}_full.jsonl"
        yield full if os.path.isfile(full) else f"{logs}.jsonl"  # noqa: PTH113 -- as in `entries`


ANTIGRAVITY = base.Format(
    name="antigravity",
    find=_find,
    session_id=lambda path: path.parents[2].name,
    read=read,
    local_identity=True,
)
