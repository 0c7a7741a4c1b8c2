"""Codex: `sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`; texts stand twice (item and event), forks replay."""

from __future__ import annotations

import re
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
    files_below,
    seconds,
    text_field,
    tool_text,
)

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_SILENT = frozenset(("compacted", "token_usage_record", "world_state", "inter_agent_communication"))
# What the program puts before the person's first words, as if the person had said it.
_INJECTED = ("# AGENTS.md instructions", "<INSTRUCTIONS>")


def read(record: Json) -> Line:
    """A line of a rollout file; old files have the items without an envelope."""
    kind, payload = record.get("type"), record.get("payload")
    at = seconds(record.get("timestamp"))
    if kind in _SILENT:
        return NOTHING
    if kind in ("message", "function_call"):
        return Line(said=tuple(_item(record, at)))
    if kind not in ("session_meta", "turn_context", "response_item", "event_msg"):
        return UNKNOWN
    if not isinstance(payload, dict):
        raise TypeError(f"payload is {type(payload).__name__}")
    if kind == "session_meta":
        return Line(
            session_id=text_field(payload, "id") or None,
            cwd=text_field(payload, "cwd") or None,
            forked_from=text_field(payload, "forked_from_id", "forked_from") or None,
        )
    if kind == "turn_context":
        return Line(cwd=text_field(payload, "cwd") or None)
    return Line(said=tuple(_item(payload, at) if kind == "response_item" else _event(payload, at)))


def _item(item: Json, at: float | None) -> Iterator[Said]:
    kind, role = item.get("type"), item.get("role")
    if kind == "message" and role in ("user", "assistant"):
        text = block_text(item.get("content"), ("input_text", "output_text", "text"))
        if not text.startswith(_INJECTED):
            yield Said("user" if role == "user" else "assistant", text, at, channel="item")
    elif kind in ("function_call", "custom_tool_call"):
        call = text_field(item, "call_id")
        yield Said("tool", tool_text(item.get("name"), item.get("arguments", item.get("input"))), at, entry=call)
    elif kind == "local_shell_call":
        action, call = item.get("action"), text_field(item, "call_id")
        yield Said("tool", tool_text("shell", action), at, entry=call)
    elif kind == "reasoning":
        yield Said("thinking", block_text(item.get("summary"), ("summary_text", "text")), at)


def _event(event: Json, at: float | None) -> Iterator[Said]:
    kind = event.get("type")
    if kind in ("user_message", "agent_message"):
        text = text_field(event, "message")
        if not text.startswith(_INJECTED):
            yield Said("user" if kind == "user_message" else "assistant", text, at, channel="event")


def _session_id(path: Path) -> str:
    found = _UUID.search(path.stem)
    return found.group() if found else path.stem


CODEX = Format(name="codex", find=lambda folder: files_below(folder, ".jsonl"), session_id=_session_id, read=read)
