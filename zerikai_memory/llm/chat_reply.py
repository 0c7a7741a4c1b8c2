"""Read a chat completion, streamed or whole, into a Reply: whatever a server sends, the result is one or a ModelError.

Usage as DeepSeek sends it (`prompt_cache_hit_tokens`) and as OpenAI does (`prompt_tokens_details.cached_tokens`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from zerikai_memory.llm.base import FailureKind, ModelError, Reply, TokenUse

_THOUGHTS = re.compile(r"^\s*<think>.*?</think>\s*", re.DOTALL)
_FAILED_ENDS = {
    "content_filter": FailureKind.FILTERED,
    "insufficient_system_resource": FailureKind.SERVER,
}


def reply_of_json(text: str, asked: str) -> Reply:
    """The reply of a whole completion; `asked` is the model that was requested."""
    value = _json(text)
    if not isinstance(value, dict):
        raise _malformed_error("no object")
    return _reply([value], asked, "message", lambda _: None)


def reply_of_events(lines: Iterable[str], asked: str, progress: Callable[[int], None]) -> Reply:
    """The reply of a stream of server-sent events; comments (signs of life) are passed over."""
    return _reply(_events(lines), asked, "delta", progress)


def usage_of(value: Any) -> tuple[TokenUse, tuple[str, ...]]:
    """Counted tokens and what is odd about them; a count that is missing or no number is None."""
    if not isinstance(value, dict):
        return TokenUse(), ()
    prompt, completion = _count(value.get("prompt_tokens")), _count(value.get("completion_tokens"))
    hit, miss = _count(value.get("prompt_cache_hit_tokens")), _count(value.get("prompt_cache_miss_tokens"))
    cached = hit if hit is not None else _count(_inner(value, "prompt_tokens_details", "cached_tokens"))
    reasoning = _count(_inner(value, "completion_tokens_details", "reasoning_tokens"))
    warnings = []
    if prompt is not None and hit is not None and miss is not None and hit + miss != prompt:
        warnings.append(f"the server counts {hit} cached + {miss} other tokens but {prompt} in all")
    if prompt is not None and cached is not None and cached > prompt:
        cached = prompt
    if reasoning:
        warnings.append(f"the model spent {reasoning} tokens on hidden reasoning although it is switched off")
    return TokenUse(prompt, cached, completion, reasoning), tuple(warnings)


def without_thoughts(text: str) -> str:
    """An answer without the thinking that some local models write in front of it."""
    return _THOUGHTS.sub("", text).strip()


def _events(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    for line in lines:
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            yield {"done": True}
            return
        value = _json(data)
        if not isinstance(value, dict):
            raise _malformed_error("an event that is no object")
        yield value


def _reply(chunks: Iterable[dict[str, Any]], asked: str, part: str, progress: Callable[[int], None]) -> Reply:
    pieces: list[str] = []
    finish, model, usage, ended, seen = None, asked, None, False, False
    for chunk in chunks:
        if chunk.get("done") is True and len(chunk) == 1:
            ended = True
            break
        if chunk.get("error"):
            raise ModelError(FailureKind.SERVER, "the server reported an error in its answer")
        model = chunk["model"] if isinstance(chunk.get("model"), str) and chunk["model"] else model
        usage = chunk["usage"] if isinstance(chunk.get("usage"), dict) else usage
        choice = _first_choice(chunk)
        if choice is None:
            continue
        seen = True
        message = choice.get(part)
        text = message.get("content") if isinstance(message, dict) else None
        if isinstance(text, str):
            pieces.append(text)
            progress(sum(map(len, pieces)))
        elif text is not None:
            raise _malformed_error("content that is no text")
        finish = choice.get("finish_reason") or finish
    if not seen:
        raise _malformed_error("no choices")
    return _finished("".join(pieces), finish, model, usage, ended=ended)


def _finished(text: str, finish: Any, model: str, usage: Any, *, ended: bool) -> Reply:
    if finish in _FAILED_ENDS:
        raise ModelError(_FAILED_ENDS[finish], f"the model stopped: {finish}")
    text = without_thoughts(text)
    if not text:
        raise ModelError(FailureKind.BLANK, "the model answered with nothing")
    use, warnings = usage_of(usage)
    if finish == "length":
        warnings += ("the model's answer was cut at its length limit",)
    partial = finish is None and not ended  # a stream may end cleanly in the middle of the text
    if partial:
        warnings += ("the model's answer broke off",)
    return Reply(text, model, use, partial, warnings)


def _first_choice(chunk: dict[str, Any]) -> dict[str, Any] | None:
    """Choice 0 of a chunk, None where it has none (the chunk with the usage)."""
    choices = chunk.get("choices")
    if choices is None or choices == []:
        return None
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise _malformed_error("choices of a wrong type")
    return next((c for c in choices if isinstance(c, dict) and c.get("index", 0) == 0), None)


def _inner(value: dict[str, Any], outer: str, name: str) -> Any:
    details = value.get(outer)
    return details.get(name) if isinstance(details, dict) else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _malformed_error("no JSON") from error


def _malformed_error(what: str) -> ModelError:
    return ModelError(FailureKind.MALFORMED, f"the server's reply cannot be read ({what})")
