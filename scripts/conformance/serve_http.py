"""Serve the MCP server over HTTP on loopback, for a test suite that speaks nothing else. Run: serve_http.py PORT

The product itself speaks stdio only.
"""

from __future__ import annotations

import sys

import uvicorn

from zerikai_memory.app import Memory
from zerikai_memory.mcp_server.server import create_server


def main() -> None:
    """Serve until a signal comes."""
    memory = Memory()
    server = create_server(lambda: memory, default_workspace=memory.settings.workspace)
    app = server.streamable_http_app(host="127.0.0.1")
    # h11 trims the blanks around a header's value, as HTTP asks; the faster parser does not.
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), http="h11", log_level="warning")
    memory.close()


if __name__ == "__main__":
    main()
