"""JavaScript and TypeScript extraction against the TypeScript compiler's syntax trees.

A record is (kind, name, line, end line) of a declared function, class, method, accessor, interface, enum, type or
namespace, and of a variable or field bound to a function or class; doc comments are compared by their letters. Files
with syntax errors for the compiler, and skipped ones, are left out. A component counts as its function or class. What
else we find (assigned and object functions, constants, routes) is ours alone and not compared.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from node_oracle import answers
from tally import Tally

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import CodeEntity

KINDS = {"function", "class", "method", "interface", "enum", "type", "namespace", "component"}
REASONS: dict[str, str] = {
    "function missing in partial file": "syntax that tree-sitter-typescript 0.23 does not read",
    "method missing in partial file": "syntax that tree-sitter-typescript 0.23 does not read",
    "doc comment": "a comment with @license, @module or a copyright speaks of the file, also right above a definition",
}
Record = tuple[str, str, int, int]


def run(paths: Sequence[Path], modules: Path) -> list[Tally]:
    """Compare all files; the tallies of definitions and of doc comments."""
    definitions = Tally("TypeScript 5.9", "declared definitions with lines", 0.995, REASONS)
    docs = Tally("TypeScript 5.9", "doc comments of equal definitions", 0.995, REASONS)
    for answer in answers("typescript_api.mjs", modules, paths):
        _compare(answer, definitions, docs)
    docs.files, docs.left_out = definitions.files, definitions.left_out
    return [definitions, docs]


def _compare(answer: dict[str, Any], definitions: Tally, docs: Tally) -> None:
    path = Path(answer["path"])
    start = time.process_time()
    extraction = extract(path.read_bytes(), path.name)
    definitions.extract_s += time.process_time() - start
    if answer["errors"] or extraction.skip_reason:
        definitions.left_out += 1
        return
    ours = _our_records(extraction.entities)
    definitions.files += 1
    for kind, name, line, end, parent, doc in answer["records"]:
        definitions.expected += 1
        name = re.sub(r"\s+", " ", name)
        found = ours.get((kind, name, line, end))
        if not found:
            near = [k for k in ours if k[1] == name and (k[2] == line or k[3] == end)]
            label = f"{kind} with other lines" if near else f"{kind} missing"
            label += " in partial file" if extraction.partial else ""
            definitions.differ(label, f"{path}:{line}-{end} {name} in {parent}; ours {near}")
            continue
        definitions.equal += 1
        if doc:
            docs.expected += 1
            if any(_letters(doc) == _letters(entity.docstring) for entity in found):
                docs.equal += 1
            else:
                docs.differ("doc comment", f"{path}:{line} {name}: {doc!r:.90} ours {found[0].docstring!r:.90}")


def _our_records(entities: Sequence[CodeEntity]) -> dict[Record, list[CodeEntity]]:
    records: dict[Record, list[CodeEntity]] = defaultdict(list)
    for entity in entities:
        kind = str(entity.entity_type)
        if kind in KINDS:
            if kind == "component":
                kind = "class" if "class" in entity.signature.split() else "function"
            records[kind, entity.name, entity.start_line, entity.end_line].append(entity)
    return records


def _letters(text: str | None) -> str:
    return re.sub(r"\W|_|masked", "", text or "")
