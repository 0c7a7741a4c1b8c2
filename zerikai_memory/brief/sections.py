"""The nine sections of a project brief, and the check of a text that a person or an agent puts in its place."""

from __future__ import annotations

import re

from zerikai_memory.errors import InputError

SECTIONS = (
    "Overview",
    "Technical Stack",
    "Core Architecture",
    "Primary Conventions",
    "Purpose",
    "Key Files",
    "Data Flow",
    "Development & Testing",
    "Future Roadmap",
)
# The brief goes into every prompt: long enough to orient, short enough to be paid for each time.
MIN_TOKENS = 600
MAX_TOKENS = 1_200
CHARS_PER_TOKEN = 4
# Beyond this a "brief" is a document that would crowd every prompt: refused, not cut.
MAX_CHARS = 40_000

_HEADING = re.compile(r"^#{1,6}[ \t]+(?:\d+[.)][ \t]*)?(.+?)[ \t#]*$", re.MULTILINE)


def token_count(text: str) -> int:
    """Tokens of a text where no model counts: 4 characters each, rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)


def check_sections(text: str) -> tuple[str, ...]:
    """Warnings about a brief that replaces the present one: missing sections, unusual length.

    Any text is accepted but an empty one or one over 40,000 characters (InputError).
    """
    if not text.strip():
        raise InputError("the brief is empty: pass the whole new text, or ask for it to be regenerated")
    if len(text) > MAX_CHARS:
        raise InputError(f"the brief has {len(text)} characters, the limit is {MAX_CHARS}: shorten it")
    found = {_plain(match[1]) for match in _HEADING.finditer(text)}
    missing = [name for name in SECTIONS if _plain(name) not in found]
    warnings = []
    if missing:
        warnings.append(f"sections missing from the brief: {', '.join(missing)}")
    if token_count(text) > 2 * MAX_TOKENS:
        warnings.append(
            f"the brief has about {token_count(text)} tokens and is sent with every question; "
            f"{MIN_TOKENS} to {MAX_TOKENS} are usual"
        )
    return tuple(warnings)


def section_bodies(text: str) -> dict[str, str]:
    """{section name: its text} of the nine sections that a brief has; other headings end a section too."""
    known = {_plain(name): name for name in SECTIONS}
    headings = list(_HEADING.finditer(text))
    bodies: dict[str, str] = {}
    for heading, following in zip(headings, [*headings[1:], None], strict=False):
        name = known.get(_plain(heading[1]))
        if name is not None and name not in bodies:
            bodies[name] = text[heading.end() : following.start() if following else len(text)].strip()
    return bodies


def _plain(heading: str) -> str:
    return re.sub(r"[^a-z]+", " ", heading.lower().replace("&", " and ")).strip()
