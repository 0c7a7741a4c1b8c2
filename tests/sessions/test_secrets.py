"""A key, token or password planted anywhere in a transcript is in no byte of the brain, reply, error or log."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.casekit import CASES
from tests.sessions.archives import CHOSEN
from tests.sessions.generator import MAKERS, START, Talk
from zerikai_memory.app import Memory
from zerikai_memory.cli import main
from zerikai_memory.mcp_server.log import log_to
from zerikai_memory.mcp_server.server import create_server
from zerikai_memory.sessions.formats.base import plain_id
from zerikai_memory.sessions.formats.pi import PI
from zerikai_memory.settings import Settings

KEY = "sk-proj-Zk3v9QmT7xLw2BnRd8YcHs5JfGp1VaXe"
TOKEN = "ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
PASSWORD = "Tr0ub4dor-and-3-more"
SECRETS = (KEY, TOKEN, PASSWORD)
# What is planted beside and in place of each text; a password is told by the name in front of it.
PLANTED = (KEY, TOKEN, f"password={PASSWORD}")
SAID = [
    ("user", "We decided to keep the wolverine cart in Postgres, because Redis lost it."),
    ("assistant", "Fixed the wolverine timeout by raising the pool to 20."),
    ("tool", "x"),
    ("assistant", "Root cause: the wolverine proxy strips the header of each request."),
]
CASE_FOLDERS = sorted(CASES.glob("G*/files"))


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where texts stand in a record."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _paths(item, (*path, number))
    elif isinstance(value, str):
        yield path


def _planted(value: Any, path: tuple[Any, ...], secret: str) -> Any:
    """The record with the secret at the end of the text at a path."""
    if not path:
        return f"{value} {secret}"
    copy = dict(value) if isinstance(value, dict) else list(value)
    try:
        copy[path[0]] = _planted(copy[path[0]], path[1:], secret)
    except (KeyError, IndexError, TypeError):
        return value  # another kind of record
    return copy


def _same(path: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(part for part in path if isinstance(part, str))


def _write_variants(source: Path, target: Path) -> int:
    """A copy of a transcript for each field that holds text, with a secret there in every record that has it."""
    try:
        records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines() if line.strip()]
    except ValueError:
        return 0
    fields = {_same(path): path for record in records for path in _paths(record)}
    for number, path in enumerate(sorted(fields.values(), key=repr)):
        secret = PLANTED[number % 3]
        lines = [_planted(record, path, secret) for record in records]
        file = target.with_name(f"{target.stem}-{number}{target.suffix}")
        if target.name in ("events.jsonl", "transcript_full.jsonl", "transcript.jsonl"):  # the folder is the session
            head, folder, rest = _session_folder(target)
            file = head / f"{folder}-{number}" / rest
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return len(fields)


def _session_folder(target: Path) -> tuple[Path, str, Path]:
    up = 0 if target.name == "events.jsonl" else 2
    folder = target.parents[up]
    return folder.parent, folder.name, target.relative_to(folder)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    home = tmp_path / "home"
    places = tuple((agent, str(home / folder.removeprefix("~/"))) for agent, folder in CHOSEN)
    made = Memory(Settings(home=tmp_path / "brain", session_places=places, vector_store="exact"), cwd=tmp_path)
    close = made.close
    yield made
    close()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    """The server's log as it is set up, and taken down again."""
    root = logging.getLogger()
    before, level = list(root.handlers), root.level
    for handler in before:
        root.removeHandler(handler)
    ours = logging.getLogger("zerikai_memory")
    ours_level = ours.level
    path = tmp_path / "brain" / "server.log"
    log_to(path)
    ours.setLevel(logging.DEBUG)
    yield path
    for handler in list(root.handlers):
        root.removeHandler(handler)
        handler.close()
    for handler in before:
        root.addHandler(handler)
    root.setLevel(level)
    ours.setLevel(ours_level)


def _assert_clean(text: bytes, where: str) -> None:
    for secret in SECRETS:
        for form in (secret, secret[:20], secret.lower(), secret[8:28]):
            assert form.encode() not in text, (where, form)


def _stored(brain: Path) -> bytes:
    return b"\0".join(str(file).encode() + file.read_bytes() for file in brain.rglob("*") if file.is_file())


def _replies(memory: Memory, capsys: pytest.CaptureFixture[str]) -> str:
    """What every command about sessions says, also of a session or text that is a secret."""
    memory.close = lambda: None  # type: ignore[method-assign]  # the commands share it
    for argv in (
        ["sources"], ["index"], ["list", "-k", "1000"], ["search", "wolverine", "-k", "1000"], ["search", KEY],
        ["propose"], ["proposals", "-k", "1000"], ["show", KEY], ["search", "x", "--agent", TOKEN],
        ["search", "x", "--role", KEY], ["search", "x", "-w", f"/srv/{TOKEN}"], ["search", "x", "-w", KEY],
        ["search", "x", "--since", f"password={PASSWORD}"], ["search", "x", "--until", KEY], ["accept", TOKEN],
        ["reject", KEY], ["proposals", "--since", TOKEN], ["propose", "-w", KEY], ["search", "x", "--session", TOKEN],
        ["forget", KEY, "--yes"],
    ):  # fmt: skip
        for more in ((), ("--json",)):
            main(["sessions", *argv, *more], open_memory=lambda: memory)
    main(["usage", "--agents", "--by", "model"], open_memory=lambda: memory)
    main(["query", KEY, "--category", "sessions"], open_memory=lambda: memory)
    for info in memory.sessions.recall(limit=1000).sessions:
        main(["sessions", "show", f"{info.agent}:{info.session}"], open_memory=lambda: memory)
    captured = capsys.readouterr()
    return captured.out + captured.err


def test_of_every_field_of_every_format_nothing_secret_is_stored_said_or_logged(memory, log, tmp_path, capsys):
    home, fields = tmp_path / "home", 0
    for agent, maker in MAKERS.items():
        talk = Talk(f"s-{agent}", "/srv/shop", START, SAID)
        plain = tmp_path / f"{agent}.jsonl"
        plain.write_text("".join(json.dumps(line) + "\n" for line in maker.lines(talk)))
        fields += _write_variants(plain, home / maker.path.format(session=talk.session))
    for folder in CASE_FOLDERS:
        for file in sorted(folder.rglob("*.json*")):
            fields += _write_variants(file, home / file.relative_to(folder))
    assert fields > 150
    assert memory.sessions.index().messages > 150
    said = _replies(memory, capsys)
    assert "wolverine" in said
    assert "[masked]" in said
    _assert_clean(said.encode(), "reply")
    memory.sessions.close()
    _assert_clean(_stored(tmp_path / "brain"), "brain")


@pytest.mark.parametrize("agent", MAKERS)
def test_secrets_in_the_names_of_files_folders_and_sessions_are_masked_and_known_again(
    agent, memory, log, tmp_path, capsys
):
    for number, secret in enumerate((KEY, TOKEN)):
        talk = Talk(f"{secret}", f"/srv/{secret}/shop", START + number, SAID)
        path = tmp_path / "home" / MAKERS[agent].path.format(session=talk.session)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in MAKERS[agent].lines(replace(talk, said=SAID))))
    report = memory.sessions.index()
    assert (report.messages >= 6, report.bad_lines) == (True, 0)
    assert memory.sessions.index().read_bytes == 0
    found = memory.sessions.recall(limit=9).sessions
    assert len({info.session for info in found}) == 2  # two keys are two sessions
    assert [len(memory.sessions.show(info.session)) for info in found] == [report.messages // 2] * 2
    _assert_clean(_replies(memory, capsys).encode(), "reply")
    memory.sessions.close()
    _assert_clean(_stored(tmp_path / "brain"), "brain")


async def test_no_tool_repeats_a_secret_it_was_given(memory, log, tmp_path):
    argument = f"password={PASSWORD}"
    async with Client(create_server(lambda: memory)) as session:
        said = []
        for tool, arguments in (
            ("recall_session", {"session": KEY}),
            ("recall_session", {"query": "x", "agent": TOKEN}),
            ("recall_session", {"query": "x", "workspace": f"{KEY}"}),
            ("recall_session", {"query": "x", "since": argument}),
            ("recall_session", {"query": "x", "role": KEY * 3}),
            ("recall_session", {"query": KEY}),
            ("recall_session", {KEY: "x"}),
            ("recall_session", {"step": TOKEN}),
            ("query_memory", {"user_query": TOKEN, "category": "sessions"}),
            ("query_memory", {"user_query": "x", "workspace": KEY}),
            ("usage_report", {"by": TOKEN}),
            ("save_to_memory", {"content": "x", "category": argument, "workspace": KEY}),
        ):
            result = await session.call_tool(tool, arguments)
            said.append(json.dumps([result.content[0].text, result.structured_content]))
    _assert_clean("\n".join(said).encode(), "reply")
    logging.getLogger("zerikai_memory.x").warning("got %r", KEY)
    _assert_clean(_stored(tmp_path / "brain"), "brain")
    assert b"[masked]" in log.read_bytes()


@pytest.mark.parametrize("name", [f"2026-02-02T09-00-00-000Z_{TOKEN}", f"z_{TOKEN}", TOKEN])
def test_the_name_of_a_pi_file_is_masked_before_its_id_is_cut_out_of_it(name):
    file = Path(f"{name}.jsonl")
    head = PI.read({"type": "session", "id": "p1", "parentSession": f"/x/{file}"})
    for shown in (PI.session_id(file), head.forked_from):
        assert TOKEN[4:] not in plain_id(shown)
