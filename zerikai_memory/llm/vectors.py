"""Model servers as sources of embedding vectors: which one EMBEDDING names, the local wall, retries, clear errors."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from zerikai_memory.address import is_loopback
from zerikai_memory.embed.base import VectorSource
from zerikai_memory.errors import EmbeddingError, TooLongError
from zerikai_memory.llm.base import Call, FailureKind, ModelError
from zerikai_memory.llm.ollama import Ollama
from zerikai_memory.llm.openai_compat import OpenAICompat, ServerSpec
from zerikai_memory.settings import Settings, embedding_server

TRIES = 3
PAUSE_S = 0.5
# A server that asks for a longer pause is not waited for.
MOST_PAUSE_S = 10.0
_LATER = frozenset({FailureKind.UNREACHABLE, FailureKind.BUSY})
# Servers say in many ways that a text is too long, some as a failure of their own.
_PERHAPS_TOO_LONG = frozenset({FailureKind.TOO_LONG, FailureKind.REJECTED, FailureKind.SERVER})


class VectorClient(Protocol):
    """A model client that embeds."""

    def vectors(self, texts: Sequence[str], call: Call) -> list[list[float]]:
        """One embedding per text; raises ModelError."""


def vector_source(settings: Settings) -> VectorSource | None:
    """The server of an `ollama:` or `openai:` EMBEDDING, None for one of our own; nothing connects here."""
    server = embedding_server(settings.embedding)
    if server is None:
        return None
    kind, model, url = server
    walled = settings.memory_mode == "local"
    if kind == "ollama":
        client: VectorClient = Ollama(settings.ollama_host, model, allow_remote=not walled)
        return ModelVectors(settings.embedding, client)
    refusal = ""
    if walled and not is_loopback(url):
        refusal = f"{url} is not on this machine, and MEMORY_MODE=local connects to nothing beyond it"
    return ModelVectors(
        settings.embedding, OpenAICompat(ServerSpec("openai", url, model, _key(settings, url))), refusal
    )


def _key(settings: Settings, url: str) -> str:
    """The key for this very server: one that was given for another is not sent to it."""
    if settings.embedding_api_key:
        return settings.embedding_api_key
    return (settings.openai_compat_api_key or "") if settings.openai_compat_base_url == url else ""


class ModelVectors:
    """Vectors of one client; `refusal` says why it must not be asked."""

    def __init__(
        self, name: str, client: VectorClient, refusal: str = "", sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.name = name
        self._client = client
        self._refusal = refusal
        self._sleep = sleep

    def vectors(self, texts: Sequence[str], deadline_s: float) -> Sequence[Sequence[float]]:
        """One vector per text; tries again where the server may answer in a moment. Raises EmbeddingError."""
        if self._refusal:
            raise EmbeddingError(f"EMBEDDING={self.name}: {self._refusal}")
        end = time.monotonic() + deadline_s
        for number in range(TRIES):
            left = end - time.monotonic()
            try:
                return self._client.vectors(texts, Call(max(left, 0.1)))
            except ModelError as error:
                pause = PAUSE_S * 2**number if error.retry_after_s is None else error.retry_after_s
                last = number == TRIES - 1 or error.kind not in _LATER
                if last or pause > MOST_PAUSE_S or 2 * pause >= left:
                    kind = TooLongError if error.kind in _PERHAPS_TOO_LONG else EmbeddingError
                    raise kind(f"EMBEDDING={self.name}: {error}") from error
                self._sleep(pause)
        raise AssertionError("the last try returns or raises")
