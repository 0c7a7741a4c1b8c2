"""Cues for what is worth remembering in a conversation: patterns as data (`cues.toml`), with what takes them out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("cues.toml")


@dataclass(frozen=True, slots=True)
class Cue:
    """A way to say something worth remembering; `words` are the quick test, `role` empty: whoever says it.

    `pairs`: a verdict on what the answer before it did.
    """

    name: str
    category: str
    pattern: re.Pattern[str]
    words: tuple[str, ...]
    examples: tuple[str, ...]
    counters: tuple[str, ...]
    outcome: str | None = None
    role: str = ""
    pairs: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """What takes a sentence out again, of all categories or those of `against`; `claim`: reasons are not looked at."""

    name: str
    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    against: frozenset[str] = frozenset()
    claim: bool = False


@dataclass(frozen=True, slots=True)
class Cues:
    """The whole of the data, and one pattern for a quick look at a message."""

    cues: tuple[Cue, ...]
    blocks: tuple[Block, ...]
    hint: re.Pattern[str]

    def blocked(self, category: str, sentence: str, claim: str) -> bool:
        """Whether a sentence (`claim`: without its reason) only looks like one of the category."""
        return any(
            block.pattern.search(claim if block.claim else sentence)
            for block in self.blocks
            if not block.against or category in block.against
        )


@cache
def load_cues() -> Cues:
    """The cues of the package, compiled once."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    cues = tuple(_cue(entry) for entry in data["cue"])
    blocks = tuple(_block(entry) for entry in data["block"])
    return Cues(cues, blocks, _any_of(word for cue in cues for word in cue.words))


def _cue(entry: dict[str, Any]) -> Cue:
    return Cue(
        name=entry["name"],
        category=entry["category"],
        pattern=re.compile(entry["pattern"], re.IGNORECASE),
        words=tuple(entry["words"]),
        examples=tuple(entry["examples"]),
        counters=tuple(entry["counters"]),
        outcome=entry.get("outcome"),
        role=entry.get("role", ""),
        pairs=entry.get("pairs", False),
    )


def _block(entry: dict[str, Any]) -> Block:
    pattern = re.compile(entry["pattern"], re.IGNORECASE)
    against = frozenset(entry.get("against", ()))
    return Block(entry["name"], pattern, tuple(entry["examples"]), against, entry.get("claim", False))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(word) for word in dict.fromkeys(words)))
