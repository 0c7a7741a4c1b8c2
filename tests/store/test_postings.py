"""The words of an index in memory against FTS5, which is what they stand in for."""

import random
import threading
from pathlib import Path

import pytest

from tests.store.test_index import put
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import Lexicon, document_frequencies, lexical_scores, words_in_rows
from zerikai_memory.store.postings import load_postings
from zerikai_memory.store.stemmer import Stemmer

# Inflected, shared beginnings, accents, letters younger than SQLite's tables, scripts without blanks, a stop word.
SAID = (
    "parse parsed parsing parser slug slugify sluggish cache caches cached request requests response form formset "
    "naïve café İstanbul straße 缓存 缓存设置 設定 кэш ⅷ x² ᲐᲑ 404 utf8 the a getHTTPHeader get_http_header happy "
    "happiness"
).split()
ASKED = (*SAID, "pars", "slugs", "absent", "hap", "缓", "存", "naive", "cafe", "http", "happily", "I", "istanbul")


@pytest.fixture
def index(tmp_path: Path):
    index = WorkspaceIndex(tmp_path / "index" / "w.f1.db")
    yield index
    index.close()


def module(choose: random.Random) -> str:
    """A file of functions whose texts are drawn from SAID."""
    return "\n\n".join(
        f"def {choose.choice(['parse', 'slugify', 'getForm', 'happy'])}_{i}(request):\n"
        f'    """{" ".join(choose.choices(SAID, k=choose.randrange(1, 30)))}."""\n'
        f"    return '{' '.join(choose.choices(SAID, k=choose.randrange(12)))}'\n"
        for i in range(choose.randrange(1, 12))
    )


def loaded(index: WorkspaceIndex) -> Lexicon:
    lexicon = Lexicon(index, index.generation(), 1)
    lexicon.load()
    return lexicon


def test_words_in_memory_give_what_the_full_text_index_gives(index: WorkspaceIndex, tmp_path: Path) -> None:
    choose = random.Random(7)
    put(index, tmp_path, **{f"m{i}": module(choose) for i in range(12)})
    # Files that are written anew get later rows than files that stay.
    put(index, tmp_path, **{f"m{i}": module(choose) for i in (0, 5, 11)})
    index.replace_files([], ["m3.py"])
    lexicon = loaded(index)
    for k in range(150):
        words = choose.sample(ASKED, k=1 + k % 8)
        expected = lexical_scores(index, words, 20)
        found = lexicon.scores(words, 20)
        assert [row for row, _ in found] == [row for row, _ in expected], words
        assert [score for _, score in found] == pytest.approx([score for _, score in expected], rel=1e-12), words
        rows = [*(row for row, _ in expected[:5]), 10_000]
        assert lexicon.holders(rows, words) == words_in_rows(index, rows, words)
        assert lexicon.frequencies(words) == document_frequencies(index, words)


def test_an_index_that_has_changed_is_not_loaded(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path, a="def one(): pass\n")
    before = index.generation()
    put(index, tmp_path, b="def two(): pass\n")
    assert load_postings(index, before) is None
    assert load_postings(index, index.generation()) is not None
    assert [row for row, _ in Lexicon(index, before, 1).scores(["two"], 9)]


def test_an_index_without_entities_has_no_words(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path)
    assert load_postings(index, index.generation()) is None
    assert loaded(index).scores(["one"], 9) == []


def test_the_second_question_brings_the_words_into_memory(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path, a="def one(): pass\n")
    lexicon = Lexicon(index, index.generation(), 2)
    lexicon.note_question()
    assert not lexicon.in_memory
    lexicon.note_question()
    lexicon.wait()
    assert lexicon.in_memory


def test_closing_an_index_waits_for_what_reads_it(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path, a="def one(): pass\n")
    lexicon = Lexicon(index, index.generation(), 2)
    lexicon.note_question()
    lexicon.note_question()
    index.close()
    assert lexicon.in_memory


def test_words_of_a_very_large_index_stay_on_disk(index: WorkspaceIndex, tmp_path: Path) -> None:
    put(index, tmp_path, a="def one(): pass\n")
    lexicon = Lexicon(index, index.generation(), 10_000_000)
    for _ in range(3):
        lexicon.note_question()
    lexicon.wait()
    assert not lexicon.in_memory
    assert len(lexicon.scores(["one"], 9)) == 1


def test_words_that_cannot_be_read_are_told_and_left_to_the_full_text_index(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lexicon = Lexicon(WorkspaceIndex(tmp_path / "none.f1.db"), 1, 1)
    lexicon.load()
    assert not lexicon.in_memory
    assert "stay on disk" in caplog.text


def test_stems_are_those_of_the_full_text_index() -> None:
    stemmer = Stemmer()
    words = ["parsing", "naïve", "缓存", "happiness", "---", "x\u0301y"]
    assert stemmer.stems(words)[:4] == [("pars",), ("naiv",), ("缓存",), ("happi",)]
    assert stemmer.stems(words) == stemmer.stems(words, keep=False)
    assert stemmer.stems(["---"]) == [()]
    assert stemmer.stems([]) == []


def test_a_stemmer_serves_many_threads() -> None:
    stemmer = Stemmer()
    found: dict[int, list[tuple[str, ...]]] = {}

    def ask(n: int) -> None:
        found[n] = stemmer.stems([f"parsing{'s' * n}", "caches"])

    threads = [threading.Thread(target=ask, args=[n]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[n][1] == ("cach",) for n in range(8))
