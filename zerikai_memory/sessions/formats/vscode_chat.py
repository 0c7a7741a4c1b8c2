"""Copilot chat in VS Code: a session as one JSON file, or as a log of mutations (.jsonl) that is replayed."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from zerikai_memory.sessions.formats import copilot_cli
from zerikai_memory.sessions.formats.base import (
    DAMAGED,
    Format,
    Json,
    Line,
    Said,
    Trouble,
    entries,
    seconds,
    text_field,
)
from zerikai_memory.sessions.formats.spent import Spent, Tokens, count

# A JSON file stands in memory as a whole, a log line by line; what is larger is named as skipped or passed over.
MAX_JSON_BYTES = 64_000_000
# Of the result of a request these are kept.
_COUNTED = "usage promptTokens completionTokens outputTokens resolvedModel".split()
# Of what a session holds these fill the memory and say nothing: results of tools, attached files, code references.
_DROPPED = frozenset("variableData contentReferences codeCitations followups resultDetails parts".split())
_DRIVE = re.compile(r"/[A-Za-z]:(?:/|$)")
_BLANK = b"\0 \t\r\n"
_SET_ALL, _SET, _PUSH, _DELETE = range(4)


def read_whole(path: Path) -> Iterator[Line]:
    """The lines of a session file; raises ValueError when it is too large or holds no session."""
    if path.parent.name == "transcripts":
        yield from _events(path)
        return
    session, damaged = _replay(path) if path.suffix == ".jsonl" else (_document(path), 0)
    yield from [DAMAGED] * damaged
    if not isinstance(session, dict):
        raise ValueError("the file holds no session")
    requests = session.get("requests")
    yield Line(
        session_id=text_field(session, "sessionId") or None,
        title=text_field(session, "customTitle") or None,
        cwd=_local(text_field(session, "workingDirectory")) or _folder(path),
    )
    for request in requests if isinstance(requests, list) else ():
        if isinstance(request, dict):
            one = _identity(request, text_field(session, "sessionId") or path.stem)
            yield Line(said=tuple(_request(request, one)), spent=tuple(_spent(request, one)))
        else:
            yield Line(known=False)


def _events(path: Path) -> Iterator[Line]:
    """Newer builds also write the events of the Copilot CLI."""
    yield Line(cwd=_folder(path))
    for record in _records(path):
        try:
            yield DAMAGED if record is None else copilot_cli.read(record)
        except (ValueError, TypeError, KeyError, AttributeError):
            yield DAMAGED


def _records(path: Path) -> Iterator[Json | None]:
    """The objects of the lines, None for a damaged one; a last line that is not ended yet may still be written."""
    with path.open("rb") as file:
        while raw := file.readline(MAX_JSON_BYTES):
            if not raw.strip(_BLANK):
                continue
            try:
                record = _parsed(raw)
            except (ValueError, RecursionError):
                record = None
            if isinstance(record, dict):
                yield record
            elif raw.endswith(b"\n") or len(raw) == MAX_JSON_BYTES:
                yield None


def _parsed(raw: bytes) -> Any:
    text = raw.strip(_BLANK).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    return json.loads(text, object_hook=_slim)


def _document(path: Path) -> Any:
    size = path.stat().st_size
    if size > MAX_JSON_BYTES:
        raise ValueError(f"{size} bytes, more than {MAX_JSON_BYTES}")
    return _parsed(path.read_bytes())


def _slim(record: Json) -> Json:
    kept = {key: value for key, value in record.items() if key not in _DROPPED}
    if "result" in kept:
        kept["result"] = _counted(kept["result"])
    if "toolSpecificData" in kept:
        kept["toolSpecificData"] = _command(kept["toolSpecificData"])
    return kept


def _command(data: Any) -> str:
    """The command line of a terminal tool; its output and other tools' data would fill the memory."""
    line = data.get("commandLine", data.get("command")) if isinstance(data, dict) else None
    return text_field(line, "userEdited", "toolEdited", "original") if isinstance(line, dict) else str(line or "")


def _counted(result: Any) -> Json:
    """What the result of a request says of its tokens; its texts and tool results would fill the memory."""
    if not isinstance(result, dict):
        return {}
    metadata = result.get("metadata")
    both = {**(metadata if isinstance(metadata, dict) else {}), **result}
    return {name: both[name] for name in _COUNTED if name in both}


def _replay(path: Path) -> tuple[Any, int]:
    """The session as its log leaves it, and how many lines of the log are damaged or change what is not there."""
    session: Any = None
    damaged = 0
    for record in _records(path):
        if record is None:
            damaged += 1
            continue
        kind, keys, value = record.get("kind"), record.get("k"), record.get("v")
        if kind == _SET_ALL:
            session = value
        elif isinstance(keys, list) and keys and session is not None:
            try:
                _mutate(session, kind, keys, value, record.get("i"))
            except (KeyError, IndexError, TypeError, AttributeError, ValueError, OverflowError):
                damaged += 1  # its target was in a line that is damaged
    return session, damaged


def _mutate(session: Any, kind: Any, keys: list[Any], value: Any, cut: Any) -> None:
    if _DROPPED.intersection(key for key in keys if isinstance(key, str)) or "result" in keys[:-1]:
        return
    if "toolSpecificData" in keys[:-1]:
        return
    if keys[-1] == "result":
        value = _counted(value)
    elif keys[-1] == "toolSpecificData":
        value = _command(value)
    target = session
    for key in keys[:-1]:
        target = target[key]
    last = keys[-1]
    if kind == _SET:
        if isinstance(target, list) and last == len(target):
            target.append(value)
        else:
            target[last] = value
    elif kind == _PUSH:
        items = target.setdefault(last, []) if isinstance(target, dict) else target[last]
        if isinstance(cut, int):
            del items[cut:]
        items.extend(value or ())
    elif kind == _DELETE:
        del target[last]


def _identity(request: Json, session: str) -> str:
    """What copies of a request share. Early builds counted requests anew in every window, so its time belongs to it."""
    one, at = text_field(request, "requestId"), seconds(request.get("timestamp"))
    return one and (f"{one}@{at!r}" if at is not None else f"{session}/{one}")


def _request(request: Json, one: str) -> Iterator[Said]:
    at = seconds(request.get("timestamp"))
    message = request.get("message")
    asked = text_field(message, "text") if isinstance(message, dict) else message if isinstance(message, str) else ""
    if asked and not request.get("isSystemInitiated"):
        yield Said("user", asked, at, one and f"{one}/user")
    answer: list[str] = []
    response = request.get("response")
    for number, part in enumerate(response if isinstance(response, list) else ()):
        if not isinstance(part, dict):
            continue
        if part.get("kind") in (None, "markdownContent", "markdownVuln"):
            answer.append(_markdown(part.get("value", part.get("content"))))
        elif part.get("kind") == "inlineReference":
            answer.append(_reference(part))
        elif part.get("kind") == "toolInvocationSerialized":
            command = text_field(part, "toolSpecificData")
            said = command or _markdown(part.get("pastTenseMessage") or part.get("invocationMessage"))
            name = text_field(part, "toolId") or "tool"
            yield Said("tool", f"{name}: {said}" if said else name, at, one and f"{one}/call-{number}")
    if text := "".join(answer).strip():
        yield Said("assistant", text, at, one and f"{one}/assistant")


def _spent(request: Json, one: str) -> Iterator[Spent]:
    """The tokens of a request, where this build tells them; what a cache saved is in no build."""
    result = request.get("result")
    result = result if isinstance(result, dict) else {}
    usage = result.get("usage")
    told = {**(usage if isinstance(usage, dict) else {}), **result, **request}
    tokens = Tokens(input=count(told, "promptTokens"), output=count(told, "completionTokens", "outputTokens"))
    model = text_field(result, "resolvedModel") or text_field(request, "modelId").removeprefix("copilot/")
    if not tokens.empty:
        at = seconds(request.get("timestamp"))
        yield Spent(tokens, at=at, identity=one, model=model)


def _markdown(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("value")
    return value if isinstance(value, str) else ""


def _reference(part: Json) -> str:
    """What a link within a sentence shows: a name, or a file's."""
    target = part.get("inlineReference")
    if not isinstance(target, dict):
        return ""
    uri = target.get("uri")
    file = text_field(uri if isinstance(uri, dict) else target, "path", "fsPath")
    return text_field(part, "name") or text_field(target, "name") or re.split(r"[/\\]", file)[-1]


def _local(uri: str) -> str | None:
    """The folder that a URI names, as its own system writes it."""
    path = unquote(urlsplit(uri).path) if uri else ""
    return (path[1:] if _DRIVE.match(path) else path) or None


def _folder(path: Path) -> str | None:
    """The project folder that `workspace.json` of the storage names."""
    for storage in path.parents[1:3]:
        try:
            record = json.loads((storage / "workspace.json").read_bytes())
        except (OSError, ValueError):
            continue
        return _local(text_field(record, "folder", "workspace") if isinstance(record, dict) else "")
    return None


def _find(folder: Path, trouble: Trouble) -> Iterator[str]:
    """Sessions below a `User` folder, each once: the log before the JSON file, both before the newer transcripts."""
    storages = entries(f"{folder}{os.sep}workspaceStorage", trouble)
    chats = [f"{storage}{os.sep}chatSessions" for storage in storages]
    newer = [f"{storage}{os.sep}GitHub.copilot-chat{os.sep}transcripts" for storage in storages]
    chats.append(f"{folder}{os.sep}globalStorage{os.sep}emptyWindowChatSessions")
    listed = {place: entries(place, trouble) for place in (*newer, *chats)}
    found: dict[str, str] = {}
    for places, ending in ((newer, ".jsonl"), (chats, ".json"), (chats, ".jsonl")):
        for place in places:
            found |= {Path(path).stem: path for path in listed[place] if path.endswith(ending)}
    yield from sorted(found.values())


VSCODE_CHAT = Format(name="vscode-chat", find=_find, session_id=lambda path: path.stem, read_whole=read_whole)
