"""The words by which a remark is weighed, as data (`salience.toml`): what is tentative, decided, what matters."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_FILE = Path(__file__).with_name("salience.toml")
_FRAGMENT = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class WeightRule:
    """`pattern` in a whole remark adds `change` to its importance."""

    name: str
    pattern: re.Pattern[str]
    change: float


@dataclass(frozen=True, slots=True)
class Cue:
    """`pattern` in a sentence makes it tentative, or decided; `unless` in the same sentence lifts that."""

    name: str
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None
    examples: tuple[str, ...]

    def fits(self, sentence: str) -> bool:
        """Whether the sentence, in lower case and without names, meets the cue."""
        return bool(self.pattern.search(sentence)) and not (self.unless and self.unless.search(sentence))


@dataclass(frozen=True, slots=True)
class Flow:
    """How sentences belong together: answers, questions that tell, afterthoughts, turns, reasons, words as names."""

    answer: re.Pattern[str]
    asks_for_facts: re.Pattern[str]
    proposes: re.Pattern[str]
    afterthought: re.Pattern[str]
    turn: re.Pattern[str]
    reason: re.Pattern[str]
    as_a_name: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class SalienceRules:
    """The whole of the data; the first of `tentative` that fits gives the reason."""

    base: Mapping[str, float]
    weights: tuple[WeightRule, ...]
    tentative: tuple[Cue, ...]
    decided: tuple[Cue, ...]
    flow: Flow


@cache
def salience_rules() -> SalienceRules:
    """The rules of the package, compiled once."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    fragments: dict[str, str] = data["fragments"]
    return SalienceRules(
        base=data["base"],
        weights=tuple(
            WeightRule(entry["name"], re.compile(entry["pattern"], re.IGNORECASE), entry["change"])
            for entry in data["weight"]
        ),
        tentative=tuple(_cue(entry, fragments) for entry in data["tentative"]),
        decided=tuple(_cue(entry, fragments) for entry in data["decided"]),
        flow=Flow(
            **{name: _any_of([text] if isinstance(text, str) else text, {}) for name, text in data["flow"].items()}
        ),
    )


def _cue(entry: Mapping[str, Any], fragments: Mapping[str, str]) -> Cue:
    unless = _any_of(entry["unless"], fragments) if "unless" in entry else None
    return Cue(entry["name"], _any_of(entry["patterns"], fragments), unless, tuple(entry["examples"]))


def _any_of(patterns: Sequence[str], fragments: Mapping[str, str]) -> re.Pattern[str]:
    joined = "|".join(patterns)
    while (whole := _FRAGMENT.sub(lambda match: fragments[match[1]], joined)) != joined:
        joined = whole
    return re.compile(joined)
