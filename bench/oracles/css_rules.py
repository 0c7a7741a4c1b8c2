"""CSS extraction against PostCSS: rules, at-rules with a block and custom properties, with their lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from node_oracle import answers
from tally import Tally

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import EntityType

REASONS: dict[str, str] = {
    "rule missing": "a selector list of more than 8,000 bytes, which a program wrote",
}
_KINDS = (EntityType.RULE, EntityType.PROPERTY)
_COMPARED = 150  # characters of a name; ours are cut at 200


def run(paths: Sequence[Path], modules: Path) -> list[Tally]:
    """Compare all sheets; those that PostCSS refuses or that are minified are left out."""
    tally = Tally("PostCSS", "rules, at-rules, custom properties with lines", 0.995, REASONS)
    for answer in answers("css_postcss.mjs", modules, paths):
        path = Path(answer["path"])
        extraction = extract(path.read_bytes(), path.name)
        if answer["error"] or extraction.skip_reason:
            tally.left_out += 1
            continue
        expected = Counter((kind, name[:_COMPARED], line, end) for kind, name, line, end in answer["records"])
        found = Counter(
            (e.entity_type.value, e.name[:_COMPARED], e.start_line, e.end_line)
            for e in extraction.entities
            if e.entity_type in _KINDS
        )
        tally.files += 1
        tally.expected += sum(expected.values())
        tally.equal += sum((expected & found).values())
        tally.extra += sum((found - expected).values())
        for record in (expected - found).elements():
            near = [other for other in found if other[1] == record[1]]
            place = [other for other in found if other[2] == record[2]]
            label = (
                f"{record[0]} with other lines"
                if near
                else f"{record[0]} with other name"
                if place
                else f"{record[0]} missing"
            )
            tally.differ(label, f"{path}:{record[2]} {record} ours {(near or place)[:1]}")
    return [tally]
