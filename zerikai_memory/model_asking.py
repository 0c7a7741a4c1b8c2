"""How parts that know no model server ask a model for a small job: a value with one function, made by the app."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asker:
    """A model that can be asked now; `ask` takes role and question, and gives None where the model failed."""

    model: str
    ask: Callable[[str, str], str | None]


# Operation (as it is booked) and workspace id, to a model that can be asked for it, or None where there is none.
HireFunction = Callable[[str, str], Asker | None]


def nobody(operation: str, workspace_id: str) -> Asker | None:
    """There is no model."""
    return None
