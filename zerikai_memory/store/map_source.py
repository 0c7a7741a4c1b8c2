"""One consistent state of an index as a map is built from it: stamps of files, their rows, names."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from zerikai_memory.model import CodeEntity, Reference, ReferenceKind
from zerikai_memory.store.index import ENTITY_COLUMNS, WorkspaceIndex, entity_of_row

# id, name, qualified name, type, language, path
NamedRow = tuple[str, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Stamped:
    """A file with entities; another `stamp` means that its rows were written anew."""

    path: str
    language: str
    stamp: str


class MapSource:
    """Reads one state of an index, whatever is written meanwhile; good inside `read_source` only."""

    def __init__(self, connection: sqlite3.Connection, index: WorkspaceIndex) -> None:
        self._connection = connection
        self._decoding = index.database.decoding
        self.generation = int(self._one("SELECT value FROM meta WHERE key = 'generation'"))
        # An index that was made anew counts from the beginning: its files were read later.
        read_at = self._one("SELECT count(*) || ' ' || ifnull(max(hashed_at_ns), 0) FROM files")
        self.token = f"{self.generation} {read_at}"
        self._ids: dict[str, int] = {}
        self._entities: dict[int, tuple[CodeEntity, ...]] | None = None
        self._references: dict[int, tuple[Reference, ...]] = {}
        self._names: dict[str, list[NamedRow]] | None = None

    def files(self) -> list[Stamped]:
        """Files that have entities, by path."""
        rows = self._connection.execute(
            "SELECT id, path, language, hashed_at_ns, sha256, extractor FROM files WHERE skip_reason IS NULL"
            " ORDER BY path"
        ).fetchall()
        self._ids = {row[1]: row[0] for row in rows}
        return [Stamped(row[1], row[2], f"{row[3]} {row[4]} {row[5]}") for row in rows]

    def entities(self, path: str) -> tuple[CodeEntity, ...]:
        """Entities of one file, in source order."""
        file = self._ids.get(path, -1)
        if self._entities is not None:
            return self._entities.get(file, ())
        with self._decoding():
            return tuple(entity_of_row(row) for row in self._entity_rows("WHERE e.file = ?", (file,)))

    def references(self, path: str) -> tuple[Reference, ...]:
        """All references and bindings of one file."""
        file = self._ids.get(path, -1)
        if self._entities is not None:
            return self._references.get(file, ())
        with self._decoding():
            return tuple(_reference(row, path) for row in self._reference_rows("WHERE file = ?", (file,)))

    def entity_rows(self) -> list[Any]:
        """Rows of all entities by file and position, for `entity_of_row`."""
        return self._connection.execute(
            f"SELECT {ENTITY_COLUMNS} FROM entities e JOIN files f ON f.id = e.file ORDER BY f.path, e.rowid"
        ).fetchall()

    def named(self, name: str) -> Sequence[NamedRow]:
        """Entities of a bare name by file and position; modules are not among them."""
        if self._names is None:
            names: dict[str, list[NamedRow]] = defaultdict(list)
            for row in self._connection.execute(
                "SELECT e.id, e.name, e.qualified_name, e.entity_type, f.language, f.path FROM entities e"
                " JOIN files f ON f.id = e.file WHERE e.entity_type != 'module' ORDER BY f.path, e.rowid"
            ):
                names[row[1]].append(row)
            self._names = dict(names)
        return self._names.get(name, ())

    def load(self) -> None:
        """Read everything at once: for a map of all files that is much faster."""
        paths = {id: path for path, id in self._ids.items()}
        entities: dict[int, list[CodeEntity]] = defaultdict(list)
        references: dict[int, list[Reference]] = defaultdict(list)
        with self._decoding():
            for row in self._entity_rows("", ()):
                entities[self._ids.get(row[5], -1)].append(entity_of_row(row))
            for row in self._reference_rows("", ()):
                if row[0] in paths:
                    references[row[0]].append(_reference(row, paths[row[0]]))
        self._references = {file: tuple(found) for file, found in references.items()}
        self._entities = {file: tuple(found) for file, found in entities.items()}

    def _entity_rows(self, where: str, values: Sequence[object]) -> Iterator[Any]:
        return self._connection.execute(
            f"SELECT {ENTITY_COLUMNS} FROM entities e JOIN files f ON f.id = e.file {where} ORDER BY e.rowid", values
        )

    def _reference_rows(self, where: str, values: Sequence[object]) -> Iterator[Any]:
        return self._connection.execute(
            f"SELECT file, kind, name, target_text, line, from_entity FROM refs {where} ORDER BY rowid", values
        )

    def _one(self, query: str) -> Any:
        return self._connection.execute(query).fetchone()[0]


@contextmanager
def read_source(index: WorkspaceIndex) -> Iterator[MapSource]:
    """The index as it is now, in one read transaction: writers go on beside it."""
    with index.database.read() as connection:
        yield MapSource(connection, index)


def _reference(row: Any, path: str) -> Reference:
    return Reference(ReferenceKind(row[1]), row[2], row[3], path, row[4], row[5])
