"""Resources for clients that attach context by hand: the brief, the workspaces, one entity; and their names completed.

Only `zerikai://brief` and `zerikai://workspaces` are listed, and they mean the server's own workspace; the others
are templates that name one. `{workspace}` is a name, an id or a percent-encoded path.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources.templates import ResourceSecurity
from mcp.types import Completion, CompletionArgument, PromptReference, ResourceTemplateReference

from zerikai_memory import render
from zerikai_memory.errors import InputError, ZerikaiError

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from zerikai_memory.mcp_server.source import MemorySource

T = TypeVar("T")
WORKSPACES, BRIEF = "zerikai://workspaces", "zerikai://brief"
# The parameters are looked up among what is stored; none of them opens a file.
LOOKED_UP = ResourceSecurity(exempt_params=frozenset({"workspace", "entity"}))
# The protocol's own limit for one completion.
MAX_COMPLETIONS = 100


def add_resources(server: MCPServer[Any], source: MemorySource) -> None:
    """Register the resources, their templates and the completion of workspace names."""

    @server.resource(
        WORKSPACES,
        name="workspaces",
        title="Indexed projects",
        description="Every project in the memory: files, entities, notes, last scan",
        mime_type="application/json",
    )
    async def workspaces() -> str:
        return render.json_line(await _found(source.use(lambda memory: memory.workspaces())))

    @server.resource(
        BRIEF, name="brief", title="Project brief", description="The current project's brief", mime_type="text/markdown"
    )
    async def brief() -> str:
        return (await _found(source.use(lambda memory: memory.brief()))).text

    @server.resource(
        f"{BRIEF}/{{workspace}}",
        name="brief-of",
        title="Brief of a project",
        description="The brief of the named project",
        mime_type="text/markdown",
        security=LOOKED_UP,
    )
    async def brief_of(workspace: str) -> str:
        return (await _found(source.use(lambda memory: memory.brief(workspace)))).text

    @server.resource(
        "zerikai://entity/{workspace}/{entity}",
        name="entity",
        title="Code entity",
        description="A function, class or section by its id or qualified name, as its file says it now",
        mime_type="text/markdown",
        security=LOOKED_UP,
    )
    async def entity(workspace: str, entity: str) -> str:
        return render.entity_page(await _found(source.use(lambda memory: memory.entity(entity, workspace))))

    async def complete(
        ref: PromptReference | ResourceTemplateReference, argument: CompletionArgument, context: Any
    ) -> Completion:
        if argument.name != "workspace":
            return Completion(values=[], total=0, has_more=False)
        known = await source.use(lambda memory: [info.name for info in memory.workspaces()])
        names = [name for name in known if name.casefold().startswith(argument.value.casefold())]
        return Completion(values=names[:MAX_COMPLETIONS], total=len(names), has_more=len(names) > MAX_COMPLETIONS)

    server.completion()(complete)  # type: ignore[no-untyped-call]


def changed_uris(workspace: str, workspace_id: str) -> tuple[str, ...]:
    """The resources that a scan or a new brief of this workspace changes."""
    return (WORKSPACES, BRIEF, f"{BRIEF}/{quote(workspace, safe='')}", f"{BRIEF}/{workspace_id}")


async def _found(reading: Awaitable[T]) -> T:
    try:
        return await reading
    except InputError as error:
        raise ResourceNotFoundError(str(error)) from error
    except ZerikaiError as error:
        raise ResourceError(str(error)) from error
