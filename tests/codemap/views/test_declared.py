"""Entry points that project files declare, with their lines."""

import pytest

from zerikai_memory.codemap.views.declared import declared_in, guard_line

FILES = {
    "pyproject.toml": """\
[project]
name = "shop"

[project.scripts]
shop = "shop.cli:main"
"shop-admin" = "shop.admin:main [extra]"

[project.entry-points.shop_plugins]
csv = "shop.csv"

[tool.poetry.scripts]
old = { callable = "shop.old:main", extras = [] }

[tool.pytest.ini_options]
testpaths = ["tests"]
""",
    "setup.cfg": """\
[options.entry_points]
console_scripts =
    legacy = shop.legacy:main
""",
    "web/package.json": """\
{
  "name": "@shop/web",
  "bin": "./bin/web.js",
  "main": "lib/index.js",
  "exports": {".": {"types": "./index.d.ts", "import": "./lib/index.mjs"}, "./x/*": "./x/*.js"},
  "scripts": {
    "start": "node server.js",
    "build": "tsc",
    "test:unit": "vitest"
  }
}
""",
    "broken/package.json": "{",
    "list/package.json": "[]",
    "odd/package.json": '{"bin": 3, "scripts": [], "main": {"a": 1}}',
    "odd/pyproject.toml": "[project]\nscripts = 3\nentry-points = []\n",
    "bad/pyproject.toml": "[project",
    "bad/setup.cfg": "x = 1",
}


def test_manifests_say_what_is_run_and_where_they_say_it():
    folders = {"", "web", "broken", "list", "odd", "bad", "none"}
    found = [(f.name, f.target, f.file_path, f.line, f.group) for f in declared_in(folders, FILES.get)]
    assert found == [
        ("shop", "shop.cli:main", "pyproject.toml", 5, "command line"),
        ("shop-admin", "shop.admin:main", "pyproject.toml", 6, "command line"),
        ("old", "shop.old:main", "pyproject.toml", 12, "command line"),
        ("csv", "shop.csv", "pyproject.toml", 9, "events, tasks and plugins"),
        ("pytest", "", "pyproject.toml", 14, "tests"),
        ("legacy", "shop.legacy:main", "setup.cfg", 3, "command line"),
        ("web", "./bin/web.js", "web/package.json", 3, "command line"),
        ("@shop/web", "lib/index.js", "web/package.json", 4, "package entry"),
        ("@shop/web", "./lib/index.mjs", "web/package.json", 5, "package entry"),
        ("npm run start", "node server.js", "web/package.json", 7, "server"),
        ("npm run test:unit", "vitest", "web/package.json", 9, "tests"),
    ]


@pytest.mark.parametrize(
    ("path", "content", "line"),
    [
        ("a.py", b'def f(): pass\n\nif __name__ == "__main__":\n    f()\n', 3),
        ("a.py", b"if '__main__' == __name__:\n", 1),
        ("a.py", b"x = 1  # if __name__ == '__main__'\n", None),
        ("a.js", b"#!/usr/bin/env node\nrun()\n", 1),
        ("a.js", b"f()\nif (require.main === module) f()\n", 2),
        ("a.mjs", b"if (import.meta.main) f()\n", 1),
        ("a.js", b"f()\n", None),
        ("a.py", b"", None),
    ],
)
def test_a_main_guard_is_found_by_its_line(path, content, line):
    assert guard_line(path, content) == line
