"""Chat with and embed by a local Ollama server; the one home of `ollama`.

Ollama cuts a prompt that is longer than its window without a word, so the window is always sent, always the same one
(another would make it load the model anew), and its count of the prompt is compared with ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from zerikai_memory.address import is_loopback
from zerikai_memory.llm.base import Call, FailureKind, ModelError, Prompt, Ready, Reply, TokenUse
from zerikai_memory.llm.chat_reply import without_thoughts
from zerikai_memory.llm.probe import PROBE_S, Remembered, listens
from zerikai_memory.llm.waiting import Line, run_call

if TYPE_CHECKING:
    import ollama

# The default is 4,096 on most machines, too little for a brief and code; more costs memory on all of them.
NUM_CTX = 8_192
CONNECT_S = 2.0
LIST_S = 2.0
KEEP_ALIVE = "10m"
TEMPERATURE = 0.2
# The prompt is surely longer than this many characters a token; a smaller count means that it was cut.
MOST_CHARS_PER_TOKEN = 12


@dataclass(frozen=True, slots=True)
class OllamaModel:
    """An installed model; `remote` ones run on Ollama's servers behind the local address, `chats` false only embeds."""

    name: str
    remote: bool
    loaded: bool
    chats: bool = True


class Ollama:
    """A back end for one Ollama server; `allow_remote` false refuses whatever would leave this machine."""

    name = "ollama"

    def __init__(self, url: str, model: str | None, *, allow_remote: bool) -> None:
        self._url = url
        self._model = model
        self._allow_remote = allow_remote
        self._installed = Remembered(lambda: _models(url))

    @property
    def remote(self) -> bool:
        """Whether the server, or the configured model, is elsewhere."""
        if not is_loopback(self._url) or (self._model is not None and is_cloud_name(self._model)):
            return True
        return (
            self._allow_remote
            and self._model is not None
            and any(model.remote and _same(model.name, self._model) for model in self._installed.get() or ())
        )

    def ready(self) -> Ready:
        """OLLAMA_MODEL when it is installed; without one the loaded model, else the first installed."""
        if not self._allow_remote and not is_loopback(self._url):
            raise ModelError(FailureKind.PRIVACY, f"OLLAMA_HOST {self._url} is not on this machine")
        if not self._allow_remote and self._model and is_cloud_name(self._model):
            raise ModelError(FailureKind.PRIVACY, f"the Ollama model {self._model!r} runs on a remote server")
        models = self._installed.get()
        if models is None:
            raise ModelError(FailureKind.UNREACHABLE, f"no Ollama answers at {self._url}")
        return Ready(self._chosen(models).name, NUM_CTX)

    def complete(self, prompt: Prompt, call: Call) -> Reply:
        """One chat; raises ModelError."""
        model = self.ready().model
        try:
            return run_call(lambda line: self._complete(model, prompt, call, line), call)
        except ModelError as error:
            if error.kind in (FailureKind.UNREACHABLE, FailureKind.NO_MODEL):
                self._installed.forget()
            raise

    def _chosen(self, models: tuple[OllamaModel, ...]) -> OllamaModel:
        if self._model is None:
            here = [model for model in models if model.chats and not model.remote]
            if not here:
                raise ModelError(FailureKind.NO_MODEL, "Ollama has no model of its own installed")
            return next((model for model in here if model.loaded), here[0])
        found = next((model for model in models if _same(model.name, self._model)), None)
        if found is None:
            raise ModelError(FailureKind.NO_MODEL, f"Ollama has no model {self._model!r}: `ollama pull {self._model}`")
        if found.remote and not self._allow_remote:
            raise ModelError(FailureKind.PRIVACY, f"the Ollama model {self._model!r} runs on a remote server")
        return found

    def vectors(self, texts: Sequence[str], call: Call) -> list[list[float]]:
        """One embedding per text as the server gave it; raises ModelError."""
        model = self.ready().model
        try:
            return run_call(lambda line: self._embed(model, texts, call, line), call)
        except ModelError as error:
            if error.kind in (FailureKind.UNREACHABLE, FailureKind.NO_MODEL):
                self._installed.forget()
            raise

    def _embed(self, model: str, texts: Sequence[str], call: Call, line: Line) -> list[list[float]]:
        with self._client(model, call, line) as client:
            reply = client.embed(model=model, input=list(texts), keep_alive=KEEP_ALIVE)
            return [list(vector) for vector in reply.embeddings]

    def _complete(self, model: str, prompt: Prompt, call: Call, line: Line) -> Reply:
        with self._client(model, call, line) as client:
            parts = client.chat(
                model=model,
                messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
                stream=True,
                think=False,
                options={"num_ctx": NUM_CTX, "num_predict": prompt.max_tokens, "temperature": TEMPERATURE},
                keep_alive=KEEP_ALIVE,
            )
            return _reply(parts, model, prompt, call)

    @contextmanager
    def _client(self, model: str, call: Call, line: Line) -> Iterator[ollama.Client]:
        """A client for one call; what goes wrong with it becomes a ModelError."""
        import httpx  # ollama's own transport; both 0.6 s, only when a model is really asked
        import ollama

        client = ollama.Client(
            host=self._url,
            timeout=httpx.Timeout(call.deadline_s, connect=min(CONNECT_S, call.deadline_s)),
            follow_redirects=False,
            trust_env=False,  # a proxy would carry off what is meant for this machine
            event_hooks={"request": [line.watch]},
        )
        try:
            yield client
        except ollama.ResponseError as error:
            raise _response_error(error.status_code, model) from error
        except (ConnectionError, httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise ModelError(FailureKind.UNREACHABLE, f"no Ollama answers at {self._url}") from error
        except httpx.TimeoutException as error:
            raise ModelError(FailureKind.TIMEOUT, "Ollama did not answer in time") from error
        except httpx.HTTPError as error:
            raise ModelError(FailureKind.CUT, f"Ollama broke the connection ({type(error).__name__})") from error
        except (ValueError, TypeError, AttributeError) as error:  # JSON, and pydantic's errors
            raise ModelError(FailureKind.MALFORMED, "Ollama's reply cannot be read") from error


def is_cloud_name(model: str) -> bool:
    """Whether a model name is one of Ollama's cloud models: `name:cloud`, `name:120b-cloud`."""
    tag = model.strip().lower().rpartition(":")[2]
    return tag == "cloud" or tag.endswith("-cloud")


def _reply(parts: Any, model: str, prompt: Prompt, call: Call) -> Reply:
    pieces: list[str] = []
    last: Any = None
    for last in parts:
        pieces.append(last.message.content or "")
        call.progress(sum(map(len, pieces)))
    text = without_thoughts("".join(pieces))
    if not text:
        raise ModelError(FailureKind.BLANK, "the model answered with nothing")
    warnings: tuple[str, ...] = ()
    counted, written = last.prompt_eval_count, last.eval_count
    if counted and _was_cut(counted, written or 0, prompt):
        warnings += (f"Ollama read only {counted} tokens of the prompt: its beginning was cut",)
    if last.done_reason == "length":
        warnings += ("the model's answer was cut at its length limit",)
    if not last.done:
        warnings += ("the model's answer broke off",)
    # Older servers leave the prompt's count out when it was cached: unknown, not none.
    usage = TokenUse(prompt=counted or None, completion=written)
    return Reply(text, last.model or model, usage, not last.done, warnings)


def _was_cut(counted: int, written: int, prompt: Prompt) -> bool:
    chars = len(prompt.system) + len(prompt.user)
    return counted + written >= NUM_CTX or counted * MOST_CHARS_PER_TOKEN < chars


def _response_error(status: int, model: str) -> ModelError:
    if status == 404:
        return ModelError(FailureKind.NO_MODEL, f"Ollama has no model {model!r}: `ollama pull {model}`")
    if status == 429 or status == 503:
        return ModelError(FailureKind.BUSY, f"Ollama is busy (HTTP {status})")
    if status >= 500 or status < 0:
        return ModelError(FailureKind.SERVER, "Ollama reported a failure of its own")
    return ModelError(FailureKind.REJECTED, f"Ollama refused the request (HTTP {status})")


def _models(url: str) -> tuple[OllamaModel, ...] | None:
    """What is installed and loaded there, or None when no Ollama answers.

    Asked without the client: it takes 0.6 s to import, and leaves out where a model runs.
    """
    if not listens(url):
        return None
    import http.client  # only when somebody listens

    try:
        installed = _get(url, "/api/tags")
        running = {str(model.get("name")) for model in _get(url, "/api/ps")}
    except (OSError, http.client.HTTPException, ValueError, TypeError, AttributeError):
        return None
    found = []
    for model in installed:
        name = str(model.get("name") or model.get("model") or "")
        remote = is_cloud_name(name) or bool(model.get("remote_host") or model.get("remote_model"))
        # Models that only embed are of BERT's family; they refuse to chat.
        embeds = "bert" in str((model.get("details") or {}).get("family") or "") or "embed" in name
        found.append(OllamaModel(name, remote, name in running, not embeds))
    return tuple(found)


def _get(url: str, path: str) -> list[dict[str, Any]]:
    import http.client

    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=max(LIST_S, PROBE_S))
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        if response.status != 200:
            raise ValueError(f"{path}: HTTP {response.status}")
        return list(json.loads(response.read()).get("models") or ())
    finally:
        connection.close()


def _same(installed: str, wanted: str) -> bool:
    """Whether names mean one model: `name` is `name:latest`."""
    return installed.removesuffix(":latest") == wanted.removesuffix(":latest")
