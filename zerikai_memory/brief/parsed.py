"""Values out of parsed TOML and JSON, where any field may be missing or of another type than expected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def table(data: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """The table at a path of keys, or an empty one."""
    for key in keys:
        value = data.get(key)
        if not isinstance(value, dict):
            return {}
        data = value
    return dict(data)


def strings(value: object) -> list[str]:
    """The strings of a list, or nothing."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def word(value: object) -> str:
    """A string with single blanks, or an empty one."""
    return " ".join(value.split()) if isinstance(value, str) else ""
