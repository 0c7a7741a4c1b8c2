"""Sentences that take back what was said before ("scratch that", "I was wrong about ..."). Pure."""

from __future__ import annotations

import re

from zerikai_memory.retrieve.names import stem
from zerikai_memory.sessions.cues import Cues, Mark
from zerikai_memory.store.words import STOP_WORDS, split_words

# Two statements that share so many telling words speak of one thing.
SHARED_WORDS = 2

_LEAD = re.compile(
    r"^(?:\W*(?:h+m+|u+m+|uh+|no|nope|nah|wait|ok(?:ay)?|oh|ah|ach|nein|non|ugh|well|sorry|oops|argh|lol|haha|but|and|so|yeah|yes"
    r"|thinking about it|hold on|hang on|stop|one moment|wait a (?:sec\w*|minute|moment))\b[\s,.!:;…—–-]+)+(?=\S)",
    re.IGNORECASE,
)
# Words of talk about decisions and fixes; that two sentences share them says nothing.
_COMMON = frozenset(
    "decided decision agreed settled fix fixed solved resolved cause root reason problem issue bug wrong true use used"
    " using because instead rather than over not now still was were work worked works".split()
)


def retraction(sentence: str, cues: Cues) -> Mark | None:
    """The mark of a sentence that takes back what was said before it."""
    plain = _LEAD.sub("", sentence).replace("’", "'")
    return next((mark for mark in cues.retractions if mark.pattern.search(plain)), None)


def same_topic(statement: str, sentence: str) -> bool:
    """Whether a statement and a sentence share telling words, so that both speak of one thing."""
    return len(_telling(statement) & _telling(sentence)) >= SHARED_WORDS


def _telling(text: str) -> set[str]:
    return {stem(word) for word in split_words(text) if len(word) > 2 and word not in STOP_WORDS | _COMMON}
