"""Whether a locked brief may have fallen behind its project: a hint, never a reason to rewrite it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from zerikai_memory.brief.sections import section_bodies

# Below this a project has grown as projects do; a brief names its main parts only.
CHANGED_SHARE = 0.3

_CODE = re.compile(r"`([^`\n]+)`")
_FILE = re.compile(r"^(?!/)(?:[\w@.\[\]-]+/)*[\w@.\[\]-]+\.[A-Za-z]{1,8}$")


def stale_hint(
    text: str,
    created_at: float,
    entities: Mapping[str, int],
    written_at: Mapping[str, float],
    exists: Callable[[str], bool],
) -> str | None:
    """A sentence when Key Files are gone, or files with 30 % of the entities were written after the brief.

    `entities` counts them by indexed file, `written_at` is when each file was last written; `exists` looks on disk.
    """
    gone = [path for path in _key_files(text) if not _there(path, entities) and not exists(path)]
    newer = sum(count for path, count in entities.items() if written_at.get(path, 0.0) > created_at)
    share = newer / max(1, sum(entities.values()))
    reasons = []
    if gone:
        reasons.append(f"its Key Files {', '.join(gone[:3])} are gone")
    if share >= CHANGED_SHARE:
        reasons.append(f"files with {share:.0%} of the entities were written after it")
    if not reasons:
        return None
    return f"this brief may be out of date: {'; '.join(reasons)}. It changes only when it is replaced or regenerated"


def _key_files(text: str) -> list[str]:
    codes = _CODE.findall(section_bodies(text).get("Key Files", ""))
    return list(dict.fromkeys(code for code in codes if _FILE.match(code) and ".." not in code))


def _there(path: str, indexed: Mapping[str, int]) -> bool:
    return path in indexed or any(known.endswith(f"/{path}") for known in indexed)
