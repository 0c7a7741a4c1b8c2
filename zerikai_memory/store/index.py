"""The index of one workspace: files, entities, references, full text and vectors in one SQLite file.

Derived data: it can be deleted at any time and a scan makes it again. A file's rows are replaced in one transaction,
so a reader or a crash sees the old records or the new ones, never a mixture.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from zerikai_memory.errors import StoreError
from zerikai_memory.model import CodeEntity, EntityType, Reference, ReferenceKind
from zerikai_memory.store.db import Database, make_schema
from zerikai_memory.store.outbox import note_changed
from zerikai_memory.store.records import FileState, IndexedEntity, IndexedFile
from zerikai_memory.store.sketch import Sketch, sketch_of

# Part of the file name: two versions that store differently never rebuild each other's index.
INDEX_FORMAT = 1
# How texts become the terms of the full text: Porter's stems of words, without accents.
TOKENIZER = "porter unicode61"
REMEDY = "scan the workspace again: the damaged file is set aside and the index made anew"

_SCHEMA = (
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE files ("
    " id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, language TEXT NOT NULL, size INTEGER NOT NULL,"
    " mtime_ns INTEGER NOT NULL, hashed_at_ns INTEGER NOT NULL, sha256 TEXT NOT NULL, extractor INTEGER NOT NULL,"
    " embedding TEXT NOT NULL, partial INTEGER NOT NULL, skip_reason TEXT, card_hash BLOB NOT NULL,"
    " vector BLOB NOT NULL, search_rows BLOB NOT NULL)",
    "CREATE TABLE entities ("
    " rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, file INTEGER NOT NULL REFERENCES files (id),"
    " name TEXT NOT NULL, qualified_name TEXT NOT NULL, entity_type TEXT NOT NULL, start_line INTEGER NOT NULL,"
    " end_line INTEGER NOT NULL, signature TEXT NOT NULL, docstring TEXT, parent TEXT, decorators TEXT NOT NULL,"
    " decorator_start_line INTEGER, params TEXT NOT NULL, return_type TEXT, type_params TEXT,"
    " modifiers TEXT NOT NULL, body_hash TEXT NOT NULL, card_hash BLOB NOT NULL)",
    "CREATE INDEX entities_by_file ON entities (file)",
    # Apart from `entities` so that reading records does not page through the vectors.
    "CREATE TABLE vectors (entity INTEGER PRIMARY KEY REFERENCES entities (rowid), vector BLOB NOT NULL)",
    "CREATE TABLE refs ("
    " file INTEGER NOT NULL REFERENCES files (id), kind TEXT NOT NULL, name TEXT NOT NULL,"
    " target_text TEXT NOT NULL, line INTEGER NOT NULL, from_entity TEXT)",
    "CREATE INDEX refs_by_file ON refs (file)",
    "CREATE INDEX refs_by_name ON refs (name)",
    # Contentless: half the size. Deleting then needs the very words that were inserted: files.search_rows keeps them.
    "CREATE VIRTUAL TABLE entity_words USING fts5("
    f"qualified_name, path, signature, docstring, body, content='', tokenize='{TOKENIZER}')",
    "INSERT INTO meta VALUES ('generation', '0'), ('incomplete', '0'), ('extractor', '0'), ('embedding', '')",
)

_STATE_COLUMNS = "path, language, size, mtime_ns, hashed_at_ns, sha256, extractor, embedding, partial, skip_reason"
ENTITY_COLUMNS = (
    "e.id, e.name, e.qualified_name, e.entity_type, f.language, f.path, e.start_line, e.end_line, e.signature,"
    " e.docstring, e.parent, e.decorators, e.decorator_start_line, e.params, e.return_type, e.type_params,"
    " e.modifiers, e.body_hash"
)


@dataclass(frozen=True, slots=True)
class IndexCounts:
    """How much an index holds; `files` counts those with entities."""

    files: int
    entities: int
    by_type: dict[str, int]
    by_language: dict[str, int]


class WorkspaceIndex:
    """Reads and writes one workspace's index; every method is safe from any thread and process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # Exists when reading has failed since the index was made: a scan that finds nothing to write would not notice.
        self.suspicion = path.with_suffix(".suspect")
        self._beside: list[threading.Thread] = []
        self.database = Database(
            path,
            _prepare,
            on_empty=self._refuse_to_read_nothing,
            on_damage=self._suspect,
            remedy=lambda: REMEDY,
        )

    def exists(self) -> bool:
        """Whether a scan has made this index."""
        return self.path.exists()

    def meta(self, key: str) -> str:
        """A bookkeeping value: generation, incomplete (empty or a start time), extractor, embedding, restored_from."""
        with self.database.read() as connection:
            return _meta(connection, key)

    def generation(self) -> int:
        """Grows with every committed change; a cache that holds the same number is up to date."""
        with self.database.decoding():
            return int(self.meta("generation"))

    def state(self) -> tuple[int, bool]:
        """(generation, whether a scan is running or was interrupted), both of one moment."""
        with self.database.read() as connection, self.database.decoding():
            return int(_meta(connection, "generation")), bool(_meta(connection, "incomplete"))

    def begin(self, extractor: int, embedding: str) -> None:
        """Mark the index incomplete before the first write of a scan.

        Raises StoreError when a newer extractor wrote it: an older one would take records away.
        """
        with self.database.write() as connection, self.database.decoding():
            known = int(_meta(connection, "extractor"))
            if known > extractor:
                raise _newer(self.path, known, extractor)
            _set_meta(
                connection,
                incomplete=f"{time.time():.3f}",
                extractor=extractor,
                embedding=embedding,
                restored_from="",
            )

    def finish(self) -> None:
        """Clear the mark of `begin` after the last write of a scan."""
        with self.database.write() as connection:
            _set_meta(connection, incomplete="")

    def file_states(self, extractor: int | None = None) -> dict[str, FileState]:
        """Stored state of every file, by path; with `extractor`, refuses an index that a newer one wrote."""
        with self.database.read() as connection, self.database.decoding():
            known = int(_meta(connection, "extractor"))
            if extractor is not None and known > extractor:
                raise _newer(self.path, known, extractor)
            rows = connection.execute(f"SELECT {_STATE_COLUMNS} FROM files").fetchall()
            return {row[0]: _state(row) for row in rows}

    def vectors_of_file(self, path: str, embedding: str) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
        """(entity vectors, file vector) of a file by the hash of the text they stand for, to be used again."""
        with self.database.read() as connection:
            row = connection.execute(
                "SELECT id, card_hash, vector FROM files WHERE path = ? AND embedding = ?", (path, embedding)
            ).fetchone()
            if row is None:
                return {}, {}
            vectors = connection.execute(
                "SELECT e.card_hash, v.vector FROM entities e JOIN vectors v ON v.entity = e.rowid WHERE e.file = ?",
                (row[0],),
            ).fetchall()
        return dict(vectors), ({row[1]: row[2]} if row[2] else {})

    def replace_files(
        self, files: Sequence[IndexedFile], remove: Sequence[str] = (), check: Callable[[], None] = lambda: None
    ) -> None:
        """Write `files` and remove the paths in `remove`, all in one transaction, what the mirror must learn of too.

        `check` is called often; what it raises ends the transaction with nothing written.
        """
        with self.database.write() as connection, self.database.decoding():
            for path in remove:
                note_changed(connection, path)
                _delete_file(connection, path)
            for file in files:
                note_changed(connection, file.state.path)
                _delete_file(connection, file.state.path)
                _insert_file(connection, file, check)
                note_changed(connection, file.state.path)
            generation = int(_meta(connection, "generation")) + 1
            _set_meta(connection, generation=generation)

    def counts(self) -> IndexCounts:
        """Files and entities by type and language."""
        with self.database.read() as connection:
            files = connection.execute("SELECT count(*) FROM files WHERE skip_reason IS NULL").fetchone()[0]
            by_type = connection.execute(
                "SELECT entity_type, count(*) FROM entities GROUP BY 1 ORDER BY 2 DESC, 1"
            ).fetchall()
            by_language = connection.execute(
                "SELECT f.language, count(*) FROM entities e JOIN files f ON f.id = e.file"
                " GROUP BY 1 ORDER BY 2 DESC, 1"
            ).fetchall()
        return IndexCounts(files, sum(n for _, n in by_type), dict(by_type), dict(by_language))

    def entities(self, file: str | None = None) -> list[CodeEntity]:
        """Stored entities of the workspace, or of one file, by file and position."""
        where, values = ("WHERE f.path = ?", (file,)) if file is not None else ("", ())
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute(
                f"SELECT {ENTITY_COLUMNS} FROM entities e JOIN files f ON f.id = e.file {where}"
                " ORDER BY f.path, e.rowid",
                values,
            ).fetchall()
            return [entity_of_row(row) for row in rows]

    def entities_by_id(self, ids: Sequence[str]) -> dict[str, CodeEntity]:
        """Entities of the given ids, which outlive a scan that writes their file anew; ids that are gone are absent."""
        marks = ",".join("?" * len(ids))
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute(
                f"SELECT {ENTITY_COLUMNS} FROM entities e JOIN files f ON f.id = e.file WHERE e.id IN ({marks})",
                tuple(ids),
            ).fetchall()
            return {row[0]: entity_of_row(row) for row in rows}

    def references(self) -> list[Reference]:
        """Stored mentions of other names but for the bindings, by file and line."""
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute(
                "SELECT r.kind, r.name, r.target_text, f.path, r.line, r.from_entity"
                " FROM refs r JOIN files f ON f.id = r.file WHERE r.kind != ? ORDER BY f.path, r.rowid",
                (ReferenceKind.BIND,),
            ).fetchall()
            return [Reference(ReferenceKind(row[0]), *row[1:]) for row in rows]

    def sketch(self) -> Sketch:
        """What the entities say, wherever their files lie: compared with a later one, it tells how much changed."""
        with self.database.read() as connection, self.database.decoding():
            rows = connection.execute("SELECT qualified_name, entity_type, body_hash FROM entities")
            return sketch_of("\0".join(row) for row in rows)

    def damage(self) -> str | None:
        """What is wrong with the file, or None: SQLite's check, or that an earlier call could not read it."""
        if self.suspicion.exists():
            return "an earlier call could not read it"
        return self.database.damage()

    def read_beside(self, work: Callable[[], None]) -> threading.Thread:
        """Start `work`, which reads this index and does not raise, in a thread that `close` waits for."""
        # No daemon: a normal exit lets it finish, which takes a fraction of a second.
        thread = threading.Thread(target=work, name="reading the index")
        self._beside = [*(other for other in self._beside if other.is_alive()), thread]
        thread.start()
        return thread

    def close(self) -> None:
        """Close the connections, once nothing reads any more."""
        for thread in self._beside:
            if thread.ident is not None:
                thread.join()
        self.database.close()

    def _suspect(self) -> None:
        with suppress(OSError):
            self.suspicion.touch(mode=0o600)

    def _refuse_to_read_nothing(self, writing: bool) -> None:
        """Only a scan makes an index: a reader that made one would find "nothing" in a project that is full."""
        if writing:
            return
        if self.path.exists():
            raise self.database.damaged("the file is empty")
        raise StoreError(f"{self.path} does not exist; scan the workspace")


def _prepare(connection: sqlite3.Connection) -> None:
    make_schema(connection, _SCHEMA)


def _meta(connection: sqlite3.Connection, key: str) -> str:
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else ""


def _set_meta(connection: sqlite3.Connection, **values: object) -> None:
    connection.executemany(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [(key, str(value)) for key, value in values.items()],
    )


def _delete_file(connection: sqlite3.Connection, path: str) -> None:
    row = connection.execute("SELECT id, search_rows FROM files WHERE path = ?", (path,)).fetchone()
    if row is None:
        return
    for words in json.loads(zlib.decompress(row[1])):
        connection.execute(
            "INSERT INTO entity_words (entity_words, rowid, qualified_name, path, signature, docstring, body)"
            " VALUES ('delete', ?, ?, ?, ?, ?, ?)",
            words,
        )
    connection.execute("DELETE FROM vectors WHERE entity IN (SELECT rowid FROM entities WHERE file = ?)", (row[0],))
    for table, column in (("entities", "file"), ("refs", "file"), ("files", "id")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (row[0],))


def _insert_file(connection: sqlite3.Connection, file: IndexedFile, check: Callable[[], None]) -> None:
    state = file.state
    file_id = connection.execute(
        f"INSERT INTO files ({_STATE_COLUMNS}, card_hash, vector, search_rows) VALUES ({','.join('?' * 13)})",
        (*astuple(state), file.card_hash, file.vector, b""),
    ).lastrowid
    assert file_id is not None
    search_rows = []
    for item in file.entities:
        check()
        search_rows.append(_insert_entity(connection, file_id, item))
    connection.execute(
        "UPDATE files SET search_rows = ? WHERE id = ?",
        (zlib.compress(json.dumps(search_rows).encode(), 6), file_id),
    )
    connection.executemany(
        "INSERT INTO refs VALUES (?, ?, ?, ?, ?, ?)",
        [(file_id, r.kind, r.name, r.target_text, r.line, r.from_entity) for r in file.references],
    )


def _insert_entity(connection: sqlite3.Connection, file_id: int, item: IndexedEntity) -> tuple[object, ...]:
    """Insert one entity with its words and vector; returns the full-text row as it was written."""
    e = item.entity
    rowid = connection.execute(
        f"INSERT INTO entities (id, file, name, qualified_name, entity_type, start_line, end_line, signature,"
        " docstring, parent, decorators, decorator_start_line, params, return_type, type_params, modifiers,"
        f" body_hash, card_hash) VALUES ({','.join('?' * 18)})",
        (e.id, file_id, e.name, e.qualified_name, e.entity_type, e.start_line, e.end_line, e.signature, e.docstring,
         e.parent, json.dumps(e.decorators), e.decorator_start_line, json.dumps(e.params), e.return_type,
         e.type_params, json.dumps(e.modifiers), e.body_hash, item.card_hash),
    ).lastrowid  # fmt: skip
    words = (rowid, *astuple(item.fields))
    connection.execute(
        "INSERT INTO entity_words (rowid, qualified_name, path, signature, docstring, body) VALUES (?, ?, ?, ?, ?, ?)",
        words,
    )
    connection.execute("INSERT INTO vectors VALUES (?, ?)", (rowid, item.vector))
    return words


def _state(row: Sequence[Any]) -> FileState:
    columns: dict[str, Any] = dict(zip(_STATE_COLUMNS.split(", "), row, strict=True))
    return FileState(**columns | {"partial": bool(columns["partial"])})


def entity_of_row(row: Sequence[Any]) -> CodeEntity:
    """The entity of a row with the columns ENTITY_COLUMNS."""
    (id_, name, qualified_name, entity_type, language, path, start, end, signature, docstring, parent, decorators,
     decorator_line, params, return_type, type_params, modifiers, body_hash) = row  # fmt: skip
    return CodeEntity(
        id=id_,
        name=name,
        qualified_name=qualified_name,
        entity_type=EntityType(entity_type),
        language=language,
        file_path=path,
        start_line=start,
        end_line=end,
        signature=signature,
        docstring=docstring,
        parent=parent,
        decorators=tuple(json.loads(decorators)),
        decorator_start_line=decorator_line,
        params=tuple(json.loads(params)),
        return_type=return_type,
        type_params=type_params,
        modifiers=tuple(json.loads(modifiers)),
        body_hash=body_hash,
    )


def _newer(path: Path, known: int, extractor: int) -> StoreError:
    return StoreError(
        f"{path.name}: the index was written by a newer version (extractor {known}, this one has {extractor}); "
        "upgrade this copy of zerikai-memory, or drop the workspace and scan it again (nothing was changed)"
    )
