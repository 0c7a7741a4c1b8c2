"""Exported records read from JSON Lines or Markdown: every line checked, what lacks or differs named with its line.

In Markdown the data of a record stand in a comment; the text around it must say the same, since a person who edits
the file edits that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn, get_args

from zerikai_memory.errors import InputError
from zerikai_memory.memory.notes import SHOWN_CHARS, got
from zerikai_memory.model_notes import EventKind

ANCHOR_FIELDS = ("path", "kind", "qualified_name", "signature", "body_hash")
# 2100-01-01, UTC.
_BEFORE = 4_102_444_800
_COMMENT = re.compile(r"^<!-- zerikai (?P<json>\{.*\}) -->$")
# Our own ids are 12 hexadecimal digits; exports of other making may hold any that can be typed as `note:ID`.
_ID = re.compile(r"[0-9A-Za-z_][0-9A-Za-z_-]{0,63}")
_NOTE_TEXTS = ("session", "agent", "run_id", "detail", "outcome")
_EVENT_TEXTS = ("other_id", "by", "reason", "session", "agent", "run_id")


def record_values(text: str) -> list[dict[str, Any]]:
    """The records of an export, each once; raises InputError with the line of what is none."""
    text = text.lstrip("\ufeff")
    markdown = text.lstrip("\n ").startswith("#")
    lines = text.split("\n")
    found: dict[str, dict[str, Any]] = {}
    comments: list[tuple[int, dict[str, Any]]] = []
    for number, line in enumerate(lines, start=1):
        match = _COMMENT.match(line.strip()) if markdown else None
        raw = match["json"] if match else ("" if markdown else line.strip())
        if not raw:
            continue
        try:
            value = json.loads(raw)
            _check(value)
        except (ValueError, TypeError, RecursionError) as error:
            raise InputError(f"line {number} is no exported record ({error}); nothing was imported") from error
        comments.append((number, value))
        if found.setdefault(value["id"], value) != value:
            raise InputError(f"line {number}: record {value['id']} stood before with other words; nothing was imported")
    if not found:
        raise InputError("there are no exported records in this text; nothing was imported")
    if markdown:
        _check_shown(lines, comments)
    return list(found.values())


def heading(category: str, outcome: str | None, created_at: float, id: str) -> str:
    """The heading of a record in Markdown."""
    date = datetime.fromtimestamp(created_at, UTC).strftime("%Y-%m-%d")
    return "## " + ", ".join(part for part in (category, outcome, date, id) if part)


def shown_text(content: str, detail: str, about: Sequence[str]) -> str:
    """What stands below the comment of a record in Markdown; `about` are the labels of its anchors."""
    told = [f"About: {'; '.join(about)}"] if about else []
    # A text that looks like such a comment is none.
    return "\n\n".join(part for part in (content, detail, *told) if part).replace("<!-- zerikai", "&lt;!-- zerikai")


def anchor_label(anchor: Mapping[str, str]) -> str:
    """An anchor as `Anchor.label` shows it."""
    return anchor["path"] if anchor["kind"] == "module" else f"{anchor['qualified_name']} ({anchor['path']})"


def _check_shown(lines: Sequence[str], comments: Sequence[tuple[int, dict[str, Any]]]) -> None:
    """Refuse Markdown whose visible text is not that of its data: whichever was taken, the other would be lost."""
    starts = [_section_start(lines, number - 1) for number, _ in comments]
    for start, (number, value), end in zip(starts, comments, [*starts[1:], len(lines)], strict=True):
        title = heading(value["category"], value.get("outcome"), value["created_at"], value["id"])
        shown = " ".join(" ".join(lines[number:end]).split())
        expected = " ".join(_shown_data(value).split())
        # What was said of it later stands below, in words of its own.
        rest = shown.removeprefix(expected).strip()
        others = {event.get("other_id") for event in value.get("events", []) if event["kind"] == "supersede"}
        if start < number - 1 and lines[start].split() != title.split():
            _refuse_edited(start + 1, value["id"], lines[start], title)
        if not shown.startswith(expected) or (rest and rest not in {f"Superseded by {other}." for other in others}):
            at = next((i for i in range(number, end) if lines[i].strip()), number - 1)
            _refuse_edited(at + 1, value["id"], *_from_first_difference(shown, expected))


def _shown_data(value: Mapping[str, Any]) -> str:
    anchors = [anchor_label(anchor) for anchor in value.get("anchors", [])]
    return shown_text(value["content"], value.get("detail") or "", anchors)


def _from_first_difference(one: str, other: str) -> tuple[str, str]:
    """Both from a few words before the place in which they differ."""
    same = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    begin = max(0, same - SHOWN_CHARS // 3)
    return one[begin:], other[begin:]


def _refuse_edited(line: int, id: str, shown: str, expected: str) -> NoReturn:
    raise InputError(
        f"line {line}: the text of record {id} was edited: it says {got(shown)}, its data in the comment say "
        f"{got(expected)}; nothing was imported. Put the text back, and save new words with "
        f"`zerikai-memory save TEXT --supersedes {id}`"
    )


def _section_start(lines: Sequence[str], comment: int) -> int:
    """The line (from 0) where the section of a comment begins: its heading, where there is one."""
    above = next((i for i in range(comment - 1, -1, -1) if lines[i].strip()), comment)
    return above if lines[above].startswith("## ") else comment


def _check(value: Any) -> None:
    if not isinstance(value, dict):
        raise TypeError("a JSON object is expected")
    _check_id(_text(value, "id", "the record"), "the record: id")
    _check_moment(value, "the record")
    for name in ("content", "category"):
        _text(value, name, "the record")
    _check_texts(value, _NOTE_TEXTS, "the record")
    for what, anchor in _listed(value, "anchors", "anchor"):
        for name in ANCHOR_FIELDS:
            _text(anchor, name, what)
    for what, event in _listed(value, "events", "event"):
        if _text(event, "kind", what) not in get_args(EventKind):
            raise ValueError(f"{what}: kind {got(event['kind'])} is not known")
        _check_moment(event, what)
        _check_texts(event, _EVENT_TEXTS, what)
        if event.get("other_id"):
            _check_id(event["other_id"], f"{what}: other_id")
        if event["kind"] == "supersede" and event.get("other_id") == value["id"]:
            raise ValueError("a record cannot supersede itself")


def _check_id(id: str, what: str) -> None:
    if not _ID.fullmatch(id):
        raise ValueError(f"{what} must be 1 to 64 letters a to z, digits, - and _, such as 1304a25aeeba; got {got(id)}")


def _listed(value: Mapping[str, Any], name: str, one: str) -> list[tuple[str, dict[str, Any]]]:
    """(`anchor 1`, its fields) and so on."""
    listed = value.get(name, [])
    if not isinstance(listed, list):
        raise TypeError(f"{name} must be a list, got {got(listed)}")
    for number, entry in enumerate(listed, start=1):
        if not isinstance(entry, dict):
            raise TypeError(f"{one} {number} must be a JSON object, got {got(entry)}")
    return [(f"{one} {number}", entry) for number, entry in enumerate(listed, start=1)]


def _present(value: Mapping[str, Any], name: str, what: str) -> Any:
    if name not in value:
        raise ValueError(f"{what} lacks {name}")
    return value[name]


def _text(value: Mapping[str, Any], name: str, what: str) -> str:
    found = _present(value, name, what)
    if not isinstance(found, str):
        raise TypeError(f"{what}: {name} must be a text, got {got(found)}")
    return found


def _check_texts(value: Mapping[str, Any], names: Sequence[str], what: str) -> None:
    for name in names:
        if value.get(name) is not None:
            _text(value, name, what)


def _check_moment(value: Mapping[str, Any], what: str) -> None:
    """Raise for what is no moment of a record; one far away would make every list of records fail."""
    moment = _present(value, "created_at", what)
    if isinstance(moment, bool) or not isinstance(moment, int | float) or not 0 <= moment < _BEFORE:
        raise ValueError(f"{what}: created_at must be seconds since 1970, before 2100; got {moment!r}")
