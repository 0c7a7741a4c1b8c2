"""The tool `usage_report`: what was spent on models, and what our own replies cost the agent that reads them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from zerikai_memory import render_usage
from zerikai_memory.mcp_server.arguments import NoBoolean
from zerikai_memory.mcp_server.replies import reply
from zerikai_memory.mcp_server.source import MemorySource
from zerikai_memory.mcp_server.tool import MemoryTool, memory_tool

# The most expensive ones; the command line shows all.
LINES_SHOWN = 15

Project = Annotated[str | None, Field(description="Only this project")]
By = Literal["operation", "model", "workspace", "session", "task", "day"]
Days = Annotated[int, Field(ge=1, le=3660), NoBoolean]


@dataclass(frozen=True, slots=True)
class UsageShape:
    """`UsageReport` as the output schema tells it: every session pays for a schema, and records name their fields."""

    since: str
    until: str
    lines: list[dict[str, Any]]
    total: dict[str, Any]
    warnings: list[str]


def usage_tool(source: MemorySource) -> MemoryTool:
    """`usage_report`: rows of attempts to sums by one key."""

    async def usage_report(
        ctx: Context[Any, Any], workspace: Project = None, by: By = "operation", days: Days = 30
    ) -> CallToolResult:
        """What model calls of this memory cost: tokens, USD, budgets."""
        whole = await source.use(lambda memory: memory.usage.reports.report(by, days, workspace or None))
        shown = whole.lines[-LINES_SHOWN:] if by == "day" else whole.lines[:LINES_SHOWN]
        report = replace(whole, lines=shown, omitted=len(whole.lines) - len(shown))
        return reply(render_usage.usage_report(report), report)

    return memory_tool(
        usage_report,
        UsageShape,
        title="Usage report",
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
