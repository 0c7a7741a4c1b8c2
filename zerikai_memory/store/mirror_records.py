"""What a mirror holds of an entity: document, metadata and vector, read from the index without embedding again."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from zerikai_memory.embed.card import entity_card
from zerikai_memory.model import CodeEntity
from zerikai_memory.store.index import ENTITY_COLUMNS, entity_of_row
from zerikai_memory.store.vectors import MirrorRecord, Vector

# Part of every digest: raise it when document, metadata or vector of the same entity change; all are then rewritten.
RECORD_FORMAT = 1
# Length of the vector that stands for none: its squared distance to any unit vector is at least 81, real ones end at 4.
FAR = 10.0

_COLUMNS = f"f.embedding, v.vector, {ENTITY_COLUMNS}"
_JOINED = "entities e JOIN files f ON f.id = e.file JOIN vectors v ON v.entity = e.rowid"


@dataclass(frozen=True, slots=True)
class OutboxBatch:
    """The next rows of the outbox: what to write, and the ids to delete because the index has them no more."""

    seqs: tuple[int, ...]
    records: tuple[MirrorRecord, ...]
    gone: tuple[str, ...]


def next_batch(connection: sqlite3.Connection, limit: int) -> OutboxBatch:
    """The oldest `limit` rows of the outbox as they stand in the index now.

    Entities whose vector is of another embedding than the index's count as gone: they come again when embedded anew.
    """
    embedding = connection.execute("SELECT value FROM meta WHERE key = 'embedding'").fetchone()[0]
    rows = connection.execute("SELECT seq, entity FROM outbox ORDER BY seq LIMIT ?", (limit,)).fetchall()
    records = records_of(connection, [entity for _, entity in rows], embedding)
    found = {record.entity_id for record in records}
    return OutboxBatch(
        seqs=tuple(seq for seq, _ in rows),
        records=tuple(records),
        gone=tuple(entity for _, entity in rows if entity not in found),
    )


def records_of(connection: sqlite3.Connection, ids: Sequence[str], embedding: str) -> list[MirrorRecord]:
    """The records of those of `ids` that the index holds with a vector of `embedding`."""
    records = []
    for chunk in _chunks(ids, 500):  # SQLite takes a bounded number of values
        marks = ",".join("?" * len(chunk))
        for row in connection.execute(f"SELECT {_COLUMNS} FROM {_JOINED} WHERE e.id IN ({marks})", tuple(chunk)):
            if row[0] == embedding and row[1]:
                records.append(record_of(entity_of_row(row[2:]), row[1]))
    return records


def record_of(entity: CodeEntity, vector: bytes) -> MirrorRecord:
    """The record of an entity and its stored vector."""
    # The body is not kept in the index: a module's or constant's first lines were embedded and are missing here.
    document = entity_card(entity, "")
    metadata = metadata_of(entity)
    text = json.dumps([RECORD_FORMAT, document, metadata], ensure_ascii=False)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass") + vector, digest_size=12).digest()
    array, known = _unpacked(vector)
    return MirrorRecord(entity.id, document, metadata, array, known, digest)


def metadata_of(entity: CodeEntity) -> dict[str, str | int | bool]:
    """The fixed keys, every one each time: Chroma merges metadata, so a key that is left out would keep its old value.

    `line_number` and `parent_class` repeat `start_line` and `parent` under the names that older readers know.
    """
    parent = entity.parent or ""
    return {
        "language": entity.language,
        "entity_type": entity.entity_type.value,
        "name": entity.name,
        "qualified_name": entity.qualified_name,
        "file_path": entity.file_path,
        "start_line": entity.start_line,
        "line_number": entity.start_line,
        "end_line": entity.end_line,
        "parent": parent,
        "parent_class": parent,
        "return_type": entity.return_type or "",
        "param_count": len(entity.params),
        "decorators": ", ".join(entity.decorators),  # a list is refused when it is empty
        "has_docstring": entity.docstring is not None,
    }


def _unpacked(blob: bytes) -> tuple[Vector, bool]:
    vector: Vector = np.frombuffer(blob, "<f2").astype(np.float32)
    if vector.any():
        return vector, True
    vector[0] = FAR
    return vector, False


def _chunks(values: Sequence[Any], size: int) -> Iterable[Sequence[Any]]:
    return (values[start : start + size] for start in range(0, len(values), size))
