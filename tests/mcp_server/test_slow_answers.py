"""An answer that a model writes slowly: signs of life for the client, and a stop when it gives up."""

from __future__ import annotations

import threading
from typing import Any

import anyio
from mcp import Client

from tests.fake_memory import FakeMemory
from zerikai_memory.errors import InputError
from zerikai_memory.mcp_server.server import create_server
from zerikai_memory.model import QueryAnswer


class SlowModel(FakeMemory):
    """Writes ten characters, then waits until it may go on or nobody waits."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()
        self.asked = threading.Event()
        self.stopped = threading.Event()

    def query(self, question: str, workspace: str | None = None, **more: Any) -> QueryAnswer:
        self.asked.set()
        more["progress"](10)
        while not self.go_on.wait(0.02):
            if more["cancelled"]():
                self.stopped.set()
                raise InputError("stopped")
        return super().query(question, workspace, **more)


async def test_a_slow_answer_shows_that_it_is_being_written() -> None:
    memory = SlowModel()
    seen: list[tuple[float, str | None]] = []

    async def progress(value: float, total: float | None, message: str | None) -> None:
        seen.append((value, message))
        if len(seen) == 2:
            memory.go_on.set()

    async with Client(create_server(lambda: memory)) as session:
        result = await session.call_tool("query_memory", {"user_query": "how"}, progress_callback=progress)
    assert not result.is_error
    assert seen[:2] == [(1, "the model has written 10 characters"), (2, "the model has written 10 characters")]


async def test_a_call_that_is_given_up_stops_the_model() -> None:
    memory = SlowModel()
    async with Client(create_server(lambda: memory)) as session:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.call_tool, "query_memory", {"user_query": "how"})
            while not memory.asked.is_set():
                await anyio.sleep(0.02)
            tasks.cancel_scope.cancel()
        with anyio.fail_after(60):
            while not memory.stopped.is_set():
                await anyio.sleep(0.02)
    assert memory.stopped.is_set()


async def test_an_error_of_the_answer_is_told_as_ever() -> None:
    async with Client(create_server(FakeMemory)) as session:
        result = await session.call_tool("query_memory", {"user_query": "how", "workspace": "nowhere"})
    assert result.is_error
    assert "nowhere" in result.content[0].text
    assert "Exception" not in result.content[0].text
