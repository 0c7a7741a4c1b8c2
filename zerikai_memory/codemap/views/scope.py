"""The folder or file that a view of the whole project is narrowed to."""

from __future__ import annotations

from dataclasses import dataclass

from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.codemap.views.target import subjects
from zerikai_memory.errors import InputError
from zerikai_memory.model_views import MapRow


@dataclass(frozen=True, slots=True)
class Scope:
    """A path that ends in `/`, a file, or the whole project when it is empty."""

    path: str
    row: MapRow | None

    def holds(self, path: str) -> bool:
        """Whether a file lies in it."""
        return not self.path or path == self.path or (self.path.endswith("/") and path.startswith(self.path))


def scope_of(table: MapTable, target: str | None) -> Scope:
    """The scope of a target, which must be a folder or a file of the map; InputError when it is not."""
    if not target or target.strip() in (".", "/", "./"):
        return Scope("", None)
    found = [subject for subject in subjects(table, target) if subject.whole]
    if len(found) != 1:
        raise InputError(f"target: this view takes a folder or a file of the project, got {target!r}")
    return Scope(found[0].row.file_path, found[0].row)
