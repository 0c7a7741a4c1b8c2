"""doctor: check settings, brain and every index, read-only, a sentence for each finding."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.embed.base import Embedder
from zerikai_memory.errors import ZerikaiError
from zerikai_memory.llm.base import ModelError
from zerikai_memory.llm.choose import Backends
from zerikai_memory.meter.price_files import PriceFiles
from zerikai_memory.model import Workspace
from zerikai_memory.model_upkeep import Finding
from zerikai_memory.settings import Settings
from zerikai_memory.store.backups import PARTIAL
from zerikai_memory.store.brain import Brain
from zerikai_memory.store.mirror_status import mirror_status
from zerikai_memory.store.turn import ScanTurn
from zerikai_memory.workspace.identity import workspace_root

REPAIR = "zerikai-memory doctor --repair"
# Below this a scan of a usual project does not fit any more.
LOW_SPACE_BYTES = 50_000_000


@dataclass(frozen=True, slots=True)
class HealthParts:
    """What is examined."""

    settings: Settings
    brain: Brain
    embedder: Embedder


def examine(parts: HealthParts) -> list[Finding]:
    """All findings, good ones too; a check that fails is a finding, never an exception."""
    findings = [
        *_settings(parts.settings),
        *_embedding(parts.embedder),
        *_models(parts.settings),
        *_prices(parts.settings),
    ]
    home = parts.settings.home
    if not home.exists():
        findings.append(Finding("ok", "brain", f"{home} does not exist yet; the first scan makes it"))
        return findings
    findings += _folder(home)
    recorded = list(_recorded(parts.brain))
    findings += recorded
    if any(finding.level == "error" for finding in recorded):
        return findings
    try:
        workspaces = parts.brain.registry.known()
    except ZerikaiError as error:
        findings.append(Finding("error", "zerikai.db", str(error)))
        return findings
    findings += _strays(parts.brain, workspaces)
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
        yield Finding("error", "embedding", f"cannot be used: {error}", "mend it, or set another EMBEDDING")


def _models(settings: Settings) -> Iterator[Finding]:
    """Which models could write answers now; servers on this machine are asked, the cloud is not."""
    backends = Backends(settings)
    cloud = () if settings.memory_mode == "local" else backends.cloud("fast")
    found, missing = [], []
    for backend in (*cloud, *backends.local):
        try:
            where = "beyond this machine" if backend.remote else "on this machine"
            found.append(f"{backend.name} {backend.ready().model} {where}")
        except ModelError as error:
            missing.append(str(error))
    mode = f"MEMORY_MODE={settings.memory_mode}"
    if found:
        yield Finding("ok", "models", f"{mode}: {', '.join(found)}")
    elif settings.memory_mode == "local":
        yield Finding("ok", "models", f"{mode}: none, answers quote the index ({'; '.join(missing)})")
    else:
        fix = "set DEEPSEEK_API_KEY, or OPENAI_COMPAT_BASE_URL and OPENAI_COMPAT_MODEL"
        yield Finding("warning", "models", f"{mode}, but no model can be asked ({'; '.join(missing)})", fix)


def _prices(settings: Settings) -> Iterator[Finding]:
    """The person's own price table; what else may be wrong with prices `prices check` says."""
    if problem := PriceFiles(settings.home).current().problem:
        yield Finding("warning", "prices", f"{problem}; until then every price counts as unknown", "correct the file")


def _folder(home: Path) -> Iterator[Finding]:
    if not os.access(home, os.W_OK | os.X_OK):
        yield Finding("error", "brain", f"{home} cannot be written", "change its permissions or set ZERIKAI_HOME")
    elif home.stat().st_mode & 0o077:
        yield Finding("warning", "brain", f"{home} is open to other users", f"chmod 700 {home}")
    else:
        yield Finding("ok", "brain", f"{home} is private and writable")
    if (free := shutil.disk_usage(home).free) < LOW_SPACE_BYTES:
        yield Finding("warning", "disk", f"{free / 1e6:.0f} MB are free where {home} is", "free space before a scan")


def _recorded(brain: Brain) -> Iterator[Finding]:
    path, backups = brain.recorded.path, brain.backups.all()
    newest = f"the newest of {len(backups)} backups is {backups[0].name}" if backups else "there is no backup yet"
    fix = f"zerikai-memory backup restore {backups[0].name}" if backups else "restore it from a backup of your own"
    try:
        if not path.exists():
            if backups:
                yield Finding("error", "zerikai.db", f"{path} is missing; {newest}", fix)
            return
        if trouble := brain.recorded.damage():
            yield Finding("error", "zerikai.db", f"{path} is damaged: {trouble}; {newest}", fix)
        else:
            yield Finding("ok", "zerikai.db", f"notes, briefs and registry are readable; {newest}")
    except ZerikaiError as error:
        yield Finding("error", "zerikai.db", str(error), fix)


def _strays(brain: Brain, workspaces: list[Workspace]) -> Iterator[Finding]:
    """Files that belong to no workspace, and damaged ones that were set aside: kept until a person deletes them."""
    known = {workspace.id for workspace in workspaces}
    for path in sorted((*(brain.home / "index").glob("*.db"), *(brain.home / "maps").glob("*.db"))):
        if path.name.partition(".")[0] not in known:
            stray = f"{path} belongs to no registered workspace"
            yield Finding("warning", path.parent.name, stray, "delete it, or scan again")
    for pattern in ("index/*.damaged-*", "zerikai.db.damaged-*", "snapshots/*/*.damaged-*", "contexts/*.unusable-*"):
        for path in sorted(brain.home.glob(pattern)):
            if not path.name.endswith(("-wal", "-shm")):
                yield Finding("warning", "set aside", f"{path} was not usable and is kept", "delete it when not needed")
    for path in sorted(brain.home.glob(f"**/{PARTIAL}*")):
        yield Finding("warning", "leftover", f"{path} is being written, or was when its process was killed", REPAIR)


def _workspace(parts: HealthParts, workspace: Workspace) -> Iterator[Finding]:
    name = f"workspace {workspace.name}"
    if not workspace_root(workspace).is_dir():
        yield Finding(
            "warning",
            name,
            f"its folder {workspace.path} is gone",
            f"zerikai-memory workspace move {workspace.name} NEW_FOLDER, or workspace drop {workspace.name}",
        )
    try:
        yield from _index(parts, workspace, name)
        yield from _around(parts, workspace, name)
        yield from _mirror(parts, workspace, name)
    except (ZerikaiError, OSError) as error:
        yield Finding("error", name, str(error), f"zerikai-memory scan {workspace.path}")


def _index(parts: HealthParts, workspace: Workspace, name: str) -> Iterator[Finding]:
    index = parts.brain.index(workspace.id)
    rescan = f"zerikai-memory scan {workspace.path}"
    if not index.exists():
        yield Finding("warning", name, "it has no index", rescan)
        return
    if trouble := index.damage():
        yield Finding("error", name, f"its index {index.path} is damaged: {trouble}", f"{rescan}, or {REPAIR}")
        return
    running = ScanTurn(parts.brain.scan_lock(workspace.id), parts.brain.scan_status(workspace.id)).other()
    if running:
        yield Finding("ok", name, f"it is being scanned by {running.who}")
    elif index.meta("incomplete"):
        yield Finding("warning", name, "its last scan was interrupted", rescan)
    if index.meta("embedding") != parts.embedder.fingerprint:
        yield Finding("warning", name, "its vectors come from another embedding model", rescan)
    counts = index.counts()
    yield Finding("ok", name, f"{counts.files} files, {counts.entities} entities")


def _around(parts: HealthParts, workspace: Workspace, name: str) -> Iterator[Finding]:
    snapshots = parts.brain.snapshots(workspace.id, parts.settings.snapshots)
    for path in snapshots.damaged():
        yield Finding("warning", name, f"its snapshot {path} is damaged; undo cannot use it", REPAIR)
    if not parts.brain.briefs.mirrored(workspace):
        path = parts.brain.briefs.path(workspace.id)
        yield Finding("warning", name, f"{path} is not the stored brief: edited, missing or left behind", REPAIR)


def _mirror(parts: HealthParts, workspace: Workspace, name: str) -> Iterator[Finding]:
    settings, index = parts.settings, parts.brain.index(workspace.id)
    url = settings.chroma_url if settings.vector_store == "chroma-http" else ""
    status = mirror_status(settings.home, workspace.id, index, url) if index.exists() else None
    if status is None:
        return
    where = url or status.folder
    if status.trouble:
        fix = f"delete {status.folder.parent}, then zerikai-memory scan {workspace.path} (answers do not depend on it)"
        yield Finding("warning", name, f"its Chroma mirror {where}: {status.trouble}", fix)
    elif status.left and not status.busy and settings.vector_store != "exact":
        fix = f"zerikai-memory scan {workspace.path} (answers do not depend on it)"
        yield Finding("warning", name, f"its Chroma mirror {where} lacks changes of {status.left} entities", fix)
    else:
        state = "is being written or read" if status.busy else "is up to date" if not status.left else "is not kept"
        yield Finding("ok", name, f"its Chroma mirror {where} {state}, {status.records} records")
