"""What a caller allows: limits and budgets hold at ugly values, and what is left out is counted."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError

PACKAGES = 12


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    for i in range(PACKAGES):
        (workspace / f"pkg{i}").mkdir()
        text = (
            f'class Handler{i}:\n    def process(self, item):\n        """Process an item of {i}."""\n'
            f'        return item\n\n\ndef setup():\n    """Set up {i}."""\n    return {i}\n'
        )
        (workspace / f"pkg{i}" / "mod.py").write_text(text)
    memory.scan(str(workspace))
    return str(workspace)


@pytest.mark.parametrize(
    ("question", "limit", "shown", "omitted"),
    [
        ("setup", 5, 5, PACKAGES - 5),
        ("setup", 1, 1, PACKAGES - 1),
        ("setup", 1_000_000, PACKAGES, 0),
        ("process", 5, 5, PACKAGES - 5),
        ("Handler7.process", 5, 1, 0),  # those of other classes are other things
        ("mod.py", 5, 5, PACKAGES - 5),  # so many files bear the name
        ("mod.py:3", 5, 5, PACKAGES - 5),
        ("pkg3/mod.py", 5, 4, 0),
        ("kind:function", 5, 5, PACKAGES - 5),
    ],
)
def test_what_is_left_out_of_many_of_one_name_is_counted(
    question: str, limit: int, shown: int, omitted: int, memory: Memory, project: str
) -> None:
    answer = memory.query(question, project, limit=limit)
    assert (len(answer.results), answer.omitted) == (shown, omitted)
    if omitted:
        assert len({hit.file_path for hit in answer.results}) == shown  # told apart by path


@pytest.mark.parametrize("budget", [100, 130, 200, 400, 1_000, 3_000])
@pytest.mark.parametrize(
    "question",
    ["setup", "process an item of 7", "what is pasta", "lang:", "lang: klingon", "kind:function", "ä" * 9_000],
)
def test_a_reply_is_never_larger_than_its_budget(question: str, budget: int, memory: Memory, project: str) -> None:
    answer = memory.query(question, project, limit=50, budget_tokens=budget)
    assert len(json.dumps(asdict(answer), ensure_ascii=False)) <= 4 * budget


def test_what_the_budget_cuts_from_the_brief_is_counted_and_told(memory: Memory, project: str) -> None:
    whole = memory.query("what is the architecture of this project?", project)
    assert (len(whole.sections), whole.omitted, whole.warnings) == (1, 0, ())
    cut = memory.query("what is the architecture of this project?", project, budget_tokens=100)
    assert (cut.sections, cut.omitted, cut.warnings) == ((), 1, ("cut to fit budget_tokens",))


def test_records_keep_to_the_budget_too(memory: Memory, project: str) -> None:
    for i in range(8):
        memory.save(f"Handler {i} is called by hand, because of what happened on that day. " * 5, project)
    answer = memory.query("", project, category="fact", limit=50, budget_tokens=300)
    assert len(json.dumps(asdict(answer), ensure_ascii=False, default=str)) <= 1_200
    assert len(answer.notes) + answer.omitted == 8


@pytest.mark.parametrize(
    ("name", "value"), [("limit", 0), ("limit", -1), ("limit", True), ("budget_tokens", 0), ("budget_tokens", 99)]
)
def test_a_limit_that_holds_nothing_is_refused(name: str, value: int, memory: Memory, project: str) -> None:
    with pytest.raises(InputError, match=f"{name}: {value!r}"):
        memory.query("setup", project, **{name: value})
