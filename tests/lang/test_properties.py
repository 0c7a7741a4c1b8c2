"""Laws of the extraction that hold for any content of any language."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.registry import extensions
from zerikai_memory.model import EntityType, Extraction

PATHS = st.sampled_from(sorted("dir/file" + extension for extension in extensions()))
# Pieces that make definitions, nesting, comments, strings and errors in one language or another.
PIECES = [
    "def f(a, b=1, *c):\n    return 1\n", "class A(B):\n    x = 1\n    def m(self): pass\n", "@deco(1)\n", "async ",
    "function g(x) { return x }\n", "const h = (y) => y;\n", "export default ", "class K { get p() { return 1 } }\n",
    "obj.q = function () {};\n", "module.exports = { r() {} };\n", "interface I { a: string }\n", "/** doc */\n",
    "<div id=\"main\">", "</div>", ".a { color: red; }\n", "# Title\n", "```\n", '"""', "'", "`", "(", ")", "{", "}",
    "[", "]", "\n", "\r\n", "\x0c", "\0", "\ufeff", "é", "🍰", "\u2028", "    ", "\t", ":", ";", "=", "=>", "\\", "//",
    "/*", "*/", "#", "<!--", "<script>", "</script>", "---\n", "<<<<<<< HEAD\n",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def check_shape(extraction: Extraction, source: bytes) -> None:
    if extraction.skip_reason:
        assert extraction.entities == ()
        return
    module, *rest = extraction.entities
    assert module.entity_type is EntityType.MODULE
    assert module.start_line == 1
    assert module.end_line >= 1
    ids = [e.id for e in extraction.entities]
    assert len(set(ids)) == len(ids)
    assert set(extraction.bodies) == set(ids)
    for entity in rest:
        assert 1 <= entity.start_line <= entity.end_line <= module.end_line
        assert entity.decorator_start_line is None or entity.decorator_start_line <= entity.start_line
        assert entity.name
        prefix = f"{entity.parent}." if entity.parent else ""
        assert entity.qualified_name == prefix + entity.name
    for reference in extraction.references:
        assert reference.from_entity in extraction.bodies
        assert 1 <= reference.line <= module.end_line


@settings(max_examples=150, deadline=None)
@given(source=st.binary(max_size=400), path=PATHS)
def test_any_bytes_give_a_wellformed_extraction(source: bytes, path: str) -> None:
    check_shape(extract(source, path), source)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, path=PATHS)
def test_any_mixture_of_code_gives_a_wellformed_extraction(text: str, path: str) -> None:
    source = text.encode()
    extraction = extract(source, path)
    check_shape(extraction, source)
    assert extract(source, path) == extraction


WHOLE = {
    "a.py": b"import os\n\nLIMIT = 3\n\n\n@wrap(1)\nclass A:\n    def m(self):\n        def inner(): pass\n\n"
    b"    def m(self): return 2\n\n\nasync def go(*, x=1): pass\n",
    "a.js": b"export const f = () => 1;\nclass A { m() { const g = () => 2; } get p() { return 1; } }\n"
    b"A.prototype.q = function () {};\nmodule.exports = { r() {} };\n",
    "a.ts": b"interface I { a: string }\nenum E { A }\nnamespace N { export function f(): void {} }\n"
    b"@Dec() class C<T> { private m?(a: T): void {} }\n",
}


@pytest.mark.parametrize("path", sorted(WHOLE))
@settings(max_examples=25, deadline=None)
@given(count=st.integers(min_value=1, max_value=40))
def test_lines_put_in_front_move_entities_and_keep_ids(path: str, count: int) -> None:
    before = extract(WHOLE[path], path)
    after = extract(b"\n" * count + WHOLE[path], path)
    assert [e.id for e in after.entities] == [e.id for e in before.entities]
    moved = [(e.start_line - count, e.end_line - count, e.body_hash) for e in after.entities[1:]]
    assert moved == [(e.start_line, e.end_line, e.body_hash) for e in before.entities[1:]]


@pytest.mark.parametrize("path", sorted(WHOLE))
def test_children_lie_inside_their_parents(path: str) -> None:
    entities = extract(WHOLE[path], path).entities
    for child in entities:
        homes = [e for e in entities if e.qualified_name == child.parent]
        assert (
            child.parent is None
            or any(e.start_line <= child.start_line and child.end_line <= e.end_line for e in homes)
            or child.name == "q"
        )  # assigned to a prototype outside the class


@pytest.mark.parametrize("path", sorted(WHOLE))
def test_carriage_returns_and_a_byte_order_mark_change_nothing(path: str) -> None:
    marked = b"\xef\xbb\xbf" + WHOLE[path].replace(b"\n", b"\r\n")
    assert extract(marked, path) == extract(WHOLE[path], path)


def test_threads_extract_the_same_as_one_thread() -> None:
    expected = {path: extract(source, path) for path, source in WHOLE.items()}
    results: list[bool] = []

    def work() -> None:
        for _ in range(10):
            results.extend(extract(source, path) == expected[path] for path, source in WHOLE.items())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 * 10 * len(WHOLE)
    assert all(results)
