"""The registry of workspaces in zerikai.db."""

from __future__ import annotations

import time
from dataclasses import dataclass

from zerikai_memory.model import Workspace
from zerikai_memory.store.db import Database


@dataclass(frozen=True, slots=True)
class RegisteredWorkspace:
    """A workspace and when its last changing scan ended (None: never)."""

    workspace: Workspace
    last_scan_at: float | None


class Registry:
    """Known workspaces; only a scan registers one."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> list[RegisteredWorkspace]:
        """Every workspace, by name."""
        if not self._database.made():
            return []
        with self._database.read() as connection:
            rows = connection.execute("SELECT id, name, path, last_scan_at FROM workspaces ORDER BY name").fetchall()
        return [RegisteredWorkspace(Workspace(*row[:3]), row[3]) for row in rows]

    def known(self) -> list[Workspace]:
        """Every workspace, by name, without the times."""
        return [entry.workspace for entry in self.all()]

    def add(self, workspace: Workspace) -> None:
        """Register a workspace; one that is registered stays as it is.

        The name gets a number when another process has just given it to another folder.
        """
        with self._database.write() as connection:
            rows = connection.execute("SELECT name FROM workspaces WHERE id <> ?", (workspace.id,)).fetchall()
            taken = {row[0].casefold() for row in rows}
            names = (workspace.name, *(f"{workspace.name}-{number}" for number in range(2, len(taken) + 3)))
            connection.execute(
                "INSERT INTO workspaces (id, name, path, created_at) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                (workspace.id, next(n for n in names if n.casefold() not in taken), workspace.path, time.time()),
            )

    def scanned(self, workspace_id: str, at: float) -> None:
        """Record when a scan that changed something ended."""
        with self._database.write() as connection:
            connection.execute("UPDATE workspaces SET last_scan_at = ? WHERE id = ?", (at, workspace_id))

    def remove(self, workspace_id: str) -> None:
        """Forget a workspace; its notes stay."""
        with self._database.write() as connection:
            connection.execute("DELETE FROM workspaces WHERE id = ?", (workspace_id,))
