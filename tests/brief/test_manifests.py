"""Project files of every kind, damaged ones too."""

import json

import pytest

from zerikai_memory.brief.manifests import read_manifests

PYPROJECT = """
[build-system]
build-backend = "hatchling.build"
[project]
name = "shop"
description = "Sells  things."
license = "MIT"
requires-python = ">=3.11"
dependencies = ["httpx[http2]>=0.27,<1 ; python_version > '3'", "rich"]
keywords = ["shop"]
classifiers = ["Topic :: Office/Business", "License :: OSI Approved"]
[project.optional-dependencies]
test = ["pytest>=8"]
[project.scripts]
shop = "shop.cli:main"
[tool.ruff]
line-length = 100
[tool.mypy]
strict = true
[tool.pytest.ini_options]
"""
PACKAGE = {
    "name": "@shop/web",
    "description": "The shop.",
    "type": "module",
    "main": "./src/main.js",
    "bin": {"shop": "./bin/shop.js", "gone": "./dist/gone.js"},
    "engines": {"node": ">=20"},
    "scripts": {"postinstall": "x", "lint": "eslint .", "zip": "zip", "test": "vitest"},
    "dependencies": {"react": "^19"},
    "devDependencies": {"vitest": "3", "eslint": "9"},
}


def manifests(**files):
    texts = {name.replace("__", "."): text for name, text in files.items()}
    return read_manifests([*texts, "src/main.js", "bin/shop.js"], texts.get)


def test_pyproject_is_read():
    (found,) = manifests(pyproject__toml=PYPROJECT)
    assert (found.name, found.description, found.licence) == ("shop", "Sells things.", "MIT")
    assert found.runtime == "Python >=3.11"
    assert [(d.name, d.constraint, d.group) for d in found.dependencies] == [
        ("httpx", ">=0.27,<1", ""),
        ("rich", "", ""),
        ("pytest", ">=8", "test"),
    ]
    assert [(e.name, e.target) for e in found.entry_points] == [("shop", "shop.cli:main")]
    assert [c.text for c in found.commands] == ["pip install -e '.[test]'"]
    assert found.tools == ("ruff (line length 100)", "mypy (strict)", "pytest")
    assert found.topics == ("Office/Business",)
    assert found.notes == ("built with hatchling",)


def test_poetry_projects_are_read():
    (found,) = manifests(
        pyproject__toml='[tool.poetry]\nname = "old"\n[tool.poetry.dependencies]\npython = "^3.11"\nattrs = "^24"\n'
    )
    assert (found.name, found.runtime) == ("old", "Python ^3.11")
    assert [(d.name, d.constraint) for d in found.dependencies] == [("attrs", "^24")]


def test_setup_cfg_is_read():
    (found,) = manifests(
        setup__cfg="[metadata]\nname = old\n[options]\ninstall_requires =\n  six>=1\n"
        "[options.entry_points]\nconsole_scripts =\n  old = old.cli:run\n[flake8]\nmax-line-length = 99\n"
    )
    assert found.name == "old"
    assert [d.name for d in found.dependencies] == ["six"]
    assert [(e.name, e.target) for e in found.entry_points] == [("old", "old.cli:run")]
    assert found.tools == ("flake8 (line length 99)",)


def test_package_json_names_only_files_that_exist_and_scripts_people_run():
    (found,) = manifests(package__json=json.dumps(PACKAGE))
    assert [(e.name, e.target) for e in found.entry_points] == [
        ("@shop/web", "./src/main.js"),
        ("shop", "./bin/shop.js"),
    ]
    assert [c.text for c in found.commands] == ["npm install", "npm run lint", "npm run test", "npm run zip"]
    assert (found.runtime, found.tools) == ("Node >=20", ("eslint", "vitest"))


@pytest.mark.parametrize(
    ("fields", "files", "notes"),
    [
        ({"type": "module"}, ["a.js"], ('ES modules (`"type": "module"`)',)),
        ({"dependencies": {"router": "2"}}, ["a.js"], ("CommonJS modules",)),
        ({"dependencies": {"router": "2"}, "devDependencies": {"typescript": "5"}}, ["a.js"], ()),  # compiled
        ({"dependencies": {"router": "2"}}, ["a.mjs", "b.js"], ()),  # both
        ({"dependencies": {"router": "2"}}, ["a.css"], ()),
    ],
)
def test_the_module_system_is_told_where_node_decides_it(fields, files, notes):
    text = json.dumps({"version": "5.2.1"} | fields)
    (found,) = read_manifests(["package.json", *files], {"package.json": text}.get)
    assert (found.version, found.notes) == ("5.2.1", notes)


@pytest.mark.parametrize(
    ("lock", "command"),
    [("pnpm-lock.yaml", "pnpm run test"), ("yarn.lock", "yarn test"), ("bun.lock", "bun run test")],
)
def test_the_lock_file_tells_the_package_manager(lock, command):
    text = json.dumps({"scripts": {"test": "vitest"}})
    (found,) = read_manifests(["package.json", lock], {"package.json": text}.get)
    assert [c.text for c in found.commands] == [command]


def test_make_targets_are_commands_and_variables_are_not():
    (found,) = manifests(
        Makefile="VERSION := 1\nURL = http://x\n.PHONY: test\n.SILENT:\nbuild/x.o: x.c\n"
        "helper:\n\ttrue\ntest: helper ## run all tests\n\tpytest\n"
    )
    assert [(c.text, c.does) for c in found.commands] == [("make test", "run all tests"), ("make helper", "")]


def test_tox_nox_and_requirements_are_read():
    found = manifests(
        tox__ini="[tox]\nenvlist =\n    py311\n    lint\n[testenv]\n",
        noxfile__py="@nox.session(python='3.12')\ndef docs(session): ...\n",
        requirements__txt="# pinned\nflask==3.1\n-r other.txt\n",
    )
    assert [(c.text, c.does) for m in found for c in m.commands] == [
        ("tox", "environments: py311 lint"),
        ("nox -s docs", ""),
        ("pip install -r requirements.txt", "install dependencies"),
    ]
    assert [d.name for m in found for d in m.dependencies] == ["flask"]


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": "[project\nname="},
        {"package.json": "{"},
        {"package.json": "[1, 2]"},
        {"setup.cfg": "no section = here"},
        {"pyproject.toml": "project = 3\ntool = []\n"},  # right syntax, wrong types
        {"package.json": '{"name": 3, "scripts": [], "bin": 1, "dependencies": "x", "engines": []}'},
        {"Makefile": ""},
        {"tox.ini": ""},
    ],
)
def test_damaged_files_are_no_error(files):
    assert all(not manifest.name for manifest in read_manifests(list(files), files.get))
