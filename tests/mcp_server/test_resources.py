"""Resources, their notifications and completions, and prompts, through a real client in memory."""

import json
from dataclasses import replace

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import ResourceTemplateReference, ResourceUpdatedNotification

from tests.fake_memory import HIT, PROJECT, FakeMemory
from zerikai_memory import render
from zerikai_memory.errors import StoreError
from zerikai_memory.mcp_server.server import create_server

ERAS = ["auto", "legacy"]
PROJECT_URI = "zerikai://brief/%2Fhome%2Fme%2Fproj"
NOT_FOUND, INTERNAL, INVALID = -32602, -32603, -32602


async def read(memory, uri, era="auto"):
    async with Client(create_server(lambda: memory), mode=era) as session:
        (content,) = (await session.read_resource(uri)).contents
        return content


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_sees_what_it_can_attach(era):
    async with Client(create_server(FakeMemory), mode=era) as session:
        assert [r.uri for r in (await session.list_resources()).resources] == [
            "zerikai://workspaces",
            "zerikai://brief",
        ]
        templates = (await session.list_resource_templates()).resource_templates
        assert [t.uri_template for t in templates] == [
            "zerikai://brief/{workspace}",
            "zerikai://entity/{workspace}/{entity}",
        ]
        assert all(t.title and t.description for t in templates)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("uri", "mime_type", "text"),
    [
        ("zerikai://brief", "text/markdown", "# Overview\nA project."),
        ("zerikai://brief/proj", "text/markdown", "# Overview\nA project."),
        (f"zerikai://brief/{PROJECT.id}", "text/markdown", "# Overview\nA project."),
        (PROJECT_URI, "text/markdown", "# Overview\nA project."),  # a path, percent-encoded
        ("zerikai://entity/proj/Session.login", "text/markdown", "method, auth/session.py:12-20, fresh"),
        ("zerikai://entity/proj/e1", "text/markdown", "```\ndef login(self): ...\n```"),
    ],
)
async def test_resources_are_read(era, uri, mime_type, text):
    content = await read(FakeMemory(), uri, era)
    assert content.mime_type == mime_type
    assert text in content.text


async def test_the_workspaces_are_json():
    (info,) = json.loads((await read(FakeMemory(), "zerikai://workspaces")).text)
    assert (info["name"], info["files"]) == ("proj", 4)


async def refused(memory, uri, era="auto"):
    async with Client(create_server(lambda: memory), mode=era) as session:
        with pytest.raises(MCPError) as caught:  # inside: a client's task group wraps what leaves it
            await session.read_resource(uri)
    return caught.value.error


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("zerikai://nothing", "Unknown resource"),
        ("zerikai://brief/nobody", "No workspace 'nobody'. Known: proj"),
        ("zerikai://brief/..%2F..%2Fetc", "No workspace '../../etc'"),
        ("zerikai://entity/nobody/e1", "No workspace 'nobody'"),
        ("zerikai://entity/proj/nope", "'nope' is no id or name"),
        ("file:///etc/passwd", "Unknown resource"),
    ],
)
async def test_what_is_not_there_is_not_found_and_says_why(era, uri, said):
    error = await refused(FakeMemory(), uri, era)
    assert error.code == NOT_FOUND
    assert said in error.message
    assert error.data == {"uri": uri}


async def test_a_broken_store_is_no_missing_resource():
    memory = FakeMemory()
    memory.error = StoreError("The brain was written by a newer version.")
    error = await refused(memory, "zerikai://brief")
    assert (error.code, error.message) == (INTERNAL, str(memory.error))


def test_code_with_fences_in_it_stays_one_block():
    page = render.entity_page([replace(HIT, text="a ```` b")])
    assert page.endswith("`````\na ```` b\n`````")


async def test_lists_may_be_cached_and_what_a_resource_says_may_not():
    async with Client(create_server(FakeMemory)) as session:
        lists = [await session.list_tools(), await session.list_prompts(), await session.list_resources()]
        assert all(result.ttl_ms > 0 and result.cache_scope == "public" for result in lists)
        brief = await session.read_resource("zerikai://brief")
        assert (brief.ttl_ms, brief.cache_scope) == (0, "private")


CHANGES = [
    ("scan_workspace", {}, {"zerikai://brief/proj", "zerikai://workspaces"}),
    ("update_brief", {"new_content": "# Mine"}, {"zerikai://brief/proj", "zerikai://workspaces"}),
    ("update_brief", {"regenerate": True}, {"zerikai://brief/proj", "zerikai://workspaces"}),
    ("save_to_memory", {"content": "x"}, {"zerikai://workspaces"}),
    ("update_brief", {}, set()),
    ("query_memory", {"user_query": "how"}, set()),
]


@pytest.mark.parametrize(("tool", "arguments", "told"), CHANGES)
async def test_a_client_of_2026_that_listens_is_told_what_changed(tool, arguments, told):
    wanted = ["zerikai://brief/proj", "zerikai://workspaces", "zerikai://brief/other"]
    async with Client(create_server(FakeMemory)) as session, session.listen(resource_subscriptions=wanted) as changes:
        await session.call_tool(tool, arguments)
        seen = set()
        with anyio.move_on_after(0.3):
            async for event in changes:
                seen.add(event.uri)
                if seen == told:
                    break
    assert seen == told


@pytest.mark.parametrize(("tool", "arguments", "told"), CHANGES)
@pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")
async def test_a_client_of_before_that_subscribed_is_told_what_changed(tool, arguments, told):
    seen = set()

    async def heard(message):
        if isinstance(message, ResourceUpdatedNotification):
            seen.add(message.params.uri)

    async with Client(create_server(FakeMemory), mode="legacy", message_handler=heard) as session:
        assert session.server_capabilities.resources.subscribe
        for uri in ("zerikai://brief/proj", "zerikai://workspaces", "zerikai://brief"):
            await session.subscribe_resource(uri)
        await session.unsubscribe_resource("zerikai://brief")
        await session.call_tool(tool, arguments)
        with anyio.move_on_after(0.3):
            while seen < told:
                await anyio.sleep(0.01)
    assert seen == told


@pytest.mark.parametrize(("typed", "values"), [("", ["proj"]), ("PR", ["proj"]), ("x", [])])
async def test_workspace_names_are_completed(typed, values):
    ref = ResourceTemplateReference(uri="zerikai://brief/{workspace}")
    async with Client(create_server(FakeMemory)) as session:
        result = await session.complete(ref, {"name": "workspace", "value": typed})
    assert result.completion.values == values


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("onboard", {}, "update_brief() shows the project's brief."),
        ("onboard", {"focus": "payments"}, 'query_memory(user_query="How does payments work?")'),
        ("onboard", {"workspace": "proj"}, 'scan_workspace(workspace="proj")'),
        ("before-a-fix", {"problem": 'crash in "pay"\nline 2'}, r'"crash in \"pay\"\nline 2"'),  # one line, quoted
        ("before-a-fix", {"problem": "x", "workspace": "proj"}, "(workspace 'proj')"),
    ],
)
async def test_prompts_name_the_calls_to_make(era, name, arguments, said):
    memory = FakeMemory()
    async with Client(create_server(lambda: memory), mode=era) as session:
        (message,) = (await session.get_prompt(name, arguments)).messages
    assert said in message.content.text
    assert memory.calls == []  # a prompt costs nothing


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("nope", {}, "There is no prompt 'nope'. Prompts: onboard, before-a-fix."),
        ("onboard", {"topic": "x"}, "onboard has no argument 'topic'. Its arguments: workspace, focus."),
        ("before-a-fix", {}, "before-a-fix needs 'problem'."),
        ("before-a-fix", {"problem": " "}, "before-a-fix needs 'problem'."),
    ],
)
async def test_a_wrong_prompt_call_is_the_callers_mistake(era, name, arguments, said):
    async with Client(create_server(FakeMemory), mode=era) as session:
        with pytest.raises(MCPError) as caught:
            await session.get_prompt(name, arguments)
    assert caught.value.error.code == INVALID
    assert said in caught.value.error.message
