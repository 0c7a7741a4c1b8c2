from pathlib import Path

import pytest

from zerikai_memory.answer.sections import sections_asked
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
