"""The tools through a real client in memory, in both protocol eras."""

import json
from dataclasses import replace

import anyio
import pytest
from mcp import Client
from mcp.types import ListRootsResult, Root

from tests.fake_memory import REPORT, FakeMemory, refusal
from zerikai_memory import __version__, render
from zerikai_memory.mcp_server.server import INSTRUCTIONS, create_server

ERAS = ["auto", "legacy"]
TOOLS = ["query_memory", "scan_workspace", "save_to_memory", "update_brief", "code_map", "recall_session"]
TOOLS += ["usage_report"]


async def reply(memory, name, arguments, era="auto", **client):
    async with Client(create_server(lambda: memory), mode=era, **client) as session:
        return await session.call_tool(name, arguments)


def text_of(result):
    assert len(result.content) == 1
    return result.content[0].text


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_sees_who_we_are_and_the_same_tools_each_time(era):
    async with Client(create_server(FakeMemory), mode=era) as session:
        assert session.server_info.name == "zerikai_memory"
        assert session.server_info.version == __version__
        assert session.instructions == INSTRUCTIONS
        assert [tool.name for tool in (await session.list_tools()).tools] == TOOLS


async def test_what_every_session_pays_for_stays_small():
    async with Client(create_server(FakeMemory)) as session:
        tools = [tool.model_dump(by_alias=True, exclude_none=True) for tool in (await session.list_tools()).tools]
    inputs = [{key: tool[key] for key in ("name", "description", "inputSchema")} for tool in tools]
    assert sum(len(json.dumps(part)) for part in inputs) <= 5_500
    assert sum(len(json.dumps(tool["outputSchema"])) for tool in tools) <= 6_000
    assert len(INSTRUCTIONS) <= 900
    assert all(len(tool["name"]) <= 24 for tool in tools)
    assert '"title":' not in json.dumps([tool["inputSchema"] for tool in tools])


async def test_tools_say_how_they_behave():
    async with Client(create_server(FakeMemory)) as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert all(tool.title for tool in tools.values())
    assert tools["query_memory"].meta == {"anthropic/alwaysLoad": True}
    assert [name for name, tool in tools.items() if tool.annotations.read_only_hint] == [
        "query_memory",
        "code_map",
        "recall_session",
        "usage_report",
    ]
    assert not any(tool.annotations.destructive_hint for tool in tools.values())
    assert not any(tool.annotations.open_world_hint for tool in tools.values())
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools.values())


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("name", "arguments", "in_text", "in_data"),
    [
        (
            "query_memory",
            {"user_query": "how"},
            "Session.login #auth/session.py:12 (0.84)",
            ("answer", "def login(self): ..."),
        ),
        ("scan_workspace", {}, "4 files, 9 entities", ("entities", 9)),
        ("save_to_memory", {"content": "Tokens rotate."}, "Saved note:n2 (fact, ", ("id", "n2")),
        ("update_brief", {}, "A project.", ("text", "# Overview\nA project.")),
        ("update_brief", {"regenerate": True}, "Anew.", ("version", 3)),
        ("update_brief", {"new_content": "# Mine"}, "version 2", ("text", "# Mine")),
    ],
)
async def test_text_and_data_are_each_complete(era, name, arguments, in_text, in_data):
    result = await reply(FakeMemory(), name, arguments, era)
    assert not result.is_error
    assert in_text in text_of(result)
    assert result.structured_content[in_data[0]] == in_data[1]


async def test_hits_reach_a_client_that_forwards_only_data():
    result = await reply(FakeMemory(), "query_memory", {"user_query": "how"})
    (hit,) = result.structured_content["results"]
    assert (hit["qualified_name"], hit["file_path"], hit["start_line"], hit["state"]) == (
        "Session.login",
        "auth/session.py",
        12,
        "fresh",
    )
    assert result.structured_content["route"] == {"backend": "none", "model": None, "reason": "no model is configured"}
    assert result.structured_content["notes"][0]["id"] == "n1"


@pytest.mark.parametrize("no", [False, "false"])
async def test_sources_can_be_left_out(no):
    result = await reply(FakeMemory(), "query_memory", {"user_query": "how", "show_sources": no})
    assert text_of(result).startswith("--- method auth/session.py:12-20\ndef login(self): ...")
    assert "Sources:" not in text_of(result)


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        ({"limit": "5"}, "limit", 5),  # models send numbers as text
        ({"limit": 5.0}, "limit", 5),
        ({"use_cloud": "true"}, "use_cloud", True),
        ({"use_cloud": False}, "use_cloud", False),
        ({"user_query": '{"a": 1}'}, "question", '{"a": 1}'),  # text stays text
        ({"user_query": "123"}, "question", "123"),
        ({"category": "[1, 2]"}, "category", "[1, 2]"),
        ({"workspace": None, "category": None, "budget_tokens": None}, "category", None),  # null: not given
        ({}, "limit", 7),  # the setting's default
        ({"user_query": "x" * 100_000}, "question", "x" * 100_000),
    ],
)
async def test_arguments_that_mean_the_right_thing_are_taken(arguments, name, value):
    memory = FakeMemory()
    async with Client(create_server(lambda: memory, top_k=7)) as session:
        result = await session.call_tool("query_memory", {"user_query": "how"} | arguments)
    assert not result.is_error, result.content
    taken = memory.calls[0][1][name]
    assert (taken, type(taken)) == (value, type(value))


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("query_memory", {"limit": "many"}, "'limit': got 'many', expected a whole number from 1 to 50"),
        ("query_memory", {"limit": -1}, "'limit': got -1"),
        ("query_memory", {"limit": 51}, "'limit': got 51"),
        ("query_memory", {"limit": 2.5}, "'limit': got 2.5"),
        ("query_memory", {"limit": True}, "'limit': got True"),  # would pass for 1
        ("query_memory", {"limit": None}, "'limit': got None"),
        ("query_memory", {"budget_tokens": 5}, "'budget_tokens': got 5, expected a whole number from 100"),
        ("query_memory", {"user_query": ["a", "b"]}, "'user_query': got ['a', 'b'], expected one text"),
        ("query_memory", {"show_sources": "perhaps"}, "'show_sources': got 'perhaps', expected true or false"),
        (
            "query_memory",
            {"query": "how"},
            "query_memory has no argument 'query'. Its arguments: user_query, workspace",
        ),
        ("query_memory", {"x" * 5000: 1}, "has no argument 'xxx"),
        ("save_to_memory", {}, "'content': got nothing, expected one text"),
        ("save_to_memory", {"content": ""}, "'content': got ''"),
        ("save_to_memory", {"content": "y" * 30_000}, "of 1 to 20000 characters"),
        ("scan_workspace", {"wait": 601}, "'wait': got 601, expected a number from 0 to 600"),
        ("scan_workspace", {"wait": "soon"}, "'wait': got 'soon'"),
        ("scan_workspace", {"workspace": {"path": "."}}, "'workspace': got {'path': '.'}, expected one text"),
        ("update_brief", {"new_content": "x", "regenerate": True}, "either new_content or regenerate"),
    ],
)
async def test_wrong_arguments_get_one_short_sentence(tool, arguments, said):
    memory = FakeMemory()
    result = await reply(memory, tool, arguments)
    assert result.is_error
    text = text_of(result)
    assert said in text
    assert len(text) <= 400
    assert "\n" not in text
    assert "pydantic" not in text
    assert memory.calls == []


async def test_an_expected_failure_reaches_the_model_word_for_word():
    memory = FakeMemory()
    memory.error = refusal("No index for 'proj' yet: call scan_workspace first.")
    result = await reply(memory, "query_memory", {"user_query": "how"})
    assert result.is_error
    assert text_of(result) == "No index for 'proj' yet: call scan_workspace first."


async def test_a_bug_is_logged_with_its_trace_and_told_in_short(caplog):
    memory = FakeMemory()
    memory.error = KeyError("secret detail")
    result = await reply(memory, "query_memory", {"user_query": "how"})
    assert result.is_error
    assert "query_memory failed unexpectedly (KeyError)" in text_of(result)
    assert "secret detail" not in text_of(result)
    assert "secret detail" in caplog.text


async def test_a_memory_that_cannot_be_loaded_is_an_error_of_each_call_not_of_the_server():
    def broken():
        raise refusal("The brain was written by a newer version.")

    async with Client(create_server(broken)) as session:
        for _ in range(2):
            result = await session.call_tool("query_memory", {"user_query": "how"})
            assert text_of(result) == "The brain was written by a newer version."
        assert len((await session.list_tools()).tools) == len(TOOLS)


async def test_the_memory_is_loaded_once_and_only_when_a_tool_needs_it():
    loaded = []

    def load():
        loaded.append(1)
        return FakeMemory()

    async with Client(create_server(load)) as session:
        await session.list_tools()
        assert loaded == []
        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(session.call_tool, "query_memory", {"user_query": "how"})
    assert loaded == [1]


@pytest.mark.parametrize("era", ERAS)
async def test_a_scan_reports_progress_that_only_grows(era):
    memory, seen = FakeMemory(scan_steps=3), []

    async def progress(done, total, message):
        seen.append((done, total, message))
        memory.go_on.release()

    async with Client(create_server(lambda: memory), mode=era) as session:
        result = await session.call_tool("scan_workspace", {}, progress_callback=progress)
    assert result.structured_content["status"] == "completed"
    assert seen == [(1, 3, "indexing f1.py"), (2, 3, "indexing f2.py"), (3, 3, "indexing f3.py")]


@pytest.mark.parametrize("era", ERAS)
async def test_a_scan_that_takes_longer_than_wait_goes_on_and_the_server_answers_meanwhile(era):
    memory = FakeMemory(scan_steps=2)
    async with Client(create_server(lambda: memory), mode=era) as session:
        result = await session.call_tool("scan_workspace", {"wait": 0.3})
        assert result.structured_content["status"] == "running"
        assert result.structured_content["total"] == 2
        assert "still running: 1 of 2 files" in text_of(result)
        with anyio.fail_after(2):
            assert not (await session.call_tool("query_memory", {"user_query": "how"})).is_error
    assert not memory.scan_cancelled.is_set()
    memory.go_on.release(2)


@pytest.mark.parametrize("era", ERAS)
async def test_a_cancelled_call_stops_its_scan_and_the_server_lives_on(era):
    memory = FakeMemory(scan_steps=2)
    async with Client(create_server(lambda: memory), mode=era) as session:
        with anyio.move_on_after(0.4):
            await session.call_tool("scan_workspace", {})
        with anyio.fail_after(5):
            while not memory.scan_cancelled.is_set():
                await anyio.sleep(0.02)
        assert not (await session.call_tool("query_memory", {"user_query": "how"})).is_error


@pytest.mark.parametrize("files", [0, 400, 40_000])
async def test_a_scan_reply_stays_short_however_large_the_project(files):
    memory = FakeMemory()
    report = replace(REPORT, added=tuple(f"a/rather/long/folder/name/file{i}.py" for i in range(files)))
    memory._scan = lambda *_: report
    result = await reply(memory, "scan_workspace", {})
    assert result.structured_content["counts"]["added"] == files
    assert len(render.json_line(result.structured_content).encode()) <= 8_000
    assert len(text_of(result).encode()) <= 8_000


@pytest.mark.parametrize("era", ERAS)
async def test_roots_are_asked_for_when_nothing_else_names_the_workspace(era):
    async def roots(context):
        return ListRootsResult(roots=[Root(uri="file:///home/me/proj")])

    memory = FakeMemory()
    result = await reply(memory, "query_memory", {"user_query": "how"}, era, list_roots_callback=roots)
    assert not result.is_error, result.content
    assert memory.calls[0][1]["roots"] == ("file:///home/me/proj",)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("by", ["argument", "setting", "no capability"])
async def test_roots_are_not_asked_for_without_need(era, by):
    async def roots(context):
        raise AssertionError("asked")

    memory = FakeMemory()
    setting = "proj" if by == "setting" else None
    arguments = {"user_query": "how"} | ({"workspace": "proj"} if by == "argument" else {})
    client = {} if by == "no capability" else {"list_roots_callback": roots}
    async with Client(create_server(lambda: memory, default_workspace=setting), mode=era, **client) as session:
        result = await session.call_tool("query_memory", arguments)
    assert not result.is_error, result.content
    assert memory.calls[0][1]["roots"] == ()


async def test_odd_text_survives_the_wire():
    memory = FakeMemory()
    odd = "new\nline \udcd3 🍞 \x00 \u202e"
    memory.answer = replace(memory.answer, answer=odd, results=())
    result = await reply(memory, "query_memory", {"user_query": odd.replace("\udcd3", "")})
    assert not result.is_error
    assert result.structured_content["answer"] == "new\nline \\udcd3 🍞 \x00 \u202e"


def _dicts(value):
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _dicts(item)


async def test_no_schema_gives_a_list_of_types_which_not_every_client_reads():
    async with Client(create_server(FakeMemory)) as client:
        tools = (await client.list_tools()).tools
    schemas = [schema for tool in tools for schema in (tool.input_schema, tool.output_schema)]
    assert len(schemas) == 2 * len(tools)
    assert not [part for schema in schemas for part in _dicts(schema) if isinstance(part.get("type"), list)]
