"""pi: `sessions/--<folder>--/<time>_<uuid>.jsonl`, a tree of entries whose last one ends the live branch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from zerikai_memory.redact import mask_name
from zerikai_memory.sessions.formats import base
from zerikai_memory.sessions.formats.spent import Spent, Tokens, amount, count

_TIMED = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+Z?_(?P<id>.+)", re.S)
_SILENT = frozenset(
    "model_change thinking_level_change compaction branch_summary custom custom_message label leaf".split()
)


def read(record: base.Json) -> base.Line:
    """A line: the header, a message, or an entry that only moves the tree on."""
    kind = record.get("type")
    if kind == "session":
        parent = base.text_field(record, "parentSession", "branchedFrom")
        return base.Line(
            session_id=base.text_field(record, "id") or None,
            cwd=base.text_field(record, "cwd") or None,
            forked_from=_named(Path(parent)) if parent else None,
            born=base.seconds(record.get("timestamp")),
        )
    entry, up = base.text_field(record, "id"), base.text_field(record, "parentId")
    if kind == "message":
        said, spent = tuple(_message(record, entry)), tuple(_spent(record, entry))
        return base.Line(said=said, entry=entry, parent=up, spent=spent)
    if kind == "session_info":
        return base.Line(title=base.text_field(record, "name") or None, entry=entry, parent=up)
    return base.Line(entry=entry, parent=up, known=kind in _SILENT)


def _message(record: base.Json, entry: str) -> Iterator[base.Said]:
    message = record["message"]
    role, content = message["role"], message.get("content")
    at = base.seconds(record.get("timestamp")) or base.seconds(message.get("timestamp"))
    if role == "user":
        yield base.Said("user", base.block_text(content), at, entry=entry)
    elif role == "assistant":
        for block in base.blocks(content):
            kind = block.get("type")
            if kind == "text":
                yield base.Said("assistant", base.text_field(block, "text"), at, entry=entry)
            elif kind == "thinking":
                yield base.Said("thinking", base.text_field(block, "thinking"), at, entry=entry)
            elif kind == "toolCall":
                # Call ids are unique only within a provider's session, so the entry's time stays part of the identity.
                yield base.Said("tool", base.tool_text(block.get("name"), block.get("arguments")), at, entry=entry)
    elif role == "bashExecution":
        yield base.Said("tool", base.tool_text("bash", {"command": message.get("command")}), at, entry=entry)


def _spent(record: base.Json, entry: str) -> Iterator[Spent]:
    """Forks copy an entry with its time; its id may be given anew when an old file is brought to a newer version."""
    message = record["message"]
    usage = message.get("usage")
    if message.get("role") != "assistant" or not isinstance(usage, dict):
        return
    tokens = Tokens(*(count(usage, name) for name in ("input", "cacheRead", "cacheWrite", "output")))
    at = base.seconds(message.get("timestamp")) or base.seconds(record.get("timestamp"))
    cost = usage.get("cost")
    yield Spent(
        tokens,
        at=at,
        identity=entry if at is None else f"{at!r}/{tokens}",
        model=base.text_field(message, "model"),
        cost_usd=amount(cost.get("total")) if isinstance(cost, dict) else None,
    )


def _named(path: Path) -> str:
    """The id in a file's name. What is cut off may be what tells a key, so keys are masked first."""
    if timed := _TIMED.match(path.stem):
        return timed["id"]
    return mask_name(path.stem).rpartition("_")[2]


PI = base.Format(name="pi", find=base.jsonl_below, session_id=_named, read=read, tree=True)
