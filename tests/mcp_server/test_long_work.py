"""Scans that take long: answered in time, joined, gone on with, and stopped when nobody waits."""

import anyio
import pytest
from mcp import Client, MCPError

from tests.fake_memory import FakeMemory
from zerikai_memory.mcp_server.following import ScanFollowers
from zerikai_memory.mcp_server.server import create_server
from zerikai_memory.scan.job import ScanJob

ERAS = ["auto", "legacy"]
# The hard wall of common clients; no progress notification moves it.
CLIENT_WALL_S = 60


class SharedScan(FakeMemory):
    """Starts one scan and lets every later call join it, as the real memory does; counts the starts."""

    def __init__(self, **options):
        super().__init__(**options)
        self.job = None
        self.started = 0

    def start_scan(self, workspace=None, *, roots=(), force_refresh_brief=False):
        if self.job is None or self.job.finished:
            self.started += 1
            self.job = ScanJob(self._scan, self._running)
        return self.job


async def test_the_default_wait_leaves_room_below_the_wall_of_a_client():
    async with Client(create_server(FakeMemory)) as session:
        scan = next(tool for tool in (await session.list_tools()).tools if tool.name == "scan_workspace")
    assert scan.input_schema["properties"]["wait"]["default"] <= CLIENT_WALL_S - 15


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_with_a_hard_wall_gets_there_by_calling_again(era):
    memory = SharedScan(scan_steps=3)
    statuses = []
    async with Client(create_server(lambda: memory), mode=era, read_timeout_seconds=30.0) as session:
        while "completed" not in statuses:
            assert len(statuses) < 20
            result = await session.call_tool("scan_workspace", {"wait": 0.3})
            statuses.append(result.structured_content["status"])
            memory.go_on.release(1 if len(statuses) < 2 else 50)
    assert statuses[:2] == ["running", "running"]
    assert memory.started <= 2  # a scan that ends between two calls is not joined, the next one finds nothing to do


@pytest.mark.parametrize("era", ERAS)
async def test_a_slow_start_counts_as_waiting(era, monkeypatch):
    memory, began, deadlines = SharedScan(scan_steps=1), [], []
    start, follow = memory.start_scan, ScanFollowers.follow

    def slow_start(*_, **more):
        began.append(anyio.from_thread.run_sync(anyio.current_time))
        anyio.from_thread.run(anyio.sleep, 0.2)
        return start(**more)

    def followed(self, job, deadline, ctx):
        deadlines.append(deadline)
        return follow(self, job, deadline, ctx)

    memory.start_scan = slow_start
    monkeypatch.setattr(ScanFollowers, "follow", followed)
    async with Client(create_server(lambda: memory), mode=era) as session:
        await session.call_tool("scan_workspace", {"wait": 0.3})
    assert deadlines[0] <= began[0] + 0.3


@pytest.mark.parametrize("era", ERAS)
async def test_a_wall_that_is_hit_stops_the_scan_and_the_next_call_starts_afresh(era):
    memory = SharedScan(scan_steps=2)
    async with Client(create_server(lambda: memory), mode=era, read_timeout_seconds=2.0) as session:
        with pytest.raises(MCPError):
            await session.call_tool("scan_workspace", {"wait": 600})
        with anyio.fail_after(60):
            while not memory.scan_cancelled.is_set():
                await anyio.sleep(0.02)
        memory.go_on.release(9)
    async with Client(create_server(lambda: memory), mode=era) as session:
        result = await session.call_tool("scan_workspace", {"wait": 30})
    assert result.structured_content["status"] == "completed"
    assert memory.started == 2


@pytest.mark.parametrize("era", ERAS)
async def test_one_of_two_waiting_calls_is_cancelled_and_the_other_gets_its_scan(era):
    memory, results = SharedScan(scan_steps=1), []
    async with Client(create_server(lambda: memory), mode=era) as session:

        async def stays():
            results.append(await session.call_tool("scan_workspace", {}))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stays)
            while memory.job is None:
                await anyio.sleep(0.02)
            await anyio.sleep(0.2)
            with anyio.move_on_after(0.3):
                await session.call_tool("scan_workspace", {})
            await anyio.sleep(0.2)
            assert not memory.scan_cancelled.is_set()
            memory.go_on.release()
    assert results[0].structured_content["status"] == "completed"
    assert memory.started == 1


@pytest.mark.parametrize("era", ERAS)
async def test_a_slow_question_is_given_up_and_the_server_lives_on(era):
    memory, go_on = FakeMemory(), anyio.Event()
    answer = memory.query

    def slow(question, workspace=None, **more):
        if question == "slow":
            anyio.from_thread.run(go_on.wait)
        return answer(question, workspace, **more)

    memory.query = slow
    async with Client(create_server(lambda: memory), mode=era) as session:
        with anyio.move_on_after(0.2):
            await session.call_tool("query_memory", {"user_query": "slow"})
        with anyio.fail_after(60):
            assert not (await session.call_tool("query_memory", {"user_query": "how"})).is_error
        go_on.set()


def test_a_call_after_a_stopped_scan_gets_a_scan_and_not_the_news_of_the_stop(memory, workspace):
    for i in range(400):
        (workspace / f"m{i}.py").write_text(f"def function_{i}(): ...\n")
    stopped = memory.start_scan(str(workspace))
    stopped.cancel()  # as when a client gave up
    again = memory.start_scan(str(workspace))
    assert again is not stopped
    assert memory.start_scan(str(workspace)) is again  # and a third call joins it
    report = again.wait(60)
    assert (report.status, report.files) == ("completed", 400)
