"""Which modules a dotted name, an import or a package path means: `a.b` is a/b.py and a/b/__init__.py."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from zerikai_memory.retrieve.imports import Import
from zerikai_memory.retrieve.rank import EXACT_NAME
from zerikai_memory.store.view import IndexView

# What an import line brings in comes first, then the module that it names.
IMPORTED_BOOST = 4.0
MODULE_BOOST = 3.0
# These files speak for their folder.
_FOLDER_FILES = frozenset({"__init__", "index"})


class ModuleTable:
    """The modules of a view by the parts of their paths, in any casing."""

    def __init__(self, view: IndexView) -> None:
        self._view = view
        self._parts: dict[int, tuple[str, ...]] = {}
        self._by_last: dict[str, list[int]] = defaultdict(list)
        for i, kind in enumerate(view.types):
            if kind == "module":
                parts = _parts(view.files[int(view.file_of[i])].path)
                self._parts[i] = parts
                if parts:
                    self._by_last[parts[-1]].append(i)

    def named(self, parts: Sequence[str]) -> list[int]:
        """Positions of the modules whose path ends in these parts; only those whose whole path it is, if any."""
        wanted = tuple(part.lower() for part in parts)
        found = [i for i in self._by_last.get(wanted[-1], ()) if self._parts[i][-len(wanted) :] == wanted]
        whole = [i for i in found if self._parts[i] == wanted]
        return whole or found

    def boosts(self, imported: Import, bearers: Mapping[str, Sequence[int]]) -> dict[int, float]:
        """{position: boost} of the module and the names of an import line; `bearers` are all entities of each name.

        The project's own folder may be no part of its paths, so the module's path may lack its beginning.
        """
        found: dict[int, float] = {}
        for start in range(len(imported.module)):
            parts = imported.module[start:]
            modules = self.named(parts)
            brought = [
                i
                for name in imported.names
                for i in (*self._brought(bearers.get(name, ()), modules, parts), *self.named((*parts, name)))
            ]
            # The last part alone is a word that others use too, such as `path` of another library's `os.path`.
            if (modules or brought) and (start == 0 or len(parts) > 1 or brought):
                found.update(dict.fromkeys(modules, MODULE_BOOST))
                found.update(dict.fromkeys(brought, IMPORTED_BOOST))
                return found
        # The package itself is in no path: what it gives out may be anywhere.
        outer = [i for name in imported.names for i in self._outer(bearers.get(name, ()))]
        return dict.fromkeys(outer, EXACT_NAME)

    def _outer(self, bearers: Sequence[int]) -> list[int]:
        view = self._view
        return [i for i in bearers if "." not in view.qualified_names[i] and view.types[i] != "module"]

    def _brought(self, bearers: Sequence[int], modules: Sequence[int], parts: Sequence[str]) -> list[int]:
        """Of the entities of a name those of the module itself, else those in its folder, outer ones only."""
        view = self._view
        outer = self._outer(bearers)
        files = {int(view.file_of[i]) for i in modules}
        if inside := [i for i in outer if int(view.file_of[i]) in files]:
            return inside
        folder = f"/{'/'.join(parts).lower()}/"
        return [i for i in outer if folder in f"/{view.files[int(view.file_of[i])].path.lower()}"]


def _parts(path: str) -> tuple[str, ...]:
    """`a/b.py`, `a/b/__init__.py` and `a/b.d.ts` are a, b."""
    parts = path.lower().rsplit(".", 1)[0].removesuffix(".d").split("/")
    return tuple(parts[:-1] if parts[-1] in _FOLDER_FILES and len(parts) > 1 else parts)
