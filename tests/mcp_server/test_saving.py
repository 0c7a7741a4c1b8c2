"""`save_to_memory` through a real client over a real memory, and over a fake one for what reaches it."""

import pytest
from mcp import Client
from mcp.types import Implementation

from tests.fake_memory import FakeMemory
from zerikai_memory.mcp_server.server import create_server


async def call(memory, name, arguments, **client):
    async with Client(create_server(lambda: memory), **client) as session:
        return await session.call_tool(name, arguments)


@pytest.mark.parametrize(
    ("given", "reached"),
    [
        ({"supersedes": "n1"}, {"supersedes": ["n1"]}),  # one text for a list of one
        ({"anchors": '["a.py", "f"]'}, {"anchors": ["a.py", "f"]}),  # a list as JSON text
        ({"details": '{"run_id": "r"}'}, {"details": {"run_id": "r"}}),  # an object as JSON text
        ({"details": {"tags": ["x"]}, "outcome": "failed"}, {"details": {"tags": ["x"]}, "outcome": "failed"}),
        ({"outcome": None, "anchors": None}, {}),
        ({"supersedes": "", "anchors": " "}, {"supersedes": None, "anchors": None}),  # how models leave them out
    ],
)
async def test_arguments_reach_the_memory_as_models_send_them(given, reached):
    memory = FakeMemory()
    info = Implementation(name="pi", version="1")
    result = await call(memory, "save_to_memory", {"content": "Tokens rotate."} | given, client_info=info)
    assert not result.is_error
    (asked,) = [arguments for name, arguments in memory.calls if name == "save"]
    assert {name: asked.get(name) for name in reached} == reached
    assert asked["agent"] == "pi"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"outcome": "great"}, "outcome"),
        ({"anchors": [1]}, "anchors"),
        ({"details": "x"}, "details"),
        ({"tags": []}, "tags"),
    ],
)
async def test_a_wrong_argument_is_named(given, named):
    result = await call(FakeMemory(), "save_to_memory", {"content": "x y"} | given)
    assert result.is_error
    assert named in result.content[0].text


async def test_the_loop_over_mcp(memory, workspace):
    (workspace / "app.py").write_text("def load_config(path):\n    return path\n")
    memory.scan(str(workspace))
    where = {"workspace": str(workspace)}
    error = "ImportError: cannot import name load from yaml"
    attempt = {"category": "fix", "anchors": "load_config"} | where
    failed = await call(memory, "save_to_memory", {"content": f"{error}: reinstall", "outcome": "failed"} | attempt)
    worked = await call(memory, "save_to_memory", {"content": f"{error}: use safe_load", "outcome": "worked"} | attempt)
    refused = await call(memory, "save_to_memory", {"content": "x", "anchors": ["load_confg"]} | where)
    assert refused.is_error
    assert "near names: load_config" in refused.content[0].text
    replay = await call(memory, "query_memory", {"user_query": error, "category": "fix"} | where)
    notes = replay.structured_content["notes"]
    assert [note["id"] for note in notes] == [failed.structured_content["id"], worked.structured_content["id"]]
    assert [note["outcome"] for note in notes] == ["failed", "worked"]
    text = replay.content[0].text
    assert text.index("[failed]") < text.index("[worked]")
    latest = await call(memory, "query_memory", {"category": "fix"} | where)
    assert len(latest.structured_content["notes"]) == 2
    beside = await call(memory, "query_memory", {"user_query": "load_config"} | where)
    assert "decided here: load_config (app.py)" in beside.content[0].text
