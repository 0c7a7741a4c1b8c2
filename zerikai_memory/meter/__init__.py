"""Metering: what each attempt at a model cost, and whether a budget lets the next one go.

`record(request_id, ...)` and `report()` work on their own, in any folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zerikai_memory.meter.public import record as record
    from zerikai_memory.meter.public import report as report

__all__ = ["record", "report"]


def __getattr__(name: str) -> object:
    # Loaded on first use: the books alone need neither settings nor a brain.
    if name in __all__:
        from zerikai_memory.meter import public

        return getattr(public, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
