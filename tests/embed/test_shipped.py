"""Data files of the package that are missing or damaged: what is told, and that the file is named."""

from __future__ import annotations

import importlib.resources
import sys
from pathlib import Path

import numpy as np
import pytest

from zerikai_memory.embed.shipped import shipped_file
from zerikai_memory.embed.static import StaticTable
from zerikai_memory.errors import EmbeddingError
from zerikai_memory.retrieve.concepts import load_concepts

READERS = {
    "code_static.npz": ("zerikai_memory.embed", StaticTable),
    "concepts.npz": ("zerikai_memory.retrieve", load_concepts),
}


def cut_short(content: bytes) -> bytes:
    return content[: len(content) // 2]


def changed_within(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes(64) + content[middle + 64 :]


def emptied(content: bytes) -> bytes:
    return b""


def replaced(content: bytes) -> bytes:
    return b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder data of an importable package `damaged_package`."""
    folder = tmp_path / "damaged_package" / "data"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "damaged_package", raising=False)
    return folder


@pytest.mark.parametrize("damage", [cut_short, changed_within, emptied, replaced])
@pytest.mark.parametrize("name", READERS)
def test_a_damaged_file_is_named_and_what_to_do(package: Path, name: str, damage) -> None:
    home, read = READERS[name]
    content = importlib.resources.files(home).joinpath("data", name).read_bytes()
    (package / name).write_bytes(damage(content))
    with (
        pytest.raises(EmbeddingError, match=rf"{name} is missing or damaged .*install zerikai-memory again"),
        shipped_file("damaged_package", name) as file,
    ):
        read(file)


@pytest.mark.parametrize("name", READERS)
def test_a_file_of_other_arrays_is_named(package: Path, name: str) -> None:
    np.savez(package / name, other=np.zeros(3))
    with pytest.raises(EmbeddingError, match=name), shipped_file("damaged_package", name) as file:
        READERS[name][1](file)


def test_a_file_that_is_not_there_is_named(package: Path) -> None:
    with (
        pytest.raises(EmbeddingError, match=r"concepts\.npz is missing"),
        shipped_file("damaged_package", "concepts.npz") as file,
    ):
        file.read()


def test_a_file_that_is_there_is_read() -> None:
    with shipped_file("zerikai_memory.retrieve", "concepts.npz") as file:
        assert load_concepts(file).vectors.shape[1] == 256
