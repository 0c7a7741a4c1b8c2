"""The folders that a client says it works in, asked only when nothing else names the workspace.

Roots are deprecated in the protocol, so they are never required: a client that does not declare them, does not
answer or answers nonsense has none. Handshake versions are asked by a request, 2026-07-28 by an "input required"
result, after which the client calls again with the answer.
"""

from __future__ import annotations

import warnings
from typing import Any

import anyio
from mcp import MCPDeprecationWarning, MCPError
from mcp.server.mcpserver import Context
from mcp.types import InputRequiredResult, ListRootsRequest, ListRootsResult

from zerikai_memory.mcp_server.protocol import STATELESS_SINCE
from zerikai_memory.mcp_server.tool import NeedsInput

ROOTS_KEY = "roots"
# A local client answers at once or not at all; the tool call behind it has its own time-out to keep.
ANSWER_TIMEOUT_S = 2.0


async def client_roots(ctx: Context[Any, Any]) -> tuple[str, ...]:
    """file:// URIs of the client's roots, or none; raises NeedsInput when the client must call again with them."""
    capabilities = ctx.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return ()
    if (ctx.protocol_version or "") >= STATELESS_SINCE:
        answer = (ctx.input_responses or {}).get(ROOTS_KEY)
        if answer is None:
            raise NeedsInput(InputRequiredResult(input_requests={ROOTS_KEY: ListRootsRequest()}))
        return _uris(answer) if isinstance(answer, ListRootsResult) else ()
    try:
        with anyio.fail_after(ANSWER_TIMEOUT_S), warnings.catch_warnings():
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            return _uris(await ctx.session.list_roots())
    except (TimeoutError, MCPError):
        return ()


def _uris(answer: ListRootsResult) -> tuple[str, ...]:
    return tuple(str(root.uri) for root in answer.roots)
