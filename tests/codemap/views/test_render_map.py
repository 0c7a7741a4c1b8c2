"""Views as text, JSON, Mermaid and DOT."""

import json
import re
from dataclasses import replace

import pytest

from tests.codemap.views.sketch import sketch
from zerikai_memory.codemap.views.answer import view_parts
from zerikai_memory.mcp_server.mapping import fitting_map
from zerikai_memory.model_views import MapFreshness, MapPart, MapReply, MapRow, ProjectTexts, ViewRequest
from zerikai_memory.render import json_line
from zerikai_memory.render_map import map_data, map_dot, map_mermaid, map_text

TABLE = sketch("""
app/cli.py
  3-9 function main
  4 main call> app/core.py:run
  6 main call> app/core.py:run
  7 main call? save
  8 main call! sys.exit
app/core.py
  1-9 function run
  11-19 class Store
  12-14 method Store.save
  3 run call~ app/core.py:Store
  1 - import> app/cli.py
""")


def view(name, target=None, **more):
    parts = tuple(view_parts(TABLE, name, ViewRequest(target, **more), ProjectTexts()))
    return MapReply("proj", name, target, parts, MapFreshness(1, "abcdef0123456789", head_commit="abcdef0123456789"))


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        (view("callers", "run"), ["callers of run #app/core.py:1: 1", "  main #app/cli.py:4,6"]),
        (
            view("callers", "Store", depth=2),
            [
                "callers of Store #app/core.py:11: 2",
                "  run #app/core.py:3 (imported-name)",
                "  main #app/cli.py:4,6 (imported-name, step 2 through run)",
            ],
        ),
        (
            view("callees", "main"),
            [
                "callees of main #app/cli.py:3: 1",
                "  run #app/core.py:1 at app/cli.py:4,6",
                "callees by name only of main #app/cli.py:3: 1",
                "  Store.save #app/core.py:12 at app/cli.py:7 (same-name)",
                "outside the project of main #app/cli.py:3: 1",
                "  sys.exit at app/cli.py:8",
            ],
        ),
        (view("dependents", "app/cli.py"), ["dependents of app/cli.py: 1", "  app/core.py #app/core.py:1 (import)"]),
        (view("callers", "main"), ["callers of main #app/cli.py:3: none known"]),
        (
            view("path", "main -> Store"),
            [
                "path from main #app/cli.py:3: 2",
                "  run #app/core.py:1 at app/cli.py:4,6",
                "  Store #app/core.py:11 at app/core.py:3 (imported-name)",
            ],
        ),
        (view("unused"), ["unused in this project: 1", "  main #app/cli.py:3: 7 lines"]),
    ],
)
def test_text_cites_names_with_the_lines_of_use(reply, lines):
    text = map_text(reply).splitlines()
    assert [line for line in lines if line not in text] == []


@pytest.mark.parametrize(
    ("freshness", "line"),
    [
        (MapFreshness(1, None), "Map (schema 1): no file has changed since."),
        (
            MapFreshness(1, "a" * 40, head_commit="a" * 40),
            "Map (schema 1, commit aaaaaaaaaa): no file has changed since.",
        ),
        (
            MapFreshness(1, "a" * 40, ("x.py",), 1, "b" * 40),
            "Map (schema 1, commit aaaaaaaaaa): 1 file has changed since: x.py; the work tree is now at bbbbbbbbbb. "
            "scan_workspace brings it up to date.",
        ),
        (
            MapFreshness(1, None, tuple(f"{i}.py" for i in range(9)), 12),
            "Map (schema 1): 12 files have changed since: 0.py, 1.py, 2.py, 3.py, 4.py and 7 more. "
            "scan_workspace brings it up to date.",
        ),
        (MapFreshness(1, None, (), None), "Map (schema 1): the work tree could not be compared with it."),
    ],
)
def test_every_text_says_how_old_the_map_is(freshness, line):
    assert map_text(replace(view("callers", "run"), freshness=freshness)).splitlines()[-1] == line


def test_rows_of_changed_files_are_marked():
    reply = view("callers", "run")
    (part,) = reply.parts
    marked = replace(part, rows=tuple(replace(row, changed=True) for row in part.rows))
    assert "  main #app/cli.py:4,6 [changed]" in map_text(replace(reply, parts=(marked,))).splitlines()


def test_json_holds_every_row_with_its_evidence_and_lines():
    data = json.loads(json_line(map_data(view("callers", "run"))))
    (row,) = data["parts"][0]["rows"]
    assert row == {
        "name": "main",
        "entity_type": "function",
        "file_path": "app/cli.py",
        "start_line": 3,
        "entity_id": "app/cli.py|function|main|3",
        "kind": "call",
        "evidence": "resolved",
        "depth": 1,
        "lines": [4, 6],
    }
    assert data["parts"][0]["subject"]["name"] == "run"
    assert (data["schema_version"], data["repo_commit"], data["changed_files"]) == (1, "abcdef0123456789", [])


ODD = [
    'a "b"',
    "`x`",
    "end",
    "a;b",
    "<i>&amp;",
    "a|b",
    "[x](y){z}",
    "line\nbreak",
    "#35;",
    "ünï",
    "C:\\x",
    "%%{init}%%",
    "",
]


@pytest.mark.parametrize("name", ODD)
def test_pictures_escape_any_name(name):
    row = MapRow(name, "function", "a.py", 1, "id1", "call", "same-name", 1, lines=(3,))
    subject = MapRow(name, "function", "b.py", 1, "id2")
    reply = MapReply("p", "callers", "x", (MapPart("callers", (row,), subject),), MapFreshness(1, None))
    chart = map_mermaid(reply).splitlines()
    assert chart[0] == "flowchart LR"
    for line in chart[1:3]:
        found = re.fullmatch(r'  n\d\["((?:[\w ./:,()$-]|#\d+;)*)"\]', line, re.ASCII)
        assert found, line
        said = re.sub(r"#(\d+);", lambda m: chr(int(m[1])), found[1])
        assert said.startswith(name.replace("\n", "\\n"))
    assert chart[3] == '  n0 -.->|"call :3"| n1'
    dot = map_dot(reply).splitlines()
    assert dot[:3] == ["digraph map {", "  rankdir=LR;", "  node [shape=box];"]
    for line in dot[3:5]:
        assert re.fullmatch(r'  n\d \[label="(?:[^"\\]|\\["\\])*"\];', line), line
    assert dot[5:] == ['  n0 -> n1 [label="call :3", style=dashed];', "}"]


def test_an_arrow_points_from_what_uses_to_what_is_used():
    for reply in (view("callers", "run"), view("callees", "main"), view("path", "main -> run")):
        chart = map_mermaid(reply)
        names = dict(re.findall(r'(n\d)\["(\w+)', chart))
        arrows = re.findall(r"(n\d) (?:-->|-\.->)\S* \S+ (n\d)", chart)
        assert ("main", "run") in [(names[a], names[b]) for a, b in arrows]


def test_a_picture_of_the_overview_draws_which_part_uses_which():
    assert '|"1"|' in map_mermaid(view("overview"))


def test_a_picture_of_nothing_is_still_a_picture():
    assert map_mermaid(view("callers", "main")) == 'flowchart LR\n  n0["nothing was found"]'
    assert map_dot(view("callers", "main")).endswith("node [shape=box];\n}")


@pytest.mark.parametrize("count", [0, 5, 500])
def test_a_reply_fits_and_counts_what_it_leaves_out(count):
    rows = tuple(
        MapRow(
            f"Class_{i}.method_{i}", "method", f"pkg/file_{i}.py", i, f"{i:020}", "call", "resolved", 1, "", "", (i,)
        )
        for i in range(count)
    )
    subject = MapRow("f", "function", "a.py", 1, "x")
    parts = (MapPart("callers", rows, subject), MapPart("callers by name only", rows, subject, guesses=True))
    reply = fitting_map(MapReply("p", "callers", "f", parts, MapFreshness(1, None)))
    assert len(map_text(reply)) <= 8_000
    assert len(json_line(map_data(reply)).encode()) <= 8_000
    sure, guessed = reply.parts
    assert len(sure.rows) + sure.omitted == len(guessed.rows) + guessed.omitted == count
    assert reply.omitted == sure.omitted + guessed.omitted
    if count == 500:
        assert len(sure.rows) > len(guessed.rows) == 10  # facts have the room
        assert "more left out)" in map_text(reply)
