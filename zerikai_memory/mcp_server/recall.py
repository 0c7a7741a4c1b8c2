"""The tool `recall_session`: what was said in past sessions, found again or opened at a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from zerikai_memory import render_sessions
from zerikai_memory.mcp_server.arguments import NoBoolean
from zerikai_memory.mcp_server.replies import reply
from zerikai_memory.mcp_server.source import MemorySource
from zerikai_memory.mcp_server.tool import MemoryTool, memory_tool

Session = Annotated[str | None, Field(description="Session id, or its start")]
Step = Annotated[int | None, Field(ge=1, description="Step of it to open"), NoBoolean]
Project = Annotated[str | None, Field(description="Only this project")]
Since = Annotated[str | None, Field(description="A date or an age: 7d, 24h")]


@dataclass(frozen=True, slots=True)
class RecallShape:
    """`Recall` as the output schema tells it: every session pays for a schema, and the records name their fields."""

    hits: list[dict[str, Any]]
    steps: list[dict[str, Any]]
    sessions: list[dict[str, Any]]
    omitted: int
    behind_bytes: int
    warnings: list[str]


def recall_tool(source: MemorySource) -> MemoryTool:
    """`recall_session`: a question to past messages, or a session and step to the dialogue around it."""

    async def recall_session(
        ctx: Context[Any, Any],
        query: str | None = None,
        session: Session = None,
        step: Step = None,
        workspace: Project = None,
        agent: str | None = None,
        since: Since = None,
        until: str | None = None,
        role: str | None = None,
    ) -> CallToolResult:
        """Search what was said in past agent sessions of all projects: reasons, rejected ideas, fixes. Give query,
        then session and step of a hit to read around it."""
        found = await source.use(
            lambda memory: memory.sessions.recall(
                query,
                session or None,
                step,
                workspace=workspace,
                agent=agent or None,
                since=since or None,
                until=until or None,
                role=role or None,
            )
        )
        return reply(render_sessions.recall(found), found)

    return memory_tool(
        recall_session,
        RecallShape,
        title="Recall past sessions",
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
