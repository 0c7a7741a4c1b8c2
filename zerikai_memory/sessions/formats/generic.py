"""Any other agent: JSONL of role, content and optional timestamp, session, cwd, title, id (docs/sessions.md)."""

from __future__ import annotations

from collections.abc import Iterator

from zerikai_memory.sessions.formats.base import (
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

_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "agent": "assistant", "model": "assistant"}


def read(record: Json) -> Line:
    """A line; one without a role only says facts about the session."""
    facts = Line(
        session_id=text_field(record, "session", "session_id", "sessionId") or None,
        cwd=text_field(record, "cwd", "project") or None,
        title=text_field(record, "title") or None,
    )
    role = record.get("role")
    if role is None:
        return facts if facts != Line() else UNKNOWN
    return Line(tuple(_said(record, str(role))), facts.session_id, facts.cwd, facts.title)


def _said(record: Json, role: str) -> Iterator[Said]:
    at, one = seconds(record.get("timestamp", record.get("time"))), text_field(record, "id")
    if role == "tool":
        yield Said("tool", tool_text(record.get("name", "tool"), record.get("target", "")), at, one)
    elif spoken := _ROLES.get(role):
        text = block_text(record.get("content", record.get("text")))
        yield Said("user" if spoken == "user" else "assistant", text, at, one)


GENERIC = Format(
    name="generic",
    find=lambda folder: files_below(folder, ".jsonl"),
    session_id=lambda path: path.stem,
    read=read,
    session_per_line=True,
    local_identity=True,
)
