import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tests.fake_embedder import FakeEmbedder
from zerikai_memory.lang.extract import extract
from zerikai_memory.scan.apply import Batch, write_batch
from zerikai_memory.scan.read import SourceFile, read_source
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import lexical_scores, rows_with_phrase, words_in_rows
from zerikai_memory.store.vectors import ExactVectorIndex
from zerikai_memory.store.view import ViewCache, load_view


@pytest.fixture
def index(tmp_path: Path):
    index = WorkspaceIndex(tmp_path / "index" / "w.f1.db")
    yield index
    index.close()


def put(index: WorkspaceIndex, folder: Path, **files: str) -> int:
    """Write files of a folder and index them; returns how many texts were embedded."""
    batch = Batch()
    for stem, text in files.items():
        path = folder / f"{stem}.py"
        path.write_text(text)
        source = read_source(folder, path.name, 10_000)
        assert isinstance(source, SourceFile)
        batch.add(source, extract(source.content, source.path))
    index.begin(1, FakeEmbedder().fingerprint)
    return write_batch(index, batch, FakeEmbedder(), 1)


def full_text_rows(index: WorkspaceIndex) -> int:
    with index.database.read() as connection:
        return connection.execute("SELECT count(*) FROM entity_words").fetchone()[0]


def test_entities_come_back_as_they_were_extracted(index: WorkspaceIndex, tmp_path: Path) -> None:
    text = (
        "import os\n\n\n"
        'class A(B):\n    """Doc."""\n\n'
        "    @cached(1)\n    async def f(self, x: int = 1, *a) -> str:\n        return g(x)\n"
    )
    put(index, tmp_path, a=text)
    extraction = extract(text.encode(), "a.py")
    assert index.entities() == list(extraction.entities)
    assert index.entities("a.py") == list(extraction.entities)
    assert index.references() == list(extraction.references)


def test_replacing_a_file_leaves_no_word_of_the_old_one(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path, a="def oldname():\n    return oldbody\n", b="def other(): pass\n")
    put(index, tmp_path, a="def newname():\n    return newbody\n")
    assert lexical_scores(index, ["oldname"], 9) == []
    assert lexical_scores(index, ["oldbody"], 9) == []
    assert len(lexical_scores(index, ["newbody"], 9)) == 1
    assert full_text_rows(index) == len(index.entities()) == 4
    with index.database.connection() as connection:
        connection.execute("INSERT INTO entity_words (entity_words) VALUES ('integrity-check')")


def test_unchanged_entities_keep_their_vectors(index: WorkspaceIndex, tmp_path: Path) -> None:
    first = "def one(): pass\n\n\ndef two(): pass\n"
    assert put(index, tmp_path, a=first) == 4  # module, two functions, the file
    # Moved down and a body changed: the texts that are embedded are the same but for the file's own two.
    assert put(index, tmp_path, a=first.replace("def two(): pass", "x = 1\n\n\ndef two(): return 2")) <= 2


def test_views_follow_every_commit_and_agree_with_the_rows(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path, a="def one(): pass\n")
    cache = ViewCache(index)
    view = cache.get()
    assert cache.get() is view
    put(index, tmp_path, b="def two(): pass\n")
    assert "two" in cache.get().names
    assert len(cache.get()) == len(index.entities())
    other = WorkspaceIndex(index.path)
    assert load_view(other).ids == cache.get().ids
    other.close()


def test_exact_search_gives_squared_distances_nearest_first(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path, a="def parse_header(): pass\n\n\ndef write_footer(): pass\n")
    view = load_view(index)
    vectors = ExactVectorIndex(view)
    query = view.vectors[view.names.index("write_footer")]
    ids, distances = vectors.search(query, 2)
    assert ids[0] == view.ids[view.names.index("write_footer")]
    assert distances[0] == pytest.approx(0, abs=0.01)
    assert np.all(np.diff(vectors.search(query, 10)[1]) >= 0)
    assert vectors.count() == len(view)
    opposite = vectors.distances(-query)
    assert float(opposite.max()) == pytest.approx(4, abs=0.01)


def test_phrases_and_words_are_found_by_the_same_stemming(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path, a='def f():\n    """Rotating refresh tokens nightly."""\n')
    ((row, _),) = lexical_scores(index, ["rotate"], 9)
    assert row in rows_with_phrase(index, "refresh token")
    assert rows_with_phrase(index, "token refresh") == []
    assert words_in_rows(index, [row], ["rotated", "absent"]) == {"rotated": {row}, "absent": set()}


def test_a_newer_extractor_is_refused(index: WorkspaceIndex, tmp_path: Path) -> None:
    index.begin(2, "e")
    with pytest.raises(Exception, match="newer"):
        index.begin(1, "e")
    with pytest.raises(Exception, match="newer"):
        index.file_states(1)


def test_the_index_file_alone_makes_the_index(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path, a="def one(): pass\n")
    index.close()
    raw = sqlite3.connect(index.path)
    tables = {row[0] for row in raw.execute("SELECT name FROM sqlite_master")}
    raw.close()
    assert {"files", "entities", "vectors", "refs", "entity_words"} <= tables
