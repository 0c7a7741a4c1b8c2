"""A server over a damaged brain answers each call in words and lives on."""

from pathlib import Path

import pytest

from tests.mcp_server.stdio_session import StdioSession
from zerikai_memory.app import Memory
from zerikai_memory.settings import Settings


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "proj"
    root.mkdir()
    (root / "a.py").write_text("def alpha():\n    return 1\n")
    memory = Memory(Settings(home=tmp_path / "brain", vector_store="exact"), cwd=root)
    memory.scan(str(root))
    memory.save("kept", str(root))
    memory.close()
    return root


def session(tmp_path: Path, project: Path) -> StdioSession:
    return StdioSession(tmp_path, VECTOR_STORE="exact", ZERIKAI_WORKSPACE=str(project))


def test_a_damaged_index_is_told_and_the_scan_that_the_text_asks_for_mends_it(tmp_path, project):
    (index,) = (tmp_path / "brain" / "index").glob("*.db")
    index.write_bytes(b"no database " * 2000)
    with session(tmp_path, project) as server:
        server.initialize()
        told = server.call("query_memory", user_query="alpha")
        assert told["isError"]
        assert index.name in told["content"][0]["text"]
        assert "scan the workspace again" in told["content"][0]["text"]
        report = server.call("scan_workspace")["structuredContent"]
        assert (report["status"], report["entities"]) == ("completed", 2)
        assert any("made anew" in warning for warning in report["warnings"])
        hits = server.call("query_memory", user_query="alpha")["structuredContent"]["results"]
        assert hits[0]["name"] == "alpha"
        status, _, err, _ = server.close()
    assert (status, "Traceback" in err) == (0, False)


def test_damaged_recorded_data_is_told_by_every_tool_and_never_replaced(tmp_path, project):
    path = tmp_path / "brain" / "zerikai.db"
    path.write_bytes(b"no database " * 2000)
    before = path.read_bytes()
    calls = {
        "query_memory": {"user_query": "alpha"},
        "scan_workspace": {},
        "save_to_memory": {"content": "new"},
        "update_brief": {},
    }
    with session(tmp_path, project) as server:
        server.initialize()
        for tool, arguments in calls.items():
            told = server.call(tool, **arguments)
            assert told["isError"]
            assert "zerikai.db is damaged" in told["content"][0]["text"]
        status, _, _, _ = server.close()
    assert status == 0
    assert path.read_bytes() == before
