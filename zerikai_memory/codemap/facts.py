"""The facts of a project as an index has them."""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from zerikai_memory.codemap.project import FileFacts, Named
from zerikai_memory.lang.python_bindings import BLOCK
from zerikai_memory.model import EntityType, Reference, ReferenceKind
from zerikai_memory.store.map_source import MapSource, Stamped


class IndexFacts:
    """`Facts` of one state of an index, each file read on first use; `read` gives texts that are not indexed.

    `texts` has a digest of every text that was asked for, empty for one that is not there.
    """

    def __init__(self, source: MapSource, files: Iterable[Stamped], read: Callable[[str], str | None]) -> None:
        self._source = source
        self._read = read
        self._stamped = {file.path: file for file in files}
        self._files: dict[str, FileFacts] = {}
        self._calls: dict[str, tuple[Reference, ...]] = {}
        self._named: dict[str, tuple[Named, ...]] = {}
        self.texts: dict[str, str] = {}

    def paths(self) -> Iterable[str]:
        """Files that have entities."""
        return self._stamped

    def file(self, path: str) -> FileFacts | None:
        """The facts of one file."""
        if path not in self._files and (stamped := self._stamped.get(path)) is not None:
            entities, references = self._source.entities(path), self._source.references(path)
            offered = tuple(one for one in references if one.kind is not ReferenceKind.CALL)
            self._files[path] = FileFacts(path, stamped.language, entities, offered)
            self._calls[path] = tuple(one for one in references if one.kind is ReferenceKind.CALL)
        return self._files.get(path)

    def calls(self, path: str) -> Sequence[Reference]:
        """The calls of one file."""
        self.file(path)
        return self._calls.get(path, ())

    def named(self, name: str) -> Sequence[Named]:
        """All entities of a bare name."""
        if name not in self._named:
            self._named[name] = tuple(
                Named(id, text, qualified, EntityType(kind), language, path)
                for id, text, qualified, kind, language, path in self._source.named(name)
            )
        return self._named[name]

    def text(self, path: str) -> str | None:
        """Content of a file beside the code."""
        text = self._read(path)
        self.texts[path] = digest(text)
        return text


def digest(text: str | None) -> str:
    """A short name of a text; empty for one that is not there."""
    return "" if text is None else hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def surface(facts: FileFacts) -> str:
    """A digest of all that edges of other files may depend on: no absolute line, no body, no call."""
    lines = sorted({one.line for one in facts.references} | {one.start_line for one in facts.entities})

    def rank(line: int) -> int:
        return bisect_left(lines, line)

    parts: list[object] = [facts.language]
    for entity in facts.entities:
        parts += (entity.id, entity.name, entity.qualified_name, entity.entity_type, entity.parent, entity.signature)
        parts += (entity.decorators, entity.params, entity.return_type, entity.modifiers)
        parts += (rank(entity.start_line), rank(entity.end_line + 1))
    for one in facts.references:
        text = one.target_text
        if one.name == BLOCK:
            first, _, last = text.strip().partition("-")
            text = f"{rank(int(first))}-{rank(int(last) + 1)}"
        parts += (one.kind, one.name, text, one.from_entity, rank(one.line))
    return digest(repr(parts))
