"""`save_to_memory`: one statement to a record of the ledger."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import BeforeValidator, Field

from zerikai_memory import render
from zerikai_memory.mcp_server.protocol import tell_updated
from zerikai_memory.mcp_server.replies import fitting_note, reply
from zerikai_memory.mcp_server.resources import WORKSPACES
from zerikai_memory.mcp_server.tool import MemoryTool, memory_tool
from zerikai_memory.model import Note

if TYPE_CHECKING:
    from zerikai_memory.mcp_server.tools import ToolParts

# The name of an agent that gives none.
UNNAMED = "unnamed"


def _one_or_many(value: Any) -> Any:
    """A single text, as models send it, is a list of one; an empty one is how they leave it out."""
    if isinstance(value, str) and not value.strip():
        return None
    return [value] if isinstance(value, str) and not value.lstrip().startswith("[") else value


def _word(value: Any) -> Any:
    """A word in any case; an empty one is how models leave it out."""
    return (value.strip().lower() or None) if isinstance(value, str) else value


def _object(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value  # validation names it
    return value


Category = Annotated[
    str,
    Field(
        description="fact, decision, procedure, fix, error, workaround, strategy or a word of your own",
        min_length=1,
        max_length=64,
    ),
]
Workspace = Annotated[str | None, Field(description="Path, name or id of the project; omit for the current one")]
Outcome = Annotated[
    Literal["worked", "failed", "unknown"] | None,
    Field(description="Of a fix or attempt; save failures too"),
    BeforeValidator(_word),
]
Supersedes = Annotated[
    list[str] | None, Field(description="Ids of records this replaces", max_length=50), BeforeValidator(_one_or_many)
]
Anchors = Annotated[
    list[str] | None,
    Field(description="Code it is about: names, paths, path:line or citations", max_length=20),
    BeforeValidator(_one_or_many),
]
Details = Annotated[
    dict[str, Any] | None,
    Field(description="detail, tags, importance (0-1), confirmed (by whom), run_id"),
    BeforeValidator(_object),
]


def save_tool(parts: ToolParts) -> MemoryTool:
    """`save_to_memory`: one statement to a record."""

    async def save_to_memory(
        ctx: Context[Any, Any],
        content: Annotated[str, Field(description="One self-contained statement", min_length=1, max_length=20_000)],
        workspace: Workspace = None,
        category: Category = "fact",
        outcome: Outcome = None,
        supersedes: Supersedes = None,
        anchors: Anchors = None,
        details: Details = None,
    ) -> CallToolResult:
        """Save what the code itself does not say, so that later sessions find it: a decision and its reason, a fix
        that worked or failed, a trap. Not for code or what a scan finds. Nothing is overwritten; the same text is
        never stored twice."""
        roots = await parts.roots(ctx, workspace)
        agent = _agent(ctx)
        note = await parts.source.use(
            lambda memory: memory.save(
                content,
                workspace,
                roots=roots,
                category=category,
                outcome=outcome,
                supersedes=supersedes or (),
                anchors=anchors or (),
                details=details,
                agent=agent,
            )
        )
        await tell_updated(ctx, (WORKSPACES,))
        return reply(render.saved_note(note), fitting_note(note))

    annotations = ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return memory_tool(save_to_memory, Note, title="Save to memory", annotations=annotations)


def _agent(ctx: Context[Any, Any]) -> str:
    """The name that the client gave itself; what has none is an agent all the same."""
    client = getattr(ctx.session, "client_params", None)
    info = getattr(client, "client_info", None)
    name = getattr(info, "name", None)
    return name[:100] if isinstance(name, str) and name.strip() and name.isprintable() else UNNAMED
