"""Traces of compiled JavaScript: frames lead to the sources by path and function, and the reply says so."""

from pathlib import Path

import pytest

from tests.retrieve.written import scanned
from zerikai_memory.app import Memory

FILES = {
    "src/internal/observable/innerFrom.ts": (
        "export function innerFrom(a: number): number;\nexport function innerFrom(a: string): string;\n"
        "/** Makes a stream. */\nexport function innerFrom(a: any): any {\n  return streamOf(a);\n}\n\n"
        "export function streamOf(a: any) {\n  if (!a) {\n    throw new TypeError('expected a stream');\n  }\n}\n"
    ),
    "src/internal/Observable.ts": "export class Observable {\n  subscribe(next: any) {\n    return next;\n  }\n}\n",
    "src/view.tsx": "export function View() {\n  return <p>a stream was expected</p>;\n}\n",
    "src/utils.ts": "export function merge(a: any) {\n  return a;\n}\n",
    "src/plain.js": "export function plainly() {\n  return 1;\n}\n",
}
COMPILED = "the lines of the trace are of compiled files"


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    return scanned(memory, workspace, FILES)


INNER = "at innerFrom (node_modules/tool/dist/esm/internal/observable/innerFrom.js:38:11)"


@pytest.mark.parametrize(
    ("trace", "places"),
    [
        (INNER, ["src/internal/observable/innerFrom.ts:4"]),  # the implementation, not an overload
        (f"TypeError: a stream was expected\n    {INNER}", ["src/internal/observable/innerFrom.ts:4"]),
        (
            "Error: x\n    at Object.streamOf (/srv/dist/internal/observable/innerFrom.cjs:3:1)\n"
            "    at new Observable.subscribe (/srv/dist/internal/Observable.js:9:1)",
            ["src/internal/observable/innerFrom.ts:8", "src/internal/Observable.ts:2"],
        ),
        ("at View (/srv/build/view.js:1:200)", ["src/view.tsx:1"]),
        # Compiled and plain frames in one trace, innermost first.
        (
            "Error: x\n    at merge (/srv/dist/utils.js:70:1)\n    at plainly (/srv/src/plain.js:2:1)",
            ["src/utils.ts:1", "src/plain.js:1"],
        ),
        # A function without a name, or of another one: the file is right all the same.
        ("Error: x\n    at /srv/dist/internal/Observable.js:9:1", ["src/internal/Observable.ts:1"]),
        (
            "at next (node_modules/tool/src/internal/observable/innerFrom.js:9:1)",
            ["src/internal/observable/innerFrom.ts:1"],
        ),
    ],
)
def test_a_frame_of_a_compiled_file_is_its_function_in_the_source(
    trace: str, places: list[str], memory: Memory, project: str
) -> None:
    answer = memory.query(trace, project)
    assert [f"{hit.file_path}:{hit.start_line}" for hit in answer.results] == places
    assert [warning.startswith(COMPILED) for warning in answer.warnings] == [True]


@pytest.mark.parametrize(
    "trace",
    [
        "at merge (/srv/node_modules/other/dist/utils.js:70:1)",  # another package's file of that name
        "at node_modules/other/internal/Observable.js:70:1",
        "at split (/srv/dist/utils.js:70:1)",  # no such function in it
        "at merge (/srv/dist/utils.css:70:1)",  # not compiled from it
    ],
)
def test_a_frame_that_agrees_in_name_alone_is_not_of_the_project(trace: str, memory: Memory, project: str) -> None:
    answer = memory.query(trace, project)
    assert "no frame of the trace is in this project" in answer.warnings


def test_a_trace_of_the_sources_says_nothing_of_compiled_files(memory: Memory, project: str) -> None:
    answer = memory.query("at plainly (/srv/src/plain.js:2:1)", project)
    assert [hit.name for hit in answer.results] == ["plainly"]
    assert answer.warnings == ()
