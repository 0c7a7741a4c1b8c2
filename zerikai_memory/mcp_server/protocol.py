"""What the SDK's server leaves to its user: subscriptions of the handshake versions, and a prompt that is not there.

A changed resource is told by `resources/subscribe` before 2026-07-28 and by `subscriptions/listen` since.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcp.server import MCPServer
from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

STATELESS_SINCE = "2026-07-28"
# Subscriptions are remembered as the client spells them; nobody follows more resources than this.
MAX_SUBSCRIPTIONS = 1_000


class MemoryServer(MCPServer[Any]):
    """An MCPServer that speaks both ways of following a resource."""

    def __init__(self, name: str, **options: Any) -> None:
        super().__init__(name, **options)
        self._subscribed: set[str] = set()  # one set, because a server on stdio has one client
        add = self._lowlevel_server.add_request_handler
        add("resources/subscribe", SubscribeRequestParams, self._subscribe)
        add("resources/unsubscribe", UnsubscribeRequestParams, self._unsubscribe)

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None, context: Any = None) -> Any:
        """The prompt's messages; raises MCPError (invalid params) for an unknown name."""
        names = [prompt.name for prompt in await self.list_prompts()]
        if name not in names:
            raise MCPError(INVALID_PARAMS, f"There is no prompt {name[:60]!r}. Prompts: {', '.join(names)}.")
        return await super().get_prompt(name, arguments, context)

    async def _subscribe(self, ctx: ServerRequestContext[Any, Any], params: SubscribeRequestParams) -> EmptyResult:
        if len(self._subscribed) < MAX_SUBSCRIPTIONS:
            self._subscribed.add(str(params.uri))
        return EmptyResult()

    async def _unsubscribe(self, ctx: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams) -> EmptyResult:
        self._subscribed.discard(str(params.uri))
        return EmptyResult()

    async def tell_updated(self, ctx: Context[Any, Any], uris: Iterable[str]) -> None:
        """Notify whoever follows these resources."""
        for uri in uris:
            await ctx.notify_resource_updated(uri)
            if uri in self._subscribed and (ctx.protocol_version or "") < STATELESS_SINCE:
                await ctx.session.send_resource_updated(uri)


async def tell_updated(ctx: Context[Any, Any], uris: Iterable[str]) -> None:
    """Notify whoever follows these resources of the server that serves this request."""
    if isinstance(ctx.mcp_server, MemoryServer):
        await ctx.mcp_server.tell_updated(ctx, uris)
