"""The MCP server on stdio: tools in front of the app."""
