"""`path:line` for odd file names, and for files that are not of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.retrieve.placing import with_place
from zerikai_memory.retrieve.query import PathMention, understand

ODD = {
    "my file (copy).py": "def copied():\n    return 1\n",
    "x/my helper.py": "def first():\n    return 1\n\n\ndef second():\n    return second\n",
    "helper.py": "def plain():\n    return 1\n\n\ndef other():\n    return other\n",
    "a#b.py": "def hashed():\n    return 1\n",
    "c:12.py": "def colon():\n    return 1\n",
    "emoji😀.ts": "export function glad(): number {\n  return 1;\n}\nexport function sad(): number {\n  return 2;\n}\n",
    "etc.py": "def passwd():\n    return 'passwd'\n",
}


@pytest.fixture
def project(memory: Memory, workspace: Path) -> Path:
    for path, text in ODD.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text, encoding="utf-8")
    memory.scan(str(workspace))
    return workspace


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("my file (copy).py:1", "copied"),
        ("x/my helper.py:6", "second"),
        ("my helper.py:6:3", "second"),
        ("helper.py:6", "other"),
        ("a#b.py:1", "hashed"),
        ("c:12.py:1", "colon"),
        ("emoji😀.ts:4", "sad"),
        ("what is at `x/my helper.py:2`?", "first"),
        ("see (my file (copy).py:1) please", "copied"),
        (".\\x\\my helper.py:6", "second"),
        ("/home/ann/project/x/my helper.py:6", "second"),
    ],
)
def test_the_longest_text_before_a_line_that_is_a_path_is_the_place(question, name, memory: Memory, project: Path):
    answer = memory.query(question, str(project))
    assert answer.results[0].name == name
    assert not [warning for warning in answer.warnings if "no such file" in warning]
    assert answer.question == question


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("/etc/passwd:1", "/etc/passwd:1"),
        ("../other/passwd.py:2", "../other/passwd.py:2"),
        ("what is at /etc/hosts.conf:3?", "/etc/hosts.conf:3"),
        ("C:\\Windows\\win.ini:3", "C:\\Windows\\win.ini:3"),
        ("/opt/passwd dir/../../passwd.py:1:2", None),  # a blank: the words count, the end is no file either
    ],
)
def test_a_place_outside_of_the_project_is_told_without_cards(question, place, memory: Memory, project: Path):
    answer = memory.query(question, str(project))
    if place is None:
        assert any("no such file" in warning for warning in answer.warnings)
        return
    assert answer.results == ()
    assert answer.nothing_relevant
    assert answer.warnings == (f"{place}: no such file in the project",)


def test_words_beside_a_place_outside_are_still_asked(memory: Memory, project: Path) -> None:
    answer = memory.query("does hashed read /etc/passwd:1", str(project))
    assert "/etc/passwd:1: no such file in the project" in answer.warnings
    assert "hashed" in [hit.name for hit in answer.results]


def test_words_before_a_path_with_folders_of_elsewhere_are_no_part_of_it() -> None:
    query = understand("explain the loop at src/helper.py:3")
    assert with_place(query, lambda path: ["helper.py"] if path.endswith("helper.py") else []) == query


def test_an_odd_place_is_read_beside_a_plain_one() -> None:
    query = with_place(understand("is a#b.py:1 as b.py:2"), lambda path: [path] if path in ("a#b.py", "b.py") else [])
    assert query.paths == (PathMention("a#b.py", 1), PathMention("b.py", 2))
    assert "b" in query.words
