"""What a model back end takes, gives and how it fails; and the hook that books every attempt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol

from zerikai_memory.errors import ZerikaiError


class FailureKind(StrEnum):
    """Why a model gave no usable answer."""

    UNREACHABLE = "unreachable"  # refused connection, DNS, TLS: nothing was billed
    TIMEOUT = "timeout"  # no answer within our own time: may have been billed
    CANCELLED = "cancelled"
    KEY = "key"
    BALANCE = "balance"
    BUSY = "busy"
    SERVER = "server"
    REJECTED = "rejected"
    TOO_LONG = "too long"
    NO_MODEL = "no model"
    MALFORMED = "malformed"
    CUT = "cut"  # the connection broke in the middle of the answer
    BLANK = "blank"
    FILTERED = "filtered"
    PRIVACY = "privacy"
    BUDGET = "budget"


# Nothing was billed and a second try a moment later may well succeed.
RETRYABLE = frozenset({FailureKind.UNREACHABLE, FailureKind.BUSY, FailureKind.SERVER})
# The same call would fail again, after a long wait or for minutes: the back end is left alone for so long.
PAUSE_S = {
    FailureKind.BALANCE: 600.0,
    FailureKind.KEY: 600.0,
    FailureKind.TIMEOUT: 60.0,
    FailureKind.UNREACHABLE: 30.0,
    FailureKind.BUSY: 30.0,
}


# What may be asked in the place of a model that a budget held back: nothing, what is on this machine, what comes next.
Instead = Literal["nothing", "local", "next"]


@dataclass(frozen=True, slots=True)
class TokenUse:
    """Tokens of one attempt as the server counted them; None means that it did not say.

    `cached` is the part of `prompt` that was read from the server's cache; `reasoning` is part of `completion`;
    `tool_calls` ran on the server. `raw` is the server's own JSON; `doubtful`: its counts contradict each other.
    """

    prompt: int | None = None
    cached: int | None = None
    completion: int | None = None
    reasoning: int | None = None
    tool_calls: int | None = None
    raw: str = field(default="", compare=False, repr=False)
    doubtful: bool = field(default=False, compare=False)


class ModelError(ZerikaiError):
    """A model call that failed; the message is a part of a sentence that may be shown, and holds no key.

    `retry_after_s` is what the server asked for; `window_tokens` the window it named when the prompt was too long,
    and `prompt_tokens` how long it found it. `usage` is what the server counted for a useless answer, `begun` that it
    had begun to answer: either may be billed. `instead`: what may be asked in its place.
    """

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        retry_after_s: float | None = None,
        window_tokens: int | None = None,
        prompt_tokens: int | None = None,
        usage: TokenUse | None = None,
        begun: bool = False,
        instead: Instead = "next",
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s
        self.window_tokens = window_tokens
        self.prompt_tokens = prompt_tokens
        self.usage = usage
        self.begun = begun
        self.instead = instead


@dataclass(frozen=True, slots=True)
class Prompt:
    """One request: `system` is the same bytes for every question on one brief; temperature is fixed by the back end."""

    system: str
    user: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer. `model` is the name the server answered with; `partial`: the stream ended without an end.

    `provider_id` is the server's own name of the answer, empty where it gives none; `text_tokens` our estimate of all
    that it wrote, hidden thoughts too.
    """

    text: str
    model: str
    usage: TokenUse
    partial: bool = False
    warnings: tuple[str, ...] = ()
    provider_id: str = ""
    text_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """How long and how visibly a call may run: seconds in all, whether to stop, and a sign of life per piece of text.

    `progress` gets the number of characters that have arrived.
    """

    deadline_s: float
    cancelled: Callable[[], bool] = lambda: False
    progress: Callable[[int], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Ready:
    """A back end that can be asked now: the model it would use and the tokens that fit into prompt and answer."""

    model: str
    window_tokens: int


class Backend(Protocol):
    """A model server. `remote`: what is sent to it leaves this machine."""

    @property
    def name(self) -> str:
        """Short name shown in the route: ollama, deepseek, openai_compat."""

    @property
    def remote(self) -> bool:
        """Whether a request leaves this machine."""

    def ready(self) -> Ready:
        """The model that would answer; cheap. Raises ModelError when the back end cannot be asked."""

    def complete(self, prompt: Prompt, call: Call) -> Reply:
        """One attempt, no retry; raises ModelError, also when `call` ends it."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt about to be sent: what a meter books before the call.

    `prompt_tokens` and `max_tokens` are the worst case of each side; `prefix_hash` is the same for equal system
    messages, which a server can read from its cache.
    """

    request_id: str
    number: int
    operation: str
    workspace_id: str
    backend: str
    model: str
    remote: bool
    prompt_tokens: int
    max_tokens: int
    started_at: float
    prefix_hash: str = ""


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """How an attempt ended: `status` ok, partial, failed or unknown (perhaps billed).

    A failed attempt is billed where `usage` has counts, else not. `text_tokens` is our estimate of the text that
    arrived, for a server that does not count; `duration_s` is measured without the clock of the day.
    """

    status: str
    usage: TokenUse
    model: str
    ended_at: float
    failure: FailureKind | None = None
    provider_id: str = ""
    text_tokens: int | None = None
    duration_s: float = 0.0


class AttemptLog(Protocol):
    """Books every attempt. `started` may raise ModelError(BUDGET), which stops the call before it is sent."""

    def started(self, attempt: Attempt) -> None:
        """Called before the attempt is sent."""

    def ended(self, attempt: Attempt, end: AttemptEnd) -> None:
        """Called once when it has ended, well or not."""


def cautious_tokens(text: str) -> int:
    """Tokens that a text may have, estimated high: three bytes each (code and other scripts split finely)."""
    return -(-len(text.encode("utf-8", "replace")) // 3)
