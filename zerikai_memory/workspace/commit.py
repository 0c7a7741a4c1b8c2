"""The git commit that a folder's work tree stands on, read from git's files: no process, no lock."""

from __future__ import annotations

import re
from pathlib import Path

_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def repo_commit(folder: Path) -> str | None:
    """Hash of HEAD of the repository that `folder` lies in; None without one, or before its first commit."""
    for around in (folder, *folder.parents):
        git = around / ".git"
        try:
            if git.is_file():  # a linked work tree or a submodule
                text = git.read_text("utf-8", "replace")
                git = around / text.removeprefix("gitdir:").strip()
            if (git / "HEAD").is_file():
                return _head(git)
        except OSError:
            return None
    return None


def _head(git: Path) -> str | None:
    text = (git / "HEAD").read_text("utf-8", "replace").strip()
    if not text.startswith("ref:"):
        return text if _HASH.fullmatch(text) else None
    name = text.removeprefix("ref:").strip()
    common = git / "commondir"
    homes = [git, git / common.read_text("utf-8", "replace").strip()] if common.is_file() else [git]
    for home in homes:
        if (home / name).is_file():
            found = (home / name).read_text("utf-8", "replace").strip()
            return found if _HASH.fullmatch(found) else None
        packed = home / "packed-refs"
        for line in packed.read_text("utf-8", "replace").splitlines() if packed.is_file() else ():
            commit, _, ref = line.partition(" ")
            if ref == name and _HASH.fullmatch(commit):
                return commit
    return None
