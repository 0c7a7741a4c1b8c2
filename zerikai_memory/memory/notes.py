"""What may be stored as a note: cleaned, bounded, with secrets masked before they reach a store."""

from __future__ import annotations

import re

from zerikai_memory.errors import InputError
from zerikai_memory.model import Note
from zerikai_memory.redact import mask_secrets

MAX_NOTE_CHARS = 20_000
_CATEGORY = re.compile(r"[\w][\w .-]{0,62}")


def clean_content(content: str) -> str:
    """The text to store; raises InputError when it is empty or too long."""
    text = content.replace("\0", "").strip()
    if not text:
        raise InputError("content: the note is empty; say what is to be remembered")
    if len(text) > MAX_NOTE_CHARS:
        raise InputError(f"content: got {len(text)} characters, at most {MAX_NOTE_CHARS}; save the essence")
    return mask_secrets(text)


def saving_warnings(note: Note, given: str, started: float) -> tuple[str, ...]:
    """What the person should know about a save that began at `started` with the text `given`."""
    found = []
    if note.created_at < started:
        found.append("the same note was stored already; nothing was added")
    if note.content != given.replace("\0", "").strip():
        found.append("what looks like a secret was masked before it was stored")
    return tuple(found)


def clean_category(category: str) -> str:
    """A category in lower case; raises InputError for what is no plain word."""
    word = category.strip().lower()
    if not _CATEGORY.fullmatch(word):
        raise InputError(
            f"category: got {category!r}, expected a word such as fact, decision, procedure, fix, error, workaround"
        )
    return word
