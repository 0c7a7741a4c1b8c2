"""Views of the whole project: entry points, unused code, overview, profile; and the way from A to B."""

import pytest

from tests.codemap.views.sketch import sketch, told
from zerikai_memory.codemap.views.answer import view_parts
from zerikai_memory.codemap.views.imports import imports_between
from zerikai_memory.codemap.views.overview import row_chars
from zerikai_memory.codemap.views.profile import profile_text
from zerikai_memory.codemap.views.rank import page_rank
from zerikai_memory.model_views import EntryPointFact, ProjectTexts, ViewRequest

APP = """
app/__init__.py
app/__main__.py
  3 - call> app/cli.py:main
app/cli.py
  3-9 function main
  12-20 function serve @cli.command("serve")
  4 main call> app/core.py:run
app/core.py
  1-9 function run
  11-19 class Engine
  12-14 method Engine.start
  16-18 method Engine._spare
  30-31 function _dead
  33-34 function _dead_helper
  36-37 function public_but_unused
  40-41 function _named_elsewhere
  43-44 function exported |exported
  46-47 function __getattr__
  50-52 function registered
  54-55 function hooked @hookimpl
  3 run call> app/core.py:Engine
  4 run call> app/core.py:Engine.start
  34 _dead_helper call> app/core.py:_dead_helper
  31 _dead call> app/core.py:_dead_helper
app/plugin.py
  1-9 class Plugin
  2-4 method Plugin.start
  10-19 class Odd
  11-12 method Odd.tick
  20-29 class Plain
  21-22 method Plain.tick
  1 Plugin inherit> app/core.py:Engine
  10 Odd inherit! threading.Thread
  20 Plain inherit! object
  13 - call> app/plugin.py:Plugin
  14 - call> app/plugin.py:Odd
  15 - call> app/plugin.py:Plain
app/web.py
  3-5 function users @app.get("/users")
  8-8 route POST /orders
  9-9 handler use cors
  10-10 handler on ready
  8 POST /orders register> app/core.py:registered
app/settings.py
  1-1 constant DEBUG
tests/conftest.py
  1-3 function db @pytest.fixture
tests/test_core.py
  1-3 function test_run
  5-6 function helper_without_use
tests/test_more.py
  1-3 function test_more
"""
DECLARED = (
    EntryPointFact("app", "app.cli:main", "pyproject.toml", 12, "command line", "[project.scripts]"),
    EntryPointFact("", "app/core.py", "app/core.py", 60, "run directly", "main guard"),
    EntryPointFact("lost", "gone.module:main", "pyproject.toml", 13, "command line"),
)


def texts(**mentions):
    return ProjectTexts(lambda: DECLARED, lambda names: [mentions.get(name, 1) for name in names])


def view(name, target=None, text=APP, **mentions):
    return view_parts(sketch(text), name, ViewRequest(target), texts(**mentions))


def test_entry_points_are_grouped_and_say_why():
    parts = view("entrypoints")
    assert [part.title for part in parts] == [
        "command line",
        "run directly",
        "server",
        "events, tasks and plugins",
        "configuration",
        "tests",
    ]
    rows = {(part.title, row.name): row for part in parts for row in part.rows}
    told_why = {key: (row.file_path, row.start_line, row.detail) for key, row in rows.items()}
    assert told_why == {
        ("command line", "app"): ("app/cli.py", 3, "[project.scripts]: runs main"),
        ("command line", "lost"): ("", 0, "runs gone.module:main"),
        ("command line", "serve"): ("app/cli.py", 12, "command serve"),
        ("run directly", "app/core.py"): ("app/core.py", 1, "main guard"),
        ("run directly", "app/__main__.py"): ("app/__main__.py", 1, "python -m app"),
        ("server", "users"): ("app/web.py", 3, "route GET /users"),
        ("server", "POST /orders"): ("app/web.py", 8, "calls registered"),
        ("server", "use cors"): ("app/web.py", 9, ""),
        ("events, tasks and plugins", "on ready"): ("app/web.py", 10, ""),
        ("configuration", "app/settings.py"): ("app/settings.py", 1, "configuration, by its name"),
        ("tests", "tests/conftest.py"): ("tests/conftest.py", 1, "pytest loads it before the tests of its folder"),
        ("tests", "tests/"): ("tests/", 0, "2 test files"),
    }
    assert (rows["command line", "app"].site_path, rows["command line", "app"].lines) == ("pyproject.toml", (12,))


def test_entry_points_of_a_folder_are_those_in_it():
    assert [part.title for part in view("entrypoints", "tests")] == ["tests"]


def test_unused_is_what_nothing_can_call():
    private, public = view("unused", _named_elsewhere=2)
    # `_dead_helper` is called, if only by dead code; `_spare` is a method nobody calls.
    assert set(told([private], private.title)) == {"_dead", "Engine._spare"}
    assert set(told([public], public.title)) == {"public_but_unused", "Plain.tick"}


def test_code_brought_along_from_elsewhere_is_neither_unused_nor_entered():
    text = "web/vendor/lib.js\n  1-2 function spare\n  3-3 route GET /x\nweb/own.js\n  1-2 function spare_too\n"
    private, _ = view("unused", None, text)
    assert [row.name for row in private.rows] == ["spare_too"]
    assert "server" not in [part.title for part in view("entrypoints", None, text)]


def test_unused_says_what_it_cannot_see():
    private, public = view("unused")
    assert "not seen" in private.note
    assert "other projects may use them" in public.note


def test_unused_can_be_asked_for_one_file():
    private, public = view("unused", "app/plugin.py")
    assert (private.rows, [row.name for row in public.rows]) == ((), ["Plain.tick"])


def test_an_overview_ranks_what_others_depend_on_first():
    modules = next(part for part in view("overview") if part.title == "modules")
    assert modules.rows[0].name == "app/core.py"
    assert modules.rows[0].detail.startswith("defines run, Engine, registered")
    assert "used by 3 files" in modules.rows[0].detail
    assert not any(row.name.startswith("tests/") for row in modules.rows)


def test_an_overview_keeps_to_its_room_and_counts_what_it_leaves_out():
    text = "\n".join(f"pkg/m{i}.py\n  1-2 function some_quite_long_function_name_{i}" for i in range(400))
    parts = view("overview", None, text)
    assert sum(row_chars(row) for part in parts for row in part.rows) <= 4_800
    modules = next(part for part in parts if part.title == "modules")
    assert len(modules.rows) + modules.omitted == 400


def test_parts_say_which_uses_which():
    text = """
src/p/web/a.py
  1 - import> src/p/core/x.py
  2 - import> src/p/db.py
src/p/web/b.py
  1 - import> src/p/core/x.py
src/p/core/x.py
src/p/db.py
"""
    flows = next(part for part in view("overview", None, text) if part.title == "parts")
    assert [(row.name, row.detail) for row in flows.rows] == [("src/p/web/", "uses core/ 2, db.py 1")]


def test_imports_between_files_leave_guesses_and_the_outside_out():
    text = """
a.py
  1-9 function user
  1 - import> b.py
  1 - use> c.py:f
  2 - import~ c.py
  3 - use? g
  4 - import! os
  5 user use> c.py:g
b.py
c.py
  1-2 function f
  4-5 function g
"""
    assert list(imports_between(sketch(text).graph)) == [
        ("a.py", "b.py", "b"),
        ("a.py", "c.py", "f"),
        ("a.py", "c.py", "c"),
    ]


@pytest.mark.parametrize(
    ("target", "names", "note"),
    [
        ("main -> Engine.start", ["run", "Engine.start"], ""),
        ("app.cli:main→Engine.start", ["run", "Engine.start"], ""),
        ("app/__main__.py -> Engine", ["main", "run", "Engine"], ""),
        ("Engine -> main", ["run", "Engine"], "Engine does not reach main; this is the way back"),
        ("users -> _dead", [], "no way from users #app/web.py:3 to _dead #app/core.py:30 or back is known"),
        ("app/core.py -> run", [], "app/core.py contains run #app/core.py:1"),
    ],
)
def test_a_path_is_the_way_from_one_to_the_other_with_its_lines(target, names, note):
    (part,) = view("path", target)
    assert ([row.name for row in part.rows], part.note) == (names, note)


def test_each_step_of_a_path_says_where_it_is_taken():
    (part,) = view("path", "main => Engine.start")
    assert [(row.site_path, row.lines) for row in part.rows] == [("app/cli.py", (4,)), ("app/core.py", (4,))]
    assert part.subject.name == "main"


def test_a_path_through_guesses_is_told_of_and_shown_on_request():
    text = "a.py\n  1-3 function f\n  2 f call? g\nb.py\n  1-2 function g\n"
    (part,) = view("path", "f -> g", text)
    assert (part.guesses, part.rows) == (False, ())
    assert "no way" in part.note
    assert "by its name only (the command shows it: --guesses)" in part.note
    (part,) = view_parts(sketch(text), "path", ViewRequest("f -> g", guesses=True), texts())
    assert (part.guesses, [row.name for row in part.rows]) == (True, ["g"])
    assert "by its name only" in part.note


def test_of_ways_as_short_one_by_calls_is_shown():
    text = """
a.py
  1-9 function f
  1 f use> b.py:aside
  2 f call> b.py:step
b.py
  1-2 function aside
  1 aside use> c.py:g
  3-4 function step
  4 step call> c.py:g
c.py
  1-2 function g
"""
    (part,) = view("path", "f -> g", text)
    assert [(row.name, row.kind) for row in part.rows] == [("step", "call"), ("g", "call")]
    (part,) = view("path", "f -> g", text.replace("  4 step call> c.py:g\n", ""))
    assert [row.name for row in part.rows] == ["aside", "g"]


def test_rank_is_a_distribution_and_rewards_being_depended_on():
    rank = page_rank({"a": {"c": 1.0}, "b": {"c": 1.0}, "c": {}, "d": {"a": 1.0}})
    assert sum(rank.values()) == pytest.approx(1)
    assert max(rank, key=rank.get) == "c"
    assert page_rank({}) == {}


BRIEF = "# Shop\n\n" + "\n\n".join(
    f"## {name}\n" + "\n".join(f"- {name} line {i} with some words to fill it up" for i in range(lines))
    for name, lines in (
        ("Overview", 3),
        ("Technical Stack", 5),
        ("Core Architecture", 70),
        ("Key Files", 20),
        ("Data Flow", 9),
        ("Development & Testing", 5),
    )
)


@pytest.mark.parametrize("brief", [None, "", "# Tiny\n\nOne line.", BRIEF, BRIEF * 4, "x" * 40_000])
@pytest.mark.parametrize("decisions", [[], ["note:1 Use WAL. " + "why " * 300] * 9])
def test_a_profile_fits_whatever_there_is(brief, decisions):
    text = profile_text(brief, view("overview"), decisions)
    assert len(text) <= 5_500
    assert "## Modules" in text
    assert ("## Recent decisions" in text) == bool(decisions)


def test_a_profile_of_a_long_brief_keeps_every_section_that_the_map_does_not_tell():
    text = profile_text(BRIEF, view("overview"), ["note:1 Use WAL"])
    assert "## Key Files" not in text
    assert all(f"## {name}" in text for name in ("Overview", "Technical Stack", "Core Architecture", "Development"))
    assert "(the whole brief: update_brief)" in text
    assert "- note:1 Use WAL" in text


@pytest.mark.parametrize(
    ("declared", "entered"),
    [("./lib", "web/lib/index.js"), ("lib/tool", "web/lib/tool.ts"), (".", "web/index.js"), ("./none", "")],
)
def test_a_path_of_a_package_leads_to_its_file_as_node_finds_it(declared, entered):
    text = "web/index.js\n  1-2 function a\nweb/lib/index.js\n  1-2 function b\nweb/lib/tool.ts\n  1-2 function c\n"
    fact = EntryPointFact("web", declared, "web/package.json", 1, "package entry", '"main"')
    own = ProjectTexts(lambda: (fact,), lambda names: [1 for _ in names])
    parts = view_parts(sketch(text), "entrypoints", ViewRequest(None), own)
    assert {row.file_path for part in parts for row in part.rows if row.name == "web"} == {entered}
