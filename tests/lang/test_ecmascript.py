"""JavaScript and TypeScript definitions in all the shapes people write them."""

from __future__ import annotations

import pytest

from zerikai_memory.lang.extract import extract, extract_entities
from zerikai_memory.model import CodeEntity


def found(source: str, path: str = "a.js") -> list[tuple[str, str]]:
    return [(e.entity_type.value, e.qualified_name) for e in extract_entities(source, path)[1:]]


def entity(source: str, path: str = "a.js") -> CodeEntity:
    return extract_entities(source, path)[1]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("app.use = function use(fn) {};", [("method", "app.use")]),
        ("a.b.c = () => 1;", [("method", "a.b.c")]),
        ("res.x = res.y = function () {};", [("method", "res.x"), ("method", "res.y")]),
        ("exports.a = exports.b = () => 1;", [("function", "a"), ("function", "b")]),
        ("module.exports = function main() {};", [("function", "main")]),
        ("module.exports = class {};", [("class", "default")]),
        ('obj["key"] = function () {};', [("method", "obj.key")]),
        ("Foo.prototype = { m() {}, n: function () {} };", [("method", "Foo.m"), ("method", "Foo.n")]),
        ("Object.assign(A.prototype, { m() {} });", [("method", "A.m")]),
        ("const o = { f() {}, g: { h: () => 1 } };", [("constant", "o"), ("method", "o.f"), ("method", "o.g.h")]),
        ("const s = make({ r: { add(x) {} } });", [("method", "s.r.add")]),
        ("class A { constructor() { this.f = () => 1; } }",
         [("class", "A"), ("method", "A.constructor"), ("method", "A.f")]),
        ("const f = ((x) => x);", [("function", "f")]),
        ("const f = useCallback(() => 1, []);", [("function", "f")]),
        ("export default { data() {} };", [("constant", "default"), ("method", "default.data")]),
        ("return_(function named() {});", [("function", "named")]),
        ("const MAX = 3; let other = 4;", [("constant", "MAX")]),
        ("const port = 1; export { port as p };", [("constant", "port")]),
        ("export const router = express();", [("constant", "router")]),
        ("class A { static MAX = 1; other = 2; }", [("class", "A"), ("constant", "A.MAX")]),
    ],
)  # fmt: skip
def test_every_way_to_bind_a_function_gives_an_entity(source: str, expected: list[tuple[str, str]]) -> None:
    assert found(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "describe('x', () => { it('y', function () {}); });",  # test callbacks
        "describe('x', () => { it('y', () => { app.get('/x', (req, res) => 1); }); });",  # routes of a test
        "axios.post('/x', data); request(app).get('/x'); $.get('/x', () => {});",  # clients
        "$.ajax({ success: function () {} });",  # option callbacks
        "function_(() => {}); [1].map(x => x);",
        "const x = require('y'); const { a, b } = x;",
    ],
)
def test_anonymous_callbacks_give_nothing(source: str) -> None:
    assert found(source) == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("function f(a: string): void;\nfunction f(a: any) {}", [("function", "f"), ("function", "f")]),
        ("abstract class A { abstract m(): void; get x() { return 1; } }",
         [("class", "A"), ("method", "A.m"), ("method", "A.x")]),
        ("declare module 'm' { export function f(): void; }", [("namespace", "m"), ("function", "m.f")]),
        ("declare global { interface W {} }", [("namespace", "global"), ("interface", "global.W")]),
        ("export declare const VERSION: string;", [("constant", "VERSION")]),
        ("interface I { m(): void; get x(): number }", [("interface", "I"), ("method", "I.x")]),
        ("export default function (): void;", [("function", "default")]),
        ("type A = import('react').FC<import('./b').P>;\nexport type * from './c';\nfunction g() {}",
         [("type", "A"), ("function", "g")]),
        ("interface B<out T, in out U> {}\nenum E { A }", [("interface", "B"), ("enum", "E")]),
    ],
)  # fmt: skip
def test_typescript_declarations_are_entities(source: str, expected: list[tuple[str, str]]) -> None:
    assert found(source, "a.ts") == expected
    assert not extract(source.encode(), "a.ts").partial


@pytest.mark.parametrize(
    ("source", "modifiers"),
    [
        ("export default async function f() {}", ("exported", "default", "async")),
        ("class A { static async *m() {} }", ("static", "async", "generator")),
        ("class A { get m() {} }", ("getter",)),
        ("class A { #m() {} }", ("private",)),
        ("class A { private static readonly m = async () => {}; }", ("async", "private", "static", "readonly")),
        ("function f() {}\nexport { f };", ("exported",)),
        ("function f() {}\nmodule.exports = { f };", ("exported",)),
        ("var f = module.exports = function () {};", ("exported",)),
    ],
)
def test_modifiers_say_what_the_source_says(source: str, modifiers: tuple[str, ...]) -> None:
    (last,) = [e for e in extract_entities(source, "a.ts") if e.name.strip("#") in ("f", "m")]
    assert set(last.modifiers) == set(modifiers)


@pytest.mark.parametrize(
    ("source", "docstring"),
    [
        ("/** Doc. */\n\nfunction f() {}", "Doc."),
        ("/** Doc. */\n// eslint-disable-next-line\nexport default function f() {}", "Doc."),
        ("// One.\n// Two.\nconst f = () => 1;", "One.\nTwo."),
        ("// Far.\n\nfunction f() {}", None),
        ("let x; // of x\nfunction f() {}", None),
        ("// eslint-disable-next-line\nfunction f() {}", None),
        ("/*! Copyright (c) Somebody */\n\nfunction f() {}", None),
        ("/** matches foo/* and 2 * 3 */\nfunction f() {}", "matches foo/* and 2 * 3"),
    ],
)
def test_a_comment_documents_what_it_stands_before(source: str, docstring: str | None) -> None:
    assert [e.docstring for e in extract_entities(source, "a.js") if e.name == "f"] == [docstring]


def test_a_signature_has_parameters_types_and_no_comment_or_body() -> None:
    source = (
        "export const f = async <T,>(\n  a: T, // first\n  { b = 2 }: P = {},\n  ...rest: number[]\n): Promise<T> => a;"
    )
    f = entity(source, "a.ts")
    assert f.signature == "export const f = async <T,>(a: T, { b = 2 }: P = {}, ...rest: number[]): Promise<T>"
    assert f.params == ("a", "{ b = 2 }", "...rest")
    assert (f.return_type, f.type_params) == ("Promise<T>", "<T,>")


def test_flow_annotations_are_read() -> None:
    source = "// @flow\nexport function f(a: string, b?: number): void {}\nclass A { x: string = ''; m(): void {} }\n"
    assert found(source) == [("function", "f"), ("class", "A"), ("method", "A.m")]


def test_a_component_needs_a_capital_and_an_element() -> None:
    source = "function Page() { return <p/>; }\nfunction page() { return <p/>; }\nfunction Ctor() { this.x = 1; }\n"
    assert found(source) == [("component", "Page"), ("function", "page"), ("function", "Ctor")]


def test_imports_calls_elements_and_patches_are_references() -> None:
    source = (
        "import d, { e as f } from './g';\nimport * as h from 'i';\nexport { k } from './l';\n"
        "const m = require('n');\nFoo.prototype.bar = helper;\n"
        "function Page() { return <Card x={api.load(1)} />; }\nclass Q extends R {}\n"
    )
    extraction = extract(source.encode(), "a.jsx")
    assert {(r.kind.value, r.name, r.target_text, r.line) for r in extraction.references} == {
        ("import", "default", "./g", 1),
        ("alias", "d", "./g:default", 1),
        ("alias", "f", "./g:e", 1),
        ("alias", "h", "i", 2),
        ("alias", "m", "n", 4),
        ("import", "e", "./g", 1),
        ("import", "*", "i", 2),
        ("import", "k", "./l", 3),
        ("export", "k", '"./l".k', 3),
        ("import", "*", "n", 4),
        ("patch", "bar", "Foo.bar = helper", 5),
        ("call", "Card", "Card", 6),
        ("call", "load", "api.load", 6),
        ("inherit", "R", "R", 7),
    }
