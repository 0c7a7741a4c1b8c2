"""HTML extraction against parse5, the HTML5 parser: elements with an id or a custom name, with their lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from node_oracle import answers
from tally import Tally

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import EntityType

REASONS: dict[str, str] = {}
_NAME = re.compile(r"([\w:.-]+)(?:#(.*))?", re.DOTALL)


def run(paths: Sequence[Path], modules: Path) -> list[Tally]:
    """Compare all pages; templates (`{{`, `{%`, `<?`, `<%`) are not HTML before they are filled, and left out."""
    tally = Tally("parse5 (HTML5)", "elements with id or custom name, with line", 0.995, REASONS)
    pages = [path for path in paths if not re.search(rb"\{\{|\{%|<\?php|<%", path.read_bytes())]
    tally.left_out = len(paths) - len(pages)
    for answer in answers("html_parse5.mjs", modules, pages):
        _compare(Path(answer["path"]), answer["records"], tally)
    return [tally]


def _compare(path: Path, records: list[tuple[str, str | None, int, int]], tally: Tally) -> None:
    extraction = extract(path.read_bytes(), path.name)
    if extraction.skip_reason:
        tally.left_out += 1
        return
    expected = Counter((tag.lower(), " ".join((name or "").split())[:80], line) for tag, name, line, _ in records)
    found: Counter[tuple[str, str, int]] = Counter()
    for entity in extraction.entities:
        if entity.entity_type is EntityType.ELEMENT and (match := _NAME.match(entity.name)):
            found[match[1].lower(), " ".join((match[2] or "").split())[:80], entity.start_line] += 1
    tally.files += 1
    tally.expected += sum(expected.values())
    tally.equal += sum((expected & found).values())
    extra = {record for record in found - expected if record[1] or "-" in record[0]}
    tally.extra += len(extra)
    for record in (expected - found).elements():
        near = [other for other in found if other[:2] == record[:2]]
        tally.differ("other line" if near else "element missing", f"{path}:{record[2]} {record} {near[:2]}")
    for record in extra:
        if not any(other[:2] == record[:2] for other in expected - found):
            tally.differ("element that the parser does not see", f"{path}:{record[2]} {record}")
