"""Python extraction against the standard `ast` module: definitions with lines and docstrings, and references.

A definition is (kind, qualified name, line, end line, docstring) of a function, method or class; a reference is
(kind, name, line) of a call, import, alias, base or decorator. Files that `ast` refuses are left out.
"""

from __future__ import annotations

import ast
import inspect
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from tally import Tally

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import Extraction

Record = tuple[str, str, int, int, str | None]
Place = tuple[str, str, int]
REASONS = {
    "call in an f-string": "`ast` before Python 3.12 gives lines inside f-strings of several lines wrongly",
    "secret masked": "a docstring shows a password or token in an example: it is masked on purpose",
    "call missing": "the called name stands in brackets, or a statement that the grammar reads in another way",
    "file skipped": "the file says of itself that it is generated, or its bytes are no text",
}
REFERENCES = ("call", "import", "alias", "inherit", "decorate")


def run(paths: Iterable[Path]) -> list[Tally]:
    """Compare all files; the tallies of definitions and of references."""
    warnings.simplefilter("ignore")
    definitions = Tally("Python ast", "functions, methods, classes with lines and docstring", 0.999, REASONS)
    references = Tally("Python ast", "calls, imports, aliases, bases, decorators", 0.999, REASONS)
    for path in paths:
        _compare(path, definitions, references)
    return [definitions, references]


def _compare(path: Path, definitions: Tally, references: Tally) -> None:
    source = path.read_bytes()
    try:
        start = time.process_time()
        tree = ast.parse(source)
        definitions.oracle_s += time.process_time() - start
        expected = ast_records(tree)
        places = Counter(ast_references(tree))
    except (SyntaxError, ValueError, RecursionError):
        definitions.left_out += 1
        references.left_out += 1
        return
    start = time.process_time()
    extraction = extract(source, path.name)
    definitions.extract_s += time.process_time() - start
    if extraction.skip_reason:
        definitions.left_out += 1
        references.left_out += 1
        definitions.differ("file skipped", f"{path}: {extraction.skip_reason}")
        return
    found = our_records(extraction)
    definitions.files += 1
    definitions.expected += sum(expected.values())
    definitions.equal += sum((expected & found).values())
    definitions.extra += sum((found - expected).values())
    for label, example in _classify(expected - found, found - expected):
        definitions.differ(label, f"{path}: {example}")
    ours = Counter((r.kind.value, r.name, r.line) for r in extraction.references if r.kind in REFERENCES)
    references.files += 1
    references.expected += sum(places.values())
    references.equal += sum((places & ours).values())
    references.extra += sum((ours - places).values())
    in_strings = Counter(ast_references(tree, only_f_strings=True))
    for place in (places - ours).elements():
        label = "call in an f-string" if in_strings[place] else f"{place[0]} missing"
        references.differ(label, f"{path}:{place[2]} {place[1]}")


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


def ast_references(tree: ast.AST, only_f_strings: bool = False) -> Iterator[Place]:
    """References of every statement and expression; with `only_f_strings` those inside f-strings."""
    stack: list[tuple[ast.AST, bool]] = [(tree, not only_f_strings)]
    while stack:
        node, counts = stack.pop()
        counts = counts or isinstance(node, ast.JoinedStr)
        if counts:
            yield from _references_of(node)
        stack.extend((child, counts) for child in ast.iter_child_nodes(node))


def _references_of(node: ast.AST) -> Iterator[Place]:
    if isinstance(node, ast.Call):
        yield from _named("call", node.func)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        if isinstance(node, ast.ImportFrom) and node.module == "__future__" and not node.level:
            return
        for alias in node.names:
            line = node.lineno if alias.name == "*" else alias.lineno
            yield "import", alias.name, line
            if alias.asname:
                yield "alias", alias.asname, alias.end_lineno or line
    elif isinstance(node, ast.ClassDef):
        for base in node.bases:
            yield from _named("inherit", _head(base), base.lineno)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for decorator in node.decorator_list:
            yield from _named("decorate", _head(decorator), decorator.lineno)


def _head(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _named(kind: str, node: ast.expr, line: int | None = None) -> Iterator[Place]:
    if isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        yield kind, name, line or node.end_lineno or node.lineno


def our_records(extraction: Extraction) -> Counter[Record]:
    """The same from an extraction; names bound to a lambda are ours alone and left out."""
    return Counter(
        (e.entity_type.value, e.qualified_name, e.start_line, e.end_line, e.docstring)
        for e in extraction.entities
        if e.entity_type in ("function", "method", "class") and e.signature.startswith(("def ", "async ", "class "))
    )


def _classify(missing: Counter[Record], extra: Counter[Record]) -> Iterator[tuple[str, str]]:
    """Name what differs, pairing records of the same name and line."""
    by_place: dict[tuple[str, int], list[Record]] = defaultdict(list)
    for record in extra:
        by_place[record[1], record[2]].append(record)
    for record in missing:
        others = by_place[record[1], record[2]]
        if not others:
            yield "definition missing", f"{record!r:.200}"
            continue
        other = others.pop()
        if "[masked]" in (other[4] or ""):
            yield "secret masked", f"{record[2]} {record[1]}"
            continue
        fields = ("kind", "name", "line", "end line", "docstring")
        label = ", ".join(f for f, a, b in zip(fields, record, other, strict=True) if a != b)
        yield f"other {label}", f"{record!r:.150} ours {other!r:.150}"
