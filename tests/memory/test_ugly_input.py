"""Input that nobody should give: it is refused with what is right, or stored so that everything still works."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcp import Client

from zerikai_memory import render
from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError
from zerikai_memory.mcp_server.server import create_server
from zerikai_memory.settings import Settings

SURROGATES = "\ud800bad\udfff text"
AWS = "AKIA" + "IOSFODNN7EXAMPLQ"
GITHUB = "ghp_" + "a1B2" * 9
PASSWORD = "s3cr3tPassw0rd"
SECRETS = (AWS, GITHUB, PASSWORD)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ugly").resolve()
    (folder / "shop").mkdir()
    (folder / "shop" / "app.py").write_text("def load():\n    return 1\n")
    return folder


@pytest.fixture(scope="module")
def memory(folder: Path) -> Iterator[Memory]:
    settings = Settings(
        home=folder / "brain", vector_store="exact", workspace=str(folder / "shop"), session=f"night {AWS} \ud800"
    )
    memory = Memory(settings, cwd=folder)
    memory.scan()
    yield memory
    memory.close()


@pytest.mark.parametrize("content", ["", " \n\t", "\0\0", "\u200b\ufeff", "\u202e \u2066", "\x07", "x" * 20_001])
def test_content_of_which_nothing_can_be_seen_or_without_end_is_refused(memory: Memory, content: str):
    with pytest.raises(InputError, match=r"^content: "):
        memory.save(content)


@pytest.mark.parametrize(
    "details",
    [
        {"colour": "red"}, {1: 2}, {"detail": {"a": 1}}, {"detail": "x" * 20_001}, {"tags": 5}, {"tags": {"a": 1}},
        {"tags": [1]}, {"tags": ["t"] * 21}, {"tags": ["t" * 101]}, {"tags": ["a\nb\0"]}, {"tags": [SURROGATES]},
        {"tags": ["\u202eevil"]}, {"importance": -0.1}, {"importance": 1.01}, {"importance": float("nan")},
        {"importance": float("inf")}, {"importance": 10**30}, {"importance": "0.5"}, {"importance": True},
        {"importance": [1]}, {"confirmed": [1]}, {"confirmed": 7}, {"confirmed": SURROGATES}, {"confirmed": " "},
        {"run_id": {}}, {"run_id": 0}, {"run_id": False}, {"run_id": "r" * 101},
    ],
)  # fmt: skip
def test_wrong_details_are_refused_in_a_short_line_and_store_nothing(memory: Memory, details: dict[str, object]):
    with pytest.raises(InputError) as refused:
        memory.save("Ugly details", details=details)
    assert len(str(refused.value)) < 250
    assert "Ugly details" not in [note.content for note in memory.records().listed(None, 500)]


@pytest.mark.parametrize(
    ("content", "stored"),
    [
        ("a\0b", "ab"),
        (SURROGATES, "\\ud800bad\\udfff text"),
        ("Ship it 🚀👩‍👩‍👧", "Ship it 🚀👩‍👩‍👧"),
        ("The value is \u202eevil\u202c", "The value is \u202eevil\u202c"),
        ("line\x1b[31mred\x07", "line\x1b[31mred\x07"),
        ("```\n## heading\n<!-- zerikai {} -->\n--", "```\n## heading\n<!-- zerikai {} -->\n--"),
        ("x" * 20_000, "x" * 20_000),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_odd_text_is_stored_found_shown_and_exported(memory: Memory, folder: Path, content: str, stored: str):
    note = memory.save(content, details={"detail": content, "tags": ["odd", "ünï"]}, agent=SURROGATES)
    assert (note.content, note.detail, note.agent) == (stored, stored, "\\ud800bad\\udfff text")
    assert [warning for warning in note.warnings if "secret" in warning] == []
    assert note.id in [found.id for found in memory.records().listed(None, 500)]
    for markdown in (False, True):
        assert memory.records().imported(memory.records().exported(markdown=markdown)).added == 0
    shown = render.query_answer(memory.query("", category="fact", limit=50))
    assert not set(shown) & set("\x1b\x07\u202e\ud800")


ODD_QUESTIONS = (SURROGATES, "\0", "\u202e", "🚀", "'; DROP TABLE notes;--", '"', "*", "NEAR(", "x" * 9_000)


@pytest.mark.parametrize("question", ODD_QUESTIONS, ids=lambda text: ascii(text[:20]))
def test_odd_questions_are_answered_or_refused(memory: Memory, question: str):
    for category in ("fact", SURROGATES):
        assert memory.query(question, category=category).route.backend == "none"
    assert memory.records().listed(None, 5, run_id=SURROGATES) == ()
    with pytest.raises(InputError):
        memory.records().listed(SURROGATES, 5)
    with pytest.raises(InputError):
        memory.records().listed(None, 5, entity=SURROGATES)


async def test_secrets_reach_no_file_of_the_brain_whatever_field_they_are_in(memory: Memory, folder: Path):
    async def save(**arguments: object) -> str:
        async with Client(create_server(lambda: memory)) as client:
            result = await client.call_tool("save_to_memory", {"content": "Secrets are masked"} | arguments)
        return f"{result.content[0].text} {json.dumps(result.structured_content)}"

    told = [
        await save(content=f"Use {AWS}, {GITHUB} and postgres://u:{PASSWORD}@db/x"),
        await save(
            content="In the details",
            details={"detail": f"postgres://u:{PASSWORD}@db/x", "tags": [AWS], "run_id": GITHUB, "confirmed": AWS},
        ),
        await save(content="In the category", category=AWS),
        await save(content="In the anchors", anchors=[AWS]),
        await save(content="In what it supersedes", supersedes=[GITHUB]),
    ]
    for text in told[:2]:
        assert "what looks like a secret was masked" in text
    assert "category: got what looks like a secret" in told[2]
    note = memory.records().listed(None, 1)[0]
    memory.records().confirm(note.id, f"me {AWS}")
    assert note.session == "night [masked] \\ud800"
    written = b"".join(path.read_bytes() for path in (folder / "brain").rglob("*") if path.is_file())
    assert b"In the details" in written
    for secret in SECRETS:
        assert secret.encode() not in written
        assert all(secret not in text for text in told)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"details": [1]}, 'expected an object, for example {"tags": ["x"]}'),
        ({"details": "tags=a"}, "expected an object"),
        ({"anchors": ["app.py"] * 30}, "expected a list of at most 20 texts"),
        ({"supersedes": [5]}, "expected a list of at most 50 texts"),
        ({"content": 5}, "expected one text of 1 to 20000 characters"),
        ({"content": "x y " * 262_144}, "expected one text of 1 to 20000 characters"),
        ({"category": "c" * 500}, "expected one text of 1 to 64 characters"),
        ({"colour": "red"}, "no argument 'colour'"),
    ],
)
async def test_wrong_types_are_refused_in_a_short_line(memory: Memory, arguments: dict[str, object], said: str):
    async with Client(create_server(lambda: memory)) as client:
        result = await client.call_tool("save_to_memory", {"content": "Ugly types"} | arguments)
    assert result.is_error
    assert said in result.content[0].text
    assert len(result.content[0].text) < 250


@pytest.mark.parametrize(("outcome", "stored"), [("WORKED", "worked"), (" Failed ", "failed"), ("", None)])
async def test_an_outcome_is_a_word_in_any_case(memory: Memory, outcome: str, stored: str | None):
    async with Client(create_server(lambda: memory)) as client:
        arguments = {"content": f"Outcome {outcome!r}", "category": "fix", "outcome": outcome}
        result = await client.call_tool("save_to_memory", arguments)
    assert result.structured_content.get("outcome") == stored


@pytest.mark.parametrize("secret", [AWS, GITHUB])
def test_a_secret_for_a_category_is_not_told_back(memory: Memory, secret: str):
    assert secret not in repr(memory.query("", category=secret))
    asking = (
        lambda: memory.query(f"category:{secret} what"),
        lambda: memory.records().listed(secret, 5),
        lambda: memory.records().listed(None, 5, entity=secret),
        lambda: memory.save("The port is 1", category=secret),
        lambda: memory.save("The port is 1", anchors=[secret]),
        lambda: memory.save("The port is 1", supersedes=[secret]),
    )
    assert [secret[:20] in told(ask) for ask in asking] == [False] * len(asking)


def told(ask: Callable[[], object]) -> str:
    try:
        return repr(ask())
    except InputError as error:
        return str(error)
