"""Compare JavaScript and TypeScript extraction with the TypeScript compiler's syntax trees on real code.

    npm install --prefix /tmp/oracle typescript@5.9 <packages>
    python bench/oracles/typescript_compiler.py /tmp/oracle [FOLDER ...] [--limit N] [--examples N]

A record is (kind, name, line, end line) of a declared function, class, method, accessor, interface, enum, type or
namespace, and of a variable or field bound to a function or class; doc comments are compared by their letters.
Files with syntax errors for the compiler, and skipped ones, are left out. A component counts as its function or
class. What else we find (assigned and object functions, constants) is ours alone and not compared.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.registry import language_of
from zerikai_memory.model import CodeEntity

KINDS = {"function", "class", "method", "interface", "enum", "type", "namespace", "component"}
Record = tuple[str, str, int, int]


def our_records(path: Path) -> tuple[dict[Record, list[CodeEntity]], str | None]:
    extraction = extract(path.read_bytes(), path.name)
    records: dict[Record, list[CodeEntity]] = defaultdict(list)
    for entity in extraction.entities:
        if entity.entity_type in KINDS:
            kind = str(entity.entity_type)
            if kind == "component":
                kind = "class" if "class" in entity.signature.split() else "function"
            records[kind, entity.name, entity.start_line, entity.end_line].append(entity)
    return records, extraction.skip_reason or ("partial" if extraction.partial else None)


def letters(text: str | None) -> str:
    return re.sub(r"\W|_", "", text or "")


def oracle(modules: Path, paths: list[Path]) -> Iterator[dict[str, object]]:
    script = Path(__file__).with_name("typescript_api.mjs")
    command = ["node", "--stack-size=8000", str(script), str(modules.resolve())]
    listing = "\n".join(map(str, paths))
    result = subprocess.run(command, input=listing, capture_output=True, text=True, check=True)
    for line in result.stdout.splitlines():
        yield json.loads(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", type=Path, help="folder whose node_modules has typescript")
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--limit", type=int, default=2_000)
    parser.add_argument("--examples", type=int, default=6)
    options = parser.parse_args()
    folders = options.folders or [options.modules / "node_modules"]
    paths = [p for f in folders for p in sorted(f.rglob("*")) if language_of(p.name) in ("javascript", "typescript")]
    paths = [p for p in paths if p.is_file() and "typescript/lib" not in p.as_posix()]
    step = max(1, len(paths) // options.limit)
    totals: Counter[str] = Counter()
    differences: dict[str, list[str]] = defaultdict(list)
    for answer in oracle(options.modules, paths[::step]):
        compare(answer, totals, differences)
    print(dict(totals))
    print(f"definitions equal: {totals['equal'] / max(1, totals['expected']):.3%}")
    print(f"doc comments equal: {totals['docs equal'] / max(1, totals['docs']):.3%}")
    for label, examples in sorted(differences.items()):
        print(f"\n{label}: {len(examples)}")
        for example in examples[: options.examples]:
            print("  ", example)


def compare(answer: dict[str, object], totals: Counter[str], differences: dict[str, list[str]]) -> None:
    path = Path(str(answer["path"]))
    ours, skipped = our_records(path)
    if answer["errors"] or (skipped and skipped != "partial"):
        totals["left out: " + (skipped or "syntax errors")] += 1
        return
    totals["files"] += 1
    if skipped:
        totals["partial"] += 1
        differences["partial"].append(str(path))
    for kind, name, line, end, parent, doc in answer["records"]:  # type: ignore[attr-defined]
        totals["expected"] += 1
        name = re.sub(r"\s+", " ", name)
        found = ours.get((kind, name, line, end))
        if not found:
            label = f"{kind} missing" + (" in partial file" if skipped else "")
            near = [k for k in ours if k[1] == name and (k[2] == line or k[3] == end)]
            differences[label].append(f"{path}:{line}-{end} {name} in {parent}; ours {near}")
            continue
        totals["equal"] += 1
        if doc:
            totals["docs"] += 1
            if any(letters(doc) == letters(entity.docstring) for entity in found):
                totals["docs equal"] += 1
            else:
                differences["doc comment"].append(
                    f"{path}:{line} {name}: {doc!r:.120} ours {found[0].docstring!r:.120}"
                )


if __name__ == "__main__":
    main()
