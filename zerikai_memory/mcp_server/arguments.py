"""Types of arguments that several tools share."""

from __future__ import annotations

from typing import Any

from pydantic import BeforeValidator


def _no_boolean(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a boolean is no number")  # pydantic would take true for 1
    return value


NoBoolean = BeforeValidator(_no_boolean)
