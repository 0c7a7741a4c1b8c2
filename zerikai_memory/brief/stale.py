"""Whether a locked brief may have fallen behind its project: a hint, never a reason to rewrite it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from zerikai_memory.brief.sections import section_bodies

# Below this a project has grown as projects do; a brief names its main parts only.
CHANGED_SHARE = 0.3

_CODE = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"^(?!/)(?:[\w@.\[\]-]+/)*[\w@.\[\]-]+\.[A-Za-z]{1,8}$")


def stale_hint(text: str, changed: float | None, indexed: Collection[str], exists: Callable[[str], bool]) -> str | None:
    """A sentence when Key Files are gone, or 30 % of the entities are not what they were when the brief was written.

    `changed` is that share, 0 to 1, or None when it is not known; `indexed` are the paths of the index, `exists` looks
    on disk.
    """
    gone = [path for path in _key_files(text) if not _there(path, indexed) and not exists(path)]
    reasons = []
    if gone:
        reasons.append(f"its Key Files {', '.join(gone[:3])} are gone")
    if changed is not None and changed >= CHANGED_SHARE:
        reasons.append(f"about {changed:.0%} of the entities have changed since it was written")
    if not reasons:
        return None
    return f"this brief may be out of date: {'; '.join(reasons)}. It changes only when it is replaced or regenerated"


def _key_files(text: str) -> list[str]:
    codes = _CODE.findall(section_bodies(text).get("Key Files", ""))
    return list(dict.fromkeys(code for code in codes if _FILE.match(code) and ".." not in code))


def _there(path: str, indexed: Collection[str]) -> bool:
    return path in indexed or any(known.endswith(f"/{path}") for known in indexed)
