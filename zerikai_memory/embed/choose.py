"""Which embedding the EMBEDDING setting means: an explicit list, opened by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from zerikai_memory.embed.base import Embedder, VectorSource
from zerikai_memory.errors import InputError


def open_embedder(name: str = "static", source: VectorSource | None = None) -> Embedder:
    """The embedder of an EMBEDDING value; cheap, weights are read and servers asked on first use.

    `source` is the model server of an `ollama:` or `openai:` value. Raises InputError.
    """
    if source is not None:
        from zerikai_memory.embed.remote import RemoteEmbedder

        return RemoteEmbedder(source)
    opener = _EMBEDDERS.get(name)
    if opener is None:
        raise InputError(f"EMBEDDING: got {name!r}, expected one of: {', '.join(_EMBEDDERS)}")
    return opener()


def _static() -> Embedder:
    # Imported here so that only the chosen back end is loaded.
    from zerikai_memory.embed.static import StaticEmbedder

    return StaticEmbedder()


def _minilm() -> Embedder:
    from zerikai_memory.embed.minilm import MiniLMEmbedder  # onnxruntime itself waits for the first text

    return MiniLMEmbedder()


_EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {"static": _static, "minilm": _minilm}
