"""Read a chat completion, streamed or whole: whatever a server sends, the result is a Reply or a ModelError."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from zerikai_memory.llm.base import FailureKind, ModelError, Reply, cautious_tokens
from zerikai_memory.llm.token_counts import usage_of

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


@dataclass(slots=True)
class _Collected:
    """What the chunks of one completion have said so far."""

    model: str
    id: str = ""
    pieces: list[str] = field(default_factory=list)
    finish: Any = None
    usage: Any = None
    seen: bool = False
    ended: bool = False

    def add(self, chunk: dict[str, Any], part: str) -> bool:
        """Take a chunk in; returns whether it brought a piece of text, be it an empty one."""
        for name in ("model", "id"):
            if isinstance(value := chunk.get(name), str) and value:
                setattr(self, name, value)
        if isinstance(chunk.get("usage"), dict) and chunk["usage"]:
            self.usage = chunk["usage"]  # where every chunk counts, the last one counts all
        if chunk.get("error"):
            raise self.failed(FailureKind.SERVER, "the server reported an error in its answer")
        choice = _first_choice(chunk)
        if choice is None:
            return False
        self.seen = True
        message = choice.get(part)
        text = message.get("content") if isinstance(message, dict) else None
        if text is not None and not isinstance(text, str):
            raise _malformed_error("content that is no text")
        self.finish = choice.get("finish_reason") or self.finish
        self.pieces.append(text or "")
        return text is not None

    def failed(self, kind: FailureKind, message: str) -> ModelError:
        """An error that says what the server counted all the same."""
        use = usage_of(self.usage)[0] if self.usage else None
        return ModelError(kind, message, usage=use, begun=self.seen)


def _reply(chunks: Iterable[dict[str, Any]], asked: str, part: str, progress: Callable[[int], None]) -> Reply:
    found = _Collected(asked)
    for chunk in chunks:
        if chunk.get("done") is True and len(chunk) == 1:
            found.ended = True
            break
        if found.add(chunk, part):
            progress(sum(map(len, found.pieces)))
    if not found.seen:
        raise _malformed_error("no choices")
    return _finished(found)


def _finished(found: _Collected) -> Reply:
    if found.finish in _FAILED_ENDS:
        raise found.failed(_FAILED_ENDS[found.finish], f"the model stopped: {found.finish}")
    whole = "".join(found.pieces)
    text = without_thoughts(whole)
    if not text:
        raise found.failed(FailureKind.BLANK, "the model answered with nothing")
    use, warnings = usage_of(found.usage)
    if found.finish == "length":
        warnings += ("the model's answer was cut at its length limit",)
    partial = found.finish is None and not found.ended  # a stream may end cleanly in the middle of the text
    if partial:
        warnings += ("the model's answer broke off",)
    return Reply(text, found.model, use, partial, warnings, found.id, cautious_tokens(whole))


def _first_choice(chunk: dict[str, Any]) -> dict[str, Any] | None:
    """Choice 0 of a chunk, None where it has none (the chunk with the usage)."""
    choices = chunk.get("choices")
    if choices is None or choices == []:
        return None
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise _malformed_error("choices of a wrong type")
    return next((c for c in choices if isinstance(c, dict) and c.get("index", 0) == 0), None)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _malformed_error("no JSON") from error


def _malformed_error(what: str) -> ModelError:
    return ModelError(FailureKind.MALFORMED, f"the server's reply cannot be read ({what})")
