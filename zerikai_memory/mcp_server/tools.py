"""The tools offered over MCP: each resolves arguments, calls one method of Memory and formats its reply.

Docstrings and parameter descriptions here are read by models and paid for in every session: keep them short.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import anyio
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from zerikai_memory import render
from zerikai_memory.errors import InputError
from zerikai_memory.mcp_server.arguments import NoBoolean
from zerikai_memory.mcp_server.following import ScanFollowers, follow_answer
from zerikai_memory.mcp_server.mapping import map_tool
from zerikai_memory.mcp_server.protocol import tell_updated
from zerikai_memory.mcp_server.recall import recall_tool
from zerikai_memory.mcp_server.replies import fitting_answer, fitting_brief, fitting_report, reply
from zerikai_memory.mcp_server.resources import changed_uris
from zerikai_memory.mcp_server.roots import client_roots
from zerikai_memory.mcp_server.saving import save_tool
from zerikai_memory.mcp_server.source import MemorySource
from zerikai_memory.mcp_server.tool import MemoryTool, memory_tool
from zerikai_memory.mcp_server.usage import usage_tool
from zerikai_memory.model import Brief, QueryAnswer

if TYPE_CHECKING:
    from zerikai_memory.app import Memory

# Most clients give a call a minute; after this the citations alone are the answer.
MODEL_WAIT_S = 45.0


Workspace = Annotated[str | None, Field(description="Path, name or id of the project; omit for the current one")]
Limit = Annotated[int, Field(ge=1, le=50), NoBoolean]
Budget = Annotated[int | None, Field(ge=100, le=100_000, description="Most tokens the answer may take"), NoBoolean]
Filter = Annotated[
    str | None,
    Field(description="Only this kind of record (sessions: past sessions); without question its latest", max_length=64),
]
Wait = Annotated[float, Field(ge=0, le=600, description="Seconds before a running status is returned"), NoBoolean]


@dataclass(frozen=True, slots=True)
class ToolParts:
    """What the tools work with; with a default workspace, clients are not asked for their roots."""

    source: MemorySource
    default_workspace: str | None = None
    top_k: int = 5
    followers: ScanFollowers = field(default_factory=ScanFollowers)

    async def roots(self, ctx: Context[Any, Any], workspace: str | None) -> tuple[str, ...]:
        """The client's roots where nothing else names the workspace."""
        return () if workspace or self.default_workspace else await client_roots(ctx)


def build_tools(parts: ToolParts) -> list[MemoryTool]:
    """All tools, in the order they are listed."""
    tools = [query_tool(parts), scan_tool(parts), save_tool(parts), brief_tool(parts)]
    return [*tools, map_tool(parts), recall_tool(parts.source), usage_tool(parts.source)]


def query_tool(parts: ToolParts) -> MemoryTool:
    """`query_memory`: a question to a cited answer."""

    async def query_memory(
        ctx: Context[Any, Any],
        user_query: Annotated[str, Field(description="A question, identifier, path or path:line")] = "",
        workspace: Workspace = None,
        category: Filter = None,
        use_cloud: Annotated[bool | None, Field(description="Ask for (true) or forbid (false) a cloud model")] = None,
        show_sources: bool = True,
        limit: Limit = parts.top_k,
        budget_tokens: Budget = None,
        task: Annotated[str | None, Field(description="Name to book its cost under", max_length=100)] = None,
    ) -> CallToolResult:
        """Ask the project's memory: where something is, how it works, what was decided. Returns the best matching
        code and notes, each cited as name #file:line and checked against the files on disk. Use it before grepping or
        reading files."""
        roots = await parts.roots(ctx, workspace)
        whole = await follow_answer(
            parts.source,
            ctx,
            lambda memory, progress, cancelled: memory.query(
                user_query,
                workspace,
                roots=roots,
                category=category or None,  # models send an empty text for what they leave out
                use_cloud=use_cloud,
                limit=limit,
                budget_tokens=budget_tokens,
                task=task,
                model_wait_s=MODEL_WAIT_S,
                progress=progress,
                cancelled=cancelled,
            ),
        )
        answer = fitting_answer(whole, limit, budget_tokens)
        text = render.query_answer(answer, show_sources=show_sources)
        cited = [hit.file_path for hit in answer.results]
        parts.source.get().usage.replies.given("query_memory", answer.workspace, text, cited, task)
        return reply(text, answer)

    return memory_tool(
        query_memory,
        QueryAnswer,
        title="Query memory",
        annotations=_annotations(read_only=True),
        meta={"anthropic/alwaysLoad": True},  # Claude Code hides tools behind a search otherwise
    )


def scan_tool(parts: ToolParts) -> MemoryTool:
    """`scan_workspace`: files on disk to an index, followed for a while."""

    async def scan_workspace(
        ctx: Context[Any, Any],
        workspace: Workspace = None,
        force_refresh_brief: Annotated[bool, Field(description="Also rewrite the locked brief")] = False,
        wait: Wait = 40,
    ) -> CallToolResult:
        """Index a project's code and docs, or bring its index up to date (only changed files are read). Call it for
        a new project and after large edits. A long scan returns status `running` and goes on: call again to wait."""
        deadline = anyio.current_time() + wait
        roots = await parts.roots(ctx, workspace)
        job = await parts.source.use(
            lambda memory: memory.start_scan(workspace, roots=roots, force_refresh_brief=force_refresh_brief)
        )
        report = await parts.followers.follow(job, deadline, ctx)
        if report.status == "completed":
            await tell_updated(ctx, changed_uris(report.workspace, report.workspace_id))
        return reply(render.scan_report(report), fitting_report(report))

    return memory_tool(scan_workspace, render.ScanSummary, title="Scan workspace", annotations=_annotations())


def brief_tool(parts: ToolParts) -> MemoryTool:
    """`update_brief`: shows the brief, or replaces it."""

    async def update_brief(
        ctx: Context[Any, Any],
        workspace: Workspace = None,
        new_content: Annotated[
            str | None, Field(description="Markdown that replaces the brief", max_length=40_000)
        ] = None,
        regenerate: Annotated[bool, Field(description="Write it anew from the index")] = False,
    ) -> CallToolResult:
        """Show the project's brief (overview, stack, architecture, conventions, key files), or replace it. It stays
        as it is until replaced; replace it only when asked to."""
        if new_content is not None and regenerate:
            raise InputError("Give either new_content or regenerate=true, not both.")
        roots = await parts.roots(ctx, workspace)

        def change(memory: Memory) -> Brief:
            if new_content is not None:
                return memory.set_brief(new_content, workspace, roots=roots)
            if regenerate:
                return memory.regenerate_brief(workspace, roots=roots)
            return memory.brief(workspace, roots=roots)

        brief = await parts.source.use(change)
        if new_content is not None or regenerate:
            await tell_updated(ctx, changed_uris(brief.workspace, brief.workspace_id))
        shown = fitting_brief(brief)
        return reply(render.replaced_brief(brief) if new_content is not None else render.brief_text(shown), shown)

    return memory_tool(update_brief, Brief, title="Show or update brief", annotations=_annotations(idempotent=False))


def _annotations(*, read_only: bool = False, idempotent: bool = True) -> ToolAnnotations:
    return ToolAnnotations(
        read_only_hint=read_only, destructive_hint=False, idempotent_hint=idempotent, open_world_hint=False
    )
