"""Reading for a brief: workspace files only, cut at a size limit, secrets masked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from zerikai_memory.brief.facts import ReadText
from zerikai_memory.errors import InputError
from zerikai_memory.redact import mask_secrets
from zerikai_memory.workspace.opening import open_inside

# Manifests and README openings are far below; a longer source file is only searched for TODO comments.
MAX_READ_BYTES = 200_000


def workspace_reader(root: Path, files: Iterable[str]) -> ReadText:
    """A function that gives the masked text of one of `files`, or None for any other path or unreadable file."""
    allowed = frozenset(files)

    def read(path: str) -> str | None:
        if path not in allowed:
            return None
        try:
            with open_inside(root, path) as file:
                raw = file.read(MAX_READ_BYTES)
        except (OSError, InputError):
            return None  # gone, locked or swapped since the walk: the brief does without it
        if b"\x00" in raw:
            return None
        return mask_secrets(raw.decode("utf-8", "replace").replace("\r\n", "\n"))

    return read
