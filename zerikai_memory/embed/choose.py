"""Which embedding the EMBEDDING setting means: an explicit list, opened by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from zerikai_memory.embed.base import Embedder
from zerikai_memory.errors import InputError


def open_embedder(name: str = "static") -> Embedder:
    """The embedder of an EMBEDDING value; cheap, weights are read on first use. Raises InputError."""
    opener = _EMBEDDERS.get(name)
    if opener is None:
        raise InputError(f"EMBEDDING: got {name!r}, expected one of: {', '.join(_EMBEDDERS)}")
    return opener()


def _static() -> Embedder:
    # Imported here so that only the chosen back end is loaded.
    from zerikai_memory.embed.static import StaticEmbedder

    return StaticEmbedder()


_EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {"static": _static}
