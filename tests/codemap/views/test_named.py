"""A name that code says in ways no edge tells is never called unused."""

import pytest

from zerikai_memory.app import Memory

CONFIG = '''LIMIT_A = 10
LIMIT_B = 20
LIMIT_C = 30
LIMIT_D = 40
LIMIT_E = 50


class ErrorOfOurs(Exception):
    """Only caught."""


def load(most=LIMIT_A):
    """LIMIT_E is told of here alone."""
    return [n for n in range(most) if n < LIMIT_B]


def check(n):
    assert n != LIMIT_C, f"{LIMIT_D}"
    try:
        return load()
    except ErrorOfOurs:
        return None
'''
SCRIPT = """export const WIDE = 3;
export const TALL = 4;
export function size(w = WIDE) {
  switch (w) {
    case TALL: return [...list];
  }
}
const list = [1];
"""


@pytest.fixture
def project(memory: Memory, workspace):
    (workspace / "config.py").write_text(CONFIG)
    (workspace / "size.ts").write_text(SCRIPT)
    memory.scan(str(workspace))
    return str(workspace)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("LIMIT_A", "config.py:12"),
        ("LIMIT_B", "config.py:14"),
        ("LIMIT_C", "config.py:18"),
        ("LIMIT_D", "config.py:18"),
        ("ErrorOfOurs", "config.py:21"),
        ("WIDE", "size.ts:3"),
        ("TALL", "size.ts:5"),
    ],
)
def test_every_line_that_says_it_is_told(memory: Memory, project: str, name: str, place: str) -> None:
    answer = memory.query(f"where is {name} used", project)
    assert "nothing in the project uses" not in answer.answer
    assert place in answer.answer
    impact = memory.query(f"what breaks if I change {name}", project)
    assert place in impact.answer
    assert "nothing in the project would be touched" not in impact.answer


def test_what_only_prose_names_is_used_by_nothing(memory: Memory, project: str) -> None:
    assert "nothing in the project uses" in memory.query("where is LIMIT_E used", project).answer


def test_of_several_of_one_name_only_files_that_know_its_file_count(memory: Memory, workspace) -> None:
    (workspace / "a.py").write_text("MODE_ONE = 1\n")
    (workspace / "b.py").write_text("MODE_ONE = 2\n\n\ndef run(mode=MODE_ONE):\n    return mode\n")
    memory.scan(str(workspace))
    reply = memory.mapping.view("dependents", "a.py:1", str(workspace))
    assert not [row for part in reply.parts for row in part.rows]
