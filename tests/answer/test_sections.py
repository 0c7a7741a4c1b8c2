from pathlib import Path

import pytest

from zerikai_memory.answer.sections import sections_asked, without_manner, without_section_words
from zerikai_memory.app import Memory

SECTIONS = dict.fromkeys(
    ("Overview", "Technical Stack", "Core Architecture", "Primary Conventions", "Purpose", "Key Files", "Data Flow",
     "Development & Testing", "Future Roadmap"), "text")  # fmt: skip


def asked(question: str, *names: str) -> list[str]:
    return [section.name for section in sections_asked(question, SECTIONS, names)]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what is the architecture?", ["Core Architecture"]),
        ("explain the overall architecture of the codebase", ["Core Architecture"]),
        ("how is this code base organised", ["Core Architecture"]),
        ("how is it structured?", ["Core Architecture"]),
        ("describe the overall design", ["Core Architecture"]),
        ("what are the conventions", ["Primary Conventions"]),
        ("What are the conventions of this project", ["Primary Conventions"]),
        ("architecture and conventions", ["Core Architecture", "Primary Conventions"]),
        ("what does this project do", ["Overview"]),
        ("which libraries are used", ["Technical Stack"]),
        ("what are the dependencies", ["Technical Stack"]),
        ("What language is it written in?", ["Technical Stack"]),
        ("what's the tech stack", ["Technical Stack"]),
        ("what third-party libraries does it use", ["Technical Stack"]),
        ("what kind of project is this?", ["Overview"]),
        ("walk me through the architecture", ["Core Architecture"]),
        ("what are the main classes", ["Core Architecture"]),
        ("what naming conventions do we follow", ["Primary Conventions"]),
        ("which files are important", ["Key Files"]),
        ("how does data flow through the system", ["Data Flow"]),
        ("how do I get started", ["Development & Testing"]),
        ("how do I set up the development environment", ["Development & Testing"]),
        ("what test framework is used", ["Development & Testing"]),
        ("are there any TODOs", ["Future Roadmap"]),
        ("what is the purpose of this package", ["Purpose"]),
        ("how do I run the tests?", ["Development & Testing"]),
        ("how do I set it up", ["Development & Testing"]),
        ("how to contribute to this project", ["Development & Testing"]),
        ("where are the entry points", ["Key Files"]),
        ("which entry points are there", ["Key Files"]),
        ("explain the data flow", ["Data Flow"]),
        ("is there a roadmap", ["Future Roadmap"]),
        ("what is next for this project", ["Future Roadmap"]),
    ],
)
def test_questions_about_the_project_get_its_section(question: str, names: list[str]) -> None:
    assert asked(question) == names


@pytest.mark.parametrize(
    "question",
    [
        "how do I set up a tent",
        "architecture of a Gothic cathedral",
        "roadmap to Rome",
        "how do I run a marathon",
        "how do I test my blood pressure",
        "tech stack of Netflix",
        "how do I install ubuntu",
        "key files for my tax return",
        "what is the purpose of life",
        "which version of the bible is oldest",
        "welche Architektur hat der Kölner Dom?",
        "¿cuál es la arquitectura de la catedral?",
        "大教堂的架构是什么",
        "大聖堂の構造は",
        "성당의 구조는 무엇인가요?",
    ],
)
def test_questions_about_something_elsewhere_get_none(question: str) -> None:
    assert asked(question) == []


@pytest.mark.parametrize(
    "question",
    [
        "architecture of the routing",
        "what is the architecture of the template compiler",
        "how do I start a background task",
        "how do I build a response",
        "where do I start the transaction",
        "what is missing when a required field is empty",
        "what is next()",
        "what is next",
        "how do I test for equality of arrays",
        "naming conventions for migrations",
        "which languages are supported",
        "how do I start a project",
        "how are entry points loaded",
        "dependencies",
        "how are routes matched",
        "what does the parser do",
        "retry with backoff",
        "welche Architektur hat der Router?",
        "路由的架构是什么",
        "ルーターの構成は",
        "architecture " * 40,
    ],
)
def test_questions_about_a_part_of_the_project_are_left_to_the_code(question: str) -> None:
    assert asked(question) == []


@pytest.mark.parametrize(
    ("question", "section"),
    [
        ("welche Architektur hat das Projekt?", "Core Architecture"),
        ("wie ist das Projekt aufgebaut?", "Core Architecture"),
        ("quelle est l'architecture du projet ?", "Core Architecture"),
        ("comment le projet est-il organisé ?", "Core Architecture"),
        ("¿cuál es la arquitectura?", "Core Architecture"),
        ("qual é a arquitetura do projeto?", "Core Architecture"),
        ("qual è l'architettura del progetto?", "Core Architecture"),
        ("com'è strutturato il progetto?", "Core Architecture"),
        ("wat is de architectuur van het project?", "Core Architecture"),
        ("какая архитектура у этого проекта?", "Core Architecture"),
        ("как устроен проект?", "Core Architecture"),
        ("这个项目的架构是什么", "Core Architecture"),
        ("このプロジェクトの構成は", "Core Architecture"),
        ("이 프로젝트의 아키텍처는 무엇인가요?", "Core Architecture"),
        ("Was sind die Konventionen?", "Primary Conventions"),
        ("quelles sont les conventions ?", "Primary Conventions"),
        ("¿Cuáles son las convenciones del proyecto?", "Primary Conventions"),
        ("quais são as convenções?", "Primary Conventions"),
        ("quali sono le convenzioni?", "Primary Conventions"),
        ("wat zijn de conventies?", "Primary Conventions"),
        ("какие соглашения используются в проекте?", "Primary Conventions"),
        ("代码规范是什么？", "Primary Conventions"),
        ("コーディング規約は何ですか？", "Primary Conventions"),
        ("코딩 컨벤션은 무엇인가요?", "Primary Conventions"),
        ("wie führe ich die Tests aus?", "Development & Testing"),
        ("comment lancer les tests ?", "Development & Testing"),
        ("¿cómo ejecuto las pruebas?", "Development & Testing"),
        ("como rodar os testes?", "Development & Testing"),
        ("come eseguo i test?", "Development & Testing"),
        ("hoe voer ik de tests uit?", "Development & Testing"),
        ("как запустить тесты?", "Development & Testing"),
        ("如何运行测试？", "Development & Testing"),
        ("テストの実行方法は？", "Development & Testing"),
        ("테스트는 어떻게 실행하나요?", "Development & Testing"),
        ("welche Abhängigkeiten hat das Projekt?", "Technical Stack"),
        ("was macht dieses Projekt?", "Overview"),
        ("这个项目是做什么的？", "Overview"),
        ("Kannst du mir die Architektur erklären?", "Core Architecture"),
        ("Explícame la arquitectura", "Core Architecture"),
        ("Explique-moi l'architecture", "Core Architecture"),
        ("代码是怎么组织的", "Core Architecture"),
        ("プロジェクトの構造を教えて", "Core Architecture"),
        ("아키텍처가 어떻게 되나요?", "Core Architecture"),
        ("À quoi sert ce projet ?", "Purpose"),
        ("¿Para qué sirve este proyecto?", "Purpose"),
        ("A cosa serve questo progetto?", "Purpose"),
        ("Waar is dit project voor?", "Purpose"),
        ("Для чего этот проект?", "Purpose"),
        ("项目的目的是什么", "Purpose"),
        ("Wo sind die Einstiegspunkte?", "Key Files"),
        ("Quais são os arquivos principais?", "Key Files"),
        ("エントリーポイントはどこですか", "Key Files"),
        ("데이터 흐름을 설명해줘", "Data Flow"),
        ("有路线图吗", "Future Roadmap"),
        ("Расскажи о проекте", "Overview"),
        ("介绍一下这个项目", "Overview"),
    ],
)
def test_the_project_is_asked_for_in_other_languages(question: str, section: str) -> None:
    assert asked(question) == [section]


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("architecture of starlette", "starlette"),
        ("what is the architecture of Express 5?", "express-5.2.1"),
        ("architecture of reveal.js", "reveal"),
        ("the architecture of reveal", "reveal.js"),
        ("architecture of tRPC", "@trpc/server"),
        ("architecture of trpc-server", "trpc-server-11.16.0"),
        ("Django的架构是什么", "django"),
    ],
)
def test_a_project_is_known_by_its_own_name_and_by_no_other(question: str, name: str) -> None:
    assert asked(question, name) == ["Core Architecture"]
    assert asked(question, "another-project", "c++", "", "the") == []


@pytest.mark.parametrize(
    ("question", "rest"),
    [
        ("architecture of the routing", "of the routing"),
        ("give me an overview of sessions", "give me an of sessions"),
        ("how are routes matched", ""),
        ("architecture", ""),
    ],
)
def test_what_is_asked_of_a_part_is_told_without_the_word_for_its_architecture(question: str, rest: str) -> None:
    assert without_section_words(question) == rest


@pytest.mark.parametrize(
    ("question", "what"),
    [("How do I install Ubuntu?", "ubuntu"), ("how to run a marathon", "a marathon"), ("where is the cart", "")],
)
def test_what_somebody_wants_to_install_or_run_is_told(question: str, what: str) -> None:
    assert without_manner(question) == what


def test_a_section_that_the_brief_lacks_is_not_made_up() -> None:
    assert sections_asked("what is the architecture?", {}) == ()


@pytest.fixture
def shop(memory: Memory, workspace: Path) -> Path:
    (workspace / "pyproject.toml").write_text('[project]\nname = "shop"\nrequires-python = ">=3.11"\n')
    (workspace / "shop").mkdir()
    cart = '"""The shopping cart."""\n\n\ndef add(item):\n    return item\n\n\ndef install_hooks():\n    return 404\n'
    (workspace / "shop" / "cart.py").write_text(cart)
    for i in range(20):
        code = f'"""Prices of part {i}."""\n\n\ndef price_{i}(order):\n    return order + {i}\n'
        (workspace / "shop" / f"price_{i}.py").write_text(code)
    (workspace / "README.md").write_text("# Shop\n\n## Run the tests\n\nRun the tests with `make check`.\n")
    memory.scan(str(workspace))
    return workspace


def test_the_architecture_is_answered_from_the_brief(memory: Memory, shop: Path) -> None:
    memory.set_brief("# shop\n\n## Core Architecture\nOne package, `shop/`.\n", str(shop))
    answer = memory.query("what is the architecture of shop?", str(shop))
    assert [section.name for section in answer.sections] == ["Core Architecture"]
    assert "One package, `shop/`." in answer.answer
    assert not answer.nothing_relevant
    assert answer.results == ()  # no card of code pads it


def test_the_architecture_of_a_part_is_answered_from_its_code(memory: Memory, shop: Path) -> None:
    answer = memory.query("what is the architecture of the shopping cart?", str(shop))
    assert answer.sections == ()
    assert answer.results[0].file_path == "shop/cart.py"


@pytest.mark.parametrize(
    "question", ["architecture of a Gothic cathedral", "how do I install ubuntu", "how do I run a marathon"]
)
def test_the_brief_keeps_no_question_from_being_refused(memory: Memory, shop: Path, question: str) -> None:
    answer = memory.query(question, str(shop))
    assert answer.nothing_relevant
    assert (answer.sections, answer.results) == ((), ())


def test_documents_tell_in_full_how_to_run_the_tests(memory: Memory, shop: Path) -> None:
    answer = memory.query("how do I run the tests", str(shop))
    assert [section.name for section in answer.sections] == ["Development & Testing"]
    assert {hit.file_path for hit in answer.results} == {"README.md"}


def test_a_filter_or_a_quoted_text_asks_for_code(memory: Memory, shop: Path) -> None:
    assert memory.query("architecture lang:python", str(shop)).sections == ()
    assert memory.query('"architecture"', str(shop)).sections == ()


def test_a_thing_that_bears_the_name_of_a_section_is_shown_beside_it(memory: Memory, workspace: Path) -> None:
    text = "class Architecture:\n    pass\n\n\nclass House:\n    architecture = 1\n"
    (workspace / "plans.py").write_text(text)
    memory.scan(str(workspace))
    memory.set_brief("## Core Architecture\nOne module.\n", str(workspace))
    answer = memory.query("architecture", str(workspace))
    assert [section.name for section in answer.sections] == ["Core Architecture"]
    assert "Architecture" in [hit.name for hit in answer.results]
