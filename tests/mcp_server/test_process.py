"""The server as a process on raw stdio: purity, versions, start, end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.mcp_server.stdio_session import MODERN_META, StdioSession
from zerikai_memory.mcp_server.process import calm_threads

SLOW_SERVER = [sys.executable, str(Path(__file__).with_name("slow_server.py"))]
HEAVY = {"chromadb", "onnxruntime", "openai", "ollama", "tree_sitter", "tokenizers"}
DAMAGED_ENV = b"""\
# comment

DEEPSEEK_API_KEY=
OLLAMA_HOST = http://127.0.0.1:1
QUERY_DISTANCE_THRESHOLD=one point two
export DEFAULT_MEMORY_MODE=cloud
BROKEN LINE sk-very-secret-value WITHOUT EQUALS
QUOTED="unclosed-secret
ENABLE_TOKEN_TRACKING=yes # really
\xff\xfe=x
"""


def are_protocol(data):
    lines = data.split(b"\n")
    assert lines.pop() == b"", "the last line has no end"
    return all(json.loads(line)["jsonrpc"] == "2.0" and b"\r" not in line for line in lines)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),  # that version has no handshake: the newest that has one is offered
        ("1999-01-01", "2025-11-25"),
    ],
)
def test_handshake_versions(tmp_path, asked, answered):
    with StdioSession(tmp_path) as session:
        assert session.initialize(asked)["result"]["protocolVersion"] == answered
        assert len(session.request("tools/list")["result"]["tools"]) == 7


def test_the_stateless_version_needs_no_handshake(tmp_path):
    with StdioSession(tmp_path) as session:
        found = session.request("server/discover", {"_meta": MODERN_META})["result"]
        assert "2026-07-28" in found["supportedVersions"]
        assert len(session.request("tools/list", {"_meta": MODERN_META})["result"]["tools"]) == 7
        result = session.request(
            "tools/call", {"name": "query_memory", "arguments": {"limit": "no"}, "_meta": MODERN_META}
        )["result"]
        assert result["isError"]
        future = MODERN_META | {"io.modelcontextprotocol/protocolVersion": "2027-01-01"}
        assert session.request("tools/list", {"_meta": future})["error"]["code"] == -32022


def test_a_client_that_gave_up_its_probe_while_we_started_gets_its_handshake(tmp_path):
    with StdioSession(tmp_path) as session:
        session.send({"jsonrpc": "2.0", "id": 900, "method": "server/discover", "params": {"_meta": MODERN_META}})
        assert session.initialize()["result"]["protocolVersion"] == "2025-11-25"
        assert len(session.request("tools/list")["result"]["tools"]) == 7


def test_odd_lines_do_not_stop_the_server(tmp_path):
    with StdioSession(tmp_path) as session:
        assert "error" in session.request("tools/list")  # before the handshake
        session.initialize()
        for line in (b"not json", b"\xff\xfe", b"[]", b"", b"{}", b'{"jsonrpc":"2.0"}'):
            session.send(line)
        session.send(b'{"jsonrpc":"2.0","id":77,"method":"ping"}\r')
        assert session.response(77)["result"] == {}
        assert session.request("no/such")["error"]["code"] == -32601
        status, out, err, _ = session.close()
    assert (status, out, err) == (0, b"", "")


@pytest.mark.parametrize("text", [rb"\ud83d", rb"a \udcf6.py", rb"\\\ud83d"])
def test_half_an_emoji_in_a_request_is_answered(tmp_path, text):
    with StdioSession(tmp_path, command=SLOW_SERVER) as session:
        session.initialize()
        arguments = b'{"content":"' + text + b'"}'
        session.send(
            b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"save_to_memory","arguments":'
            + arguments
            + b"}}"
        )
        assert "\ufffd" in session.response(9)["result"]["structuredContent"]["content"]


@pytest.mark.parametrize("env", [{}, {"LC_ALL": "C"}, {"PYTHONIOENCODING": "cp1252"}, {"PYTHONWARNINGS": "always"}])
def test_stdout_is_protocol_to_the_last_byte(tmp_path, env):
    with StdioSession(tmp_path, command=SLOW_SERVER, **env) as session:
        session.initialize()
        session.request("tools/list")
        assert session.call("scan_workspace", wait=0)["structuredContent"]["status"] == "running"
        assert not session.call("query_memory", user_query="Größe ☕ 🍞 עברית").get("isError")
        assert session.call("query_memory", limit="many")["isError"]
        note = "tab\tand\x00nul עברית 🍞"
        assert session.call("save_to_memory", content=note)["structuredContent"]["content"] == note
        status, out, err, seconds = session.close()
    assert status == 0
    assert are_protocol(b"".join(session.lines) + out)
    assert "noise from a tool" in err
    assert seconds < 10  # a tenth on a quiet machine; the scan never ends by itself


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_within_a_second_also_in_a_scan(tmp_path, number):
    with StdioSession(tmp_path, command=SLOW_SERVER) as session:
        session.initialize()
        session.send(
            {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "scan_workspace", "arguments": {}}}
        )
        time.sleep(0.3)
        session.process.send_signal(number)
        status, out, err, seconds = session.end()
    assert status == 0
    assert "Traceback" not in err
    assert seconds < 10  # a tenth on a quiet machine; the scan never ends by itself
    assert out == b"" or are_protocol(out)


def test_a_signal_during_the_start_ends_the_server_too(tmp_path):
    with StdioSession(tmp_path) as session:
        time.sleep(0.15)
        session.process.send_signal(signal.SIGTERM)
        assert session.end()[3] < 10


def test_nothing_heavy_is_imported_by_the_first_replies(tmp_path):
    command = [sys.executable, "-X", "importtime", "-m", "zerikai_memory"]
    with StdioSession(tmp_path, command=command) as session:
        session.initialize()
        session.request("tools/list")
        _, _, err, _ = session.close()
    imported = {
        line.rpartition("|")[2].strip().partition(".")[0] for line in err.splitlines() if "import time:" in line
    }
    assert {"mcp", "zerikai_memory"} <= imported
    assert not imported & HEAVY


def test_the_warm_up_itself_imports_no_parser_and_no_model_client():
    code = "import sys, zerikai_memory.app; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {name.partition(".")[0] for name in loaded} & HEAVY


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"DEEPSEEK_API_KEY": ""},
        {"OLLAMA_HOST": "http://127.0.0.1:1"},
        {"TOP_K": "lots"},
        {"ZERIKAI_HOME": "/dev/null/brain"},  # cannot be created by anybody, root included
    ],
)
def test_the_server_starts_and_lists_its_tools_in_any_environment(tmp_path, env):
    with StdioSession(tmp_path, **env) as session:
        session.initialize()
        assert len(session.request("tools/list")["result"]["tools"]) == 7
        assert time.monotonic() - session.started < 50  # 1 s on a quiet machine
        _, _, err, _ = session.close()
    assert err.count("\n") == len(env.keys() & {"TOP_K", "ZERIKAI_HOME"}), err  # one line for each problem


def test_a_damaged_env_file_is_named_line_by_line_without_its_secrets(tmp_path):
    (tmp_path / "brain").mkdir()
    (tmp_path / "brain" / ".env").write_bytes(DAMAGED_ENV)
    with StdioSession(tmp_path) as session:
        session.initialize()
        assert len(session.request("tools/list")["result"]["tools"]) == 7
        _, _, err, _ = session.close()
    for number in (5, 7, 8, 10):
        assert f".env:{number}" in err or f".env, line {number}" in err, err
    assert "secret" not in err
    assert "one point two" not in err
    assert err.count("\n") == 4  # one line for each problem


def test_the_log_file_holds_what_went_wrong_and_is_private(tmp_path):
    with StdioSession(tmp_path, TOP_K="lots") as session:
        session.initialize()
        session.close()
    log = tmp_path / "brain" / "server.log"
    assert "TOP_K" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o077 == 0
    assert log.parent.stat().st_mode & 0o077 == 0


def test_a_start_at_a_terminal_says_what_this_is(tmp_path):
    import pty

    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "zerikai_memory"],
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"ZERIKAI_HOME": str(tmp_path)},
    )
    os.close(slave)
    first = process.stderr.readline().decode()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    os.close(master)
    assert "MCP server on stdin and stdout; a client such as an editor or an agent starts it" in first
    assert (process.returncode, out) == (0, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_a_start_without_stdin_or_stdout_is_refused_in_one_line(tmp_path, closed):
    shell = f'exec "{sys.executable}" -m zerikai_memory {closed}'
    env = os.environ | {"ZERIKAI_HOME": str(tmp_path)}
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, env=env, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "needs stdin and stdout" in done.stderr


def test_numpy_gets_one_thread_unless_the_person_says_otherwise() -> None:
    fresh: dict[str, str] = {}
    calm_threads(fresh)
    assert fresh == {"OPENBLAS_NUM_THREADS": "1"}
    chosen = {"OPENBLAS_NUM_THREADS": "4"}
    calm_threads(chosen)
    assert chosen == {"OPENBLAS_NUM_THREADS": "4"}


def test_numpy_is_not_there_before_its_threads_are_set() -> None:
    program = "import sys, zerikai_memory.__main__, zerikai_memory.mcp_server.process; print('numpy' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
