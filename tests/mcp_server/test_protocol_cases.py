"""The server on raw stdio, from bug reports: each case is a folder of tests/data/cases."""

import json
from pathlib import Path

import pytest

from tests.casekit import STEPS, Case, apply_step, build_workspace, load_case
from tests.mcp_server.stdio_session import StdioSession
from zerikai_memory.app import Memory
from zerikai_memory.cli import main
from zerikai_memory.errors import ZerikaiError
from zerikai_memory.settings import Settings

# What the cases call by general names, as our tools name it.
ARGUMENTS = {"query": "user_query", "text": "user_query"}


def built(case: Case, workspace: Path) -> Path:
    build_workspace(case, workspace, with_setup=False)
    for step in case.setup:
        if step["op"] in STEPS:
            apply_step(step, workspace)
    return workspace


def test_a_full_session_writes_only_messages(tmp_path):
    case = load_case("E01")
    project = built(case, tmp_path / "proj")
    with StdioSession(tmp_path, PYTHONWARNINGS="always", VECTOR_STORE="exact") as session:
        session.initialize()
        session.request("tools/list")
        assert session.call("scan_workspace", workspace=str(project))["structuredContent"]["status"] == "completed"
        assert not session.call("query_memory", user_query="refresh token", workspace=str(project)).get("isError")
        assert session.call("query_memory", limit="many")["isError"]
        status, out, _, _ = session.close()
    assert status == 0
    for line in (b"".join(session.lines) + out).split(b"\n")[:-1]:
        assert json.loads(line.decode("utf-8"))["jsonrpc"] == "2.0"
        assert not line.endswith(b"\r")


@pytest.fixture(scope="module")
def beside_a_secret(tmp_path_factory):
    """A scanned project whose sibling folder and link hold what must never be shown."""
    folder = tmp_path_factory.mktemp("E03")
    project = built(load_case("E03"), folder / "proj")
    memory = Memory(Settings(home=folder / "brain", vector_store="exact"), cwd=project)
    memory.scan(str(project))
    yield memory, project
    memory.close()


@pytest.mark.parametrize("path", load_case("E03").expect["refused_paths"])
def test_a_path_that_leaves_the_workspace_is_refused(beside_a_secret, path):
    memory, project = beside_a_secret
    path = path.replace("{abs}", str(project.parent))
    with pytest.raises(ZerikaiError, match="not in the index"):
        memory.entities(str(project), file=path)
    answer = memory.query(f"{path}:1", str(project))
    assert "OUTSIDE_MARK" not in answer.answer + "".join(hit.text for hit in answer.results)
    assert {hit.file_path for hit in answer.results} <= {"src/a.py"}


def test_a_path_inside_works_and_the_link_was_not_followed(beside_a_secret):
    memory, project = beside_a_secret
    (path,) = load_case("E03").expect["allowed_paths"]
    assert [entity.name for entity in memory.entities(str(project), file=path)] == ["a", "a"]
    assert {entity.file_path for entity in memory.entities(str(project))} == {path}


def test_the_command_line_refuses_them_too(beside_a_secret, capsys):
    memory, project = beside_a_secret
    again = Memory(memory.settings, cwd=project)
    assert main(["entities", "--file", "../proj-secret/s.py"], open_memory=lambda: again) == 1
    printed = capsys.readouterr()
    assert "OUTSIDE_MARK" not in printed.out + printed.err


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    project = folder / "proj"
    project.mkdir()
    (project / "a.py").write_text("def a():\n    return 1\n")
    with StdioSession(folder, cwd=project, VECTOR_STORE="exact", ZERIKAI_WORKSPACE=str(project)) as session:
        session.initialize()
        session.call("scan_workspace")
        yield session


def named(arguments: dict[str, object]) -> dict[str, object]:
    return {ARGUMENTS.get(name, name): value for name, value in arguments.items()}


# `include_docs` and `files` are no arguments of our tools: a boolean and a list of ours stand for them.
@pytest.mark.parametrize("arguments", [{"limit": "5"}, {"show_sources": "true"}, {"limit": 5.0}])
def test_text_forms_of_numbers_and_booleans_are_taken(server, arguments):
    assert not server.call("query_memory", user_query="a", **arguments).get("isError")


@pytest.mark.parametrize("arguments", load_case("E06").expect["kept_as_text"])
def test_text_that_looks_like_json_stays_text(server, arguments):
    reply = server.call("query_memory", **named(arguments))
    assert not reply.get("isError")
    assert reply["structuredContent"]["question"] == next(iter(arguments.values()))


@pytest.mark.parametrize("arguments", load_case("E06").expect["rejected_shortly"])
def test_anything_else_is_rejected_in_one_short_sentence(server, arguments):
    expect = load_case("E06").expect
    given = named(arguments)
    if given and "user_query" not in given:
        given["user_query"] = "a"
    reply = server.call("query_memory", **given)
    text = reply["content"][0]["text"]
    assert reply["isError"]
    assert len(text) <= expect["error_max_chars"]
    assert not any(word in text for word in expect["error_absent"])


@pytest.mark.parametrize("env", [{}, *load_case("E07").expect["environments"]])
def test_odd_text_comes_back_unchanged_in_valid_utf8(tmp_path, env):
    case = load_case("E07")
    project = tmp_path / "proj"
    project.mkdir()
    (project / "a.py").write_text("def a():\n    return 1\n")
    with StdioSession(tmp_path, VECTOR_STORE="exact", ZERIKAI_WORKSPACE=str(project), **env) as session:
        session.initialize()
        session.call("scan_workspace")
        for text in case.expect["notes_round_trip"]:
            session.call("save_to_memory", content=text, category="odd")
        for escaped in case.expect["escaped_json_input"]:
            session.send(
                b'{"jsonrpc":"2.0","id":700,"method":"tools/call","params":{"name":"save_to_memory","arguments":'
                b'{"category":"odd","content":' + escaped.encode("ascii") + b"}}}"
            )
            assert not session.response(700)["result"].get("isError")
        notes = session.call("query_memory", category="odd", limit=20)["structuredContent"]["notes"]
        for line in session.lines:
            line.decode("utf-8")
    contents = [note["content"] for note in notes]
    # A NUL ends text in too many programs: it is the one character a note drops.
    assert {text.replace("\0", "") for text in case.expect["notes_round_trip"]} <= set(contents)
