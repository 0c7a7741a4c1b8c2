"""Imports that lead to files of the project."""

import pytest

from zerikai_memory.brief.imports import resolve_imports
from zerikai_memory.model import Reference, ReferenceKind

FILES = [
    "src/shop/__init__.py",
    "src/shop/cart.py",
    "src/shop/db/__init__.py",
    "src/shop/db/models.py",
    "src/shop/json.py",
    "tools/run.py",
    "web/app.ts",
    "web/util/index.ts",
    "web/view.tsx",
    "web/old.js",
    "web/index.html",
    "web/css/site.css",
    "packages/core/package.json",
    "packages/core/src/index.ts",
    "packages/core/src/deep.ts",
]


@pytest.mark.parametrize(
    ("source", "module", "name", "target"),
    [
        ("tools/run.py", "shop.cart", "Cart", "src/shop/cart.py"),
        ("tools/run.py", "shop", "cart", "src/shop/cart.py"),  # a module imported by name
        ("tools/run.py", "shop", "total", "src/shop/__init__.py"),
        ("tools/run.py", "shop.db.models", "*", "src/shop/db/models.py"),
        ("tools/run.py", "shop.db", "shop.db", "src/shop/db/__init__.py"),
        ("src/shop/cart.py", ".db", "models", "src/shop/db/models.py"),
        ("src/shop/db/models.py", "..", "cart", "src/shop/cart.py"),
        ("src/shop/db/models.py", "..cart", "Cart", "src/shop/cart.py"),
        ("src/shop/db/__init__.py", ".models", "A", "src/shop/db/models.py"),
        ("src/shop/cart.py", "json", "json", None),  # the standard library, not shop/json.py
        ("src/shop/cart.py", "....x", "y", None),  # above the top
        ("web/app.ts", "./view", "View", "web/view.tsx"),
        ("web/app.ts", "./util", "x", "web/util/index.ts"),
        ("web/app.ts", "./view.js", "View", "web/view.tsx"),  # the compiled name means the source
        ("web/app.ts", "'./old.js'", "old", "web/old.js"),
        ("web/app.ts", "../../outside", "x", None),
        ("web/app.ts", "react", "react", None),
        ("web/app.ts", "@shop/core", "x", "packages/core/src/index.ts"),
        ("web/app.ts", "@shop/core/deep", "x", "packages/core/src/deep.ts"),
        ("web/app.ts", "@shop/core-extra", "x", None),
        ("web/index.html", "css/site.css", "site.css", "web/css/site.css"),
        ("web/index.html", "https://x.y/site.css", "site.css", None),
    ],
)
def test_an_import_leads_to_its_file(source, module, name, target):
    reference = Reference(ReferenceKind.IMPORT, name, module, source, 1)
    found = resolve_imports(FILES, [reference], {"@shop/core": "packages/core"})
    assert [item.target for item in found] == ([target] if target else [])


def test_calls_are_no_imports():
    assert resolve_imports(FILES, [Reference(ReferenceKind.CALL, "cart", "shop.cart", "tools/run.py", 1)]) == ()


def test_a_workspace_that_is_itself_a_package_resolves_its_own_name():
    files = ["__init__.py", "core/__init__.py", "core/mail.py", "views.py"]
    references = [
        Reference(ReferenceKind.IMPORT, "mail", "shop.core", "views.py", 1),
        Reference(ReferenceKind.IMPORT, "views", "shop", "core/mail.py", 1),
    ]
    found = {(edge.source, edge.target) for edge in resolve_imports(files, references, root_name="shop")}
    assert found == {("views.py", "core/mail.py"), ("core/mail.py", "views.py")}
