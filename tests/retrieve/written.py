"""A workspace with the files of a test, scanned."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from zerikai_memory.app import Memory


def scanned(memory: Memory, workspace: Path, files: Mapping[str, str]) -> str:
    """Write `files` {path: text} and scan them; the folder, as a question names it."""
    for path, text in files.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text, encoding="utf-8")
    memory.scan(str(workspace))
    return str(workspace)
