"""Chat completions and embeddings from any server that speaks OpenAI's protocol; the one home of `openai`.

The answer is read as the server's raw lines, so that signs of life, cut streams and plain JSON replies can be told
apart; the client's own parsing hides them.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from zerikai_memory.address import is_loopback
from zerikai_memory.llm.base import Call, FailureKind, ModelError, Prompt, Ready, Reply, TokenUse, cautious_tokens
from zerikai_memory.llm.chat_reply import reply_of_events, reply_of_json
from zerikai_memory.llm.probe import Remembered, listens
from zerikai_memory.llm.token_counts import usage_of
from zerikai_memory.llm.waiting import Line, run_call

CONNECT_S = 5.0
TEMPERATURE = 0.2
# Another prompt's text may have smaller tokens still.
SCALING_MARGIN = 0.85
# A reply longer than this is no answer of ours.
MAX_BODY_BYTES = 2_000_000
# 64 vectors of 16,000 numbers as text.
MAX_VECTOR_BYTES = 25_000_000


@dataclass(frozen=True, slots=True)
class ServerSpec:
    """One OpenAI-compatible server: what it is called, where it is, which model, and its own parameters.

    `cloud`: it counts as beyond this machine wherever it is reached. `whole_units`: its cache hits whole stored
    prefixes alone, as DeepSeek's does.
    """

    name: str
    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    window_tokens: int = 8_192
    cloud: bool = False
    whole_units: bool = False
    extra_body: Mapping[str, Any] = field(default_factory=dict)


class OpenAICompat:
    """A back end for one server; thread-safe, makes its client per call (a call owns its connections)."""

    def __init__(self, spec: ServerSpec) -> None:
        self._spec = spec
        self.name = spec.name
        self._here = is_loopback(spec.base_url)
        self.remote = spec.cloud or not self._here
        self._window = spec.window_tokens
        self._listening = Remembered(lambda: listens(spec.base_url))

    def ready(self) -> Ready:
        """The configured model; a server on this machine must also accept connections."""
        if self._here and not self._listening.get():
            raise ModelError(FailureKind.UNREACHABLE, f"nothing answers at {self._spec.base_url}")
        return Ready(self._spec.model, self._window)

    def complete(self, prompt: Prompt, call: Call) -> Reply:
        """One chat completion; raises ModelError."""
        try:
            return run_call(lambda line: self._complete(prompt, call, line), call)
        except ModelError as error:
            if error.window_tokens:
                self._window = error.window_tokens = _in_our_tokens(error, prompt)
            raise

    def vectors(self, texts: Sequence[str], call: Call) -> list[list[float]]:
        """One embedding per text as the server gave it; raises ModelError."""
        return run_call(lambda line: self._embed(texts, call, line), call)

    def _embed(self, texts: Sequence[str], call: Call, line: Line) -> list[list[float]]:
        with (
            self._client(call, line) as client,
            client.embeddings.with_streaming_response.create(
                model=self._spec.model,
                input=list(texts),
                encoding_format="float",
            ) as response,
        ):
            body = "\n".join(_bounded(response.iter_lines(), self._spec, MAX_VECTOR_BYTES))
        try:
            rows = json.loads(body)["data"]
            return [list(row["embedding"]) for row in sorted(rows, key=lambda row: row.get("index", 0))]
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ModelError(FailureKind.MALFORMED, f"the reply of {self._spec.name} holds no vectors") from error

    def _complete(self, prompt: Prompt, call: Call, line: Line) -> Reply:
        with self._client(call, line) as client:
            return self._ask(client, prompt, call)

    @contextlib.contextmanager
    def _client(self, call: Call, line: Line) -> Iterator[Any]:
        """A client for one call; what goes wrong with it becomes a ModelError."""
        import openai  # 1 to 2 s and 50 MB: only when a model is really asked

        http = openai.DefaultHttpxClient(
            follow_redirects=False,
            event_hooks={"request": [line.watch]},
            timeout=call.deadline_s,
            trust_env=not self._here,  # a proxy would carry off what is meant for this machine
        )
        client = openai.OpenAI(
            api_key=self._spec.api_key or "none",
            base_url=self._spec.base_url,
            max_retries=0,  # our own retry books every attempt
            timeout=openai.Timeout(call.deadline_s, connect=min(CONNECT_S, call.deadline_s)),
            http_client=http,
        )
        with client:
            try:
                yield client
            except openai.APIStatusError as error:
                failed = _status_error(error.status_code, error.response.headers, error.body, self._spec.name)
                failed.usage = _usage_in(error.response.text)
                raise failed from error
            except openai.APITimeoutError as error:
                connect = "Connect" in type(error.__cause__).__name__
                kind = FailureKind.UNREACHABLE if connect else FailureKind.TIMEOUT
                raise ModelError(kind, f"{self._spec.name} did not answer in time") from error
            except openai.APIConnectionError as error:
                raise _connection_error(error.__cause__ or error, self._spec) from error
            except openai.OpenAIError as error:
                raise ModelError(FailureKind.MALFORMED, f"{self._spec.name}: {type(error).__name__}") from error

    def _ask(self, client: Any, prompt: Prompt, call: Call) -> Reply:
        user = _told_apart(prompt.user) if self._spec.whole_units else prompt.user
        with client.chat.completions.with_streaming_response.create(
            model=self._spec.model,
            messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": user}],
            temperature=TEMPERATURE,
            max_tokens=prompt.max_tokens,
            stream=True,
            stream_options={"include_usage": True},
            extra_body=dict(self._spec.extra_body) or None,
        ) as response:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            lines = _bounded(response.iter_lines(), self._spec, MAX_BODY_BYTES)
            if kind == "text/event-stream":
                return reply_of_events(lines, self._spec.model, call.progress)
            return reply_of_json("\n".join(lines), self._spec.model)


def _told_apart(user: str) -> str:
    """The message with a mark in front that no other shares.

    What two requests have in common is stored as one unit. Did they begin with the same excerpt, the unit would hold
    it too, and every question without that excerpt would pay for the whole brief again.
    """
    digest = base64.urlsafe_b64encode(hashlib.sha256(user.encode("utf-8", "replace")).digest())[:8]
    return f"{digest.decode()} (mark of this request)\n{user}"


def _bounded(lines: Iterator[str], spec: ServerSpec, limit: int) -> Iterator[str]:
    """The lines of a body up to `limit` bytes; what breaks while reading becomes a ModelError."""
    import openai

    taken = 0
    try:
        for line in lines:
            taken += len(line) + 1
            if taken > limit:
                raise ModelError(FailureKind.MALFORMED, f"{spec.name} sent more than {limit} bytes")
            yield line
    except (ModelError, openai.OpenAIError):
        raise
    except Exception as error:
        # The transport's own errors come through unwrapped here; the library is an import of openai's, not of ours.
        if type(error).__module__.partition(".")[0] not in ("httpx2", "httpx", "httpcore2", "httpcore"):
            raise
        timed_out = "Timeout" in type(error).__name__
        kind = FailureKind.TIMEOUT if timed_out else FailureKind.CUT
        raise ModelError(kind, f"the answer of {spec.name} broke off ({type(error).__name__})") from error


def _status_error(status: int, headers: Mapping[str, str], body: object, name: str) -> ModelError:
    detail = body if isinstance(body, dict) else {}
    inner = detail.get("error") if isinstance(detail.get("error"), dict) else detail
    if status == 400 and inner and inner.get("type") == "exceed_context_size_error":
        window, counted = inner.get("n_ctx"), inner.get("n_prompt_tokens")
        return ModelError(
            FailureKind.TOO_LONG,
            f"the prompt does not fit into the window of {name}",
            window_tokens=window if isinstance(window, int) and window > 0 else None,
            prompt_tokens=counted if isinstance(counted, int) and counted > 0 else None,
        )
    if status == 400 and inner and inner.get("code") == "context_length_exceeded":
        return ModelError(FailureKind.TOO_LONG, f"the prompt does not fit into the window of {name}")
    kinds = {
        401: (FailureKind.KEY, "does not accept the key"),
        402: (FailureKind.BALANCE, "has no balance left"),
        403: (FailureKind.KEY, "does not permit this key"),
        404: (FailureKind.NO_MODEL, "does not know the model or the address"),
        429: (FailureKind.BUSY, "is limiting requests"),
    }
    kind, words = kinds.get(
        status,
        (FailureKind.SERVER, "has a failure of its own") if status >= 500 else (FailureKind.REJECTED, "refused"),
    )
    return ModelError(kind, f"{name} {words} (HTTP {status})", retry_after_s=_retry_after(headers))


def _usage_in(body: str) -> TokenUse | None:
    """What an error reply says was used: then it is billed all the same."""
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(body)
        if isinstance(value, dict) and isinstance(value.get("usage"), dict):
            return usage_of(value["usage"])[0]
    return None


def _in_our_tokens(error: ModelError, prompt: Prompt) -> int:
    """The window as prompts are measured here, when the model's tokens are smaller than those that we estimate."""
    assert error.window_tokens is not None
    ours = cautious_tokens(prompt.system) + cautious_tokens(prompt.user)
    if error.prompt_tokens is None or error.prompt_tokens <= ours:
        return error.window_tokens
    return int(error.window_tokens * ours / error.prompt_tokens * SCALING_MARGIN)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header, which holds seconds or a date."""
    text = headers.get("retry-after", "").strip()
    with contextlib.suppress(ValueError):
        return max(0.0, float(text))
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    return None


def _connection_error(cause: BaseException, spec: ServerSpec) -> ModelError:
    before = type(cause).__name__ in ("ConnectError", "ConnectTimeout", "ProxyError", "UnsupportedProtocol")
    kind = FailureKind.UNREACHABLE if before else FailureKind.CUT
    words = "cannot be reached" if before else "broke the connection"
    return ModelError(kind, f"{spec.name} {words} ({type(cause).__name__})")
