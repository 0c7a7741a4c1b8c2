"""The real memory behind the real server process: scan, ask, save, over stdio."""

import json
import os
import sys
import time

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import ListRootsResult, Root

from tests.mcp_server.stdio_session import StdioSession

PROJECT = {
    "auth/session.py": '''\
def refresh_token_rotation(user_id):
    """Swap the refresh token and revoke the old one."""
    return user_id


class SessionStore:
    def getUserById(self, user_id):
        """Load one user."""
        return user_id
''',
    "net/http.py": '''\
def parseHTMLResponse(raw):
    """Read C++ style headers, 20 GB/s tested."""
    return raw
''',
    "money/price.py": '''\
def preis_berechnen(menge):
    """Berechnet den Preis für eine Bestellmenge."""
    return menge
''',
}
ODD_FILES = {  # name as bytes -> the function it defines
    b"my dir/with space.py": "spaced",
    "ünï/naïve.py".encode(): "accented",
    b"quote'and\"double.py": "quoted",
    b"per%20cent.py": "percent",
    b"-dash.py": "dash",
    "emoji_🍞.py".encode(): "bread",
    b"$(echo x).py": "dollar",
    b"new\nline.py": "newline_name",
    b"bad\x93\xfeName.py": "bad_bytes",
    b"caf\xc3\xa9.py": "nfc",
    b"cafe\xcc\x81.py": "nfd",
}


def write(root, files):
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return str(root)


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "proj", PROJECT)


@pytest.fixture
def session(tmp_path):
    with StdioSession(tmp_path) as running:
        running.initialize()
        yield running


def test_a_project_is_scanned_asked_and_remembered(session, project):
    scan = session.call("scan_workspace", workspace=project)
    assert scan["structuredContent"]["status"] == "completed"
    assert scan["structuredContent"]["counts"]["added"] == 3
    assert "3 files" in scan["content"][0]["text"]

    found = session.call("query_memory", user_query="swap the refresh token", workspace=project)
    first = found["structuredContent"]["results"][0]
    assert (first["qualified_name"], first["file_path"], first["start_line"], first["state"]) == (
        "refresh_token_rotation",
        "auth/session.py",
        1,
        "fresh",
    )
    text = found["content"][0]["text"]
    assert text.startswith("Sources:\nrefresh_token_rotation #auth/session.py:1 (")
    assert all(hit["text"] in text for hit in found["structuredContent"]["results"])
    assert "return user_id" in text  # the code itself, for clients that forward only text
    assert "return user_id" in json.dumps(found["structuredContent"])  # and for those that forward only data
    assert found["structuredContent"]["route"]["backend"] == "none"

    note = session.call(
        "save_to_memory", content="Rotation is synchronous on purpose.", workspace=project, category="decision"
    )
    asked = session.call("query_memory", user_query="why is rotation synchronous?", workspace="proj")
    number = note["structuredContent"]["id"]
    assert f"note:{number} (decision, " in asked["content"][0]["text"]
    assert "Rotation is synchronous on purpose." in asked["content"][0]["text"]
    replay = session.call("query_memory", workspace="proj", category="decision")
    assert [n["id"] for n in replay["structuredContent"]["notes"]] == [number]


def test_nothing_relevant_is_an_answer_and_no_error(session, project):
    session.call("scan_workspace", workspace=project)
    reply = session.call("query_memory", user_query="zebra quantum xylophone", workspace=project)
    assert not reply.get("isError")
    assert reply["structuredContent"]["nothing_relevant"] is True
    assert "Nothing relevant" in reply["content"][0]["text"]


def test_the_brief_is_shown_replaced_and_regenerated(session, project):
    session.call("scan_workspace", workspace=project)
    shown = session.call("update_brief", workspace=project)
    assert shown["structuredContent"]["text"].strip() in shown["content"][0]["text"]
    session.call("update_brief", workspace=project, new_content="# By hand\nÄ")
    assert session.call("update_brief", workspace=project)["structuredContent"]["text"] == "# By hand\nÄ"
    session.call("scan_workspace", workspace=project)
    assert session.call("update_brief", workspace=project)["structuredContent"]["text"] == "# By hand\nÄ"  # locked
    session.call("update_brief", workspace=project, regenerate=True)
    assert "By hand" not in session.call("update_brief", workspace=project)["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("query_memory", {"user_query": "x", "workspace": "/no/such/folder"}, "/no/such/folder"),
        ("query_memory", {"user_query": "x", "workspace": "nobody"}, "nobody"),
        ("query_memory", {"user_query": "", "workspace": "{project}"}, "empty"),
        ("query_memory", {"user_query": "x"}, "workspace"),  # cwd is / and nothing else names one
        ("scan_workspace", {}, "workspace"),
        ("scan_workspace", {"workspace": "/"}, "'/'"),
        ("scan_workspace", {"workspace": "{home}"}, "home"),
        ("scan_workspace", {"workspace": "{project}/auth/session.py"}, "session.py"),
        ("scan_workspace", {"workspace": "bad\x00path"}, "bad"),
        ("save_to_memory", {"content": "x", "workspace": "nobody"}, "nobody"),
        ("save_to_memory", {"content": " \n ", "workspace": "{project}"}, "content"),
        ("update_brief", {"workspace": "{project}", "new_content": " "}, "empty"),
    ],
)
def test_a_refusal_says_what_was_got_and_nothing_breaks(session, project, tmp_path, tool, arguments, said):
    session.call("scan_workspace", workspace=project)
    filled = {key: value.format(project=project, home=tmp_path) for key, value in arguments.items()}
    reply = session.call(tool, **filled)
    assert reply["isError"], reply
    text = reply["content"][0]["text"]
    assert said in text
    assert "unexpectedly" not in text
    assert "Traceback" not in text
    assert len(text) < 6_000
    assert not session.call("query_memory", user_query="token", workspace=project).get("isError")


@pytest.mark.parametrize("env", [{}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "cp1252"}])
def test_files_of_any_name_are_found_and_cited_in_valid_json(tmp_path, env):
    root = os.fsencode(tmp_path / "odd")
    for name, function in ODD_FILES.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"def {function}():\n    return 1\n")
    with StdioSession(tmp_path, **env) as session:
        session.initialize()
        scan = session.call("scan_workspace", workspace=str(tmp_path / "odd"))
        assert scan["structuredContent"]["status"] == "completed"
        assert scan["structuredContent"]["counts"]["added"] == len(ODD_FILES)
        for name, function in ODD_FILES.items():
            reply = session.call("query_memory", user_query=function, workspace="odd")
            hit = next(h for h in reply["structuredContent"]["results"] if h["name"] == function)
            assert hit["state"] == "fresh"
            if name != b"bad\x93\xfeName.py":
                assert hit["file_path"] == name.decode()
            assert sum(line.startswith(f"{function} #") for line in reply["content"][0]["text"].splitlines()) == 1
        _, out, err, _ = session.close()
    assert (out, err) == (b"", "")
    assert all(line.endswith(b"}\n") and json.loads(line.decode("utf-8")) for line in session.lines)


def test_a_default_reply_stays_under_8_kb(session, tmp_path):
    body = "\n".join(f"    value_{i} = compute(value_{i - 1}, 'a rather long argument {i}')" for i in range(200))
    files = {f"pkg/mod{i}.py": f'def handler_{i}(request):\n    """Handle a request."""\n{body}\n' for i in range(30)}
    root = write(tmp_path / "large", files)
    session.call("scan_workspace", workspace=root)
    for limit in ({}, {"limit": 10}):
        reply = session.call("query_memory", user_query="handle a request with a handler", workspace=root, **limit)
        assert reply["structuredContent"]["results"]
        assert len(reply["content"][0]["text"].encode()) <= 8_000
        assert len(json.dumps(reply["structuredContent"], ensure_ascii=False).encode()) <= 8_000


def test_the_end_of_stdin_in_a_real_scan_ends_the_process_and_the_next_one_goes_on(tmp_path):
    files = {f"pkg{i % 20}/mod{i}.py": f"def function_{i}(a):\n    return a + {i}\n" for i in range(1_500)}
    root = write(tmp_path / "many", files)
    with StdioSession(tmp_path) as session:
        session.initialize()
        session.call("scan_workspace", workspace=root, wait=0.2)
        status, _, _, seconds = session.close()
    assert status == 0
    assert seconds < 1
    with StdioSession(tmp_path) as session:
        session.initialize()
        scan = session.call("scan_workspace", workspace=root)["structuredContent"]
        assert (scan["status"], scan["files"]) == ("completed", 1_500)
        found = session.call("query_memory", user_query="function_1499", workspace=root)
        assert found["structuredContent"]["results"][0]["name"] == "function_1499"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_sdk_client_starts_and_uses_the_server(tmp_path, project, mode):
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "zerikai_memory"], env={"ZERIKAI_HOME": str(tmp_path / "brain")}
    )
    async with Client(server, mode=mode) as client:
        assert not (await client.call_tool("scan_workspace", {"workspace": project})).is_error
        reply = await client.call_tool("query_memory", {"user_query": "load one user", "workspace": project})
        assert reply.structured_content["results"][0]["name"] == "getUserById"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_roots_of_a_client_name_the_workspace(tmp_path, mode):
    root = tmp_path / "with space ä"
    write(root, PROJECT)

    async def roots(context):
        return ListRootsResult(roots=[Root(uri=root.as_uri())])

    server = StdioServerParameters(
        command=sys.executable, args=["-m", "zerikai_memory"], env={"ZERIKAI_HOME": str(tmp_path / "brain")}, cwd="/"
    )
    async with Client(server, mode=mode, list_roots_callback=roots) as client:
        scan = await client.call_tool("scan_workspace", {})
        assert not scan.is_error, scan.content
        assert scan.structured_content["root"] == str(root)


def test_a_server_started_in_a_project_knows_it(tmp_path, project):
    with StdioSession(tmp_path, cwd=project) as session:
        (tmp_path / "proj" / "pyproject.toml").write_text("[project]\nname = 'proj'\n")
        session.initialize()
        assert session.call("scan_workspace")["structuredContent"]["root"] == project


def test_several_servers_share_one_brain(tmp_path, project):
    sessions = [StdioSession(tmp_path) for _ in range(4)]
    try:
        for session in sessions:
            session.initialize()
        for number, session in enumerate(sessions):
            session.send(
                {
                    "jsonrpc": "2.0",
                    "id": 500 + number,
                    "method": "tools/call",
                    "params": {"name": "scan_workspace", "arguments": {"workspace": project}},
                }
            )
        for number, session in enumerate(sessions):
            assert session.response(500 + number)["result"]["structuredContent"]["status"] == "completed"
        for session in sessions:
            session.call("save_to_memory", content=f"Note of process {session.process.pid}", workspace=project)
        replay = sessions[0].call("query_memory", workspace=project, category="fact")
        assert len(replay["structuredContent"]["notes"]) == 4
    finally:
        for session in sessions:
            session.__exit__(None, None, None)


def test_a_cancelled_scan_stops_and_the_index_can_be_asked(tmp_path):
    files = {f"mod{i}.py": f"def function_{i}(a):\n    return a + {i}\n" for i in range(2_000)}
    root = write(tmp_path / "many", files)
    with StdioSession(tmp_path) as session:
        session.initialize()
        call = {"name": "scan_workspace", "arguments": {"workspace": root}}
        session.send({"jsonrpc": "2.0", "id": 700, "method": "tools/call", "params": call})
        time.sleep(0.6)
        session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 700}})
        assert not session.request("ping").get("error")
        scan = session.call("scan_workspace", workspace=root)
        assert scan["structuredContent"]["status"] in ("completed", "cancelled")
        again = session.call("scan_workspace", workspace=root)
        assert again["structuredContent"]["files"] == 2_000
