"""The command line over a fake memory; a few commands as processes."""

import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fake_memory import ENTITY, PROJECT, FakeMemory, refusal
from zerikai_memory import __version__
from zerikai_memory.cli import main
from zerikai_memory.errors import Cancelled

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def memory():
    return FakeMemory()


@pytest.fixture
def run(memory, capsys):
    def run_command(*argv):
        status = main(argv, open_memory=lambda: memory)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run_command


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["scan", "/home/me/proj"], "4 files, 9 entities"),
        (["query", "how does login work"], "Sources:\nSession.login #auth/session.py:12 (0.84)"),
        (["entities"], "auth/session.py:12  method  Session.login"),
        (["save", "-w", "proj", "Tokens rotate.", "--category", "decision"], "Saved note:n2 (decision, 2026-09-21)."),
        (["brief", "show"], "# Overview\nA project."),
        (["brief", "set", "# Mine and more"], "Brief of proj, version 2"),
        (["brief", "regenerate"], "Anew."),
        (["brief", "history"], "VERSION  SOURCE"),
        (["brief", "restore", "2"], "Brief of proj, version 4 (restored"),
        (["workspace", "list"], "/home/me/proj"),
        (["workspace", "drop", "proj", "--yes"], "Dropped proj (/home/me/proj). Removed: index, brief."),
    ],
)
def test_each_command_prints_its_answer(run, memory, argv, shown):
    status, out, err = run(*argv)
    assert (status, err) == (0, "")
    assert shown in out
    assert memory.calls[-1] == ("close", {})


@pytest.mark.parametrize(
    ("argv", "key", "value"),
    [
        (["scan", "--json"], "status", "completed"),
        (["query", "how", "--json"], "nothing_relevant", False),
        (["save", "x y", "--json"], "id", "n2"),
        (["brief", "show", "--json"], "version", 1),
        (["brief", "set", "a b", "--json"], "text", "a b"),
        (["workspace", "drop", "proj", "--yes", "--json"], "kept_notes", 2),
    ],
)
def test_json_is_one_object_on_one_line(run, argv, key, value):
    status, out, err = run(*argv)
    assert (status, err, out.count("\n")) == (0, "", 1)
    assert json.loads(out)[key] == value


@pytest.mark.parametrize("argv", [["entities", "--json"], ["workspace", "list", "--json"], ["doctor", "--json"]])
def test_json_of_lists_is_a_list(run, argv):
    assert isinstance(json.loads(run(*argv)[1]), list)


def test_entities_as_json_carry_the_whole_record(run):
    (record,) = json.loads(run("entities", "--json")[1])
    assert record["name"] == "login"
    assert record["qualified_name"] == "Session.login"
    assert record["entity_type"] == "method"
    assert record["decorators"] == ["retry"]
    assert {"language", "file_path", "start_line", "end_line", "signature", "docstring", "parent"} <= record.keys()


def test_arguments_reach_the_memory(run, memory):
    run("query", "how", "-w", "proj", "-k", "3", "--budget-tokens", "500")
    run("entities", "proj", "--file", "a.py")
    run("scan", "some/where", "--dry-run")
    assert memory.calls[0] == (
        "query",
        {"question": "how", "workspace": "proj", "category": None, "limit": 3, "budget_tokens": 500, "task": None},
    )
    assert memory.calls[2] == ("entities", {"workspace": "proj", "file": "a.py"})
    assert memory.calls[4] == ("scan", {"workspace": "some/where", "dry_run": True})


@pytest.mark.parametrize(
    "argv",
    [
        ["nonsense"],
        ["scan", "--what"],
        ["query"],
        ["query", "how", "-k", "0"],
        ["query", "how", "-k", "many"],
        ["brief"],
        ["workspace"],
        ["workspace", "drop"],
        ["save"],
        ["--debug"],
    ],
)
def test_wrong_use_is_status_2_and_opens_nothing(run, memory, argv):
    status, out, err = run(*argv)
    assert (status, out) == (2, "")
    assert "usage:" in err
    assert memory.calls == []


@pytest.mark.parametrize(
    ("argv", "shown"), [(["--version"], __version__), (["--help"], "commands"), (["scan", "-h"], "PATH")]
)
def test_help_and_version_are_status_0(run, argv, shown):
    status, out, _ = run(*argv)
    assert status == 0
    assert shown in out


def test_a_refusal_is_status_1_and_one_line(run, memory):
    memory.error = refusal("No folder 'x\ny'.")
    assert run("scan", "x") == (1, "", "zerikai-memory: No folder 'x\\ny'.\n")


def test_a_bug_is_one_line_and_its_trace_only_on_demand(run, memory):
    memory.error = KeyError("oops")
    status, out, err = run("query", "how")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "KeyError" in err
    assert "Traceback" in run("--debug", "query", "how")[2]
    assert "Traceback" in run("query", "how", "--debug")[2]


def test_doctor_is_status_1_when_something_is_broken(run, memory):
    assert run("doctor")[0] == 1
    memory.doctor = lambda: []
    assert run("doctor")[0] == 0


def test_nothing_relevant_is_an_honest_answer_with_status_0(run, memory):
    memory.answer = replace(memory.answer, nothing_relevant=True, results=(), notes=(), answer="Nothing relevant.")
    assert run("query", "how") == (0, "Nothing relevant.\n", "")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_of_another_encoding_gets_escapes_and_json_stays_utf8(memory, monkeypatch, encoding):
    memory.entities = lambda *_, **__: [replace(ENTITY, qualified_name="naïve_🍞", file_path="bad\udcd3.py")]
    for argv, decoded in ((["entities"], encoding), (["entities", "--json"], "utf-8")):
        raw = io.BytesIO()
        with io.TextIOWrapper(raw, encoding=encoding) as stream:
            monkeypatch.setattr(sys, "stdout", stream)
            assert main(argv, open_memory=lambda: memory) == 0
            shown = raw.getvalue().decode(decoded)
        monkeypatch.undo()
        assert "bad\\" in shown
        assert ("naïve_🍞" in shown) == (decoded == "utf-8")


def test_the_brief_is_read_from_a_file_or_stdin(run, memory, monkeypatch, tmp_path):
    (tmp_path / "brief.md").write_text("# From a file\n", encoding="utf-8")
    run("brief", "set", str(tmp_path / "brief.md"))
    monkeypatch.setattr(sys, "stdin", io.StringIO("# From stdin\n"))
    run("brief", "set", "-")
    texts = [arguments["text"] for name, arguments in memory.calls if name == "set_brief"]
    assert texts == ["# From a file\n", "# From stdin\n"]


def test_a_mistyped_file_does_not_become_the_brief(run, memory):
    status, _, err = run("brief", "set", "BREIF.md")
    assert status == 1
    assert "No such file: 'BREIF.md'" in err
    assert not [call for call in memory.calls if call[0] == "set_brief"]


def test_a_drop_without_a_terminal_needs_yes(run, memory, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    status, out, err = run("workspace", "drop", "proj")
    assert (status, out) == (1, "")
    assert "index (4 files, 9 entities), vectors, brief, snapshots, registry entry" in err
    assert "It keeps the project's own files, 2 notes and the usage rows." in err
    assert "--yes goes on without asking" in err
    assert not [call for call in memory.calls if call[0] == "drop"]


@pytest.mark.parametrize(
    ("typed", "dropped"), [("y\n", True), ("YES\n", True), ("\n", False), ("n\n", False), ("", False)]
)
def test_a_drop_asks_on_a_terminal(run, memory, monkeypatch, typed, dropped):
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    status, _, err = run("workspace", "drop", "proj", "--all")
    assert status == 0
    assert "Continue? [y/N]" in err
    calls = [arguments for name, arguments in memory.calls if name == "drop"]
    assert calls == ([{"workspace": PROJECT.id, "everything": True}] if dropped else [])


def test_a_drop_of_an_unknown_workspace_is_refused(run):
    status, _, err = run("workspace", "drop", "nope", "--yes")
    assert status == 1
    assert "Known: proj" in err


def test_ctrl_c_ends_a_scan_cleanly(run, memory):
    memory.scan_steps = 2
    scan = memory._scan

    def interrupted(progress, cancelled):
        os.kill(os.getpid(), signal.SIGINT)
        return scan(progress, cancelled)

    memory._scan = interrupted
    before = signal.getsignal(signal.SIGINT)
    status, out, _ = run("scan")
    assert status == 130
    assert "cancelled" in out
    assert signal.getsignal(signal.SIGINT) is before


def test_a_scan_stopped_by_an_error_of_its_own_kind_is_status_130(run, memory):
    memory.error = Cancelled("Stopped; 3 of 9 files are committed.")
    assert run("scan") == (130, "", "zerikai-memory: Stopped; 3 of 9 files are committed.\n")


def test_a_bar_is_drawn_on_a_terminal_only_and_never_on_stdout(memory, monkeypatch, capsys):
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    memory.scan_steps = 1
    memory.go_on.release()
    assert main(["scan"], open_memory=lambda: memory) == 0
    assert "\x1b[" in stderr.getvalue()
    assert "\x1b[" not in capsys.readouterr().out


def test_a_reader_that_has_enough_ends_the_command_quietly(tmp_path):
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from tests.fake_memory import ENTITY, FakeMemory\n"
        "memory = FakeMemory(); memory.entities = lambda *a, **k: [ENTITY] * 50_000\n"
        "from zerikai_memory.cli import main\n"
        "sys.exit(main(['entities'], open_memory=lambda: memory))\n"
    )
    command = [sys.executable, "-c", code, str(ROOT)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize("command", [[sys.executable, "-m", "zerikai_memory"], [str(ROOT / "scripts/drop_memory.py")]])
def test_the_entry_points_start(command, tmp_path):
    env = os.environ | {"ZERIKAI_HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, env=env, check=True)
    assert "usage: zerikai-memory" in done.stdout
    assert list(tmp_path.iterdir()) == []  # help touches nothing


@pytest.mark.parametrize("path", ["", "  "])
def test_an_empty_path_is_no_way_to_say_the_current_project(run, path):
    status, out, err = run("scan", path)
    assert (status, out) == (1, "")
    assert "PATH: got an empty text" in err
