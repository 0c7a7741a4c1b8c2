from pathlib import Path

import pytest

from zerikai_memory.answer.sections import only_sections_asked, sections_asked
from zerikai_memory.app import Memory

SECTIONS = dict.fromkeys(
    ("Overview", "Technical Stack", "Core Architecture", "Primary Conventions", "Purpose", "Key Files", "Data Flow",
     "Development & Testing", "Future Roadmap"), "text")  # fmt: skip


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what is the architecture?", ["Core Architecture"]),
        ("what are the conventions", ["Primary Conventions"]),
        ("what does this project do", ["Overview"]),
        ("which libraries are used", ["Technical Stack"]),
        ("what is the purpose of this package", ["Purpose"]),
        ("how do I run the tests?", ["Development & Testing"]),
        ("where are the entry points", ["Key Files"]),
        ("explain the data flow", ["Data Flow"]),
        ("is there a roadmap", ["Future Roadmap"]),
        ("how are routes matched", []),  # about code, not about the project
        ("what does the parser do", []),
        ("retry with backoff", []),
    ],
)
def test_questions_about_the_project_get_its_section(question: str, names: list[str]) -> None:
    assert [section.name for section in sections_asked(question, SECTIONS)] == names


@pytest.mark.parametrize(
    ("question", "only"),
    [
        ("what is the architecture?", True),
        ("What are the conventions of this project", True),
        ("architecture and conventions", True),
        ("explain the overall architecture of the codebase", True),
        ("which entry points are there", True),
        ("how do I run the tests", False),  # a document may say it in full
        ("what is the architecture of the router", False),
        ("naming conventions for migrations", False),
        ("where is the cart", False),
    ],
)
def test_it_is_told_whether_a_question_asks_for_sections_alone(question: str, only: bool) -> None:
    assert only_sections_asked(question, sections_asked(question, SECTIONS)) is only


def test_a_section_that_the_brief_lacks_is_not_made_up() -> None:
    assert sections_asked("what is the architecture?", {}) == ()


def test_the_architecture_is_answered_from_the_brief(memory: Memory, workspace: Path) -> None:
    (workspace / "pyproject.toml").write_text('[project]\nname = "shop"\n')
    (workspace / "shop").mkdir()
    (workspace / "shop" / "cart.py").write_text('"""The shopping cart."""\n\n\ndef add(item):\n    return item\n')
    memory.scan(str(workspace))
    memory.set_brief("## Core Architecture\nOne package, `shop/`.\n", str(workspace))
    answer = memory.query("what is the architecture?", str(workspace))
    assert [section.name for section in answer.sections] == ["Core Architecture"]
    assert "One package, `shop/`." in answer.answer
    assert not answer.nothing_relevant
    assert answer.results == ()  # no card of code pads it
    beside = memory.query("what is the architecture of the shopping cart?", str(workspace))
    assert beside.sections
    assert [hit.file_path for hit in beside.results] == ["shop/cart.py"] * len(beside.results)


def test_a_thing_that_bears_the_name_of_a_section_is_shown_beside_it(memory: Memory, workspace: Path) -> None:
    text = "class Architecture:\n    pass\n\n\nclass House:\n    architecture = 1\n"
    (workspace / "plans.py").write_text(text)
    memory.scan(str(workspace))
    memory.set_brief("## Core Architecture\nOne module.\n", str(workspace))
    answer = memory.query("architecture", str(workspace))
    assert [section.name for section in answer.sections] == ["Core Architecture"]
    assert "Architecture" in [hit.name for hit in answer.results]
