"""The facts of a folder, extracted into memory: what a resolver of the code map is given, without an index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from zerikai_memory.codemap.project import FileFacts, Named
from zerikai_memory.lang.extract import extract
from zerikai_memory.model import EntityType, Reference, ReferenceKind


class FolderFacts:
    """`Facts` of given files below a root; `partial` holds those with syntax errors."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self.root = root
        self.partial: set[str] = set()
        self._files: dict[str, FileFacts] = {}
        self._calls: dict[str, list[Reference]] = {}
        self._named: dict[str, list[Named]] = defaultdict(list)
        for path in sorted(paths):
            found = extract((root / path).read_bytes(), path)
            if not found.entities:
                continue
            if found.partial:
                self.partial.add(path)
            calls = [r for r in found.references if r.kind is ReferenceKind.CALL]
            others = [r for r in found.references if r.kind is not ReferenceKind.CALL]
            self._calls[path] = calls
            self._files[path] = FileFacts(path, found.language, found.entities, (*others, *found.bindings))
            for e in found.entities:
                if e.entity_type is not EntityType.MODULE:
                    named = Named(e.id, e.name, e.qualified_name, e.entity_type, e.language, path)
                    self._named[e.name].append(named)

    def paths(self) -> Iterable[str]:
        """Files that have entities."""
        return self._files.keys()

    def file(self, path: str) -> FileFacts | None:
        """The facts of one file."""
        return self._files.get(path)

    def calls(self, path: str) -> Sequence[Reference]:
        """The calls of one file."""
        return self._calls[path]

    def named(self, name: str) -> Sequence[Named]:
        """Entities of a name."""
        return self._named.get(name, ())

    def text(self, path: str) -> str | None:
        """Content of a file on disk."""
        try:
            return (self.root / path).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None
