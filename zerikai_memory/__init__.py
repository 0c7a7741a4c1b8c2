"""Local code memory for coding agents: scan a project, ask it, get cited entities."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerikai_memory.app import Memory as Memory
    from zerikai_memory.lang.extract import extract_entities as extract_entities

__version__ = "0.1.0"
__all__ = ["Memory", "__version__", "extract_entities"]


def __getattr__(name: str) -> object:
    # Public names load on first use: the MCP server must answer before anything heavier than the SDK is imported.
    if name == "Memory":
        from zerikai_memory.app import Memory

        return Memory
    if name == "extract_entities":
        from zerikai_memory.lang.extract import extract_entities

        return extract_entities
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
