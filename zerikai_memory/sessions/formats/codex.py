"""Codex: `sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl`; texts stand twice (item and event), forks replay."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from zerikai_memory.sessions.formats import base
from zerikai_memory.sessions.formats.spent import Counting, Spent, Tokens, count

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$")
_SILENT = frozenset(("compacted", "world_state", "inter_agent_communication"))
# What the program puts before the person's first words, as if the person had said it.
_INJECTED = ("# AGENTS.md instructions", "<INSTRUCTIONS>", "<user_shell_command>", "<subagent_notification>", "<skill>")
# An editor or desktop program puts files and selections before the person's words, and marks where these begin.
_REQUEST = re.compile(r"\A\s*#.*?^## My request for Codex:\s*", re.S | re.M)
_IMAGE = re.compile(r"<image\b[^<>]*>\s*(?:</image>)?|</image>")


def read(record: base.Json) -> base.Line:
    """A line of a rollout file; old files have the items without an envelope."""
    kind, payload = record.get("type"), record.get("payload")
    at = base.seconds(record.get("timestamp"))
    if kind in _SILENT:
        return base.NOTHING
    if kind is None and "record_type" not in record and base.text_field(record, "id"):  # the head of an old file
        return base.Line(session_id=base.text_field(record, "id"), born=at)
    if kind in ("message", "function_call", "reasoning", "local_shell_call"):
        return base.Line(said=tuple(_item(record, at)))
    if kind == "token_usage_record":
        return base.Line(spent=tuple(_record(payload, at)))
    if kind not in ("session_meta", "turn_context", "response_item", "event_msg"):
        return base.UNKNOWN
    if not isinstance(payload, dict):
        raise TypeError(f"payload is {type(payload).__name__}")
    if kind == "session_meta":
        return base.Line(
            session_id=base.text_field(payload, "id", "session_id") or None,
            cwd=base.text_field(payload, "cwd") or None,
            forked_from=base.text_field(payload, "forked_from_id", "forked_from") or None,
            born=at or base.seconds(payload.get("timestamp")),
        )
    if kind == "turn_context":
        return base.Line(cwd=base.text_field(payload, "cwd") or None, model=base.text_field(payload, "model"))
    if kind == "response_item":
        return base.Line(said=tuple(_item(payload, at)))
    return base.Line(said=tuple(_event(payload, at)), spent=tuple(_counter(payload, at)))


def _item(item: base.Json, at: float | None) -> Iterator[base.Said]:
    kind, role = item.get("type"), item.get("role")
    if kind == "message" and role in ("user", "assistant"):
        text = base.block_text(item.get("content"), ("input_text", "output_text", "text"))
        if role == "assistant":
            yield base.Said("assistant", text, at, channel="item")
        elif asked := _asked(text):
            yield base.Said("user", asked, at, channel="item")
    elif kind in ("function_call", "custom_tool_call"):
        call = base.text_field(item, "call_id")
        yield base.Said(
            "tool", base.tool_text(item.get("name"), item.get("arguments", item.get("input"))), at, entry=call
        )
    elif kind == "local_shell_call":
        action, call = item.get("action"), base.text_field(item, "call_id")
        yield base.Said("tool", base.tool_text("shell", action), at, entry=call)
    elif kind == "web_search_call":
        yield base.Said("tool", base.tool_text("web_search", item.get("action")), at, entry=base.text_field(item, "id"))
    elif kind == "reasoning":
        yield base.Said("thinking", base.block_text(item.get("summary"), ("summary_text", "text")), at)


def _event(event: base.Json, at: float | None) -> Iterator[base.Said]:
    kind = event.get("type")
    text = base.text_field(event, "message")
    if kind == "agent_message":
        yield base.Said("assistant", text, at, channel="event")
    elif kind == "user_message" and (asked := _asked(text)):
        yield base.Said("user", asked, at, channel="event")


def _asked(text: str) -> str:
    """The person's own words, without what the program put around them."""
    if text.lstrip().startswith(_INJECTED):
        return ""
    return _IMAGE.sub("", _REQUEST.sub("", text, count=1)).strip()


def _counter(event: base.Json, at: float | None) -> Iterator[Spent]:
    """The running total; the event is repeated without progress, and its part for the last response is not reliable."""
    info = event.get("info")
    if event.get("type") == "token_count" and isinstance(info, dict):
        total, last = info.get("total_token_usage"), info.get("last_token_usage")
        if isinstance(total, dict):
            yield Spent(_tokens(total), Counting.RUNNING, at, last=_tokens(last) if isinstance(last, dict) else None)


def _record(payload: object, at: float | None) -> Iterator[Spent]:
    """One response, which the running total holds too, unless it was a compaction."""
    usage = payload.get("usage") if isinstance(payload, dict) else None
    if isinstance(payload, dict) and isinstance(usage, dict):
        identity, model = base.text_field(payload, "response_id"), base.text_field(payload, "model")
        yield Spent(_tokens(usage), Counting.RECORD, at, identity, model)


def _tokens(usage: base.Json) -> Tokens:
    """As written: input with what was read from the cache or written to it."""
    return Tokens(
        count(usage, "input_tokens"),
        count(usage, "cached_input_tokens", "cache_read_input_tokens"),
        count(usage, "cache_write_input_tokens"),
        count(usage, "output_tokens"),
        count(usage, "reasoning_output_tokens"),
    )


def _session_id(path: Path) -> str:
    found = _UUID.search(path.stem)
    return found.group() if found else path.stem


CODEX = base.Format(name="codex", find=base.jsonl_below, session_id=_session_id, read=read, retells=True)
