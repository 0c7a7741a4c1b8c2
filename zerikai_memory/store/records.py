"""Rows of a workspace index as values: what a scan hands to the store and what it reads back."""

from __future__ import annotations

from dataclasses import dataclass

from zerikai_memory.model import CodeEntity, Reference


@dataclass(frozen=True, slots=True)
class FileState:
    """What the index knows of one file, enough to decide whether it must be read again.

    `hashed_at_ns` is when the bytes were read; `skip_reason` is set for content that was read and left out (binary,
    minified, generated), so that the next scan need not read it again.
    """

    path: str
    language: str
    size: int
    mtime_ns: int
    hashed_at_ns: int
    sha256: str
    extractor: int
    embedding: str
    partial: bool = False
    skip_reason: str | None = None


@dataclass(frozen=True, slots=True)
class SearchFields:
    """Pre-split words of one entity, a column each in the full-text index (see words.search_text)."""

    qualified_name: str
    path: str
    signature: str
    docstring: str
    body: str


@dataclass(frozen=True, slots=True)
class IndexedEntity:
    """An entity with what makes it findable; `vector` is float16 bytes, `card_hash` names the text it came from."""

    entity: CodeEntity
    fields: SearchFields
    card_hash: bytes
    vector: bytes


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """Everything the index stores for one file; written and replaced as a whole."""

    state: FileState
    entities: tuple[IndexedEntity, ...] = ()
    references: tuple[Reference, ...] = ()
    card_hash: bytes = b""
    vector: bytes = b""
