"""Which files and entities a hit names."""

import pytest

from tests.sessions.generator import START, Talk, write
from zerikai_memory.app import Memory
from zerikai_memory.sessions.mentions import known_names, mentions
from zerikai_memory.settings import Settings

FILES = ["oven/timer.py", "oven/test_timer.py", "shop/a.py", "bakery/a.py"]
KNOWN = known_names(
    FILES,
    names=["tick", "set_alarm", "Timer", "run", "run"],
    qualified_names=["Timer.tick", "set_alarm", "Timer", "A.run", "B.run"],
    places=["oven/timer.py:3", "oven/timer.py:9", "oven/timer.py:1", "shop/a.py:1", "bakery/a.py:1"],
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("set_alarm is slow", ("set_alarm #oven/timer.py:9",)),
        ("call Timer.tick() twice", ("Timer.tick #oven/timer.py:3",)),
        ("see `Timer`", ("Timer #oven/timer.py:1",)),
        ("the Timer and a tick", ()),  # plain words name many things
        ("run() is two functions", ()),
        ("B.run() is one", ("B.run #bakery/a.py:1",)),
        ("in oven/timer.py, and ./oven/test_timer.py.", ("oven/timer.py", "oven/test_timer.py")),
        ("in timer.py", ("oven/timer.py",)),  # the only one of that name
        ("in a.py", ()),
        ("see https://example.com/oven/timer.py or gone/old.py", ()),
        ("oven/timer.py: set_alarm, oven/timer.py", ("oven/timer.py", "set_alarm #oven/timer.py:9")),
    ],
)
def test_what_a_text_names_is_linked_where_it_is_one_thing(text, named):
    assert mentions(text, KNOWN) == named


def test_whole_paths_and_those_of_windows_are_known_below_the_root():
    known = known_names(FILES, [], [], [], root="/home/dev/shop")
    assert mentions("see /home/dev/shop/oven/timer.py:12", known) == ("oven/timer.py",)
    assert mentions("see oven\\timer.py and C:\\x", known) == ("oven/timer.py",)


def test_what_the_snippet_names_comes_first():
    text = "a.b() oven/timer.py, then shop/a.py, bakery/a.py and oven/test_timer.py"
    shown = "... and **oven**/test_timer.py"
    assert mentions(text, KNOWN, shown) == ("oven/test_timer.py", "oven/timer.py", "shop/a.py")


def test_of_an_unknown_project_only_paths_are_named():
    assert mentions("set_alarm in oven/timer.py of example.com", None) == ("oven/timer.py",)


@pytest.mark.parametrize("below", ["", "app", "app/deep"])
def test_a_hit_of_a_scanned_project_names_its_entities(tmp_path, below):
    root = tmp_path / "bakery"
    root.mkdir()
    (root / "oven.py").write_text("def set_alarm(at):\n    return at\n")
    talk = Talk(
        "s1", str(root / below), START, [("user", "why?"), ("assistant", "Because set_alarm rounds, see oven.py")]
    )
    write(tmp_path / "home", "generic", talk)
    places = (("generic", str(tmp_path / "home")), *((a, "") for a in ("claude-code", "codex", "antigravity", "pi")))
    places += (("copilot-cli", ""), ("vscode-chat", ""))
    memory = Memory(Settings(home=tmp_path / "brain", vector_store="exact", session_places=places), cwd=tmp_path)
    assert memory.sessions.recall("rounds").hits[0].mentions == ()
    memory.scan(str(root))
    (hit,) = memory.sessions.recall("rounds", workspace="bakery").hits
    assert hit.mentions == ("set_alarm #oven.py:1", "oven.py")
    memory.close()
    (tmp_path / "brain" / "zerikai.db").write_bytes(b"no database " * 2000)
    damaged = Memory(memory.settings, cwd=tmp_path)
    assert damaged.sessions.recall("rounds").hits[0].mentions == ()
    damaged.close()
