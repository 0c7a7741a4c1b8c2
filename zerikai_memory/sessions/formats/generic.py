"""Any other agent: JSONL of role, content and optional timestamp, session, cwd, title, id (docs/sessions.md)."""

from __future__ import annotations

from collections.abc import Iterator

from zerikai_memory.sessions.formats import base
from zerikai_memory.sessions.formats.spent import Spent, Tokens, amount, count

_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "agent": "assistant", "model": "assistant"}


def read(record: base.Json) -> base.Line:
    """A line; one without a role only says facts about the session."""
    facts = base.Line(
        session_id=base.text_field(record, "session", "session_id", "sessionId") or None,
        cwd=base.text_field(record, "cwd", "project") or None,
        title=base.text_field(record, "title") or None,
    )
    role = record.get("role")
    if role is None:
        return facts if facts != base.Line() else base.UNKNOWN
    said, spent = tuple(_said(record, str(role))), tuple(_spent(record))
    return base.Line(said, facts.session_id, facts.cwd, facts.title, spent=spent)


def _said(record: base.Json, role: str) -> Iterator[base.Said]:
    at, one = base.seconds(record.get("timestamp", record.get("time"))), _identity(record)
    if role == "tool":
        yield base.Said("tool", base.tool_text(record.get("name", "tool"), record.get("target", "")), at, one)
    elif spoken := _ROLES.get(role):
        text = base.block_text(record.get("content", record.get("text")))
        yield base.Said("user" if spoken == "user" else "assistant", text, at, one)


def _spent(record: base.Json) -> Iterator[Spent]:
    usage, at = record.get("usage"), base.seconds(record.get("timestamp", record.get("time")))
    if isinstance(usage, dict):
        tokens = Tokens(*(count(usage, name) for name in ("input", "cache_read", "cache_write", "output")))
        one, model = _identity(record), base.text_field(record, "model")
        yield Spent(tokens, at=at, identity=one, model=model, cost_usd=amount(usage.get("cost_usd")))


def _identity(record: base.Json) -> str:
    """An id counts within its session, and where the line has a time at that time: some programs count anew."""
    one, at = record.get("id"), record.get("timestamp", record.get("time"))
    return f"{one}@{at}" if isinstance(one, (str, int)) and one != "" else ""


GENERIC = base.Format(
    name="generic",
    find=base.jsonl_below,
    session_id=lambda path: path.stem,
    read=read,
    session_per_line=True,
    local_identity=True,
)
