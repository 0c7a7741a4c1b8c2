"""Ask a back end, once more where nothing was billed, inside one wall-clock deadline; every attempt is booked."""

from __future__ import annotations

import hashlib
import random
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace

from zerikai_memory.llm.base import (
    RETRYABLE,
    Attempt,
    AttemptEnd,
    AttemptLog,
    Backend,
    Call,
    FailureKind,
    ModelError,
    Prompt,
    Ready,
    Reply,
    TokenUse,
    cautious_tokens,
)

TRIES = 2
PAUSE_BEFORE_RETRY_S = 0.5
# A server that asks for more than this is not waited for: citations alone answer at once.
MOST_PAUSE_S = 10.0
# After these the server may have worked, and billed, all the same.
_PERHAPS_BILLED = frozenset(
    {
        FailureKind.TIMEOUT,
        FailureKind.CANCELLED,
        FailureKind.CUT,
        FailureKind.MALFORMED,
        FailureKind.BLANK,
        FailureKind.FILTERED,
    }
)
# What a server adds to the two messages of a prompt: marks of role and request.
FRAME_TOKENS = 32


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a request is for, as it is booked."""

    operation: str
    workspace_id: str
    log: AttemptLog


def ask_model(
    backend: Backend,
    ready: Ready,
    prompt: Prompt,
    call: Call,
    purpose: Purpose,
    sleep: Callable[[float], None] = time.sleep,
) -> Reply:
    """The reply of at most two attempts; raises the last ModelError."""
    request_id = str(uuid.uuid4())
    end = time.monotonic() + call.deadline_s
    for number in range(1, TRIES + 1):
        left = replace(call, deadline_s=max(end - time.monotonic(), 0.1))
        try:
            return _attempt(backend, ready, prompt, left, purpose, request_id, number)
        except ModelError as error:
            pause = _pause(error)
            # A second try is only for what was not billed: not when the answer had begun, or was counted.
            last = number == TRIES or error.kind not in RETRYABLE or error.begun or error.usage is not None
            if last or pause > MOST_PAUSE_S or time.monotonic() + pause >= end:
                raise
            _wait(pause, call, sleep)
    raise AssertionError("the last try returns or raises")


def _attempt(
    backend: Backend, ready: Ready, prompt: Prompt, call: Call, purpose: Purpose, request_id: str, number: int
) -> Reply:
    attempt = Attempt(
        request_id=request_id,
        number=number,
        operation=purpose.operation,
        workspace_id=purpose.workspace_id,
        backend=backend.name,
        model=ready.model,
        remote=backend.remote,
        prompt_tokens=cautious_tokens(prompt.system) + cautious_tokens(prompt.user) + FRAME_TOKENS,
        max_tokens=prompt.max_tokens,
        started_at=time.time(),
        prefix_hash=hashlib.sha256(prompt.system.encode("utf-8", "replace")).hexdigest()[:16],
    )
    purpose.log.started(attempt)
    begun = time.monotonic()
    end = AttemptEnd("unknown", TokenUse(), ready.model, 0.0)  # what a bug of ours leaves behind
    try:
        reply = backend.complete(prompt, call)
        end = _end_of(reply)
        return reply
    except ModelError as error:
        end = AttemptEnd(_status(error), error.usage or TokenUse(), ready.model, 0.0, error.kind)
        raise
    finally:
        purpose.log.ended(attempt, replace(end, ended_at=time.time(), duration_s=time.monotonic() - begun))


def _end_of(reply: Reply) -> AttemptEnd:
    status = "partial" if reply.partial else "ok"
    written = cautious_tokens(reply.text) if reply.text_tokens is None else reply.text_tokens
    return AttemptEnd(status, reply.usage, reply.model, 0.0, None, reply.provider_id, written)


def _status(error: ModelError) -> str:
    if error.usage is not None and error.usage.prompt is not None:
        return "failed"  # and billed as it was counted
    return "unknown" if error.begun or error.kind in _PERHAPS_BILLED else "failed"


def _pause(error: ModelError) -> float:
    if error.retry_after_s is not None:
        return error.retry_after_s
    return PAUSE_BEFORE_RETRY_S * (1 + random.random())  # windows that failed together do not return together


def _wait(seconds: float, call: Call, sleep: Callable[[float], None]) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if call.cancelled():
            raise ModelError(FailureKind.CANCELLED, "the call was cancelled")
        sleep(min(left, 0.1))
