"""Compare Python extraction with the standard `ast` module on real code.

    python bench/oracles/python_ast.py [FOLDER ...] [--limit N] [--examples N]

Without a folder: the site-packages of the running Python. A record is (kind, qualified name, definition line, end
line, docstring) of a function, method or class; files that `ast` refuses are left out. Prints the share of equal
records, examples of each class of difference, and the time of both.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import sysconfig
import time
import warnings
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import Extraction

Record = tuple[str, str, int, int, str | None]


@dataclass
class Totals:
    files: int = 0
    refused: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    expected: int = 0
    equal: int = 0
    ast_s: float = 0.0
    extract_s: float = 0.0
    differences: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def ast_records(tree: ast.Module) -> Counter[Record]:
    """Records of every function and class, found with an explicit stack."""
    records: Counter[Record] = Counter()
    stack: list[tuple[ast.AST, str, bool]] = [(tree, "", False)]
    while stack:
        node, prefix, in_class = stack.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                is_class = isinstance(child, ast.ClassDef)
                kind = "class" if is_class else "method" if in_class else "function"
                name = f"{prefix}.{child.name}" if prefix else child.name
                doc = ast.get_docstring(child, clean=False)
                doc = (inspect.cleandoc(doc) or None) if doc else None
                records[kind, name, child.lineno, child.end_lineno or 0, doc] += 1
                stack.append((child, name, is_class))
            else:
                stack.append((child, prefix, in_class))
    return records


def our_records(extraction: Extraction) -> Counter[Record]:
    """The same from an extraction; names bound to a lambda are ours alone and left out."""
    return Counter(
        (e.entity_type.value, e.qualified_name, e.start_line, e.end_line, e.docstring)
        for e in extraction.entities
        if e.entity_type in ("function", "method", "class") and e.signature.startswith(("def ", "async ", "class "))
    )


def compare(path: Path, totals: Totals) -> None:
    """Add one file to the totals."""
    source = path.read_bytes()
    try:
        start = time.process_time()
        tree = ast.parse(source)
        totals.ast_s += time.process_time() - start
        expected = ast_records(tree)
    except (SyntaxError, ValueError, RecursionError):
        totals.refused += 1
        return
    totals.files += 1
    start = time.process_time()
    extraction = extract(source, path.name)
    totals.extract_s += time.process_time() - start
    if extraction.skip_reason:
        totals.skipped[extraction.skip_reason] += 1
        return
    found = our_records(extraction)
    totals.expected += sum(expected.values())
    totals.equal += sum((expected & found).values())
    for label, records in sorted(classify(expected - found, found - expected).items()):
        totals.differences[label].extend(f"{path}: {record!r:.300}" for record in records)


def classify(missing: Counter[Record], extra: Counter[Record]) -> dict[str, list[tuple[Record, Record | None]]]:
    """Name what differs, pairing records of the same name and line."""
    by_place = {(name, line): (kind, name, line, end, doc) for kind, name, line, end, doc in extra}
    result: dict[str, list[tuple[Record, Record | None]]] = defaultdict(list)
    for record in missing:
        other = by_place.pop((record[1], record[2]), None)
        if other is None:
            result["missing"].append((record, None))
        else:
            fields = ("kind", "name", "line", "end line", "docstring")
            label = ", ".join(f for f, a, b in zip(fields, record, other, strict=True) if a != b)
            result[f"other {label}"].append((record, other))
    result["extra"] += [(record, None) for record in by_place.values()]
    return {label: records for label, records in result.items() if records}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--limit", type=int, default=100_000)
    parser.add_argument("--examples", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    folders = options.folders or [Path(sysconfig.get_paths()["purelib"])]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py")) if path.is_file()]
    totals = Totals()
    for path in paths[: options.limit]:
        compare(path, totals)
    print(f"{totals.files} files, {totals.refused} refused by ast, skipped {dict(totals.skipped)}")
    share = totals.equal / max(1, totals.expected)
    print(f"{totals.equal} of {totals.expected} definitions equal: {share:.4%}")
    print(f"ast.parse {totals.ast_s:.2f} s, extract {totals.extract_s:.2f} s: {totals.extract_s / totals.ast_s:.1f}x")
    for label, examples in sorted(totals.differences.items()):
        print(f"\n{label}: {len(examples)}")
        for example in examples[: options.examples]:
            print("  ", example)


if __name__ == "__main__":
    main()
