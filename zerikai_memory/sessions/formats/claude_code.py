"""Claude Code: `projects/<folder>/<session>.jsonl`, one line per content block, resumed sessions copy lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from zerikai_memory.sessions.formats.base import (
    NOTHING,
    UNKNOWN,
    Format,
    Json,
    Line,
    Said,
    block_text,
    blocks,
    files_below,
    seconds,
    text_field,
    tool_text,
)

_SILENT = frozenset(
    "system file-history-snapshot queue-operation progress attachment last-prompt agent-name agent-color "
    "permission-mode pr-link tag mode worktree-state content-replacement".split()
)
_TITLES = {"summary": "summary", "custom-title": "customTitle", "ai-title": "aiTitle"}


def read(record: Json) -> Line:
    """A line of a session file; a message that is no object is damage."""
    kind = record.get("type")
    if kind in ("user", "assistant"):
        said = tuple(_user(record) if kind == "user" else _assistant(record))
        return Line(
            said=said,
            session_id=text_field(record, "sessionId") or None,
            cwd=text_field(record, "cwd") or None,
        )
    if kind in _TITLES:
        return Line(title=text_field(record, _TITLES[kind]) or None)
    return NOTHING if kind in _SILENT else UNKNOWN


def _user(record: Json) -> Iterator[Said]:
    content = record["message"].get("content")
    if record.get("isMeta") or record.get("isCompactSummary"):
        return  # written by the program, not by the person
    # In a side chain an agent is the one who asks.
    text, at = block_text(content), seconds(record.get("timestamp"))
    identity = "" if at is not None else text_field(record, "uuid")
    if text:
        yield Said("assistant" if record.get("isSidechain") else "user", text, at, identity)


def _assistant(record: Json) -> Iterator[Said]:
    message = record["message"]
    at = seconds(record.get("timestamp"))
    one = "/".join(filter(None, (text_field(message, "id"), text_field(record, "requestId"))))
    for block in blocks(message.get("content")):
        kind = block.get("type")
        if kind == "text":
            yield _said("assistant", text_field(block, "text"), at, one)
        elif kind == "thinking":
            yield _said("thinking", text_field(block, "thinking"), at, one)
        elif kind in ("tool_use", "server_tool_use"):
            call = text_field(block, "id")
            text = tool_text(block.get("name"), block.get("input"))
            yield Said("tool", text, at, f"{one}/{call}" if call else one and f"{one}/{text}", call)


def _said(role: str, text: str, at: float | None, one: str) -> Said:
    # A response is several lines of one id, and a line may be written twice.
    identity = one and f"{one}/{hashlib.blake2b(text.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    return Said("thinking" if role == "thinking" else "assistant", text, at, identity)


CLAUDE_CODE = Format(
    name="claude-code",
    find=lambda folder: files_below(folder, ".jsonl"),
    session_id=lambda path: path.stem,
    read=read,
    session_per_line=True,
)
