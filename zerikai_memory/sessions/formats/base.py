"""What a transcript reader gives, and tolerant access to the JSON of formats that grow with every release."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from zerikai_memory.model_sessions import Role
from zerikai_memory.redact import mask_name
from zerikai_memory.sessions.formats.spent import Spent

Json = dict[str, Any]

# 2100-01-01, UTC.
DATED_BEFORE = 4_102_444_800
# Endings of files that some programs pack; they are told, not read.
PACKED = (".gz", ".zst")
# Ids are UUIDs; what is longer is damage or another's joke.
MAX_ID = 200
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
# Arguments that name what a tool works on, the most telling first.
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+?)\s*$", re.MULTILINE)
_HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)\w+\1")
_TARGETS = """
    file_path filePath path AbsolutePath TargetFile DirectoryPath SearchPath notebook_path filename uri command
    CommandLine cmd pattern query Query url Url regex description prompt input
""".split()


@dataclass(frozen=True, slots=True)
class Said:
    """One message of a transcript, as written there.

    `identity` is what copies of the message share (message id and request id); empty: time and text tell. `entry` is
    its node in a tree, or the id of a tool call. `channel` is set where a format writes each text into two channels.
    """

    role: Role
    text: str
    at: float | None = None
    identity: str = ""
    entry: str = ""
    channel: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """What one line says: messages, tokens, facts about the session, its node in the tree; `known` false: a new kind.

    `model` is the one that answers from here on. `born`: when the session was made. `asked`: something was put to the
    agent, so that another response begins. `bad`: a line that is damaged. `chosen`: a person gave the title.
    """

    said: tuple[Said, ...] = ()
    session_id: str | None = None
    cwd: str | None = None
    title: str | None = None
    forked_from: str | None = None
    entry: str = ""
    parent: str = ""
    known: bool = True
    spent: tuple[Spent, ...] = ()
    model: str = ""
    born: float | None = None
    asked: bool = False
    bad: bool = False
    chosen: bool = False


UNKNOWN = Line(known=False)
NOTHING = Line()
DAMAGED = Line(bad=True)
# Told of what cannot be looked into.
Trouble = Callable[[OSError], None]


@dataclass(frozen=True, slots=True)
class Format:
    """A transcript format as data.

    `read` turns a parsed line into a Line and raises ValueError, TypeError, KeyError or AttributeError for one that
    is damaged. `read_whole` stands for it where a file must be read as one. `find` lists where transcripts of a folder
    are, or may be.
    `session_per_line`: a file may hold lines of several sessions. `local_identity`: identities are unique only within
    a session. `tree`: the last entry's ancestors are the live ones. `retells`: a fork writes what its origin said anew,
    with times of its own.
    """

    name: str
    find: Callable[[Path, Trouble], Iterator[str]]
    session_id: Callable[[Path], str]
    read: Callable[[Json], Line] = lambda record: UNKNOWN
    read_whole: Callable[[Path], Iterator[Line]] | None = None
    session_per_line: bool = False
    local_identity: bool = False
    tree: bool = False
    retells: bool = False


def blocks(content: Any) -> Iterator[Json]:
    """Content as blocks: a text is one text block; what is no block is left out. Raises TypeError for other shapes."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for item in content:
            if isinstance(item, dict):
                yield item
            elif isinstance(item, str):
                yield {"type": "text", "text": item}
    elif content is not None:
        raise TypeError(f"content is {type(content).__name__}")


def block_text(content: Any, kinds: tuple[str, ...] = ("text",)) -> str:
    """The texts of all blocks of these kinds; a picture or file becomes a mark with its size."""
    parts = []
    for block in blocks(content):
        kind = block.get("type")
        if kind in kinds and isinstance(block.get("text"), str):
            parts.append(block["text"])
        elif kind in ("image", "document", "input_image", "input_file", "file"):
            parts.append(_attachment(block))
    return "\n".join(part for part in parts if part)


def text_field(record: Json, *names: str) -> str:
    """The first of these fields that holds text, else an empty text."""
    return next((value for name in names if isinstance(value := record.get(name), str) and value), "")


def seconds(value: Any) -> float | None:
    """A time as seconds since the epoch: ISO text, or a number of seconds to nanoseconds; None for anything else.

    What lies outside of 1970 to 2099 is no time of a session: such a line has no date.
    """
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            amount = value / next((unit for unit in (1, 1e3, 1e6) if value / unit <= 1e11), 1e9)
        elif isinstance(value, str):
            moment = datetime.fromisoformat(value)
            amount = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        else:
            return None
    except (ValueError, OverflowError):
        return None
    return amount if 0 < amount < DATED_BEFORE else None


def tool_text(name: Any, arguments: Any) -> str:
    """`name: target` of a tool call; arguments may be JSON text. Of a patch the files it changes are the target."""
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            arguments = {"input": arguments}
    target = ""
    if isinstance(arguments, dict):
        target = next((_flat(arguments[key]) for key in _TARGETS if arguments.get(key)), "")
    elif arguments:
        target = _flat(arguments)
    target = _without_content(target)
    return f"{name}: {target}" if target else str(name)


def _without_content(target: str) -> str:
    """A command without the text that it writes: the files of a patch, a here-document up to its mark."""
    if "*** Begin Patch" in target:
        return " ".join(dict.fromkeys(_PATCHED.findall(target))) or "patch"
    if found := _HERE_DOCUMENT.search(target):
        return target[: found.end()]
    return target


def files_below(folder: Path, trouble: Trouble, *endings: str) -> Iterator[str]:
    """Files under a folder with one of these endings, in order of their paths; linked folders once, also in circles."""
    seen: set[tuple[int, int]] = set()
    for root, folders, names in os.walk(folder, onerror=trouble, followlinks=True):
        try:
            status = os.stat(root)  # noqa: PTH116 -- half the time of a Path, before every search
        except OSError as error:
            trouble(error)
            continue
        if (status.st_dev, status.st_ino) in seen:
            folders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        folders.sort()
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(root, name)  # noqa: PTH118 -- as above


def entries(folder: str | Path, trouble: Trouble) -> list[str]:
    """The paths of what lies in a folder, in order; none where there is no folder."""
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]  # noqa: PTH118, PTH208 -- as above
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        trouble(error)
        return []


def jsonl_below(folder: Path, trouble: Trouble) -> Iterator[str]:
    """Every JSONL file under a folder, in order of their paths, packed ones too."""
    return files_below(folder, trouble, ".jsonl", *(f".jsonl{ending}" for ending in PACKED))


@lru_cache(maxsize=4_096)  # most lines repeat those of the line before
def plain_id(text: str) -> str:
    """An id as it can be stored, compared and shown: no control characters, no secret, a long one cut with a hash."""
    clean = mask_name(_UNPRINTABLE.sub("\ufffd", text).strip())
    if len(clean) <= MAX_ID:
        return clean
    return f"{clean[: MAX_ID - 14]}~{hashlib.blake2b(text.encode('utf-8', 'replace'), digest_size=6).hexdigest()}"


def _flat(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""


def _attachment(block: Json) -> str:
    source = block.get("source") if isinstance(block.get("source"), dict) else block
    assert isinstance(source, dict)
    value = text_field(source, "data", "image_url", "file_data", "url")
    kind = text_field(source, "media_type", "mimeType", "mime_type") or str(block.get("type"))
    return f"[{kind}, {len(value)} characters]"
