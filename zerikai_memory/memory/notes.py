"""What may be stored as a note: cleaned, bounded, with secrets masked before they reach a store."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from zerikai_memory.errors import InputError
from zerikai_memory.memory.salience import TENTATIVE_MOST, tentative
from zerikai_memory.model_notes import OUTCOMES, Note
from zerikai_memory.redact import MASK, mask_secrets

# Those that records usually have; any other word is one as well.
CATEGORIES = ("fact", "decision", "procedure", "fix", "error", "workaround", "strategy")
_PLURALS = {f"{name}s": name for name in CATEGORIES} | {"fixes": "fix", "strategies": "strategy"}
MAX_NOTE_CHARS = 20_000
MAX_TAGS = 20
MAX_WORD_CHARS = 100
DETAILS = ("detail", "tags", "importance", "confirmed", "run_id")
_CATEGORY = re.compile(r"[\w][\w .-]{0,62}")
_ID = re.compile(r"[\[(]?(?:note:\s*)?(?P<id>[\w-]{1,64})[\])]?(?:\s*\(.*\))?", re.IGNORECASE)
# Of a value in an error message, and of a record that is only to be known again.
SHOWN_CHARS = 60
_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = SHOWN_CHARS


def clean_content(content: str) -> str:
    """The text to store; raises InputError when it is empty or too long."""
    text = storable(content)
    if not text:
        raise InputError("content: the note is empty; say what is to be remembered")
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise InputError(f"content: got {got(text)}, of which nothing can be seen; say what is to be remembered")
    if len(text) > MAX_NOTE_CHARS:
        raise InputError(f"content: got {len(text)} characters, at most {MAX_NOTE_CHARS}; save the essence")
    return mask_secrets(text)


def storable(text: str) -> str:
    """A text as it can be stored: no blanks around it, no NUL, a lone surrogate as the escape it is written by."""
    return text.replace("\0", "").encode("utf-8", "backslashreplace").decode("utf-8").strip()


def clean_name(text: str | None) -> str | None:
    """The name of a session, an agent or a person as it is stored, without secrets; None for a blank one."""
    return mask_secrets(storable(text)) or None if text else None


def command_session(name: str | None) -> str:
    """The session of a command: the one it names; those that name none are one session together for a day (UTC).

    Each is a process of its own, and a shell that an agent opens for every command is no sitting of its own either:
    saying a thing again in the next command confirms nothing.
    """
    return clean_name(name) or f"command line {datetime.now(UTC):%Y-%m-%d}"


def saving_warnings(note: Note, given: str, *, asked: Note, new: bool) -> tuple[str, ...]:
    """What the person should know about a save of the text `given` that `asked` for a record and got `note`."""
    found = []
    if not new:
        found.append("the same note was stored already; that it was said again is recorded")
        more = [
            name for name in ("detail", "anchors", "tags") if getattr(asked, name) not in ("", (), getattr(note, name))
        ]
        if more:
            found.append(f"its {', '.join(more)} stayed as they were; to change them save it with supersedes {note.id}")
    elif note.content != storable(given) or MASK in " ".join((note.detail, *note.tags, note.run_id or "")):
        found.append("what looks like a secret was masked before it was stored")
    why = tentative(note.content, note.outcome)
    if why and note.importance <= TENTATIVE_MOST:
        found.append(f"it weighs little, because it is worded as no firm statement ({why}); say what holds, if it does")
    return tuple(found)


def asked_category(category: str | None) -> str | None:
    """A category as it is stored, of one that a question or list names, in any case and number; None for none."""
    word = storable(category).lower() if category else ""
    return _PLURALS.get(word, word) or None


def asked_id(text: str) -> str:
    """The id in `note:ID (category, date)`, `note:ID`, or a beginning of it; raises InputError for what is none."""
    match = _ID.fullmatch(text.strip())
    if match is None:
        raise InputError(
            f"note: got {got(text)}, expected the id of a record; `zerikai-memory notes list` shows the ids"
        )
    return match["id"]


def unclear_id(text: str, workspace: str, fitting: Sequence[Note], least: int) -> str:
    """Why an id means no record: no id begins so, several do, or it is shorter than `least` characters."""
    if not fitting:
        return f"note: {got(text)} is no record of {workspace!r}; `zerikai-memory notes list` shows the ids"
    why = "is ambiguous" if len(fitting) > 1 else f"is too short (give the whole id, or {least} characters and more)"
    listed = ", ".join(f"{note.id} ({note.category}: {_beginning(note.content)})" for note in fitting)
    return f"note: {got(text)} {why}; so begins: {listed}"


def got(value: Any) -> str:
    """A value as an error message shows it: short, whatever it holds, without secrets."""
    return _BRIEF.repr(_masked(value))


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return mask_secrets(value[:MAX_NOTE_CHARS])
    return [_masked(one) for one in value[:MAX_TAGS]] if isinstance(value, list | tuple) else value


def clean_category(category: str) -> str:
    """A category in lower case; raises InputError for what is no plain word."""
    word = asked_category(category) or ""
    if mask_secrets(category) != category:
        raise InputError("category: got what looks like a secret, expected a word such as fact, decision or fix")
    if word == "sessions":
        raise InputError("category: 'sessions' names past sessions in a question; choose another word")
    if not _CATEGORY.fullmatch(word):
        raise InputError(
            f"category: got {got(category)}, expected a word such as fact, decision, procedure, fix, error, workaround"
        )
    return word


@dataclass(frozen=True, slots=True)
class Draft:
    """A record as the caller gives it; `details` may hold detail, tags, importance, confirmed and run_id.

    `session` is where it was said, None: in the session of this process. `said_at` is when (seconds), None: now.
    `accepted`: a person has looked at it, so that who confirms it does so, even where an agent said it.
    """

    content: str
    category: str = "fact"
    outcome: str | None = None
    supersedes: Sequence[str] = ()
    anchors: Sequence[str] = ()
    details: Mapping[str, Any] | None = None
    session: str | None = None
    said_at: float | None = None
    accepted: bool = False


@dataclass(frozen=True, slots=True)
class Details:
    """The checked details of a draft; `importance` None: by the salience rules, `confirmed` None: by nobody."""

    detail: str = ""
    tags: tuple[str, ...] = ()
    importance: float | None = None
    confirmed: str | None = None
    run_id: str | None = None


def clean_outcome(outcome: str | None) -> str | None:
    """worked, failed, unknown or None; raises InputError for another word."""
    word = (outcome or "").strip().lower()
    if word and word not in OUTCOMES:
        raise InputError(f"outcome: got {got(outcome)}, expected one of: {', '.join(OUTCOMES)}")
    return word or None


def clean_details(details: Mapping[str, Any] | None) -> Details:
    """The details with secrets masked; raises InputError that names what is wrong."""
    given = {key: value for key, value in (details or {}).items() if value is not None}
    if unknown := sorted(given.keys() - set(DETAILS)):
        raise InputError(f"details: {got(unknown[0])} is not known; it may hold {', '.join(DETAILS)}")
    detail = given.get("detail", "")
    if not isinstance(detail, str) or len(detail) > MAX_NOTE_CHARS:
        raise InputError(f"details: detail must be a text of at most {MAX_NOTE_CHARS} characters")
    return Details(
        detail=mask_secrets(storable(detail)),
        tags=_clean_tags(given.get("tags", ())),
        importance=_clean_importance(given.get("importance")),
        confirmed=_clean_confirmed(given.get("confirmed")),
        run_id=clean_word("run_id", given["run_id"]) if given.get("run_id", "") != "" else None,
    )


def _clean_tags(tags: Any) -> tuple[str, ...]:
    listed = [tag for tag in tags.split(",") if tag.strip()] if isinstance(tags, str) else tags
    if not isinstance(listed, list | tuple) or len(listed) > MAX_TAGS:
        raise InputError(f"details: tags must be a list of at most {MAX_TAGS} words, got {got(tags)}")
    return tuple(dict.fromkeys(clean_word("tags", tag) for tag in listed))


def _clean_importance(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(f"details: importance must be a number from 0 to 1, got {got(value)}")
    return float(value)


def _clean_confirmed(value: Any) -> str | None:
    """By whom; true means the person at the keyboard."""
    if value is None or value is False or value == "":
        return None
    return "user" if value is True else clean_word("confirmed", value)


def clean_word(name: str, value: Any) -> str:
    """A short text on one line with secrets masked; raises InputError that names it."""
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not text or len(text) > MAX_WORD_CHARS or not text.isprintable():
        raise InputError(f"{name}: expected a text of 1 to {MAX_WORD_CHARS} characters, got {got(value)}")
    return mask_secrets(text)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else f"{line[: SHOWN_CHARS - 4]} ..."
