"""The tool `usage_report` through a client, and what a reply of `query_memory` leaves behind for it."""

import pytest
from mcp import Client

from tests.fake_memory import FakeMemory
from zerikai_memory.app import Memory
from zerikai_memory.mcp_server.server import create_server
from zerikai_memory.settings import Settings


async def call(memory, name, arguments):
    async with Client(create_server(lambda: memory)) as session:
        return await session.call_tool(name, arguments)


async def test_a_report_is_text_and_data_with_as_many_lines_as_a_reply_should_hold():
    memory = FakeMemory()
    result = await call(memory, "usage_report", {"by": "task", "days": "7", "workspace": "proj"})
    assert memory.calls == [("usage_report", {"by": "task", "days": 7, "workspace": "proj"})]
    assert len(result.structured_content["lines"]) == 15
    assert result.structured_content["omitted"] == 5
    assert "Usage of models in proj, 2026-11-01 to 2026-11-30 (UTC):" in result.content[0].text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"by": "colour"}, "Argument 'by': got 'colour', expected one of operation, model, workspace"),
        ({"days": 0}, "Argument 'days': got 0, expected a whole number from 1 to 3660"),
    ],
)
async def test_a_wrong_argument_is_told_with_what_is_right(arguments, words):
    result = await call(FakeMemory(), "usage_report", arguments)
    assert result.is_error
    assert words in result.content[0].text


async def test_a_reply_is_counted_beside_the_whole_files_it_cites(home, workspace):
    source = "def login(user):\n    return user\n" + "# filler\n" * 400
    (workspace / "auth.py").write_text(source)
    memory = Memory(Settings(home=home), cwd=workspace)
    memory.scan(str(workspace))
    result = await call(memory, "query_memory", {"user_query": "login", "workspace": str(workspace)})
    memory.usage.replies.flush()
    report = await call(memory, "usage_report", {})
    replies = report.structured_content["replies"]
    assert (replies["replies"], replies["characters"]) == (1, len(result.content[0].text))
    assert replies["whole_file_characters"] == len(source)
    assert "1 of them cite files" in report.content[0].text
    memory.close()


async def test_a_view_of_the_map_is_counted_too(home, workspace):
    (workspace / "auth.py").write_text("def login(user):\n    return user\n\n\ndef enter(user):\n    login(user)\n")
    memory = Memory(Settings(home=home), cwd=workspace)
    memory.scan(str(workspace))
    result = await call(memory, "code_map", {"target": "login", "view": "callers", "workspace": str(workspace)})
    memory.usage.replies.flush()
    cost = memory.usage.reports.report().replies
    memory.close()
    assert (cost.replies, cost.characters) == (1, len(result.content[0].text))
    assert cost.whole_file_characters == len((workspace / "auth.py").read_text())
