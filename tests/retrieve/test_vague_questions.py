"""Questions that name nothing are refused, with a word of what to ask; a single real word or number is a question."""

from pathlib import Path

import pytest

from zerikai_memory.answer.vague import WHAT_TO_ASK, names_nothing, number_alone
from zerikai_memory.app import Memory
from zerikai_memory.retrieve.query import understand

NOTHING = (
    "thanks!", "who are you", "what's up", "how", "the", "it", "can you do that again", "why does it not work", "why?",
    "help me please", "hello", "what is it", "OK, thank you", "danke", "merci !", "wie", "¿por qué?", "谢谢",
    "ありがとう", "감사합니다",
)  # fmt: skip
SOMETHING = (
    "retry", "404", "work", "again", "help", "show more", "it()", "`the`", "why does the cart not work", "thanks page",
    "how do signals work", "do_it", "src/it.py", "kind:class", "感谢页面", "what happens on save",
)  # fmt: skip


@pytest.mark.parametrize("question", NOTHING)
def test_a_question_that_names_nothing_is_told(question: str) -> None:
    assert names_nothing(understand(question))


@pytest.mark.parametrize("question", SOMETHING)
def test_a_question_that_names_something_is_told_from_it(question: str) -> None:
    assert not names_nothing(understand(question))


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("404", "404"),
        ("404?", "404"),
        ("1.5", "1.5"),
        ("-1", "1"),
        ("error 404", ""),
        ('"404"', ""),
        ("x2", ""),
        ("", ""),
    ],
)
def test_a_number_alone_is_told(question: str, number: str) -> None:
    assert number_alone(understand(question)) == number


def test_a_number_finds_what_holds_it_and_nothing_else(memory: Memory, workspace: Path) -> None:
    code = "def missing():\n    return 404\n\n\ndef count(number):\n    return int(number)\n"
    code += "\n\ndef later():\n    return 4040\n"
    (workspace / "status.py").write_text(code)
    memory.scan(str(workspace))
    found = {hit.name for hit in memory.query("404", str(workspace)).results}
    assert "missing" in found
    assert not found & {"count", "later"}
    assert memory.query("42", str(workspace)).nothing_relevant


def test_it_is_refused_with_a_word_of_what_to_ask_unless_something_is_called_so(
    memory: Memory, workspace: Path
) -> None:
    (workspace / "net.py").write_text(
        'def retry(call):\n    """Try it again: why does it not work the first time."""\n    return call()\n\n\n'
        "def missing():\n    return 404\n\n\ndef hello():\n    return 'thanks'\n"
    )
    memory.scan(str(workspace))
    for question in ("thanks!", "why does it not work", "the", "can you do that again"):
        refused = memory.query(question, str(workspace))
        assert refused.nothing_relevant
        assert (refused.results, WHAT_TO_ASK in refused.answer) == ((), True)
    assert memory.query("42", str(workspace)).nothing_relevant
    assert memory.query("retry", str(workspace)).results[0].name == "retry"
    assert memory.query("404", str(workspace)).results[0].name == "missing"
    assert [hit.name for hit in memory.query("hello", str(workspace)).results] == ["hello"]
