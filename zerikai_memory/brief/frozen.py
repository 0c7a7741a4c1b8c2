"""The locked brief: the stored text is what counts, and a person's edit of its mirror file becomes a version of it."""

from __future__ import annotations

import logging
from dataclasses import replace

from zerikai_memory.brief.sections import check_sections
from zerikai_memory.errors import InputError, StoreError
from zerikai_memory.model import Brief, Workspace
from zerikai_memory.redact import mask_secrets
from zerikai_memory.store.briefs import BriefStore

_LOG = logging.getLogger(__name__)


class FrozenBrief:
    """The briefs of all workspaces, as they change: by order, or by a hand edit of contexts/<workspace>.md."""

    def __init__(self, store: BriefStore) -> None:
        self._store = store

    def live(self, workspace: Workspace) -> Brief | None:
        """The live version, or None when there is none yet; a hand edit of the mirror is stored first.

        A hand edit that cannot be used or stored is told in `warnings` and stays in the file.
        """
        warning = self._adopt(workspace)
        brief = self._store.live(workspace)
        return replace(brief, warnings=(warning,)) if brief and warning else brief

    def replace(self, workspace: Workspace, text: str, source: str = "edited") -> Brief:
        """Make `text` the live version; raises InputError for an empty or far too long text."""
        warnings = check_sections(text) if source == "edited" else ()
        if self._adopt(workspace):
            self._store.set_mirror_aside(workspace.id)
        brief = self._store.add(workspace, mask_secrets(text), source)
        return replace(brief, warnings=(*brief.warnings, *warnings))

    def versions(self, workspace: Workspace) -> list[Brief]:
        """Every version there has been, newest first; a hand edit of the mirror is stored first."""
        self._adopt(workspace)
        return self._store.versions(workspace)

    def restore(self, workspace: Workspace, version: int) -> Brief:
        """Make the text of an older version the newest one; raises InputError for a version that never was."""
        versions = self.versions(workspace)
        found = next((brief for brief in versions if brief.version == version), None)
        if found is None:
            known = f"the versions are 1 to {versions[0].version}" if versions else "there is no brief yet"
            raise InputError(f"version: {workspace.name!r} has no brief of version {version!r}; {known}")
        return self.replace(workspace, found.text, "restored")

    def renew(self, workspace: Workspace) -> str | None:
        """Make the mirror hold the live version, after taking a hand edit over; returns what was done, if anything."""
        unusable = self._adopt(workspace)
        if self._store.mirrored(workspace):
            return None
        aside = self._store.set_mirror_aside(workspace.id) if unusable else None
        self._store.mirror(workspace)
        kept = f"; {unusable}, it was renamed to {aside}" if aside else ""
        return f"its brief was written to {self._store.path(workspace.id)} again{kept}"

    def _adopt(self, workspace: Workspace) -> str | None:
        """Store a hand edit as a version; returns why that was not possible."""
        try:
            text = self._store.edited(workspace)
            if text is not None:
                check_sections(text)
                self._store.add(workspace, mask_secrets(text), "file")
        except (InputError, StoreError) as error:
            _LOG.warning("the edit of %s was not stored: %s", self._store.path(workspace.id), error)
            return f"the edit of {self._store.path(workspace.id)} is not in use: {error}"
        return None
