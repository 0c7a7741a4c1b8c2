"""pi: `sessions/--<folder>--/<time>_<uuid>.jsonl`, a tree of entries whose last one ends the live branch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from zerikai_memory.sessions.formats.base import (
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
    "model_change thinking_level_change compaction branch_summary custom custom_message label leaf".split()
)


def read(record: Json) -> Line:
    """A line: the header, a message, or an entry that only moves the tree on."""
    kind = record.get("type")
    if kind == "session":
        parent = text_field(record, "parentSession", "branchedFrom")
        return Line(
            session_id=text_field(record, "id") or None,
            cwd=text_field(record, "cwd") or None,
            forked_from=_named(Path(parent)) if parent else None,
        )
    entry, up = text_field(record, "id"), text_field(record, "parentId")
    if kind == "message":
        return Line(said=tuple(_message(record, entry)), entry=entry, parent=up)
    if kind == "session_info":
        return Line(title=text_field(record, "name") or None, entry=entry, parent=up)
    return Line(entry=entry, parent=up, known=kind in _SILENT)


def _message(record: Json, entry: str) -> Iterator[Said]:
    message = record["message"]
    role, content = message["role"], message.get("content")
    at = seconds(record.get("timestamp")) or seconds(message.get("timestamp"))
    if role == "user":
        yield Said("user", block_text(content), at, entry=entry)
    elif role == "assistant":
        for block in blocks(content):
            kind = block.get("type")
            if kind == "text":
                yield Said("assistant", text_field(block, "text"), at, entry=entry)
            elif kind == "thinking":
                yield Said("thinking", text_field(block, "thinking"), at, entry=entry)
            elif kind == "toolCall":
                # Call ids are unique only within a provider's session, so the entry's time stays part of the identity.
                yield Said("tool", tool_text(block.get("name"), block.get("arguments")), at, entry=entry)
    elif role == "bashExecution":
        yield Said("tool", tool_text("bash", {"command": message.get("command")}), at, entry=entry)


def _named(path: Path) -> str:
    return path.stem.rpartition("_")[2]


PI = Format(name="pi", find=lambda folder: files_below(folder, ".jsonl"), session_id=_named, read=read, tree=True)
