"""The code map of one workspace on disk: edges by file, and what each file's edges depend on.

Derived from the index, in a file of its own (`maps/<workspace>.f1.db`): it can be deleted at any time. A change is
written in one transaction, so a reader or a crash sees the old map or the new one.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from zerikai_memory.model_map import Edge, EdgeKind, Evidence
from zerikai_memory.store.db import Database, make_schema

# Part of the file name and what views call `schema_version`.
MAP_FORMAT = 1
# Source, target, kind, evidence, name, path, line, candidates.
EdgeRow = tuple[str, str | None, int, int, str, str, int, int]
_KINDS = tuple(EdgeKind)
_EVIDENCE = tuple(Evidence)
_SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE files ("
    " id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT NOT NULL, stamp TEXT NOT NULL,"
    " surface TEXT NOT NULL, asked BLOB NOT NULL)",
    # Every entity of the index, so that an edge is two small numbers; the numbers outlive changes of the file.
    "CREATE TABLE nodes (id INTEGER PRIMARY KEY AUTOINCREMENT, entity TEXT NOT NULL UNIQUE, file INTEGER NOT NULL,"
    " name TEXT NOT NULL)",
    "CREATE INDEX nodes_by_file ON nodes (file)",
    "CREATE TABLE edges ("
    " file INTEGER NOT NULL, source INTEGER NOT NULL, target INTEGER, kind INTEGER NOT NULL,"
    " evidence INTEGER NOT NULL, name TEXT NOT NULL, line INTEGER NOT NULL, candidates INTEGER NOT NULL)",
    "CREATE INDEX edges_by_file ON edges (file)",
    "INSERT INTO meta VALUES ('version', ''), ('token', ''), ('generation', '-1'), ('commit', ''), ('layout', '{}'),"
    " ('texts', '{}')",
)


@dataclass(frozen=True, slots=True)
class MapFile:
    """A mapped file: the `stamp` of its rows in the index, a digest of what it offers to others, and what it asked.

    `names` are (entity id, name) of its entities; None where they are as they were.
    """

    path: str
    language: str
    stamp: str
    surface: str
    asked: frozenset[str]
    names: tuple[tuple[str, str], ...] | None = None


@dataclass(frozen=True, slots=True)
class MapHead:
    """What a stored map was built from; `layout` per language, `texts` are digests of the files beside the code.

    `token` names the state of the index: another index of the same workspace may have the same generation.
    """

    version: str = ""
    token: str = ""
    generation: int = -1
    commit: str | None = None
    layout: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MapChange:
    """What one update writes: files that are gone, files with new rows (`files`), edges of those resolved again."""

    head: MapHead
    gone: Sequence[str]
    files: Sequence[MapFile]
    edges: Mapping[str, Sequence[Edge]]
    everything: bool = False


class MapStore:
    """Reads and writes one map; safe from any thread and process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = Database(path, _prepare, remedy=lambda: "delete this file: it is made anew on the next use")

    def head(self) -> MapHead:
        """What the stored map was built from; the default when there is none."""
        if not self.path.exists():
            return MapHead()
        with self.database.read() as connection, self.database.decoding():
            return _head(connection)

    def files(self) -> dict[str, MapFile]:
        """Every mapped file with what its edges depend on; without names."""
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute("SELECT path, language, stamp, surface, asked FROM files").fetchall()
            return {row[0]: MapFile(row[0], row[1], row[2], row[3], _asked(row[4])) for row in rows}

    def names(self, paths: Iterable[str]) -> dict[str, set[tuple[str, str]]]:
        """(entity id, name) of the entities of the given files, as mapped."""
        with self.database.read() as connection:
            return {
                path: set(
                    connection.execute(
                        "SELECT entity, name FROM nodes WHERE file = (SELECT id FROM files WHERE path = ?)", (path,)
                    ).fetchall()
                )
                for path in paths
            }

    def write(self, change: MapChange, before: MapHead) -> bool:
        """Write a change to the map that had the head `before`; False when another process was faster."""
        with self.database.write() as connection, self.database.decoding():
            if _head(connection) != before:
                return False
            if change.everything:
                for table in ("edges", "nodes", "files"):
                    connection.execute(f"DELETE FROM {table}")
            for path in change.gone:
                _forget(connection, path)
            ids = {file.path: _write_file(connection, file) for file in change.files}
            nodes = dict(connection.execute("SELECT entity, id FROM nodes").fetchall())
            for path, edges in change.edges.items():
                _write_edges(connection, ids[path], edges, nodes)
            _write_head(connection, change.head)
        return True

    def edges(self) -> tuple[MapHead, list[EdgeRow]]:
        """What the map was built from, and all edges by file and line."""
        with self.database.read() as connection, self.database.decoding():
            head = _head(connection)
            rows = connection.execute(
                "SELECT s.entity, t.entity, e.kind, e.evidence, e.name, f.path, e.line, e.candidates FROM edges e"
                " JOIN files f ON f.id = e.file JOIN nodes s ON s.id = e.source LEFT JOIN nodes t ON t.id = e.target"
                " ORDER BY f.path, e.line, e.rowid"
            ).fetchall()
        return head, rows

    def remove(self) -> None:
        """Delete the file; the next update makes it anew."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)

    def close(self) -> None:
        """Close the connections."""
        self.database.close()


def edge_of(row: EdgeRow) -> Edge:
    """The edge of a row of `MapStore.edges`."""
    source, target, kind, evidence, name, path, line, candidates = row
    return Edge(_KINDS[kind], _EVIDENCE[evidence], source, target, name, path, line, candidates)


def _asked(blob: bytes) -> frozenset[str]:
    return frozenset(json.loads(zlib.decompress(blob)))


def _prepare(connection: sqlite3.Connection) -> None:
    make_schema(connection, _SCHEMA)


def _head(connection: sqlite3.Connection) -> MapHead:
    meta = dict(connection.execute("SELECT key, value FROM meta").fetchall())
    return MapHead(
        meta["version"],
        meta["token"],
        int(meta["generation"]),
        meta["commit"] or None,
        json.loads(meta["layout"]),
        json.loads(meta["texts"]),
    )


def _write_head(connection: sqlite3.Connection, head: MapHead) -> None:
    values = {
        "version": head.version,
        "token": head.token,
        "generation": str(head.generation),
        "commit": head.commit or "",
        "layout": json.dumps(dict(head.layout), sort_keys=True),
        "texts": json.dumps(dict(head.texts), sort_keys=True),
    }
    connection.executemany("UPDATE meta SET value = ? WHERE key = ?", [(v, k) for k, v in values.items()])


def _forget(connection: sqlite3.Connection, path: str) -> None:
    row = connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
    if row is not None:
        for table, column in (("edges", "file"), ("nodes", "file"), ("files", "id")):
            connection.execute(f"DELETE FROM {table} WHERE {column} = ?", row)


def _write_file(connection: sqlite3.Connection, file: MapFile) -> int:
    asked = zlib.compress(json.dumps(sorted(file.asked)).encode(), 6)
    (file_id,) = connection.execute(
        "INSERT INTO files (path, language, stamp, surface, asked) VALUES (?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE"
        " SET language = excluded.language, stamp = excluded.stamp, surface = excluded.surface, asked = excluded.asked"
        " RETURNING id",
        (file.path, file.language, file.stamp, file.surface, asked),
    ).fetchone()
    if file.names is None:
        return int(file_id)
    known = dict(connection.execute("SELECT entity, id FROM nodes WHERE file = ?", (file_id,)).fetchall())
    fresh = {entity for entity, _ in file.names}
    connection.executemany("DELETE FROM nodes WHERE id = ?", [(known[e],) for e in known.keys() - fresh])
    connection.executemany(
        "INSERT INTO nodes (entity, file, name) VALUES (?, ?, ?)",
        [(entity, file_id, name) for entity, name in file.names if entity not in known],
    )
    return int(file_id)


def _write_edges(connection: sqlite3.Connection, file: int, edges: Iterable[Edge], nodes: Mapping[str, int]) -> None:
    connection.execute("DELETE FROM edges WHERE file = ?", (file,))
    connection.executemany(
        "INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                file,
                nodes[edge.source],
                None if edge.target is None else nodes[edge.target],
                _KINDS.index(edge.kind),
                _EVIDENCE.index(edge.evidence),
                edge.target_name,
                edge.line,
                edge.candidates,
            )
            for edge in edges
            if edge.source in nodes and (edge.target is None or edge.target in nodes)
        ],
    )
