"""The real memory behind the real server process: scan, ask, save, over stdio."""

import json
import os
import signal
import sys
import time
from contextlib import ExitStack

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


@pytest.mark.parametrize("ending", ["end of stdin", signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_the_end_in_a_real_scan_is_quick_and_the_next_one_goes_on(tmp_path, ending):
    files = {f"pkg{i % 20}/mod{i}.py": f"def function_{i}(a):\n    return a + {i}\n" for i in range(1_500)}
    root = write(tmp_path / "many", files)
    with StdioSession(tmp_path) as session:
        session.initialize()
        session.call("scan_workspace", workspace=root, wait=0.2)
        if ending == "end of stdin":
            status, _, _, seconds = session.close()
        else:
            session.process.send_signal(ending)
            status, _, _, seconds = session.end()
    assert status == (-ending if ending is signal.SIGKILL else 0)
    assert seconds < 10
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


@pytest.mark.parametrize("where", ["/", "home", "home that is a repository", "deleted"])
def test_a_working_folder_that_is_no_project_is_not_taken_for_one(tmp_path, project, where):
    gone, command = tmp_path / "gone", None
    if where == "home that is a repository":
        (tmp_path / ".git").mkdir()
    if where == "deleted":
        gone.mkdir()
        command = ["sh", "-c", f'rmdir "{gone}"; exec "{sys.executable}" -m zerikai_memory']
    cwd = {"/": "/", "deleted": gone}.get(where, tmp_path)
    with StdioSession(tmp_path, cwd=cwd, command=command) as session:
        session.initialize()
        refused = session.call("scan_workspace")
        assert refused["isError"]
        assert "Pass `workspace`" in refused["content"][0]["text"]
        assert session.call("scan_workspace", workspace=project)["structuredContent"]["status"] == "completed"


def test_a_client_that_passes_no_environment_is_served(tmp_path, project):
    with StdioSession(tmp_path, bare=True) as session:  # not even PATH and HOME
        session.initialize()
        assert len(session.request("tools/list")["result"]["tools"]) == 7
        assert session.close()[0] == 0
    with StdioSession(tmp_path, bare=True, ZERIKAI_HOME=str(tmp_path / "brain")) as session:
        session.initialize()
        assert session.call("scan_workspace", workspace=project)["structuredContent"]["status"] == "completed"
        found = session.call("query_memory", user_query="swap the refresh token", workspace=project)
        assert found["structuredContent"]["results"]


def test_every_spelling_of_a_path_is_one_workspace(session, tmp_path, project):
    first = session.call("scan_workspace", workspace=project)["structuredContent"]
    (tmp_path / "link").symlink_to(project)
    spellings = [
        f"{project}/",
        f"{project}/auth/..",
        f"{tmp_path}//./proj",
        str(tmp_path / "link"),
        "~/proj",  # HOME is tmp_path
        (tmp_path / "proj").as_uri(),
        "proj",
        "PROJ",
        first["workspace_id"],
        first["workspace_id"][:8],
    ]
    for spelling in spellings:
        again = session.call("scan_workspace", workspace=spelling)["structuredContent"]
        assert (again["workspace_id"], again["counts"]["kept"]) == (first["workspace_id"], 3), spelling


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_workspace_is_the_argument_then_the_setting_then_a_root_then_the_folder(tmp_path, mode):
    folders = {name: write(tmp_path / name, {**PROJECT, "pyproject.toml": ""}) for name in ("a", "s", "r", "c")}

    async def roots(context):
        return ListRootsResult(roots=[Root(uri=(tmp_path / "r").as_uri())])

    async def root_of(arguments, with_roots, **env):
        settings = {"ZERIKAI_HOME": str(tmp_path / "brain"), **env}
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "zerikai_memory"], env=settings, cwd=folders["c"]
        )
        callback = {"list_roots_callback": roots} if with_roots else {}
        async with Client(server, mode=mode, **callback) as client:
            return (await client.call_tool("scan_workspace", arguments)).structured_content["root"]

    setting = {"ZERIKAI_WORKSPACE": folders["s"]}
    assert await root_of({"workspace": folders["a"]}, True, **setting) == folders["a"]
    assert await root_of({}, True, **setting) == folders["s"]
    assert await root_of({}, True) == folders["r"]
    assert await root_of({}, False) == folders["c"]


def test_a_server_started_in_a_project_knows_it(tmp_path, project):
    with StdioSession(tmp_path, cwd=project) as session:
        (tmp_path / "proj" / "pyproject.toml").write_text("[project]\nname = 'proj'\n")
        session.initialize()
        assert session.call("scan_workspace")["structuredContent"]["root"] == project


def test_ten_servers_at_once_share_one_brain(tmp_path, project):
    call = {"name": "scan_workspace", "arguments": {"workspace": project}}
    with ExitStack() as ending:
        sessions = [ending.enter_context(StdioSession(tmp_path)) for _ in range(10)]
        for session in sessions:
            session.initialize()
        for session in sessions:
            session.send({"jsonrpc": "2.0", "id": 500, "method": "tools/call", "params": call})
        for session in sessions:
            result = session.response(500)["result"]
            assert not result.get("isError"), result["content"]
            assert result["structuredContent"]["status"] == "completed"
        for session in sessions:
            session.call("save_to_memory", content=f"Note of process {session.process.pid}", workspace=project)
        for session in sessions:
            replay = session.call("query_memory", workspace=project, category="fact", limit=50)
            assert len(replay["structuredContent"]["notes"]) == 10
            found = session.call("query_memory", user_query="swap the refresh token", workspace=project)
            assert found["structuredContent"]["results"][0]["name"] == "refresh_token_rotation"


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
