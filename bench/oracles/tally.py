"""What a comparison with an oracle counts: records that the oracle expects, those that are equal, and the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass
class Tally:
    """One oracle's result; `target` is the share of equal records that must be reached.

    `differences` maps a class of difference to its examples, `reasons` says of each class why it is left.
    """

    oracle: str
    records: str
    target: float
    reasons: Mapping[str, str]
    files: int = 0
    left_out: int = 0
    expected: int = 0
    equal: int = 0
    extra: int = 0
    oracle_s: float = 0.0
    extract_s: float = 0.0
    differences: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    @property
    def share(self) -> float:
        """Share of the expected records that extraction gives, 0 to 1."""
        return self.equal / self.expected if self.expected else 0.0

    @property
    def reached(self) -> bool:
        """Whether the share is at least the target."""
        return self.expected > 0 and self.share >= self.target

    def differ(self, label: str, example: object) -> None:
        """Count a difference under its class."""
        self.differences[label].append(f"{example}")


HEAD = (
    "| oracle | records | files | left out | expected | equal | target | extra | reached |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"
)


def table(tallies: list[Tally]) -> str:
    """One row per oracle, Markdown."""
    rows = [
        f"| {t.oracle} | {t.records} | {t.files:,} | {t.left_out:,} | {t.expected:,} | {t.share:.3%} | {t.target:.1%}"
        f" | {t.extra:,} | {'yes' if t.reached else 'NO'} |"
        for t in tallies
    ]
    return "\n".join((HEAD, *rows))


def details(tallies: list[Tally], examples: int = 1) -> str:
    """Every class of difference with its count, reason and examples, Markdown."""
    lines = []
    for tally in tallies:
        for label, found in sorted(tally.differences.items(), key=lambda item: -len(item[1])):
            reason = tally.reasons.get(label, "not explained yet")
            lines.append(f"- **{tally.oracle}, {label}** ({len(found)}): {reason}")
            lines += [f"  - `{example[:240].replace('`', chr(39))}`" for example in found[:examples]]
    return "\n".join(lines)
