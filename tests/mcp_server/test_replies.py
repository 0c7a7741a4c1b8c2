from dataclasses import replace

import pytest
from mcp import Client

from tests.fake_memory import HIT, NOTE, PROJECT, FakeMemory
from zerikai_memory import render
from zerikai_memory.mcp_server import replies
from zerikai_memory.mcp_server.server import create_server
from zerikai_memory.model import Brief, BriefSection

LONG = "Größe\n" * 3_000


def size(value):
    return len(render.json_line(value).encode())


def brief(text):
    return Brief("proj", PROJECT.id, 2, text, "edited", 1_790_000_000)


@pytest.mark.parametrize("text", [LONG, "x" * 40_000, '"\\' * 20_000, "🍞" * 40_000])
def test_a_far_too_long_brief_is_cut_and_says_so(text):
    shown = replies.fitting_brief(brief(text))
    assert size(shown) <= replies.REPLY_BYTES
    kept, _, mark = shown.text.partition("\n\n... (")
    assert text.startswith(kept)
    assert f"{len(text) - len(kept)} more characters, see `zerikai-memory brief show`" in mark


def test_a_brief_as_it_should_be_is_shown_whole():
    usual = brief("word " * 1_200)  # 1,500 tokens
    assert replies.fitting_brief(usual) is usual


@pytest.mark.parametrize(("limit", "budget"), [(5, None), (10, None), (5, 900)])
def test_long_notes_and_sections_do_not_crowd_a_reply(limit, budget):
    notes = tuple(replace(NOTE, id=f"n{i}", content=f"{i} {LONG}") for i in range(5))
    answer = replace(
        FakeMemory().answer,
        notes=notes,
        sections=(BriefSection("Overview", LONG),),
        answer="\n".join([LONG, *(note.content for note in notes)]),
    )
    shown = replies.fitting_answer(answer, limit, budget)
    assert size(shown) <= replies.REPLY_BYTES + 8 * (budget or 0)
    assert [note.id for note in shown.notes] == ["n0", "n1", "n2", "n3", "n4"]
    assert shown.results == (HIT,)
    assert len(render.query_answer(shown).encode()) <= replies.REPLY_BYTES


def test_an_answer_that_fits_is_left_alone():
    answer = FakeMemory().answer
    assert replies.fitting_answer(answer, 5, None) is answer


async def test_no_reply_is_longer_than_a_line_that_clients_can_read():
    memory = FakeMemory()
    memory.brief = lambda *_, **__: brief("🍞" * 40_000)
    memory.set_brief = lambda text, *_, **__: brief(text)
    async with Client(create_server(lambda: memory)) as session:
        for tool, arguments in (
            ("update_brief", {}),
            ("update_brief", {"new_content": "x" * 40_000}),
            ("save_to_memory", {"content": "y" * 20_000}),
        ):
            result = await session.call_tool(tool, arguments)
            assert not result.is_error, result.content
            assert len(result.model_dump_json().encode()) < 20_000


async def test_what_a_new_brief_lacks_is_in_the_text_too():
    memory = FakeMemory()
    memory.set_brief = lambda text, *_, **__: replace(brief(text), warnings=("no section `Purpose`",))
    async with Client(create_server(lambda: memory)) as session:
        result = await session.call_tool("update_brief", {"new_content": "# Mine"})
    assert "Warning: no section `Purpose`" in result.content[0].text
    assert result.structured_content["warnings"] == ["no section `Purpose`"]
