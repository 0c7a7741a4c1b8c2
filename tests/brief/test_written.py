"""The brief in a model's words: a whole Memory and model servers on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.llm.double import Double, Say, deepseek_double
from tests.llm.ollama_face import ollama_face
from zerikai_memory.app import Memory
from zerikai_memory.brief.sections import SECTIONS, check_sections, section_bodies, token_count
from zerikai_memory.brief.written import write_sections
from zerikai_memory.settings import Settings

FACTS = "# shop\n\n" + "\n\n".join(f"## {name}\nCounted {name}." for name in SECTIONS) + "\n"


@pytest.fixture
def double() -> Iterator[Double]:
    with deepseek_double() as running:
        yield running


@pytest.fixture
def shop(workspace: Path) -> Path:
    (workspace / "cart.py").write_text('"""The cart."""\n\n\ndef add(item):\n    """Add an item."""\n')
    (workspace / "README.md").write_text("# shop\n\nSells things.\n")
    return workspace


@pytest.fixture
def make(home: Path, tmp_path: Path) -> Iterator[Callable[..., Memory]]:
    made: list[Memory] = []

    def build(**settings: object) -> Memory:
        values = {"ollama_host": "http://127.0.0.1:9", "vector_store": "exact"} | settings
        made.append(Memory(Settings(home=home, **values), cwd=tmp_path))
        return made[-1]

    yield build
    for memory in made:
        memory.close()


def test_after_the_first_scan_a_model_writes_nine_sections(make, double, shop) -> None:
    double.default = Say(text="The cart is in `cart.py`.")
    memory = make(memory_mode="cloud", deepseek_api_key="sk-x", deepseek_base_url=double.url)
    memory.scan(str(shop), mirror_wait_s=20)
    brief = memory.brief(str(shop))
    assert (brief.source, brief.version) == ("model", 2)
    assert section_bodies(brief.text) == dict.fromkeys(SECTIONS, "The cart is in `cart.py`.")
    assert len(double.requests) == 9
    assert len({request.system for request in double.requests}) == 1
    assert "Sells things." in double.requests[0].system
    memory.scan(str(shop), mirror_wait_s=20)
    assert len(double.requests) == 9  # locked


def test_a_local_model_is_asked_one_section_at_a_time_and_a_query_works_meanwhile(make, shop) -> None:
    with ollama_face(silent_s=0.1, answer="Short.") as face:
        memory = make(ollama_host=face.url)
        memory.start_scan(str(shop)).wait(20)
        assert memory.query("add", str(shop)).results
        assert memory.brief(str(shop)).source in ("rules", "model")


def test_a_brief_that_was_set_meanwhile_stays(make, double, shop) -> None:
    double.default = Say(silent_s=0.6)
    memory = make(memory_mode="cloud", deepseek_api_key="sk-x", deepseek_base_url=double.url)
    memory.start_scan(str(shop)).wait(20)
    memory.set_brief("# shop\n\n## Overview\nMine.", str(shop))
    memory.close()
    assert memory.brief(str(shop)).text == "# shop\n\n## Overview\nMine."


def test_without_an_answer_the_brief_of_the_rules_stays(make, double, shop) -> None:
    double.default = Say(status=402)
    memory = make(memory_mode="cloud", deepseek_api_key="sk-x", deepseek_base_url=double.url)
    memory.scan(str(shop), mirror_wait_s=20)
    assert memory.brief(str(shop)).source == "rules"
    assert len(double.requests) <= 4  # the others see that there is no balance


def test_regenerating_says_that_a_model_goes_on_writing(make, double, shop) -> None:
    memory = make(memory_mode="cloud", deepseek_api_key="sk-x", deepseek_base_url=double.url)
    memory.scan(str(shop), mirror_wait_s=20)
    assert "deepseek-flash is writing" in memory.regenerate_brief(str(shop)).warnings[-1]
    assert memory.regenerate_brief(str(shop), wait_s=20).source == "model"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("It is in `src/cart.py`, see `cart.py` and `src/`.", "It is in `src/cart.py`, see `cart.py` and `src/`."),
        ("It is in `src/invented.py`.", "Counted Overview."),  # a path that does not exist
        ("Run `make test` or `a.b`.", "Run `make test` or `a.b`."),  # no paths
        ("## Overview\nWith a heading.", "With a heading."),
        ("", "Counted Overview."),
        ("Half a \ufffd letter.", "Counted Overview."),
    ],
)
def test_a_section_that_names_what_does_not_exist_is_not_taken(said, kept) -> None:
    text = write_sections(
        FACTS, "", ["src/cart.py", "a.b"], lambda _, user: said if "'Overview'" in user else "Fine.", 1
    )
    assert text is not None
    assert section_bodies(text)["Overview"] == kept
    assert check_sections(text) == ()


def test_long_sections_are_cut_to_the_size_of_a_brief() -> None:
    long = "\n".join(f"- line {number} says something of use" for number in range(60))
    text = write_sections(FACTS, "", [], lambda *_: long, 3)
    assert text is not None
    assert 600 <= token_count(text) <= 1_200
