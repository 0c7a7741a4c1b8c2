"""Brief versions in zerikai.db (the truth) and their mirror file `contexts/<workspace>.md`."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from zerikai_memory.errors import StoreError
from zerikai_memory.model import Brief, Workspace
from zerikai_memory.store.db import Database


class BriefStore:
    """Every version of every brief; the newest is live."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder

    def live(self, workspace: Workspace) -> Brief | None:
        """The newest version, or None when there is none yet."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT version, text, source, created_at FROM briefs WHERE workspace_id = ?"
                " ORDER BY version DESC LIMIT 1",
                (workspace.id,),
            ).fetchone()
        return Brief(workspace.name, workspace.id, *row) if row else None

    def add(self, workspace: Workspace, text: str, source: str) -> Brief:
        """Append a version and make it live; a text equal to the live one adds nothing."""
        with self._database.write() as connection:
            row = connection.execute(
                "SELECT version, text, source, created_at FROM briefs WHERE workspace_id = ?"
                " ORDER BY version DESC LIMIT 1",
                (workspace.id,),
            ).fetchone()
            if row is None or row[1] != text:
                row = ((row[0] if row else 0) + 1, text, source, time.time())
                connection.execute("INSERT INTO briefs VALUES (?, ?, ?, ?, ?)", (workspace.id, *row))
        self._mirror(workspace.id, text)
        return Brief(workspace.name, workspace.id, *row)

    def remove(self, workspace_id: str) -> int:
        """Delete all versions and the mirror; returns how many versions there were."""
        with self._database.write() as connection:
            count = connection.execute("DELETE FROM briefs WHERE workspace_id = ?", (workspace_id,)).rowcount
        self._path(workspace_id).unlink(missing_ok=True)
        return count

    def _path(self, workspace_id: str) -> Path:
        return self._folder / f"{workspace_id}.md"

    def _mirror(self, workspace_id: str, text: str) -> None:
        """Write the mirror beside its place and rename it, so that a reader never sees half a file."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=f".{workspace_id}.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                    file.write(text)
                Path(temporary).replace(self._path(workspace_id))
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise StoreError(f"the brief is stored, but its mirror in {self._folder} is not: {error}") from error
