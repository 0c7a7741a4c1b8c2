"""Apply a plan: read, extract, embed and store file after file, in batches of one transaction each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from zerikai_memory.embed.base import Embedder
from zerikai_memory.embed.card import entity_card, file_card
from zerikai_memory.errors import Cancelled
from zerikai_memory.model import CodeEntity, EntityType, Extraction, Reference, ReferenceKind
from zerikai_memory.scan.read import SourceFile
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.records import FileState, IndexedEntity, IndexedFile, SearchFields
from zerikai_memory.store.view import pack_vector
from zerikai_memory.store.words import search_text

# Entities per transaction: large enough that commits cost little, small enough that a kill loses little work and
# another process's note waits only milliseconds.
BATCH_ENTITIES = 400
# A body longer than this is data; its tail would only dilute the words of its head.
MAX_BODY_CHARS = 60_000

_FUNCTIONS = frozenset({EntityType.FUNCTION, EntityType.METHOD, EntityType.COMPONENT})


@dataclass(slots=True)
class Batch:
    """Files that are extracted and wait to be embedded and written together."""

    sources: list[tuple[SourceFile, Extraction]] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    entities: int = 0

    def add(self, source: SourceFile, extraction: Extraction) -> None:
        """Take one more file."""
        self.sources.append((source, extraction))
        self.entities += len(extraction.entities)

    @property
    def full(self) -> bool:
        """Whether it is time to write."""
        return self.entities >= BATCH_ENTITIES or len(self.sources) >= BATCH_ENTITIES


def write_batch(
    index: WorkspaceIndex,
    batch: Batch,
    embedder: Embedder,
    extractor: int,
    cancelled: Callable[[], bool] = lambda: False,
) -> int:
    """Embed what has no vector yet and write the batch in one transaction; returns how many texts were embedded.

    Raises Cancelled soon after `cancelled()` turns true; then nothing of the batch is written.
    """

    def check() -> None:
        if cancelled():
            raise Cancelled("the scan was stopped")

    drafts = [
        _draft(source, extraction, extractor, embedder.fingerprint, check) for source, extraction in batch.sources
    ]
    known: dict[bytes, bytes] = {}
    for draft in drafts:
        entity_vectors, file_vector = index.vectors_of_file(draft.state.path, embedder.fingerprint)
        known |= entity_vectors | file_vector
    missing = {key: card for draft in drafts for key, card in draft.cards() if key not in known}
    known |= _embed(embedder, missing, check)
    index.replace_files([draft.finish(known) for draft in drafts], batch.remove, check)
    return len(missing)


@dataclass(frozen=True, slots=True)
class _Draft:
    """An indexed file that lacks only its vectors."""

    state: FileState
    entities: tuple[tuple[CodeEntity, SearchFields, str], ...]
    references: tuple[Reference, ...]
    file_card: str

    def cards(self) -> Iterable[tuple[bytes, str]]:
        if self.state.skip_reason is None:
            yield _key(self.file_card), self.file_card
        for _, _, card in self.entities:
            yield _key(card), card

    def finish(self, vectors: dict[bytes, bytes]) -> IndexedFile:
        entities = tuple(
            IndexedEntity(entity, fields, _key(card), vectors[_key(card)]) for entity, fields, card in self.entities
        )
        key = _key(self.file_card)
        return IndexedFile(self.state, entities, self.references, key, vectors.get(key, b""))


def _draft(
    source: SourceFile, extraction: Extraction, extractor: int, embedding: str, check: Callable[[], None]
) -> _Draft:
    state = FileState(
        path=source.path,
        language=extraction.language,
        size=len(source.content),
        mtime_ns=source.mtime_ns,
        hashed_at_ns=source.read_at_ns,
        sha256=source.sha256,
        extractor=extractor,
        embedding=embedding,
        partial=extraction.partial,
        skip_reason=extraction.skip_reason,
    )
    path_words = search_text(source.path)
    roles: dict[str | None, str] = {}
    for reference in extraction.references:
        if reference.kind is ReferenceKind.REGISTER:
            roles[reference.from_entity] = f"{roles.get(reference.from_entity, '')} {reference.target_text}"
    entities = []
    for entity in extraction.entities:
        check()
        body = extraction.bodies.get(entity.id, "")
        fields = _search_fields(entity, path_words, body, roles.get(entity.id, ""))
        entities.append((entity, fields, entity_card(entity, body)))
    references = extraction.references + extraction.bindings
    return _Draft(state, tuple(entities), references, _file_card(source.path, extraction.entities))


def _search_fields(entity: CodeEntity, path_words: str, body: str, role: str) -> SearchFields:
    """`role` is what the entity is registered as (`route GET /users`); its kind is a word that people ask with."""
    signature = " ".join((entity.entity_type, entity.signature, *entity.decorators, role))
    return SearchFields(
        qualified_name=search_text(entity.qualified_name or entity.name),
        path=path_words,
        signature=search_text(signature),
        docstring=search_text(entity.docstring or ""),
        body=search_text(body[:MAX_BODY_CHARS]),
    )


def _file_card(path: str, entities: Sequence[CodeEntity]) -> str:
    """The file's own card: what its entities say and the names it defines, but for what is local to a function."""
    local = {entity.qualified_name for entity in entities if entity.entity_type in _FUNCTIONS}
    names = [
        entity.qualified_name
        for entity in entities
        if entity.entity_type != EntityType.MODULE and entity.parent not in local
    ]
    leading = next((entity.docstring for entity in entities if entity.entity_type == EntityType.MODULE), None)
    said = (entity.docstring for entity in entities if entity.docstring and entity.entity_type != EntityType.MODULE)
    return file_card(path, leading, names, said)


def _embed(embedder: Embedder, cards: dict[bytes, str], check: Callable[[], None]) -> dict[bytes, bytes]:
    keys, texts = list(cards), list(cards.values())
    vectors: dict[bytes, bytes] = {}
    for start in range(0, len(keys), BATCH_ENTITIES):
        check()
        part = slice(start, start + BATCH_ENTITIES)
        matrix = np.asarray(embedder.encode(texts[part]), np.float32)
        vectors |= {key: pack_vector(row) for key, row in zip(keys[part], matrix, strict=True)}
    return vectors


def _key(card: str) -> bytes:
    return hashlib.blake2b(card.encode("utf-8", "surrogatepass"), digest_size=12).digest()
