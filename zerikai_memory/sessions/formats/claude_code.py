"""Claude Code: `projects/<folder>/<session>.jsonl`, one line per content block, resumed sessions copy lines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from zerikai_memory.sessions.formats import base
from zerikai_memory.sessions.formats.spent import Spent, Tokens, count

_SILENT = frozenset(
    "system file-history-snapshot queue-operation attachment last-prompt agent-name agent-color "
    "permission-mode pr-link tag mode worktree-state content-replacement".split()
)
_TITLES = {"summary": "summary", "custom-title": "customTitle", "ai-title": "aiTitle"}


def read(record: base.Json) -> base.Line:
    """A line of a session file; a message that is no object is damage."""
    kind = record.get("type")
    if kind in ("user", "assistant"):
        said = tuple(_user(record) if kind == "user" else _assistant(record))
        return base.Line(
            said=said,
            session_id=base.text_field(record, "sessionId") or None,
            cwd=base.text_field(record, "cwd") or None,
            spent=tuple(_spent(record)) if kind == "assistant" else (),
            forked_from=_origin(record),
            asked=kind == "user",
        )
    if kind == "progress":
        return base.Line(spent=tuple(_of_agent(record)))
    if kind in _TITLES:
        return base.Line(
            title=base.text_field(record, _TITLES[kind]) or None,
            session_id=base.text_field(record, "sessionId") or None,
            chosen=kind == "custom-title",
        )
    return base.NOTHING if kind in _SILENT else base.UNKNOWN


def _user(record: base.Json) -> Iterator[base.Said]:
    content = record["message"].get("content")
    if record.get("isMeta") or record.get("isCompactSummary"):
        return  # written by the program, not by the person
    # In a side chain an agent is the one who asks.
    text, at = base.block_text(content), base.seconds(record.get("timestamp"))
    identity = "" if at is not None else base.text_field(record, "uuid")
    if text:
        yield base.Said("assistant" if record.get("isSidechain") else "user", text, at, identity)


def _assistant(record: base.Json) -> Iterator[base.Said]:
    message = record["message"]
    at = base.seconds(record.get("timestamp"))
    one = _response(record, message)
    if one and at is not None and not base.text_field(record, "requestId"):
        one = f"{one}@{at!r}"  # behind some gateways every response has the same id
    for block in base.blocks(message.get("content")):
        kind = block.get("type")
        if kind == "text":
            yield _said("assistant", base.text_field(block, "text"), at, one)
        elif kind == "thinking":
            yield _said("thinking", base.text_field(block, "thinking"), at, one)
        elif kind in ("tool_use", "server_tool_use"):
            call = base.text_field(block, "id")
            text = base.tool_text(block.get("name"), block.get("input"))
            yield base.Said("tool", text, at, f"{one}/{call}" if call else one and f"{one}/{text}", call)


def _origin(record: base.Json) -> str | None:
    """The session of which a line is a copy; newer builds say so."""
    origin = record.get("forkedFrom")
    return base.text_field(origin, "sessionId") or None if isinstance(origin, dict) else None


def _response(record: base.Json, message: base.Json) -> str:
    return "/".join(filter(None, (base.text_field(message, "id"), base.text_field(record, "requestId"))))


def _spent(record: base.Json) -> Iterator[Spent]:
    """Every line of a response repeats its usage, and the output grows; lines that the program wrote have no model."""
    message = record["message"]
    usage, model = message.get("usage"), base.text_field(message, "model")
    if not isinstance(usage, dict) or model == "<synthetic>":
        return
    yield Spent(
        Tokens(
            count(usage, "input_tokens"),
            count(usage, "cache_read_input_tokens"),
            count(usage, "cache_creation_input_tokens"),
            count(usage, "output_tokens"),
        ),
        at=base.seconds(record.get("timestamp")),
        identity=_response(record, message) or base.text_field(record, "uuid"),
        model=model,
        weak=not base.text_field(record, "requestId"),
    )


def _of_agent(record: base.Json) -> Iterator[Spent]:
    """What a subagent spent, as its caller's file tells it; the subagent's own file may tell the same responses."""
    data = record.get("data")
    inner = data.get("message") if isinstance(data, dict) else None
    if isinstance(inner, dict) and inner.get("type") == "assistant" and isinstance(inner.get("message"), dict):
        yield from _spent(inner)


def _said(role: str, text: str, at: float | None, one: str) -> base.Said:
    # A response is several lines of one id, and a line may be written twice.
    identity = one and f"{one}/{hashlib.blake2b(text.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
    return base.Said("thinking" if role == "thinking" else "assistant", text, at, identity)


CLAUDE_CODE = base.Format(
    name="claude-code",
    find=base.jsonl_below,
    session_id=lambda path: path.stem,
    read=read,
    session_per_line=True,
)
