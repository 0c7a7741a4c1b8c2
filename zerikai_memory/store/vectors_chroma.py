"""ChromaDB as a mirror of the vectors: one collection with the full record of every entity. The only home of chromadb.

Its folder is a single-process store: whoever opens one holds the mirror's lock (see mirror_folder). Measured and
relied on: "l2" is squared; upsert merges metadata, so every key is written each time; empty batches are refused; a
collection opened without `embedding_function=None` gets one that downloads a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from zerikai_memory.store.vectors import MirrorError, MirrorRecord, Vector

# Records per call: 20 wrote 202 a second, 200 514, 1,000 961; 5,461 is refused.
BATCH = 1_000
# Chroma's default of 100 misses many. Of the true nearest 200 of 16,700 cards 400 found .965, 2,000 .996 (and all of
# the nearest ten), at 3 ms a question; Chroma takes it as it is made or reopened, so it is set when it is made.
EF_SEARCH = 2_000
# Below this many entities the graph is denser (of 1,000 it finds .9999) and kept in the log alone, never flushed to
# files: a torn flush is what wedges a collection for good. The price is a replay at each open (10,000: 1 to 3 s).
SMALL_UP_TO = 10_000
_SMALL = {"max_neighbors": 32, "ef_construction": 200, "sync_threshold": 1_000_000_000}
_LARGE = {"max_neighbors": 16, "ef_construction": 100, "sync_threshold": 1_000}
# A record found by its own vector is at 0; Chroma computes in float32.
SELF_DISTANCE = 1e-3
# An approximate index may miss its own record now and then; a damaged one misses many.
MISSES_ALLOWED = 0.05
# Real distances end at 4; what is farther stands for an entity without a vector.
_FARTHEST = 4.5


# PersistentClient or HttpClient: same methods, no common type.
Client = Any


class ChromaVectorIndex:
    """One collection of a Chroma client; every failure is a MirrorError."""

    def __init__(self, client: Client, name: str, *, workspace: str, embedding: str, entities: int) -> None:
        self._client = client
        self._name = name
        self._metadata = {"workspace": workspace, "embedding": embedding}
        self._graph = _LARGE if entities > SMALL_UP_TO else _SMALL
        self._collection = self._call(self._opened)

    def upsert(self, records: Sequence[MirrorRecord]) -> None:
        """Write records whole, in batches."""
        for start in range(0, len(records), BATCH):
            part = records[start : start + BATCH]
            self._call(
                lambda part=part: self._collection.upsert(
                    ids=[record.entity_id for record in part],
                    embeddings=np.stack([record.vector for record in part]),
                    metadatas=[record.metadata for record in part],
                    documents=[record.document for record in part],
                )
            )

    def delete(self, ids: Sequence[str]) -> None:
        """Remove records, in batches; ids that are not there are no error."""
        for start in range(0, len(ids), BATCH):
            part = list(ids[start : start + BATCH])
            self._call(lambda part=part: self._collection.delete(ids=part))

    def search(self, query: Vector, k: int) -> tuple[tuple[str, ...], Vector]:
        """(entity ids, squared L2 distances), nearest first; entities without a vector are left out."""
        if k < 1 or not query.any():
            return (), np.empty(0, np.float32)
        found = self._call(
            lambda: self._collection.query(query_embeddings=query[None], n_results=k, include=["distances"])
        )
        near = [(i, d) for i, d in zip(found["ids"][0], found["distances"][0], strict=True) if d < _FARTHEST]
        return tuple(i for i, _ in near), np.array([d for _, d in near], np.float32)

    def count(self) -> int:
        """Records in the collection, those without a vector too."""
        return int(self._call(lambda: self._collection.count()))

    def verify(self, samples: Sequence[MirrorRecord], expected: int) -> str | None:
        """What is wrong with the collection, or None; damage can be silent until a query meets it."""
        try:
            if (count := self.count()) != expected:
                return f"{count} records, {expected} were written"
            known = [record for record in samples if record.known]
            if not known:
                return None
            found = self._call(
                lambda: self._collection.query(
                    query_embeddings=np.stack([record.vector for record in known]), n_results=1, include=["distances"]
                )
            )
        except MirrorError as error:
            return str(error)
        missed = sum(not row or row[0] > SELF_DISTANCE for row in found["distances"])
        if missed > MISSES_ALLOWED * len(known):
            return f"{missed} of {len(known)} records were not found by their own vectors"
        return None

    def rebuild(self) -> None:
        """Throw the records away and begin with an empty collection (in a folder their text stays in its files)."""
        self.drop()
        self._collection = self._call(self._opened)

    def drop(self) -> None:
        """Delete the collection; one that is gone is no error."""
        delete_collection(self._client, self._name)

    def close(self) -> None:
        """Close the client; errors of a broken one do not matter any more."""
        close = getattr(self._client, "close", None)
        if close is not None:
            self._call(close)

    def _opened(self) -> Any:
        return self._client.get_or_create_collection(
            self._name,
            metadata=self._metadata,
            embedding_function=None,
            configuration={"hnsw": {"space": "l2", "ef_search": EF_SEARCH, **self._graph}},
        )

    def _call(self, work: Any) -> Any:
        try:
            return work()
        except Exception as error:  # Chroma raises its own, httpx's, pyo3's and plain ones: all mean "not Chroma"
            raise _trouble(error) from error


def open_folder(folder: Path) -> Client:
    """A client on a folder of its own; the caller holds the mirror's lock."""
    try:
        import chromadb
        from chromadb.config import Settings

        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    except Exception as error:
        raise _trouble(error) from error
    return client


def open_server(url: str) -> Client:
    """A client of the Chroma server at an http or https URL."""
    parts = urlsplit(url)
    secure = parts.scheme == "https"
    try:
        import chromadb
        from chromadb.config import Settings

        client = chromadb.HttpClient(
            host=parts.hostname or "",
            port=parts.port or (443 if secure else 80),
            ssl=secure,
            settings=Settings(anonymized_telemetry=False),
        )
    except Exception as error:
        raise _trouble(error) from error
    return client


def delete_collection(client: Client, name: str) -> None:
    """Delete a collection; one that is gone is no error."""
    from chromadb.errors import NotFoundError

    try:
        client.delete_collection(name)
    except NotFoundError:
        return
    except Exception as error:
        raise _trouble(error) from error


def _trouble(error: Exception) -> MirrorError:
    return MirrorError(f"Chroma: {type(error).__name__}: {error}")
