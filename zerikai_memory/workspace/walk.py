"""Walk a workspace: the files to index, sorted, and what was left out and why.

Nothing is opened but folders and ignore files. Symbolic links are not followed, neither to folders nor to files:
a target inside the workspace is found under its own path, one outside is none of our business.
"""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from zerikai_memory.errors import Cancelled, WorkspaceError
from zerikai_memory.model import DiskFile, SkippedPath, Walk
from zerikai_memory.workspace.builtin import FOLDER_MARKERS, OUTPUT_RULES
from zerikai_memory.workspace.ignore import (
    GITIGNORE,
    KEPT,
    MEMIGNORE,
    IgnoreRules,
    Verdict,
    is_source_package,
    read_ignore_file,
    root_rules,
)
from zerikai_memory.workspace.paths import from_disk, is_case_insensitive

# A size limit that no rule lifts: tree-sitter and the index hold the whole file in memory.
_LIFTED_MAX_BYTES = 64_000_000
# How far the files of a left-out folder are counted, when nothing was kept and the reason must be found.
_MAX_COUNTED = 20_000


def walk(
    root: Path,
    *,
    language_of: Callable[[str], str | None],
    respect_gitignore: bool = True,
    max_file_bytes: int = 1_500_000,
    brain: Path | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Walk:
    """List the files below `root` that have a language (`language_of(path)` is not None) and no rule leaves out.

    Raises WorkspaceError when the root itself cannot be listed, Cancelled when `cancelled()` turns true.
    Skip reasons: unreadable, symlink, special, too_large, vanished, loop.
    """
    top = Path(os.path.realpath(root))
    run = _Run(
        root=str(top),
        language_of=language_of,
        respect_gitignore=respect_gitignore,
        max_file_bytes=max_file_bytes,
        brain=os.path.realpath(brain) if brain else "",
    )
    rules = root_rules(top, respect_gitignore=respect_gitignore, ignore_case=is_case_insensitive(top))
    pending = [_Folder("", rules)]
    while pending:
        if cancelled and cancelled():
            raise Cancelled("The scan was stopped while the workspace was listed; nothing was changed.")
        pending.extend(run.enter(pending.pop()))
    return run.result()


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder to enter; `verdict` is what its name alone would say, `seen` the device and inode of its parents."""

    path: str
    rules: IgnoreRules
    verdict: Verdict = KEPT
    seen: frozenset[tuple[int, int]] = frozenset()


@dataclass(slots=True)
class _Run:
    root: str
    language_of: Callable[[str], str | None]
    respect_gitignore: bool
    max_file_bytes: int
    brain: str
    files: list[DiskFile] = field(default_factory=list)
    skipped: list[SkippedPath] = field(default_factory=list)
    excluded: Counter[str] = field(default_factory=Counter)
    pruned: list[tuple[str, str]] = field(default_factory=list)
    other_types: Counter[str] = field(default_factory=Counter)

    def enter(self, folder: _Folder) -> list[_Folder]:
        """List one folder, keep its files, and return the folders below it that are to be entered."""
        try:
            here = Path(self._disk(folder.path)).stat()
            with os.scandir(self._disk(folder.path)) as listing:
                entries = list(listing)
        except OSError as error:
            self._cannot_list(folder, error)
            return []
        names = frozenset(entry.name for entry in entries)
        identity = (here.st_dev, here.st_ino)
        if identity in folder.seen:
            self._skip(folder.path, "loop", "the folder contains itself")
            return []
        if rule := _folder_rule(folder, names):
            self._prune(rule, folder.path)
            return []
        rules = self._rules_inside(folder, entries)
        seen = folder.seen | {identity}
        below = (self._look(entry, folder.path, rules, seen) for entry in entries)
        return [child for child in below if child is not None]

    def result(self) -> Walk:
        if not self.files:
            self._weigh_pruned()
        return Walk(
            files=tuple(sorted(self.files, key=lambda file: file.path)),
            skipped=tuple(sorted(self.skipped, key=lambda skip: skip.path)),
            excluded_by=dict(self.excluded.most_common()),
            other_types=dict(self.other_types.most_common()),
        )

    def _look(
        self, entry: os.DirEntry[str], parent: str, rules: IgnoreRules, seen: frozenset[tuple[int, int]]
    ) -> _Folder | None:
        path = f"{parent}/{entry.name}" if parent else entry.name
        try:
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and self.brain and self._disk(path) == self.brain:
                self.excluded["never indexed: the brain folder"] += 1
                return None
            verdict = rules.verdict(path, entry.name, is_folder)
            if is_folder and (verdict.rule is None or verdict.rule in OUTPUT_RULES):
                return _Folder(path, rules, verdict, seen)
            if verdict.rule is None:
                self._look_at_file(entry, path, verdict)
            elif is_folder:
                self._prune(verdict.rule, path)
            else:
                self.excluded[verdict.rule] += 1
        except FileNotFoundError:
            self._skip(path, "vanished", "removed while the workspace was listed")
        except OSError as error:
            self._skip(path, "unreadable", error.strerror or str(error))
        return None

    def _look_at_file(self, entry: os.DirEntry[str], path: str, verdict: Verdict) -> None:
        stored = from_disk(path)
        if entry.is_symlink():
            target = Path(entry.path).readlink()
            if self.language_of(stored) is not None or Path(entry.path).is_dir():
                self._skip(path, "symlink", f"link to {from_disk(str(target))}, not followed")
            return
        if self.language_of(stored) is None:
            self.other_types[PurePosixPath(stored).suffix.lower() or "(no suffix)"] += 1
            return
        status = entry.stat(follow_symlinks=False)
        limit = _LIFTED_MAX_BYTES if verdict.lifted else self.max_file_bytes
        if not stat.S_ISREG(status.st_mode):
            self._skip(path, "special", "a pipe, socket or device")
        elif status.st_size > limit:
            self._skip(path, "too_large", f"{status.st_size:,} bytes, the limit is {limit:,}")
        elif not os.access(entry.path, os.R_OK, effective_ids=os.access in os.supports_effective_ids):
            self._skip(path, "unreadable", "permission denied")
        else:
            self.files.append(DiskFile(stored, status.st_size, status.st_mtime_ns))

    def _rules_inside(self, folder: _Folder, entries: list[os.DirEntry[str]]) -> IgnoreRules:
        wanted = (MEMIGNORE, GITIGNORE) if self.respect_gitignore else (MEMIGNORE,)
        found: dict[str, bytes] = {}
        for entry in entries:
            # A link is no ignore file to git, and not one to us.
            if entry.name in wanted and not entry.is_symlink():
                text = read_ignore_file(Path(entry.path))
                found[entry.name] = text.content
                if text.fault:
                    self._skip(f"{folder.path}/{entry.name}".lstrip("/"), text.reason, text.fault)
        if not found:
            return folder.rules
        return folder.rules.inside(folder.path, memignore=found.get(MEMIGNORE), gitignore=found.get(GITIGNORE))

    def _cannot_list(self, folder: _Folder, error: OSError) -> None:
        reason = error.strerror or str(error)
        if not folder.path:
            raise WorkspaceError(f"The folder {self.root!r} cannot be listed: {reason}.") from error
        if folder.verdict.rule:
            self._prune(folder.verdict.rule, folder.path)
        elif isinstance(error, FileNotFoundError):
            self._skip(folder.path, "vanished", "removed while the workspace was listed")
        else:
            self._skip(folder.path, "unreadable", reason)

    def _weigh_pruned(self) -> None:
        """Count each left-out folder with the files in it, so that the rule that left out most comes first."""
        for rule, path in self.pruned:
            budget = _MAX_COUNTED
            for _, _, names in os.walk(self._disk(path)):
                self.excluded[rule] += min(len(names), budget)
                budget -= len(names)
                if budget <= 0:
                    break

    def _prune(self, rule: str, path: str) -> None:
        self.excluded[rule] += 1
        if not rule.startswith("never indexed"):
            self.pruned.append((rule, path))

    def _skip(self, path: str, reason: str, detail: str) -> None:
        self.skipped.append(SkippedPath(from_disk(path), reason, detail))

    def _disk(self, path: str) -> str:
        return f"{self.root.rstrip(os.sep)}{os.sep}{path}" if path else self.root


def _folder_rule(folder: _Folder, names: frozenset[str]) -> str | None:
    """The default that leaves this folder out, now that its content is known."""
    if folder.verdict.rule:
        return None if is_source_package(folder.verdict.rule, names) else folder.verdict.rule
    marker = next((marker for marker in FOLDER_MARKERS if marker in names), None)
    return f"built-in folder with {marker}" if marker and folder.path and not folder.verdict.lifted else None
