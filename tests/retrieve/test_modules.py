"""A module by its dotted name, an import line, a path that is one file's whole path."""

from pathlib import Path

import pytest

from tests.retrieve.written import scanned
from zerikai_memory.app import Memory
from zerikai_memory.retrieve.imports import Import, read_import
from zerikai_memory.retrieve.query import understand

FILES = {
    "README.md": "# Tool\n\nThe tool.\n",
    "lib/README.md": "# Library\n\nREADME of the library.\n",
    "lib/env/README.md": "# Environment\n\nREADME of the environment. README.md\n",
    "lib/setup.py": "def prepare():\n    return 1\n",
    "setup.py": "def install():\n    return 2\n",
    "shop/__init__.py": '"""A shop."""\n',
    "shop/contrib/auth/__init__.py": '"""Who is it."""\n\n\ndef login(user):\n    return user\n',
    "shop/context.py": "def auth(request):\n    return request\n",
    "shop/contrib/sites/shortcuts.py": "def render(site):\n    return site\n",
    "shop/shortcuts.py": "def redirect(to):\n    return to\n\n\ndef render(request, template):\n    return template\n",
    "src/operators/index.ts": "export { map } from '../internal/operators/map'\n",
    "src/internal/operators/map.ts": "/** Maps. */\nexport function map(f: any) {\n  return f\n}\n",
    "src/internal/operators/mapTo.ts": "export function mapTo(v: any) {\n  return v\n}\n",
    "src/internal/lists.ts": "export class Rows {\n  map() {}\n}\nexport function map(rows: any) {\n  return rows\n}\n",
}


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    return scanned(memory, workspace, FILES)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("README.md", ["README.md"]),
        ("./README.md", ["README.md"]),
        ("setup.py", ["setup.py"]),
        ("setup.py:1", ["setup.py:install"]),
        ("lib/README.md", ["lib/README.md"]),
        ("shop.contrib.auth", ["shop/contrib/auth/__init__.py", "shop/contrib/auth/__init__.py:login"]),
        ("contrib.auth", ["shop/contrib/auth/__init__.py"]),
        ("shop.shortcuts", ["shop/shortcuts.py"]),
        ("what is shop.shortcuts?", ["shop/shortcuts.py"]),
        ("shop.shortcuts.render", ["shop/shortcuts.py:render"]),
        ("from shop.shortcuts import render", ["shop/shortcuts.py:render", "shop/shortcuts.py"]),
        ("from shop.shortcuts import (redirect, render)", ["shop/shortcuts.py:re", "shop/shortcuts.py:re"]),
        ("what is `from shop.shortcuts import render as r`", ["shop/shortcuts.py:render"]),
        ("from shop.contrib import auth", ["shop/contrib/auth/__init__.py"]),  # a module is brought in
        ("from shop import shortcuts", ["shop/shortcuts.py"]),
        ("import { mapTo } from 'tool'", ["src/internal/operators/mapTo.ts:mapTo"]),  # the package is in no path
        ("import shop.contrib.auth", ["shop/contrib/auth/__init__.py"]),
        ("import { map } from 'tool/operators'", ["src/internal/operators/map.ts:map"]),
        ('import { map } from "tool/operators";', ["src/internal/operators/map.ts:map"]),
        ("const { map } = require('./internal/lists')", ["src/internal/lists.ts:map"]),
    ],
)
def test_what_is_named_in_full_comes_first(question: str, first: list[str], memory: Memory, project: str) -> None:
    results = memory.query(question, project).results[: len(first)]
    places = [f"{hit.file_path}:{hit.qualified_name}" for hit in results]
    assert [place[: len(wanted)] for place, wanted in zip(places, first, strict=True)] == first
    for hit, wanted in zip(results, first, strict=True):
        assert (":" in wanted) != (hit.entity_type == "module")


@pytest.mark.parametrize("path", ["README.md", "setup.py"])
def test_files_of_the_same_name_stand_behind_the_one_at_the_whole_path(path: str, memory: Memory, project: str) -> None:
    paths = [hit.file_path for hit in memory.query(path, project).results]
    others = [file for file in FILES if file.endswith(f"/{path}")]
    assert paths[0] == path
    assert set(others) <= set(paths)


@pytest.mark.parametrize(
    ("line", "imported"),
    [
        ("from a.b import c", Import(("a", "b"), ("c",))),
        (">>> from a.b import (c as d,\n    e)  # why", Import(("a", "b"), ("c", "e"))),
        ("from . import c", None),  # it names no module
        ("from .a import *", Import(("a",), ())),
        ("import a.b as c", Import(("a", "b"), ())),
        ("import a, { b as c, type D } from '@x/y/z.js';", Import(("x", "y", "z"), ("a", "b", "D"))),
        ("import * as ns from './a'", Import(("a",), ("ns",))),
        ("import './a.css'", Import(("a",), ())),
        ("export { default as A } from '../a'", Import(("a",), ("A",))),
        ("const { a, b: c } = await import('x')", Import(("x",), ("a", "b"))),
        ("const a = require('x/y')", Import(("x", "y"), ("a",))),
        ("@use './mixins'", Import(("mixins",), ())),
        ("how are rows imported from csv files", None),
        ("import rows from csv", None),
        ("from where does it import the rows and why", None),
    ],
)
def test_an_import_line_tells_its_module_and_names(line: str, imported: Import | None) -> None:
    assert read_import([line]) == imported
    assert understand(line).imported == imported


def test_the_module_of_an_import_line_is_no_phrase_that_must_occur() -> None:
    assert understand('import { a } from "x/y"').phrases == ()
    assert understand('where is "x/y"').phrases == ("x/y",)


def test_a_folder_whose_index_gives_out_an_imported_name_is_shown_too(memory: Memory, project: str) -> None:
    results = memory.query("import { map } from 'tool/operators'", project).results
    assert "src/operators/index.ts" in [hit.file_path for hit in results]
