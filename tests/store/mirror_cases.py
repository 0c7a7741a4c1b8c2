"""A small index to mirror, and what the mirror's tests look at."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from tests.fake_embedder import FakeEmbedder
from zerikai_memory.lang.extract import extract
from zerikai_memory.scan.apply import Batch, write_batch
from zerikai_memory.scan.read import SourceFile, read_source
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.outbox import waiting
from zerikai_memory.store.words import words

WORKSPACE = "0b5c9f6e-9a51-5b7c-8b6f-2f6f3f1d2c3b"

SHOP = '''\
"""A shop."""


class Till:
    """Takes money."""

    @property
    def total(self) -> int:
        """Sum of the open basket."""
        return sum(self.items)

    async def pay(self, amount: int, currency: str = "EUR") -> bool:
        return amount >= self.total


def open_shop(*names):
    return Till()
'''


def index_of(home: Path) -> WorkspaceIndex:
    return WorkspaceIndex(home / "index" / f"{WORKSPACE}.f1.db")


def put(index: WorkspaceIndex, folder: Path, embedder: FakeEmbedder | None = None, **files: str | None) -> None:
    """Write files into a folder and index them; None removes one."""
    embedder = embedder or SpreadEmbedder()
    folder.mkdir(exist_ok=True)
    batch = Batch()
    for stem, text in files.items():
        path = folder / f"{stem}.py"
        if text is None:
            path.unlink()
            batch.remove.append(path.name)
            continue
        path.write_text(text)
        source = read_source(folder, path.name, 1_000_000)
        assert isinstance(source, SourceFile)
        batch.add(source, extract(source.content, source.path))
    index.begin(1, embedder.fingerprint)
    write_batch(index, batch, embedder, 1)
    index.finish()


def functions(count: int, start: int = 0) -> str:
    return "".join(f"def handler_{n}(request_{n}):\n    return send_{n}\n\n\n" for n in range(start, start + count))


def left(index: WorkspaceIndex) -> int:
    with index.database.read() as connection:
        return waiting(connection)


def vectors_of(index: WorkspaceIndex) -> dict[str, np.ndarray]:
    with index.database.read() as connection:
        rows = connection.execute("SELECT e.id, v.vector FROM entities e JOIN vectors v ON v.entity = e.rowid")
        return {row[0]: np.frombuffer(row[1], "<f2").astype(np.float32) for row in rows}


class SpreadEmbedder(FakeEmbedder):
    """Every word a direction in all dimensions: no two texts are at the same place, as with a real model.

    A graph index may not find all of many records at one place.
    """

    def encode(self, texts):
        self.encoded += texts
        matrix = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(matrix, texts, strict=True):
            for word in words(text):
                seed = int.from_bytes(hashlib.sha256(f"{self.fingerprint} {word}".encode()).digest()[:4])
                row += np.random.default_rng(seed).normal(size=self.dimensions)
        return matrix / (np.linalg.norm(matrix, axis=1, keepdims=True) + 1e-12)


@contextmanager
def chroma_folder(folder: Path) -> Iterator[object]:
    """The one collection of a mirror's folder, opened as another tool would."""
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
    try:
        (found,) = client.list_collections()
        yield client.get_collection(found.name, embedding_function=None)
    finally:
        client.close()
