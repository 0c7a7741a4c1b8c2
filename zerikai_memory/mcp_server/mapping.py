"""The tool `code_map`: one view of the map, cut to the size of a reply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from zerikai_memory import render, render_map
from zerikai_memory.mcp_server.arguments import NoBoolean
from zerikai_memory.mcp_server.replies import REPLY_BYTES
from zerikai_memory.mcp_server.tool import MemoryTool, memory_tool
from zerikai_memory.model_views import MapReply

if TYPE_CHECKING:
    from zerikai_memory.mcp_server.tools import ToolParts

Target = Annotated[str | None, Field(description="Name, path, path:line, id; `A -> B` for path")]
# In a reply that must be cut, facts have the room.
GUESSES_SHOWN = 10
View = Literal[
    "profile",
    "overview",
    "dependents",
    "dependencies",
    "callers",
    "callees",
    "impact",
    "tests",
    "entrypoints",
    "unused",
    "path",
]
Depth = Annotated[int | None, NoBoolean]


@dataclass(frozen=True, slots=True)
class MapShape:
    """`MapReply` as the output schema tells it: the rows name their fields."""

    workspace: str
    view: str
    target: str
    text: str
    parts: list[dict[str, Any]]
    omitted: int
    notes: list[str]
    schema_version: int
    changed_files: list[str]


def map_tool(parts: ToolParts) -> MemoryTool:
    """`code_map`: a view and a target to rows with their lines."""

    async def code_map(
        ctx: Context[Any, Any],
        workspace: str | None = None,
        target: Target = None,
        view: View | None = "profile",
        depth: Depth = None,
    ) -> CallToolResult:
        """Who calls, imports and tests what, by line; before a change ask impact. Start a session with profile."""
        roots = await parts.roots(ctx, workspace)
        found = await parts.source.use(
            lambda memory: memory.mapping.view(view or "profile", target, workspace, roots=roots, depth=depth)
        )
        shown = fitting_map(found)
        text = render_map.map_text(shown)
        cited = {path for part in shown.parts for row in part.rows for path in (row.file_path, row.site_path) if path}
        parts.source.get().usage.replies.given("code_map", shown.workspace, text, cited)
        return CallToolResult(
            content=[TextContent(type="text", text=text)], structured_content=render_map.map_data(shown)
        )

    return memory_tool(
        code_map,
        MapShape,
        title="Code map",
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )


def fitting_map(reply: MapReply) -> MapReply:
    """The reply with as many rows as its text and its data each have room for; long parts are cut first."""
    longest = max((len(part.rows) for part in reply.parts), default=0)
    if _fits(reply):
        return reply
    low, high = 0, longest
    while low < high:  # the most rows per part that fit
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _fits(_cut(reply, middle)) else (low, middle - 1)
    return _cut(reply, low)


def _cut(reply: MapReply, most: int) -> MapReply:
    parts = []
    for part in reply.parts:
        rows = part.rows[: min(most, GUESSES_SHOWN) if part.guesses else most]
        parts.append(replace(part, rows=rows, omitted=part.omitted + len(part.rows) - len(rows)))
    return replace(reply, parts=tuple(parts), omitted=sum(part.omitted for part in parts))


def _fits(reply: MapReply) -> bool:
    data = len(render.json_line(render_map.map_data(reply)).encode())
    return data <= REPLY_BYTES and len(render_map.map_text(reply).encode()) <= REPLY_BYTES
