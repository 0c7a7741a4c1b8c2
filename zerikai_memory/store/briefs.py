"""Brief versions in zerikai.db (the truth) and their mirror file `contexts/<workspace>.md`.

A person may edit the mirror. A text that no version has is such an edit; so is an older version's text that was
written after the live version. An older text from before it is a mirror that a killed process did not renew.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from zerikai_memory.errors import StoreError
from zerikai_memory.model import Brief, Workspace
from zerikai_memory.store.db import Database
from zerikai_memory.store.sketch import Sketch

# Another process renews a mirror in milliseconds.
MIRROR_WAIT_S = 5.0
# Nobody writes a brief of this size by hand.
MAX_MIRROR_BYTES = 400_000


class BriefStore:
    """Every version of every brief; the newest is live."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        lock: Callable[[str], FileLock],
        sketch: Callable[[str], Sketch | None] = lambda _: None,
    ) -> None:
        """`sketch` gives that of a workspace's entities as they are now, None when there is no index to read."""
        self._database = database
        self._sketch = sketch
        self._folder = folder
        self._lock = lock
        # Mirrors that were compared: (when and how large, the live version then). They cost one stat per question.
        self._compared: dict[str, tuple[int, int, int]] = {}

    def live(self, workspace: Workspace) -> Brief | None:
        """The newest version, or None when there is none yet."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT version, text, source, created_at FROM briefs WHERE workspace_id = ?"
                " ORDER BY version DESC LIMIT 1",
                (workspace.id,),
            ).fetchone()
        return Brief(workspace.name, workspace.id, *row) if row else None

    def versions(self, workspace: Workspace) -> list[Brief]:
        """All versions, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT version, text, source, created_at FROM briefs WHERE workspace_id = ? ORDER BY version DESC",
                (workspace.id,),
            ).fetchall()
        return [Brief(workspace.name, workspace.id, *row) for row in rows]

    def add(self, workspace: Workspace, text: str, source: str) -> Brief:
        """Append a version and make it live; a text equal to the live one adds nothing."""
        sketch = self._sketch(workspace.id)
        with self._database.write() as connection:
            row = connection.execute(
                "SELECT version, text, source, created_at FROM briefs WHERE workspace_id = ?"
                " ORDER BY version DESC LIMIT 1",
                (workspace.id,),
            ).fetchone()
            if row is None or row[1] != text:
                row = ((row[0] if row else 0) + 1, text, source, time.time())
                connection.execute(
                    "INSERT INTO briefs (workspace_id, version, text, source, created_at, entities)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (workspace.id, *row, sketch and sketch.to_bytes()),
                )
        brief = Brief(workspace.name, workspace.id, *row)
        try:
            self.mirror(workspace)
        except StoreError as error:  # the version is safe; the mirror is renewed when somebody looks at it
            return replace(brief, warnings=(str(error),))
        return brief

    def sketches(self, brief: Brief) -> tuple[Sketch, Sketch] | None:
        """Sketches of the entities when this version was written and now; None when either is not known."""
        with self._database.read() as connection, self._database.decoding():
            row = connection.execute(
                "SELECT entities FROM briefs WHERE workspace_id = ? AND version = ?",
                (brief.workspace_id, brief.version),
            ).fetchone()
            then = Sketch.from_bytes(row[0]) if row and row[0] is not None else None
        now = self._sketch(brief.workspace_id) if then else None
        return (then, now) if then and now else None

    def edited(self, workspace: Workspace) -> str | None:
        """The text of the mirror when somebody has edited it by hand since, else None.

        Raises StoreError when it is not text.
        """
        path = self.path(workspace.id)
        live = self.live(workspace)
        try:
            stat = path.stat()
            if live is None or self._compared.get(workspace.id) == (stat.st_mtime_ns, stat.st_size, live.version):
                return None
            text = path.read_bytes()[:MAX_MIRROR_BYTES].decode("utf-8").replace("\r\n", "\n")
            if "\0" in text:
                raise UnicodeDecodeError("utf-8", b"\0", 0, 1, "it holds NUL characters")
        except FileNotFoundError:
            self._renew(workspace)
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise StoreError(f"{path} cannot be read as text ({error}); the stored brief is used") from error
        if text.strip() and text.strip() != live.text.strip():
            known = self._is_version(workspace.id, text)
            if (now := self.live(workspace)) is None or now.version != live.version:
                return None  # the mirror that was read may be that of the version that has just come
            if not known or stat.st_mtime > live.created_at:
                return text
            self._renew(workspace)
        self._compared[workspace.id] = (stat.st_mtime_ns, stat.st_size, live.version)
        return None

    def mirror(self, workspace: Workspace) -> None:
        """Write the live version to the mirror; under a lock, so that two processes leave the newest there."""
        lock = self._lock(workspace.id)
        try:
            with lock.acquire(timeout=MIRROR_WAIT_S):
                if live := self.live(workspace):
                    self._write(workspace.id, live.text)
        except (OSError, Timeout) as error:
            raise StoreError(f"the brief is stored, but its mirror in {self._folder} is not: {error}") from error

    def set_mirror_aside(self, workspace_id: str) -> Path | None:
        """Rename a mirror that cannot be used as a brief, so that it is not overwritten; returns its new path."""
        path = self.path(workspace_id)
        aside = path.with_name(f"{path.name}.unusable-{time.strftime('%Y-%m-%dT%H%M%SZ', time.gmtime())}")
        try:
            return path.rename(aside)
        except FileNotFoundError:
            return None

    def _renew(self, workspace: Workspace) -> None:
        """Write a mirror that is missing or left behind, if the disk takes it; the answer at hand does not need it."""
        with suppress(StoreError):
            self.mirror(workspace)

    def mirrored(self, workspace: Workspace) -> bool:
        """Whether the mirror holds the live version (or there is none to hold)."""
        live = self.live(workspace)
        try:
            return live is None or self.path(workspace.id).read_bytes() == live.text.encode("utf-8")
        except OSError:
            return False

    def remove(self, workspace_id: str) -> int:
        """Delete all versions and the mirror; returns how many versions there were."""
        with self._database.write() as connection:
            count = connection.execute("DELETE FROM briefs WHERE workspace_id = ?", (workspace_id,)).rowcount
        self.path(workspace_id).unlink(missing_ok=True)
        return count

    def path(self, workspace_id: str) -> Path:
        """Where the mirror of a workspace's brief is."""
        return self._folder / f"{workspace_id}.md"

    def _is_version(self, workspace_id: str, text: str) -> bool:
        with self._database.read() as connection:
            rows = connection.execute("SELECT text FROM briefs WHERE workspace_id = ?", (workspace_id,)).fetchall()
        return any(row[0].strip() == text.strip() for row in rows)

    def _write(self, workspace_id: str, text: str) -> None:
        """Write beside the place and rename, so that a reader never sees half a file."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=f".{workspace_id}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            Path(temporary).replace(self.path(workspace_id))
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
