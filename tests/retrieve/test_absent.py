"""Paths in a question that the index does not have: the reply says so, with a line and without one."""

from pathlib import Path

import pytest

from tests.retrieve.written import scanned
from zerikai_memory.app import Memory

FILES = {
    "shop/routing.py": "class Reply:\n    def json(self):\n        return 1\n\n\ndef route(path):\n    return path\n",
    "web/routing.py": "def route_pages(path):\n    return path\n",
    "setup.py": "def install():\n    return 1\n",
    "package.json": "{}\n",
    "deploy/values.yaml": "a: 1\n",
    "Makefile": "all:\n",
    "shop/left_out.py": "def left_out():\n    return 1\n",
    ".gitignore": "left_out.py\n",
}
ABSENT = "no such file is in the index"
UNREAD = "the file is there, but not in the index: its kind is not read"
IGNORED = "the file is there, but not in the index: it is ignored, unreadable or newer than the last scan"


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    return scanned(memory, workspace, FILES)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("nope.py", f"nope.py: {ABSENT}"),
        ("nope.py:10", f"nope.py:10: {ABSENT}"),
        ("what does nope.py do", f"nope.py: {ABSENT}"),
        ("./shop/rooting.py", f"shop/rooting.py: {ABSENT}; shop/routing.py is"),
        ("web/rooting.py:10", f"web/rooting.py:10: {ABSENT}; web/routing.py is"),
        (r"how does shop\rooting.py route", f"shop/rooting.py: {ABSENT}; shop/routing.py is"),
        ("tools/setup.py", f"tools/setup.py: {ABSENT}; taken for setup.py"),
        ("./tools/setup.py:1", f"tools/setup.py: {ABSENT}; taken for setup.py"),
        ("package.json", f"package.json: {UNREAD}"),
        ("package.json:1", f"package.json:1: {UNREAD}"),
        ("what is in `package.json`?", f"package.json: {UNREAD}"),
        ("deploy/values.yaml", f"deploy/values.yaml: {UNREAD}"),
        ("Makefile", f"Makefile: {UNREAD}"),
        ("shop/left_out.py", f"shop/left_out.py: {IGNORED}"),
        ("tsconfig.yaml", f"tsconfig.yaml: {ABSENT}"),
    ],
)
def test_a_path_that_is_not_indexed_is_told(question: str, told: str, memory: Memory, project: str) -> None:
    assert memory.query(question, project).warnings == (told,)


@pytest.mark.parametrize(
    "question",
    [
        "routing.py",
        "shop/routing.py:6",
        "./setup.py",
        "/home/ann/project/setup.py:1",  # how another machine writes it
        r"C:\work\project\setup.py:1",
        "project/shop/routing.py:6",
        "Reply.json",
        "reply.json",  # a method, however it is spelled
        "does route work in Node.js or text/html and/or Config.get",
        "see https://example.com/docs/route.html and route",
        "route",
        "shop",
    ],
)
def test_what_is_no_path_or_is_indexed_is_not_told(question: str, memory: Memory, project: str) -> None:
    assert memory.query(question, project).warnings == ()


def test_nothing_outside_of_the_project_is_looked_at(memory: Memory, workspace: Path, project: str) -> None:
    (workspace.parent / "secret.json").write_text("{}")
    warnings = memory.query("../secret.json", project).warnings
    assert not any("the file is there" in warning for warning in warnings)
