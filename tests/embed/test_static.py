"""The shipped table: recorded vectors, checksum, loading."""

import hashlib
import importlib.resources
import json
import threading
from pathlib import Path

import numpy as np
import pytest

from zerikai_memory.embed import static
from zerikai_memory.embed.card import CARD_FORMAT
from zerikai_memory.embed.choose import open_embedder
from zerikai_memory.errors import InputError

# From the encoder the table was trained with: first eight numbers, norm, product with linspace(-1, 1).
RECORDED = json.loads((Path(__file__).parent / "recorded_vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", RECORDED, ids=lambda row: row["text"][:25].encode("ascii", "replace").decode())
def test_vectors_equal_those_of_the_encoder_the_table_was_trained_with(row):
    vector = open_embedder("static").encode([row["text"]])[0]
    assert vector[:8] == pytest.approx(row["first"], abs=1e-6)
    assert np.linalg.norm(vector) == pytest.approx(row["norm"], abs=1e-6)
    assert vector @ np.linspace(-1, 1, 256) == pytest.approx(row["checksum"], abs=2e-6)


def test_a_batch_gives_the_same_vectors_as_one_text_at_a_time():
    embedder = open_embedder()
    texts = [row["text"] for row in RECORDED]
    one_by_one = np.vstack([embedder.encode([text]) for text in texts])
    assert np.abs(embedder.encode(texts) - one_by_one).max() < 1e-6


def test_an_empty_batch_is_an_empty_matrix():
    assert open_embedder().encode([]).shape == (0, 256)


def test_unknown_text_is_a_zero_vector_and_no_warning():
    vectors = open_embedder().encode(["", "数据", "\n\n", "\x00"])
    assert vectors.dtype == np.float32
    assert not vectors.any()


def test_the_recorded_checksum_is_that_of_the_file_and_part_of_the_fingerprint():
    data = importlib.resources.files("zerikai_memory.embed").joinpath("data", "code_static.npz").read_bytes()
    assert hashlib.sha256(data).hexdigest() == static.TABLE_SHA256
    fingerprint = open_embedder().fingerprint
    assert static.TABLE_SHA256[:16] in fingerprint
    assert fingerprint.endswith(f"card{CARD_FORMAT}")


def test_the_model_card_names_the_same_checksum_and_cut():
    card = importlib.resources.files("zerikai_memory.embed").joinpath("data", "MODEL_CARD.md").read_text("utf-8")
    assert static.TABLE_SHA256 in card
    assert f"cut {open_embedder().relevance_cut:.2f}" in card


def test_dimensions_are_known_without_reading_the_table(monkeypatch):
    monkeypatch.setattr(static, "_loaded", None)
    embedder = open_embedder()
    assert (embedder.dimensions, embedder.relevance_cut) == (256, static.RELEVANCE_CUT)
    assert static._loaded is None
    assert embedder.encode(["x"]).shape == (1, embedder.dimensions)


def test_many_threads_load_the_table_once(monkeypatch):
    monkeypatch.setattr(static, "_loaded", None)
    barrier, tables = threading.Barrier(6), []

    def load():
        barrier.wait()
        tables.append(static._shipped_table())

    threads = [threading.Thread(target=load) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tables) == 6
    assert len({id(table) for table in tables}) == 1


def test_a_question_is_nearer_to_the_card_it_asks_for_than_to_another():
    question, right, wrong = open_embedder().encode(
        [
            "where are files ignored during a scan",
            "workspace ignore function is ignored\ndef is_ignored(path)\nIs a file left out?",
            "meter prices function cost of call\ndef cost(tokens)\nPrice of a call in USD.",
        ]
    )
    assert question @ right > question @ wrong


def test_an_unknown_embedding_is_refused_with_the_known_ones():
    with pytest.raises(InputError, match=r"'glove'.*static"):
        open_embedder("glove")
