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

    `pairs`: a verdict on what the answer before it did. `then`: the next sentence must say this. `option`: it picks one
    of the options of the answer before it. `clause`: the claim ends at the first comma.
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
    option: bool = False
    clause: bool = False
    then: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """What takes a sentence out again, of all categories or those of `against`.

    `claim`: reasons are not looked at. `frame`: only what stands in front of the cue is looked at.
    """

    name: str
    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    against: frozenset[str] = frozenset()
    claim: bool = False
    frame: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A sentence or line that says something about others: it takes them back, jokes, or leads to others' words.

    `topical`: only what shares words with it is meant, `near`: only the message just before it.
    """

    name: str
    pattern: re.Pattern[str]
    examples: tuple[str, ...]
    counters: tuple[str, ...]
    topical: bool = False
    near: bool = False


@dataclass(frozen=True, slots=True)
class Cues:
    """The whole of the data, and one pattern for a quick look at a message."""

    cues: tuple[Cue, ...]
    blocks: tuple[Block, ...]
    retractions: tuple[Mark, ...]
    jokes: tuple[Mark, ...]
    foreign: tuple[Mark, ...]
    hint: re.Pattern[str]

    def blocked(self, category: str, sentence: str, claim: str, frame: str = "") -> bool:
        """Whether a sentence only looks like one of the category.

        `claim` is the sentence without its reason, `frame` what stands in front of the cue.
        """
        return any(
            block.pattern.search(frame if block.frame else claim if block.claim else sentence)
            for block in self.blocks
            if not block.against or category in block.against
        )

    def is_joke(self, text: str) -> bool:
        """Whether a message has a mark that it is not meant."""
        return any(mark.pattern.search(line) for mark in self.jokes for line in text.splitlines())

    def leads_to_others(self, line: str) -> bool:
        """Whether the lines after this one are the words of others, or a text for others."""
        return any(mark.pattern.search(line) for mark in self.foreign)


@cache
def load_cues() -> Cues:
    """The cues of the package, compiled once."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    cues = tuple(_cue(entry) for entry in data["cue"])
    blocks = tuple(_block(entry) for entry in data["block"])
    retractions, jokes, foreign = (tuple(map(_mark, data[kind])) for kind in ("retraction", "joke", "foreign"))
    return Cues(cues, blocks, retractions, jokes, foreign, _any_of(word for cue in cues for word in cue.words))


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
        option=entry.get("option", False),
        clause=entry.get("clause", False),
        then=re.compile(entry["then"], re.IGNORECASE) if "then" in entry else None,
    )


def _block(entry: dict[str, Any]) -> Block:
    return Block(
        name=entry["name"],
        pattern=re.compile(entry["pattern"], re.IGNORECASE),
        examples=tuple(entry["examples"]),
        against=frozenset(entry.get("against", ())),
        claim=entry.get("claim", False),
        frame=entry.get("frame", False),
    )


def _mark(entry: dict[str, Any]) -> Mark:
    return Mark(
        name=entry["name"],
        pattern=re.compile(entry["pattern"], re.IGNORECASE),
        examples=tuple(entry["examples"]),
        counters=tuple(entry["counters"]),
        topical=entry.get("topical", False),
        near=entry.get("near", False),
    )


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(word) for word in dict.fromkeys(words)))
