"""doctor: check settings, brain and every index, read-only, a sentence for each finding."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.embed.base import Embedder
from zerikai_memory.errors import ZerikaiError
from zerikai_memory.model import Finding, Workspace
from zerikai_memory.settings import Settings
from zerikai_memory.store.brain import Brain
from zerikai_memory.workspace.identity import workspace_root


@dataclass(frozen=True, slots=True)
class HealthParts:
    """What is examined."""

    settings: Settings
    brain: Brain
    embedder: Embedder


def examine(parts: HealthParts) -> list[Finding]:
    """All findings, good ones too; a check that fails is a finding, never an exception."""
    findings = [*_settings(parts.settings), *_embedding(parts.embedder)]
    home = parts.settings.home
    if not home.exists():
        findings.append(Finding("ok", "brain", f"{home} does not exist yet; the first scan makes it"))
        return findings
    findings += _folder(home)
    try:
        workspaces = parts.brain.registry.known()
        findings += _recorded(parts.brain)
    except ZerikaiError as error:
        findings.append(Finding("error", "zerikai.db", str(error), "restore it from a backup; it is never rebuilt"))
        return findings
    for workspace in workspaces:
        findings += _workspace(parts, workspace)
    if not workspaces:
        findings.append(Finding("ok", "workspaces", "none is registered", "zerikai-memory scan PATH"))
    return findings


def _settings(settings: Settings) -> Iterator[Finding]:
    for problem in settings.problems:
        yield Finding("warning", "settings", problem, "correct it, or remove the line")
    if not settings.problems:
        yield Finding("ok", "settings", f"all usable; the brain is {settings.home}")


def _embedding(embedder: Embedder) -> Iterator[Finding]:
    try:
        vector = embedder.encode(["doctor"])
        yield Finding("ok", "embedding", f"{embedder.fingerprint}, {vector.shape[1]} dimensions")
    except (ZerikaiError, OSError, ValueError) as error:
        yield Finding("error", "embedding", f"cannot be loaded: {error}", "install the package again")


def _folder(home: Path) -> Iterator[Finding]:
    if not os.access(home, os.W_OK | os.X_OK):
        yield Finding("error", "brain", f"{home} cannot be written", "change its permissions or set ZERIKAI_HOME")
    elif home.stat().st_mode & 0o077:
        yield Finding("warning", "brain", f"{home} is open to other users", f"chmod 700 {home}")
    else:
        yield Finding("ok", "brain", f"{home} is private and writable")


def _recorded(brain: Brain) -> Iterator[Finding]:
    if not brain.recorded.path.exists():
        return
    trouble = brain.recorded.damage()
    if trouble:
        yield Finding("error", "zerikai.db", f"damaged: {trouble}", "restore it from a backup")
    else:
        yield Finding("ok", "zerikai.db", "notes, briefs and registry are readable")


def _workspace(parts: HealthParts, workspace: Workspace) -> Iterator[Finding]:
    name = f"workspace {workspace.name}"
    if not workspace_root(workspace).is_dir():
        yield Finding(
            "warning", name, f"its folder {workspace.path} is gone", f"zerikai-memory workspace drop {workspace.name}"
        )
    index = parts.brain.index(workspace.id)
    rescan = f"zerikai-memory scan {workspace.path}"
    if not index.exists():
        yield Finding("warning", name, "it has no index", rescan)
        return
    try:
        if trouble := index.database.damage():
            yield Finding("error", name, f"its index is damaged: {trouble}", f"drop it, then {rescan}")
            return
        if index.meta("incomplete"):
            yield Finding("warning", name, "its last scan was interrupted or is running", rescan)
        if index.meta("embedding") != parts.embedder.fingerprint:
            yield Finding("warning", name, "its vectors come from another embedding model", rescan)
        counts = index.counts()
        yield Finding("ok", name, f"{counts.files} files, {counts.entities} entities")
    except ZerikaiError as error:
        yield Finding("error", name, str(error), rescan)
