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
    "/*", "*/", "#", "<!--", "<script>", "</script>", "---\n", "<<<<<<< HEAD\n", "app.get('/x', (a) => {", "})",
    "program.command('x')\n  .action(f)", "# TODO: a\n", "// FIXME(b) c\n", "@app.route('/y')\n", "x.on('e', g)",
    "token = 'ghp_a1b2c3d4e5f6'\n", "[path('u/', v)]\n", "<textarea>", "</title>", "& &", "import a as b\n",
    "setup(entry_points={'g': ['n = m:f']})\n", "export default function (", "const { a: b } = require('c');\n",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def assert_wellformed(extraction: Extraction, source: bytes) -> None:
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


@pytest.mark.parametrize("path", sorted("dir/file" + extension for extension in extensions()))
@settings(max_examples=25, deadline=None)
@given(source=st.binary(max_size=400))
def test_any_bytes_give_a_wellformed_extraction(path: str, source: bytes) -> None:
    assert_wellformed(extract(source, path), source)


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, path=PATHS)
def test_any_mixture_of_code_gives_a_wellformed_extraction(text: str, path: str) -> None:
    source = text.encode()
    extraction = extract(source, path)
    assert_wellformed(extraction, source)
    assert extract(source, path) == extraction


WHOLE = {
    "a.py": b"import os\n\nLIMIT = 3\n\n\n@wrap(1)\nclass A:\n    def m(self):\n        def inner(): pass\n\n"
    b"    def m(self): return 2\n\n\nasync def go(*, x=1): pass\n",
    "a.js": b"export const f = () => 1;\nclass A { m() { const g = () => 2; } get p() { return 1; } }\n"
    b"A.prototype.q = function () {};\nmodule.exports = { r() {} };\n",
    "a.ts": b"interface I { a: string }\nenum E { A }\nnamespace N { export function f(): void {} }\n"
    b"@Dec() class C<T> { private m?(a: T): void {} }\n",
    "a.html": b"<main id=a>\n<x-y></x-y>\n<script>\n// TODO: b\nfunction f() {}\n</script>\n</main>\n",
    "a.css": b".a {\n  --b: c;\n  & .d { e: f }\n}\n@media (g) { .h { i: j } }\n",
    "a.md": b"# A\n\nText.\n\n## B\n\n## B\n\n# C\n",
    "b.js": b"app.get('/x', (q) => {\n  function g() {}\n  // TODO: h\n});\nprogram\n  .command('c')\n  .action(f);\n",
}


@pytest.mark.parametrize("path", sorted(WHOLE))
@settings(max_examples=25, deadline=None)
@given(count=st.integers(min_value=1, max_value=40))
def test_lines_put_in_front_move_entities_and_keep_ids(path: str, count: int) -> None:
    before = extract(WHOLE[path], path)
    after = extract(b"\n" * count + WHOLE[path], path)
    assert [e.id for e in after.entities] == [e.id for e in before.entities]
    assert [(r.kind, r.name, r.line - count) for r in after.references] == [
        (r.kind, r.name, r.line) for r in before.references
    ]
    moved = [(e.start_line - count, e.end_line - count, e.body_hash) for e in after.entities[1:]]
    assert moved == [(e.start_line, e.end_line, e.body_hash) for e in before.entities[1:]]


@pytest.mark.parametrize("path", sorted(WHOLE))
def test_children_lie_inside_their_parents(path: str) -> None:
    entities = extract(WHOLE[path], path).entities
    for child in entities:
        homes = [e for e in entities if e.qualified_name == child.parent]
        assert (
            not homes  # at the top, or below a range that is no entity (@media)
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


NAMES = st.sampled_from(["alpha", "Beta", "gamma_2", "délta"])
BODIES = st.recursive(
    st.just([]),
    lambda inner: st.lists(st.tuples(st.sampled_from(["class", "def"]), NAMES, st.booleans(), inner), max_size=4),
    max_leaves=12,
)
Tree = list[tuple[str, str, bool, "Tree"]]
Expected = list[tuple[str, str, str | None, int, int]]


def python_lines(tree: Tree, depth: int, lines: list[str], home: str, in_class: bool, expected: Expected) -> None:
    """Write a tree of definitions as Python, and what must be found: kind, name, parent, first and last line."""
    for word, name, commented, inner in tree:
        indent = "    " * depth
        if commented:
            lines += ["", indent + "# between"]
        lines.append(f"{indent}{word} {name}{'(self)' if word == 'def' else ''}:")
        start = len(lines)
        kind = "class" if word == "class" else "method" if in_class else "function"
        qualified = f"{home}.{name}" if home else name
        place = len(expected)
        expected.append((kind, qualified, home or None, start, 0))
        python_lines(inner, depth + 1, lines, qualified, word == "class", expected)
        lines.append(indent + "    pass")
        expected[place] = (kind, qualified, home or None, start, len(lines))


def script_lines(tree: Tree, depth: int, lines: list[str], home: str, in_class: bool, expected: Expected) -> None:
    """The same as JavaScript; a class in a class is a field that holds one."""
    for word, name, commented, inner in tree:
        indent = "  " * depth
        if commented:
            lines += ["", indent + "// between", ""]
        head = {
            ("class", False): f"class {name} {{",
            ("class", True): f"{name} = class {{",
            ("def", False): f"function {name}(a) {{",
            ("def", True): f"{name}(a) {{",
        }[word, in_class]
        lines.append(indent + head)
        start = len(lines)
        kind = "class" if word == "class" else "method" if in_class else "function"
        qualified = f"{home}.{name}" if home else name
        place = len(expected)
        expected.append((kind, qualified, home or None, start, 0))
        script_lines(inner, depth + 1, lines, qualified, word == "class", expected)
        lines.append(indent + "}")
        expected[place] = (kind, qualified, home or None, start, len(lines))


@pytest.mark.parametrize(("path", "write"), [("a.py", python_lines), ("a.js", script_lines), ("a.tsx", script_lines)])
@settings(max_examples=60, deadline=None)
@given(tree=BODIES)
def test_a_program_of_nested_definitions_is_found_as_it_was_written(path: str, write: object, tree: Tree) -> None:
    lines: list[str] = []
    expected: Expected = []
    write(tree, 0, lines, "", False, expected)  # type: ignore[operator]
    extraction = extract("\n".join(lines).encode(), path)
    found = [
        (e.entity_type.value, e.qualified_name, e.parent, e.start_line, e.end_line) for e in extraction.entities[1:]
    ]
    assert found == expected
    assert not extraction.partial
