"""What a person at a terminal sees, and that nobody else does."""

import io
import json
import re
import sys
from dataclasses import replace

import pytest

from tests.fake_memory import ENTITY, HIT, REPORT, FakeMemory
from zerikai_memory.cli import main
from zerikai_memory.model import SkippedPath
from zerikai_memory.model_upkeep import Finding

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-7]m")
STYLE = re.compile(r"\x1b\[[0-9;]*m")
LONG = "/home/me/a-rather-long-folder-name/" * 4 + "proj"


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal; `encoding` as of its locale."""

    def __init__(self, encoding="utf-8"):
        super().__init__(io.BytesIO(), encoding=encoding, newline="\n", write_through=True)

    def isatty(self):
        return True

    def text(self):
        return self.buffer.getvalue().decode(self.encoding)


def busy_memory():
    memory = FakeMemory()
    (info,) = memory.workspaces()
    gone = replace(info, name="gone", path=LONG, exists=False, files=None, entities=None, last_scan_at=None)
    memory.workspaces = lambda: [info, gone]
    memory.entities = lambda *_, **__: [replace(ENTITY, file_path=f"{LONG}/s.py", qualified_name="[bold]x[/] :bug:")]
    skipped = [SkippedPath(f"{LONG}{i}", "binary") for i in range(9)]
    failed = (SkippedPath("f.py", "unreadable", "permission denied"),)
    memory._scan = lambda *_: replace(REPORT, skipped=tuple(skipped), failed=failed, warnings=("nothing was embedded",))
    memory.doctor = lambda: [Finding("ok", "home", "writable"), Finding("error", "database", LONG, "update")]
    return memory


COMMANDS = [["workspace", "list"], ["entities"], ["scan"], ["doctor"], ["query", "how"], ["brief", "show"]]


@pytest.fixture
def at_terminal(monkeypatch):
    def run(*argv, columns=80, encoding="utf-8", memory=None, **env):
        out, err = Terminal(encoding), Terminal(encoding)
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setenv("TERM", "xterm-256color")
        monkeypatch.delenv("NO_COLOR", raising=False)
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        chosen = memory or busy_memory()
        main(argv, open_memory=lambda: chosen)
        shown = out.text(), err.text()
        monkeypatch.undo()
        return shown

    return run


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("argv", [["workspace", "list"], ["entities"], ["doctor"]])
def test_a_table_fits_the_terminal_and_loses_nothing(at_terminal, argv, columns):
    out, _ = at_terminal(*argv, columns=columns)
    lines = STYLE.sub("", out).splitlines()
    assert max(len(line) for line in lines) <= columns
    assert LONG in re.sub(r"[\s─]", "", "".join(lines))


@pytest.mark.parametrize("argv", COMMANDS)
def test_a_terminal_shows_what_a_pipe_gets(at_terminal, capsys, argv):
    shown = STYLE.sub("", at_terminal(*argv, columns=300, memory=FakeMemory())[0])
    main(argv, open_memory=FakeMemory)
    piped = capsys.readouterr().out
    assert "\x1b" not in piped
    words = {word.lower() for word in re.findall(r"[\w./]+", piped)}
    headings = {"path", "name"}  # a table puts the path below the name
    assert words - {word.lower() for word in re.findall(r"[\w./]+", shown)} <= headings


@pytest.mark.parametrize("argv", COMMANDS)
def test_no_color_switches_the_colours_off(at_terminal, argv):
    assert not COLOUR.search("".join(at_terminal(*argv, NO_COLOR="1")))


@pytest.mark.parametrize("argv", [["workspace", "list"], ["entities"], ["doctor"], ["query", "how"], ["scan"]])
def test_colours_are_used_without_it(at_terminal, argv):
    assert COLOUR.search(at_terminal(*argv)[0])


@pytest.mark.parametrize("argv", COMMANDS)
def test_json_is_json_on_a_terminal_too(at_terminal, argv):
    out, _ = at_terminal(*argv, "--json")
    assert json.loads(out)
    assert "\x1b" not in out


@pytest.mark.parametrize("argv", COMMANDS)
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_of_another_encoding_is_no_obstacle(at_terminal, argv, encoding):
    out, err = at_terminal(*argv, encoding=encoding)
    assert out
    assert "unexpected" not in err


def test_names_are_data_and_no_markup(at_terminal):
    assert "[bold]x[/] :bug:" in at_terminal("entities", columns=300)[0]


def test_code_is_not_broken_at_the_width_of_the_terminal(at_terminal):
    memory = FakeMemory()
    long_line = "x = " + "1 + " * 60 + "1"
    memory.answer = replace(memory.answer, results=(replace(HIT, text=long_line),))
    assert long_line in at_terminal("query", "how", memory=memory)[0]


def test_skipped_files_are_counted_by_reason_with_examples(at_terminal):
    out = STYLE.sub("", at_terminal("scan", columns=300)[0])
    assert re.search(r"binary +9 ", out)
    assert "and 6 more" in out
    assert "failed: permission denied" in out
    assert "Warning: nothing was embedded" in out
