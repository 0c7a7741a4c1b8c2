"""The standard `ast` module as the judge of Python extraction, over this package and a part of the standard library."""

from __future__ import annotations

import ast
import inspect
import json
import warnings
from collections import Counter
from pathlib import Path

import pytest

import zerikai_memory
from zerikai_memory.lang.extract import extract

PACKAGE = Path(zerikai_memory.__file__).parent
STANDARD = Path(json.__file__).parents[1]
FOLDERS = [PACKAGE, *(STANDARD / name for name in ("json", "asyncio", "email", "concurrent", "unittest", "logging"))]


def definitions(tree: ast.Module) -> Counter[tuple[object, ...]]:
    found: Counter[tuple[object, ...]] = Counter()
    stack: list[tuple[ast.AST, str, bool]] = [(tree, "", False)]
    while stack:
        node, prefix, in_class = stack.pop()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                stack.append((child, prefix, in_class))
                continue
            is_class = isinstance(child, ast.ClassDef)
            kind = "class" if is_class else "method" if in_class else "function"
            name = f"{prefix}.{child.name}" if prefix else child.name
            doc = ast.get_docstring(child, clean=False)
            lines = (child.lineno, child.end_lineno)
            decorators = len(child.decorator_list)
            names = () if isinstance(child, ast.ClassDef) else parameter_names(child.args)
            found[kind, name, lines, (inspect.cleandoc(doc) or None) if doc else None, decorators, names] += 1
            stack.append((child, name, is_class))
    return found


def parameter_names(args: ast.arguments) -> tuple[str, ...]:
    names = [a.arg for a in (*args.posonlyargs, *args.args)]
    names += [f"*{args.vararg.arg}"] if args.vararg else []
    names += [a.arg for a in args.kwonlyargs]
    return (*names, *([f"**{args.kwarg.arg}"] if args.kwarg else []))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_definitions_are_those_of_ast(folder: Path) -> None:
    files = sorted(folder.rglob("*.py"))
    assert files
    for path in files:
        source = path.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in other people's docstrings
            expected = definitions(ast.parse(source))
        extraction = extract(source, path.name)
        found = Counter(
            (
                e.entity_type.value,
                e.qualified_name,
                (e.start_line, e.end_line),
                e.docstring,
                len(e.decorators),
                e.params,
            )
            for e in extraction.entities
            if e.signature.startswith(("def ", "async ", "class "))
        )
        assert not extraction.partial, path
        assert found == expected, path
