"""Which file an import means: extensions, index files, re-exports, tsconfig paths, packages and workspaces."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from tests.codemap.small_project import lines_of

F = "export function f() {}\n"


def imported(specifier: str, files: Mapping[str, str], path: str = "src/main.ts") -> list[str]:
    """What `import { f }` of a specifier leads to, without line and kind."""
    found = lines_of({**files, path: f"import {{ f }} from '{specifier}';\n"}, path, "import")
    return [line.partition(" import ")[2] for line in found]


@pytest.mark.parametrize(
    ("specifier", "files", "expected"),
    [
        ("./a", ["src/a.ts"], "src/a.ts"),
        ("./a", ["src/a.tsx"], "src/a.tsx"),
        ("./a", ["src/a/index.ts"], "src/a/index.ts"),
        ("./a", ["src/a.js", "src/a.ts"], "src/a.ts"),
        ("./a", ["src/a.d.ts", "src/a.js"], "src/a.js"),
        ("./a.js", ["src/a.ts"], "src/a.ts"),
        ("./a.mjs", ["src/a.mts"], "src/a.mts"),
        ("./a.jsx", ["src/a.tsx"], "src/a.tsx"),
        ("./a.js", ["src/a.js"], "src/a.js"),
        ("./a.test", ["src/a.test.ts"], "src/a.test.ts"),
        ("..", ["index.ts"], "index.ts"),
        (".", ["src/index.ts"], "src/index.ts"),
        ("./a?raw", ["src/a.ts"], "src/a.ts"),
        ("../lib/a", ["lib/a.cjs"], "lib/a.cjs"),
        ("./A.vue", ["src/A.vue"], "src/A.vue"),
    ],
)
def test_a_relative_specifier_means_a_file(specifier: str, files: list[str], expected: str) -> None:
    assert imported(specifier, dict.fromkeys(files, F))[0] == f"resolved {expected}"


@pytest.mark.parametrize("specifier", ["react", "node:fs", "fs", "@scope/thing/part", "https://x.invalid/a.js"])
def test_what_no_file_or_package_of_the_project_has_is_external(specifier: str) -> None:
    assert imported(specifier, {"src/react.ts": F}) == [f"external {specifier}"]


def test_a_relative_specifier_of_a_missing_file_is_no_edge() -> None:
    assert imported("./gone", {"src/a.ts": F}) == []


@pytest.mark.parametrize(
    ("config", "specifier", "expected"),
    [
        ({"tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}'}, "@/a", "src/a.ts"),
        ({"tsconfig.json": '{"compilerOptions": {"baseUrl": "./src"}}'}, "a", "src/a.ts"),
        ({"jsconfig.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"lib": ["src/a"]}}}'}, "lib", "src/a.ts"),
        # Comments and trailing commas are allowed there.
        (
            {"tsconfig.json": '{ // x\n "compilerOptions": {"paths": {"a/*": ["no/*", "./src/*",],},}, /* y */ }'},
            "a/a",
            "src/a.ts",
        ),
        # The longest prefix wins.
        ({"tsconfig.json": '{"compilerOptions": {"paths": {"*": ["lib/*"], "x/*": ["./src/*"]}}}'}, "x/a", "src/a.ts"),
        (
            {
                "tsconfig.json": '{"extends": "./config/base.json"}',
                "config/base.json": '{"compilerOptions": {"paths": {"~/*": ["../src/*"]}}}',
            },
            "~/a",
            "src/a.ts",
        ),
        (
            {
                "tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
                "tsconfig.app.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
            },
            "@/a",
            "src/a.ts",
        ),
    ],
)
def test_paths_of_a_configuration(config: dict[str, str], specifier: str, expected: str) -> None:
    assert imported(specifier, {"src/a.ts": F, **config})[0] == f"resolved {expected}"


def test_a_shorthand_that_no_configuration_explains_is_only_likely() -> None:
    assert imported("@/a", {"src/a.ts": F}) == ["imported-name src/a.ts", "imported-name src/a.ts:f"]


WORKSPACES = [
    {"package.json": '{"workspaces": ["packages/*"]}'},
    {"package.json": '{"workspaces": {"packages": ["packages/**"]}}'},
    {"package.json": "{}", "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n  - '!packages/no'\n"},
    {"package.json": "{}", "lerna.json": '{"packages": ["packages/*"]}'},
    {"src/package.json": '{"dependencies": {"@x/lib": "file:../packages/lib"}}', "src/a.ts": F},
]


@pytest.mark.parametrize("workspaces", WORKSPACES)
@pytest.mark.parametrize(
    ("manifest", "specifier", "expected"),
    [
        ({"main": "dist/index.js"}, "@x/lib", "index"),
        ({"main": "./lib/index.js", "types": "./lib/index.d.ts"}, "@x/lib", "index"),
        ({}, "@x/lib", "index"),
        ({}, "@x/lib/src/part", "part"),
        ({"exports": {".": {"types": "./dist/part.d.ts", "import": "./dist/part.js"}}}, "@x/lib", "part"),
        ({"exports": {"./*": "./dist/esm/*.js"}}, "@x/lib/part", "part"),
        ({"exports": {".": [{"require": "./dist/cjs/index.cjs"}]}}, "@x/lib", "index"),
        ({"source": "src/part.ts", "main": "dist/index.js"}, "@x/lib", "part"),
    ],
)
def test_packages_of_a_monorepo(
    workspaces: dict[str, str], manifest: dict[str, object], specifier: str, expected: str
) -> None:
    files = {
        **workspaces,
        "packages/lib/package.json": json.dumps({"name": "@x/lib", **manifest}),
        "packages/lib/src/index.ts": F,
        "packages/lib/src/part.ts": F,
    }
    assert imported(specifier, files)[0] == f"resolved packages/lib/src/{expected}.ts"


def test_imports_and_the_own_name_of_a_package() -> None:
    manifest = json.dumps({"name": "own", "imports": {"#tools/*": "./src/tools/*.js"}, "main": "src/a.js"})
    files = {"package.json": manifest, "src/tools/x.ts": F, "src/a.ts": F}
    assert imported("#tools/x", files)[0] == "resolved src/tools/x.ts"
    assert imported("own", files)[0] == "resolved src/a.ts"


@pytest.mark.parametrize(
    ("barrel", "take"),
    [
        ("export * from './b';", "import { f as g } from './barrel'; g();"),
        ("export { f as g } from './b';", "import { g } from './barrel'; g();"),
        ("import { f } from './b'; export { f as default };", "import g from './barrel'; g();"),
        ("import * as b from './b'; export { b };", "import { b } from './barrel'; b.f();"),
        ("export * as b from './b';", "import { b } from './barrel'; b.f();"),
        ("import { f } from './b'; export default { f };", "import api from './barrel'; api.f();"),
        ("export * from './loop'; export * from './b';", "import { f } from './barrel'; f();"),
        ("module.exports = require('./b');", "const { f } = require('./barrel'); f();"),
        ("exports.b = require('./b');", "require('./barrel').b.f();"),
        ("import b = require('./b'); export = b;", "import b = require('./barrel'); b.f();"),
    ],
)
def test_what_is_given_on_leads_to_where_it_is(barrel: str, take: str) -> None:
    files = {"b.ts": F, "loop.ts": "export * from './barrel';\n", "barrel.ts": barrel, "main.ts": take}
    assert lines_of(files, "main.ts", "call") == ["1 call resolved b.ts:f"]


def test_modules_that_give_on_each_other_for_ever_end() -> None:
    files = {
        "a.ts": "export * from './b';\nexport { x } from './b';\n",
        "b.ts": "export * from './a';\nexport { x } from './a';\n",
    }
    assert lines_of({**files, "c.ts": "import { x, y } from './a';\nx();\ny();\n"}, "c.ts", "call") == [
        "2 call imported-name b.ts",
        "3 call imported-name a.ts",
    ]


def test_a_dynamic_import_is_followed() -> None:
    files = {
        "b.ts": F,
        "a.ts": "async function g() { const { f } = await import('./b'); f(); (await import('./b')).f(); }\n",
    }
    assert lines_of(files, "a.ts") == [
        "1 import resolved b.ts",
        "1 import resolved b.ts:f",
        "1 call resolved b.ts:f",
        "1 call resolved b.ts:f",
    ]
