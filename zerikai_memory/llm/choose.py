"""Which back ends the settings allow, in the order they are asked; what cannot be asked just now is left alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Literal

from zerikai_memory.address import is_loopback
from zerikai_memory.llm.base import PAUSE_S, Backend, FailureKind, ModelError
from zerikai_memory.llm.ollama import Ollama
from zerikai_memory.llm.openai_compat import OpenAICompat, ServerSpec
from zerikai_memory.settings import Settings

Tier = Literal["fast", "pro"]

# What is sent is bounded by us; DeepSeek itself takes a million tokens.
DEEPSEEK_WINDOW = 64_000
# Thinking is on by default, and paid for; the cache and the answer do without.
_NO_THINKING = {"thinking": {"type": "disabled"}}


class Backends:
    """The model servers of the settings, by whether they are on this machine; made once, nothing connects here."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        walled = settings.memory_mode == "local"
        ollama = Ollama(settings.ollama_host, settings.ollama_model, allow_remote=not walled)
        compat = _compat(settings)
        self.local: tuple[Backend, ...] = (ollama,) if compat is None or compat.remote else (compat, ollama)
        self._cloud: dict[Tier, tuple[Backend, ...]] = {"fast": (), "pro": ()}
        if not walled and compat is not None and compat.remote:
            self._cloud = {"fast": (compat,), "pro": (compat,)}
        elif not walled and settings.deepseek_api_key:
            fast = _deepseek(settings, settings.deepseek_model_fast)
            self._cloud = {"fast": (fast,), "pro": (_deepseek(settings, settings.deepseek_model_pro), fast)}
        self._clock = clock
        self._lock = threading.Lock()
        self._paused: dict[str, tuple[float, ModelError]] = {}

    def cloud(self, tier: Tier) -> tuple[Backend, ...]:
        """The back ends beyond this machine for easy or hard questions; empty when none is configured."""
        return self._cloud[tier]

    def paused(self, backend: Backend) -> ModelError | None:
        """Why a back end is left alone just now, or None."""
        with self._lock:
            until, error = self._paused.get(backend.name, (0.0, None))
            return error if self._clock() < until else None

    def failed(self, backend: Backend, error: ModelError) -> None:
        """Leave a back end alone for a while when the same call would fail again."""
        seconds = error.retry_after_s if error.kind == FailureKind.BUSY else None
        seconds = PAUSE_S.get(error.kind, 0.0) if seconds is None else min(seconds, PAUSE_S[FailureKind.BALANCE])
        if seconds:
            with self._lock:
                self._paused[backend.name] = (self._clock() + seconds, error)


def _compat(settings: Settings) -> OpenAICompat | None:
    url, model = settings.openai_compat_base_url, settings.openai_compat_model
    if not url or not model or (settings.memory_mode == "local" and not is_loopback(url)):
        return None
    return OpenAICompat(ServerSpec("openai_compat", url, model, settings.openai_compat_api_key or ""))


def _deepseek(settings: Settings, model: str) -> OpenAICompat:
    return OpenAICompat(
        ServerSpec(
            "deepseek",
            settings.deepseek_base_url,
            model,
            settings.deepseek_api_key or "",
            window_tokens=DEEPSEEK_WINDOW,
            cloud=True,
            whole_units=True,
            extra_body=_NO_THINKING,
        )
    )
