"""The map of JavaScript and TypeScript: what calls, elements, bases and registrations lead to, with evidence."""

from __future__ import annotations

import pytest

from tests.codemap.small_project import lines_of

STORE = """\
export class Base { close() {} save(x: number) {} }
export class Store extends Base {
  static open(): Store { return new Store(); }
  get first(): Item { return this.items[0]; }
  items: Item[] = [];
  add(item: Item) { this.save(1); return this; }
  find(id: string): Item | undefined { return this.items.find((i) => i.matches(id)); }
}
export class Item { matches(id: string) { return true; } }
export interface Shop { sell(): void }
export default function main() {}
export const store = new Store();
"""


def calls(code: str, path: str = "a.ts", **others: str) -> list[str]:
    texts = {name.replace("__", "/").replace("_DOT_", "."): text for name, text in others.items()}
    found = lines_of({"store.ts": STORE, **texts, path: code}, path, "call")
    return [line.partition(" call ")[2] for line in found]


IMPORT = "import main, { Store as S, Item, store, type Shop } from './store';\nimport * as all from './store';\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("main();", ["resolved store.ts:main"]),
        ("new S();", ["resolved store.ts:Store"]),
        ("S.open();", ["resolved store.ts:Store.open"]),
        ("S.open().add(i);", ["resolved store.ts:Store.add", "resolved store.ts:Store.open"]),
        ("all.Store.open();", ["resolved store.ts:Store.open"]),
        ("store.close();", ["resolved store.ts:Base.close"]),
        ("all.store.add(i);", ["resolved store.ts:Store.add"]),
        (
            "const s = new S(); s.add(i).save(2);",
            ["resolved store.ts:Store", "resolved store.ts:Base.save", "resolved store.ts:Store.add"],
        ),
        ("function f(s: S | null) { s?.add(i); }", ["resolved store.ts:Store.add"]),
        ("const f = async (s: Promise<S>) => { (await s).add(i); };", ["resolved store.ts:Store.add"]),
        ("function f(x) { (x as Item).matches('a'); }", ["resolved store.ts:Item.matches"]),
        ("store.first.matches('a');", ["resolved store.ts:Item.matches"]),
        ("store.find('a')!.matches('b');", ["resolved store.ts:Item.matches", "resolved store.ts:Store.find"]),
        ("for (const i of store.items) i.matches('a');", ["resolved store.ts:Item.matches"]),
        ("store.items.forEach((i) => i.matches('a'));", ["resolved store.ts:Item.matches"]),
        ("function f(m: Map<string, Item>) { m.get('a')?.matches('a'); }", ["resolved store.ts:Item.matches"]),
        (
            "class A extends S { add(i) { super.add(i); this.close(); return this; } }",
            ["resolved store.ts:Store.add", "resolved store.ts:Base.close"],
        ),
        ("class A { constructor(private s: S) {} f() { this.s.close(); } }", ["resolved store.ts:Base.close"]),
        (
            "class A { s; constructor(x: S) { this.s = x; } f = () => this.s.close(); }",
            ["resolved store.ts:Base.close"],
        ),
        (
            "class A { #s = new S(); f() { run(() => this.#s.close()); } }",
            ["resolved store.ts:Store", "resolved store.ts:Base.close"],
        ),
        ("const { first } = store; first.matches('a');", ["resolved store.ts:Item.matches"]),
        ("function f() { const inner = () => 1; inner(); }", ["resolved a.ts:f.inner"]),
        (
            "const api = { get() {}, put: main, inner: { x() {} } }; api.get(); api.put(); api.inner.x();",
            ["resolved a.ts:api.get", "resolved store.ts:main", "resolved a.ts:api.inner.x"],
        ),
        ("function make() { return { go() {} }; }\nmake().go();", ["resolved a.ts:make", "resolved a.ts:make.go"]),
        (
            "function each(f: (i: Item) => void) {}\neach((i) => i.matches('a'));",
            ["resolved a.ts:each", "resolved store.ts:Item.matches"],
        ),
        ("namespace N { export function f() {} }\nN.f();", ["resolved a.ts:N.f"]),
        ("type T = Item; function f(t: T[]) { t[0].matches('a'); }", ["resolved store.ts:Item.matches"]),
    ],
)
def test_a_call_leads_to_its_definition(code: str, expected: list[str]) -> None:
    found = [line for line in calls(IMPORT + code) if not line.startswith(("same-name", "external"))]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    "code",
    [
        "function f(main) { main(); }",  # a parameter of that name
        "function f() { const main = load(); main(); }",
        "try {} catch (main) { main(); }",
        "function f(store) { store.close(); }",
        "items.map(({ store }) => store.close());",
        "for (const store of lists) store.close();",
        "function f(s: Map<string, S>) { s.close(); }",
        "function f(s: S | Item) { s.close(); }",
        "load().store.close();",
    ],
)
def test_a_name_of_an_inner_scope_is_not_that_of_the_file(code: str) -> None:
    assert [line for line in calls(IMPORT + code) if line.startswith(("resolved", "imported-name"))] == []


def test_what_is_only_likely_or_only_a_name_is_no_fact() -> None:
    code = IMPORT + (
        "import lib from 'lib';\nclass Kiosk implements Shop { sell() {} }\n"
        "function f(s: Shop, x) { s.sell(); x.matches('a'); lib.run(); x.map(1); }\n"
        "let g = main; g();\nimport { gone } from './store'; gone();\n"
    )
    assert calls(code) == [
        "imported-name a.ts:Kiosk.sell",
        "same-name store.ts:Item.matches",
        "external lib.run",
        "imported-name store.ts:main",
        "imported-name store.ts",
    ]


def test_a_name_that_many_have_is_no_guess() -> None:
    many = "\n".join(f"class C{i} {{ common() {{}} }}" for i in range(6))
    assert calls(f"{many}\nfunction f(x) {{ x.common(); }}") == []


@pytest.mark.parametrize(
    ("library", "use", "expected"),
    [
        (
            "module.exports = { f, g: h };\nfunction f() {}\nfunction h() {}",
            "const m = require('./lib'); m.f(); m.g();",
            ["f", "h"],
        ),
        (
            "exports.f = function () {};\nexports.g = g; function g() {}",
            "const { f, g: k } = require('./lib'); f(); k();",
            ["f", "g"],
        ),
        (
            "function App() {}\nApp.prototype.go = function () {};\nmodule.exports = App;",
            "const App = require('./lib'); new App().go();",
            ["App", "App.go"],
        ),
        (
            "module.exports = class { go() {} };",
            "const A = require('./lib'); const a = new A(); a.go();",
            ["default", "default.go"],
        ),
        (
            "var app = exports = module.exports = {};\napp.use = function use() {};",
            "const app = require('./lib'); app.use();",
            ["app.use"],
        ),
        (
            "module.exports = make;\nfunction make() {}",
            "import make from './lib'; make(); require('./lib')();",
            ["make", "make"],
        ),
        ("exports.f = f; function f() {}", "var f = require('./lib').f;\nfunction go() { f(); }", ["f"]),
        ("exports.f = f; function f() {}", "const m = require('./lib').f; m(); require('./lib')['f']();", ["f", "f"]),
        ("exports.f = f; function f() {}", "const m = require('./lib')['f']; m();", ["f"]),
        ("exports.f = f; function f() {}", "let x; x = require('./lib').f; x();", ["f"]),
        ("exports.f = f; function f() {}", "let x = null;\nfunction g() { x = require('./lib').f; }\nx();", ["f"]),
        (
            "exports.f = f; exports.g = g; function f() {}\nfunction g() {}",
            "let x; x = require('./lib').f; x = 1; x();",
            [],
        ),
        ("exports.f = f; function f() {}\nexports.g = () => module.exports.f();", "require('./lib').g();", ["g"]),
        ("exports.a = { f };\nfunction f() {}", "const { f } = require('./lib').a; f();", ["f"]),
    ],
)
def test_common_js_gives_out_and_takes(library: str, use: str, expected: list[str]) -> None:
    found = lines_of({"lib.js": library, "main.js": use}, "main.js", "call")
    assert [line.partition("resolved lib.js:")[2] for line in found] == expected


def test_this_of_a_prototype_and_of_an_object_is_what_they_belong_to() -> None:
    code = "function A() { this.a(); }\nA.prototype.a = function () { this.b(); };\nA.prototype.b = function () {};\n"
    code += "const o = { x() { this.y(); }, y() {} };\n"
    assert lines_of({"a.js": code}, "a.js", "call") == [
        "1 call resolved a.js:A.a",
        "2 call resolved a.js:A.b",
        "4 call resolved a.js:o.y",
    ]


def test_doc_comments_give_types_in_javascript() -> None:
    code = (
        "class A { go() {} }\n/**\n * Go.\n * @param {A} a\n * @param {A[]} list\n * @returns {Promise<A>}\n */\n"
        "function f(a, list) { a.go(); list[0].go(); }\nasync function g() { (await f()).go(); }\n"
    )
    assert lines_of({"a.js": code}, "a.js", "call") == [
        "8 call resolved a.js:A.go",
        "8 call resolved a.js:A.go",
        "9 call resolved a.js:f",
        "9 call resolved a.js:A.go",
    ]


def test_elements_bases_decorators_and_routes() -> None:
    texts = {
        "ui.tsx": "export const Card = () => <p/>;\nexport default class Page extends React.Component {}\n",
        "app.tsx": (
            "import Page, { Card } from './ui';\nimport * as ui from './ui';\n"
            "export function App() { return <Page><Card/><ui.Card/><div/></Page>; }\n"
            "@mark\nclass B extends Page { }\nfunction mark(x) {}\nrouter.get('/x', list);\nfunction list() {}\n"
            "Page.prototype.go = list;\n"
        ),
    }
    assert [line for line in lines_of(texts, "app.tsx") if " import " not in line] == [
        "3 call resolved ui.tsx:Page",
        "3 call resolved ui.tsx:Card",
        "3 call resolved ui.tsx:Card",
        "4 decorate resolved app.tsx:mark",
        "5 inherit resolved ui.tsx:Page",
        "7 register resolved app.tsx:list",
        "9 patch resolved ui.tsx:Page",
        "9 use resolved app.tsx:list",
    ]


def test_components_of_vue_use_what_their_script_imports() -> None:
    texts = {
        "UserCard.vue": "<template><p/></template>\n",
        "api.ts": "export function load() {}\n",
        "App.vue": (
            "<template><user-card/><UserCard/></template>\n\n"
            "<script setup>\nimport UserCard from './UserCard.vue';\nimport { load } from './api';\n"
            "load();\n</script>\n"
        ),
    }
    assert lines_of(texts, "App.vue") == [
        "1 call resolved UserCard.vue",
        "1 call resolved UserCard.vue",
        "4 import resolved UserCard.vue",
        "5 import resolved api.ts",
        "5 import resolved api.ts:load",
        "6 call resolved api.ts:load",
    ]


def test_what_is_handed_on_or_named_as_a_type_is_used() -> None:
    code = (
        "import { Store, Item } from './store';\nexport const LIMIT = 3;\nfunction handle(s: Store) {}\n"
        "items.map(handle);\nconst all = [handle, LIMIT + 1];\n"
        "class Q { go(item: Item) { on('x', this.run); return { handle }; } run() { this.go(LIMIT); } }\n"
        "function other(handle, LIMIT) { run(handle, LIMIT); }\n"
    )
    assert lines_of({"store.ts": STORE, "a.ts": code}, "a.ts", "use") == [
        "3 use resolved store.ts:Store",
        "4 use resolved a.ts:handle",
        "5 use resolved a.ts:LIMIT",
        "6 use resolved store.ts:Item",
        "6 use resolved a.ts:Q.run",
        "6 use resolved a.ts:handle",
        "6 use resolved a.ts:LIMIT",
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import * as lib from './lib'; jest.spyOn(lib, 'f');", ["import resolved lib.ts", "patch resolved lib.ts:f"]),
        ("import { A } from './lib'; vi.spyOn(A.prototype, 'go');", ["patch resolved lib.ts:A.go"]),
        ("vi.mock('./lib');", ["import resolved lib.ts"]),
        ("const lib = jest.requireActual('./lib'); lib.f();", ["call resolved lib.ts:f", "import resolved lib.ts"]),
        ("jest.spyOn(console, 'log'); jest.mock('axios');", ["import external axios"]),
    ],
)
def test_what_a_test_replaces_is_patched_or_imported(code: str, expected: list[str]) -> None:
    library = "export function f() {}\nexport class A { go() {} }\n"
    found = {line.partition(" ")[2] for line in lines_of({"lib.ts": library, "a.test.ts": code}, "a.test.ts")}
    assert set(expected) <= found
    assert not [line for line in found - set(expected) if line.startswith("patch")]


def test_a_module_calls_what_it_gives_out_itself() -> None:
    code = "exports.f = function () {};\nfunction g() { exports.f(); module.exports.f(); }\n"
    code += "function h(module) { module.exports.f(); }\n"
    found = lines_of({"a.js": code}, "a.js", "call")
    assert found == ["2 call resolved a.js:f"] * 2
