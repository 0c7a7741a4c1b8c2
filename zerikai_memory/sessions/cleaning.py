"""What of a message is kept: discourse only, private spans out, secrets masked, clamped to a length. Pure."""

from __future__ import annotations

import re
from dataclasses import replace

from zerikai_memory.redact import mask_secrets
from zerikai_memory.sessions.dumps import without_dumps
from zerikai_memory.sessions.formats.base import Said
from zerikai_memory.sessions.private import without_private

# A target is shown in one line; a command line of this length says what was done.
MAX_TOOL_CHARS = 200
# Before masking: no message of discourse is longer, and masking costs time per character.
MAX_RAW_CHARS = 1_000_000

# What programs put into the person's messages.
_INJECTED = re.compile(
    r"""(?xs)
    <(system-reminder|system_reminder|environment_context|user_instructions|local-command-stdout|local-command-stderr
      |local-command-caveat|bash-stdout|bash-stderr|command-stdout|command-message|current_datetime|turn_aborted
      |ADDITIONAL_METADATA|EPHEMERAL_MESSAGE|user_info|system_notification|task-notification|reminderInstructions
      |permissions\ instructions|collaboration_mode|ide_opened_file|ide_selection)
    \b[^<>]*>.*?(?:</\1>|\Z)
    """
)
_COMMAND = re.compile(r"</?(?:command-name|command-args|user_query|userRequest|bash-input)>")
_DATA = re.compile(r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/]{400,}={0,2}")
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(said: Said, max_chars: int, *, thinking: bool = False) -> Said | None:
    """The message as it may be stored, or None when nothing of it may."""
    if said.role == "thinking" and not thinking:
        return None
    text = _plain(said.text)
    if said.role == "tool":
        text = clamp(mask_secrets(" ".join(_without_data(text).split())), MAX_TOOL_CHARS)
    else:
        if said.role == "user" and "<" in text:
            text = _COMMAND.sub(" ", _INJECTED.sub("", text))
        text = without_dumps(_without_data(text)).strip()
        text = clamp(mask_secrets(text), max_chars)
    if not text:
        return None
    return said if text == said.text else replace(said, text=text)


def clean_label(text: str, max_chars: int = 200) -> str:
    """A title or folder in one masked line."""
    return clamp(mask_secrets(" ".join(_plain(text).split())), max_chars)


def clamp(text: str, max_chars: int) -> str:
    """The text, cut with a mark that says by how much."""
    if len(text) <= max_chars:
        return text
    mark = f" ... ({len(text) - max_chars} more characters)"
    return text[: max(0, max_chars - len(mark))] + mark


def _plain(text: str) -> str:
    """Text that can be stored, without private spans. Patterns here and below run only where they can match."""
    text = text[:MAX_RAW_CHARS].replace("\0", "")
    text = text if text.isascii() else _SURROGATE.sub("\ufffd", text)
    text = _ANSI.sub("", text) if "\x1b" in text else text
    return without_private(text) if "<" in text else text


def _without_data(text: str) -> str:
    return _DATA.sub(_data_mark, text) if len(text) >= 400 else text


def _data_mark(match: re.Match[str]) -> str:
    return f"[data, {len(match[0])} characters]"
