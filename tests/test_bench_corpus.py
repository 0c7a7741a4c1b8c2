"""Archives of the benchmarks are unpacked with every Python that is supported."""

from __future__ import annotations

import importlib.util
import io
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def corpus() -> ModuleType:
    """bench/entity_corpus.py as a module."""
    spec = importlib.util.spec_from_file_location("entity_corpus", ROOT / "bench" / "entity_corpus.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def archive_of(path: Path, *names: str) -> Path:
    with tarfile.open(path, "w:gz") as packed:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size = 4
            packed.addfile(member, io.BytesIO(b"text"))
        link = tarfile.TarInfo("project/link")
        link.type, link.linkname = tarfile.SYMTYPE, "../../outside.txt"
        packed.addfile(link)
    return path


def test_an_archive_is_unpacked(corpus: ModuleType, tmp_path: Path) -> None:
    into = tmp_path / "into"
    into.mkdir()
    with tarfile.open(tmp_path / "plain.tar.gz", "w:gz") as packed:
        member = tarfile.TarInfo("project/file.txt")
        member.size = 4
        packed.addfile(member, io.BytesIO(b"text"))
    corpus.untar(tmp_path / "plain.tar.gz", into)
    assert (into / "project" / "file.txt").read_text() == "text"


def test_without_the_filter_of_newer_pythons_nothing_is_written_outside(
    corpus: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(tarfile, "data_filter", raising=False)
    into = tmp_path / "a" / "into"
    into.mkdir(parents=True)
    corpus.untar(archive_of(tmp_path / "odd.tar.gz", "project/file.txt", "../outside.txt"), into)
    written = sorted(path.relative_to(tmp_path).as_posix() for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert written == ["a/into/project/file.txt"]
    assert not (into / "project" / "link").exists()
