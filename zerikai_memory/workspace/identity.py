"""Which project is meant: canonical paths, workspace ids and names, and the rules for finding one by any spelling.

Nothing here registers anything. `choose_workspace` returns a known workspace, or for a folder that is not known yet
a new value with its id and a free name; whoever may register it (a scan) does, a query refuses it (`require_known`).
"""

from __future__ import annotations

import os
import re
import unicodedata
import uuid
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from zerikai_memory.errors import WorkspaceError
from zerikai_memory.model import Workspace
from zerikai_memory.workspace.paths import disk_name, from_disk

_NAMESPACE = uuid.UUID("6f0d5c1e-6c1b-5d0a-9d5e-3a8b1f3f7f52")  # ours; changing it forgets every workspace
_MIN_PREFIX = 8
_MAX_LISTED = 20
_MARKERS = """
    .git .hg .svn .jj .memignore pyproject.toml setup.py setup.cfg requirements.txt Pipfile tox.ini manage.py
    package.json tsconfig.json jsconfig.json deno.json bower.json Cargo.toml go.mod pom.xml build.gradle
    build.gradle.kts settings.gradle Gemfile composer.json mix.exs pubspec.yaml CMakeLists.txt Makefile meson.build
    Package.swift build.sbt dune-project stack.yaml flake.nix mkdocs.yml AGENTS.md CLAUDE.md
    .cursor .vscode .idea .claude
""".split()


def canonical_path(path: str | Path, cwd: Path) -> Path:
    """The one spelling of a path: `~` expanded, absolute from `cwd`, links resolved, letter case as on disk.

    The path need not exist. Raises WorkspaceError for text that no file system takes.
    """
    text = str(path)
    try:
        if "\0" in text:
            raise ValueError("it holds a NUL character")
        resolved = Path(os.path.realpath(cwd / Path(text).expanduser()))
        return _as_on_disk(resolved)
    except (OSError, RuntimeError, ValueError) as error:
        raise WorkspaceError(f"The path {_shown(text)} cannot be used: {error}.") from error


def workspace_id(canonical: Path) -> str:
    """UUIDv5 of a canonical path."""
    return str(uuid.uuid5(_NAMESPACE, from_disk(str(canonical))))


def new_workspace(canonical: Path, known: Iterable[Workspace]) -> Workspace:
    """The value for a folder that is not registered yet, with a name that no known workspace has."""
    name = display_name(canonical, [workspace.name for workspace in known])
    return Workspace(id=workspace_id(canonical), name=name, path=from_disk(str(canonical)))


def workspace_root(workspace: Workspace) -> Path:
    """The folder of a workspace, to open it (its `path` is text and may hold escapes)."""
    return Path(disk_name(workspace.path))


def check_root(path: Path, home: Path, brain: Path) -> None:
    """Refuse a canonical path that cannot be a workspace; WorkspaceError says why and what to do."""
    shown = _shown(from_disk(str(path)))
    if path == Path(path.anchor):
        raise WorkspaceError(f"{shown} is a whole drive, not a project; give the folder of one project.")
    if path == _real(home):
        raise WorkspaceError(f"{shown} is the home folder, not a project; give the folder of one project in it.")
    if path.is_relative_to(_real(brain)) or ".brain" in path.parts:
        raise WorkspaceError(f"{shown} is inside the brain folder, which is never indexed; give a project folder.")
    try:
        if not path.exists():
            raise WorkspaceError(f"There is no folder {shown}; check the spelling or give an absolute path.")
        if not path.is_dir():
            raise WorkspaceError(f"{shown} is a file, not a folder; give the project folder that holds it.")
        with os.scandir(path):
            pass
    except OSError as error:
        raise WorkspaceError(f"The folder {shown} cannot be read: {error.strerror}; check its permissions.") from error


def find_workspace(text: str, known: Sequence[Workspace], cwd: Path) -> Workspace | None:
    """The known workspace that `text` names: path (any spelling), id, id prefix of 8 or more, name; None if none.

    A name is the display name or the folder's own name, exactly or else without regard to case. Raises
    WorkspaceError with the candidates when more than one fits.
    """
    # One after the other as needed: a path is looked up on the disk, folder by folder.
    steps: tuple[Callable[[], list[Workspace]], ...] = (
        lambda: [workspace for workspace in known if _same_id(text, workspace.id)],
        lambda: [] if _is_plain_word(text) else _at_path(text, known, cwd),
        lambda: [workspace for workspace in known if text in _names(workspace)],
        lambda: [workspace for workspace in known if text.casefold() in map(str.casefold, _names(workspace))],
        lambda: _at_path(text, known, cwd),
        lambda: [workspace for workspace in known if _is_id_prefix(text, workspace.id)],
    )
    fitting = next((found for step in steps if (found := step())), [])
    if len(fitting) > 1:
        listed = "; ".join(f"{w.name!r} {w.path} (id {w.id})" for w in fitting[:_MAX_LISTED])
        raise WorkspaceError(f"{_shown(text)} fits {len(fitting)} workspaces; give the path or id of one: {listed}.")
    return fitting[0] if fitting else None


def display_name(path: Path, taken: Iterable[str]) -> str:
    """A name for a folder: its own name, and where that is taken `name@parent`, `name@grandparent.parent`, ...

    So a name says which of two equally named folders it is, whatever the order in which they were registered.
    """
    used = {name.casefold() for name in taken}
    name, *parents = [_printable(part) for part in (path, *path.parents) if part.name] or ["root"]
    choices = [name] + [f"{name}@{'.'.join(reversed(parents[:depth]))}" for depth in range(1, len(parents) + 1)]
    free = next((choice for choice in choices if choice.casefold() not in used), None)
    if free is None:
        free = next(f"{name}-{n}" for n in range(2, len(used) + 3) if f"{name}-{n}".casefold() not in used)
    return free


def looks_like_project(path: Path, home: Path) -> bool:
    """Whether a folder has the marks of a project (.git, pyproject.toml, package.json, ...); never `/` or home."""
    if path == Path(path.anchor) or path == _real(home):
        return False
    return any(os.path.lexists(path / marker) for marker in _MARKERS)


def choose_workspace(
    argument: str | None,
    known: Sequence[Workspace],
    *,
    setting: str | None = None,
    roots: Sequence[str] = (),
    cwd: Path,
    home: Path,
) -> Workspace:
    """The workspace a call is about: the argument, else ZERIKAI_WORKSPACE (`setting`), client `roots`, else `cwd`.

    `cwd` counts when it is a known workspace, lies in one, or looks like a project. The result need not be known;
    a new one is an existing folder, but `check_root` has not seen it. Raises WorkspaceError that lists the known.
    """
    for text, source in ((argument, "workspace"), (setting, "ZERIKAI_WORKSPACE")):
        if text and text.strip():
            # A name may end in a blank; only when there is no such folder is the blank taken for a slip.
            exact = text if text == text.strip() or os.path.lexists(cwd / Path(text)) else text.strip()
            return _named(exact, source, known, cwd)
    folders = [folder for folder in (_root_folder(root, cwd) for root in roots) if folder is not None]
    if found := next((found for folder in folders if (found := _containing(folder, known))), None):
        return found
    for folder in folders:
        if folder.is_dir() and folder != Path(folder.anchor) and folder != _real(home):
            return new_workspace(folder, known)
    here = canonical_path(cwd, cwd)
    if found := _containing(here, known):
        return found
    if looks_like_project(here, home):
        return new_workspace(here, known)
    raise WorkspaceError(
        f"Which workspace? None was given, and the working folder {_shown(from_disk(str(here)))} does not look like "
        f"a project. Pass `workspace` (a path, name or id) or set ZERIKAI_WORKSPACE. {_listing(known)}"
    )


def require_known(workspace: Workspace, known: Sequence[Workspace]) -> Workspace:
    """The registered form of a workspace; WorkspaceError when it was never scanned."""
    found = next((candidate for candidate in known if candidate.id == workspace.id), None)
    if found is None:
        raise WorkspaceError(
            f"The folder {_shown(workspace.path)} is not indexed yet; scan it first (scan_workspace, or "
            f"`zerikai-memory scan PATH`). {_listing(known)}"
        )
    return found


def _named(text: str, source: str, known: Sequence[Workspace], cwd: Path) -> Workspace:
    if text.startswith("file:"):
        text = str(_root_folder(text, cwd) or text)
    if found := find_workspace(text, known, cwd):
        return found
    path = canonical_path(text, cwd)
    if os.path.lexists(path):  # False, not an error, for a name that is too long for any file system
        return new_workspace(path, known)
    raise WorkspaceError(
        f"{source}: {_shown(text)} is neither an existing folder nor the name or id of a workspace. {_listing(known)}"
    )


def _containing(folder: Path, known: Sequence[Workspace]) -> Workspace | None:
    """The known workspace at `folder` or the nearest above it, within the same repository (a worktree is its own)."""
    ids = {workspace.id: workspace for workspace in known}
    for path in (folder, *folder.parents):
        if found := ids.get(workspace_id(path)):
            return found
        if os.path.lexists(path / ".git"):
            return None
    return None


def _root_folder(root: str, cwd: Path) -> Path | None:
    """The folder of a client root: a `file://` URI with percent escapes, or a plain path; None for other schemes."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", root):
        try:
            parts = urlsplit(root)
        except ValueError:  # no URI at all, such as file://[bad
            return None
        if parts.scheme.lower() != "file" or parts.netloc.lower() not in ("", "localhost"):
            return None
        text = os.fsdecode(unquote_to_bytes(root.partition(":")[2].removeprefix("//").removeprefix(parts.netloc)))
        root = text.lstrip("/") if re.match(r"/+[A-Za-z]:", text) and os.name == "nt" else text
    return canonical_path(root, cwd) if root else None


def _at_path(text: str, known: Sequence[Workspace], cwd: Path) -> list[Workspace]:
    try:
        wanted = workspace_id(canonical_path(text, cwd))
    except WorkspaceError:
        return []
    return [workspace for workspace in known if workspace.id == wanted or workspace.path == text]


def _names(workspace: Workspace) -> set[str]:
    return {workspace.name, workspace.path.rstrip("/").rpartition("/")[2]}


def _is_plain_word(text: str) -> bool:
    return not (text.startswith(("~", ".")) or "/" in text or os.sep in text)


def _same_id(text: str, identifier: str) -> bool:
    return _hex(text) == _hex(identifier)


def _is_id_prefix(text: str, identifier: str) -> bool:
    return len(_hex(text)) >= _MIN_PREFIX and _hex(identifier).startswith(_hex(text))


def _hex(text: str) -> str:
    return text.lower().replace("-", "")


def _listing(known: Sequence[Workspace]) -> str:
    if not known:
        return "No workspace is known yet."
    listed = "; ".join(f"{workspace.name!r} {workspace.path}" for workspace in known[:_MAX_LISTED])
    more = f"; and {len(known) - _MAX_LISTED} more" if len(known) > _MAX_LISTED else ""
    return f"Known workspaces: {listed}{more}."


def _printable(path: Path) -> str:
    return "".join(char if char.isprintable() else "_" for char in from_disk(path.name))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 200 else text[:197] + "...")


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _as_on_disk(path: Path) -> Path:
    """The path as its folders list it, where the file system takes other spellings (letter case, Unicode form)."""
    spelled = Path(path.anchor)
    for part in path.parts[1:]:
        others = {part.swapcase(), unicodedata.normalize("NFC", part), unicodedata.normalize("NFD", part)} - {part}
        if any(_same_file(spelled / part, spelled / other) for other in others):
            part = _listed_name(spelled, part)
        spelled /= part
    return spelled


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _listed_name(folder: Path, part: str) -> str:
    def plain(name: str) -> str:
        return unicodedata.normalize("NFC", name).casefold()

    try:
        names = [part, *sorted(entry.name for entry in os.scandir(folder) if plain(entry.name) == plain(part))]
    except OSError:
        return part
    return part if part in names[1:] else names[-1]
