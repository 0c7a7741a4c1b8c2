from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.retrieve.query import MAX_QUESTION_CHARS, understand
from zerikai_memory.retrieve.trace import find_trace

TREE = {
    "src/shop/cart.py": "class Cart:\n    def add(self, item):\n        return check(item)\n\n\ndef check(item):\n"
    "    if not item:\n        raise KeyError(item)\n    return item\n",
    "src/shop/main.py": "from shop.cart import Cart\n\n\ndef run():\n    return Cart().add(None)\n\n\nrun()\n",
    "tests/test_cart.py": "def test_add():\n    cart.add(1)\n",
    "web/src/user.ts": "export function getUser(id: string) {\n  return load(id);\n}\n\nfunction load(id: string) {\n"
    "  return cache[id].name;\n}\n",
    "web/src/app.tsx": "export function App() {\n  return <p>{getUser('1')}</p>;\n}\n",
    "json/decoder.py": "def raw_decode(text):\n    return text\n",
}
PYTHON = """why does this fail?
Traceback (most recent call last):
  File "/home/ci/build/src/shop/main.py", line 8, in <module>
    run()
  File "/home/ci/build/src/shop/main.py", line 5, in run
    return Cart().add(None)
  File "/home/ci/build/src/shop/cart.py", line 3, in add
    return check(item)
           ^^^^^^^^^^^
  File "/home/ci/build/src/shop/cart.py", line 8, in check
    raise KeyError(item)
  File "/usr/lib/python3.11/json/decoder.py", line 2, in raw_decode
KeyError: None"""
NODE = """TypeError: Cannot read properties of undefined (reading 'name')
    at load (/srv/app/web/src/user.ts:6:19)
    at getUser (file:///srv/app/web/src/user.ts:2:10)
    at async Promise.all (index 0)
    at Layer.handle [as handle_request] (/srv/app/node_modules/express/web/src/app.tsx:1:5)
    at node:internal/process/task_queues:95:5"""
BROWSER = """load@http://localhost:5173/web/src/user.ts?t=17:6:19
getUser@http://localhost:5173/web/src/user.ts:2:10
App@webpack-internal:///(app-pages-browser)/./web/src/app.tsx:2:14"""
PYTEST = """tests/test_cart.py:2: in test_add
    cart.add(1)
src/shop/cart.py:3: in add
    return check(item)
src/shop/cart.py:8: KeyError
FAILED tests/test_cart.py::test_add - KeyError: None"""
TSC = """web/src/user.ts(6,10): error TS2532: Object is possibly 'undefined'.
web/src/app.tsx:2:14 - error TS2304: Cannot find name 'getUser'."""
WINDOWS = r"""Error: x
    at getUser (C:\Users\Ann Other\shop\web\src\user.ts:2:10)
    at App (C:\Users\Ann Other\shop\web\src\app.tsx:2:1)"""
ESLINT = """/home/ann/shop/web/src/user.ts
  6:10  error  'cache' is not defined  no-undef

/home/ann/shop/web/src/app.tsx
  2:14  warning  'getUser' is not defined  no-undef"""
MYPY = "src/shop/cart.py:3: error: Returning Any [no-any-return]\nsrc/shop/main.py:5:12: E501 Line too long"
VITEST = " FAIL  web/src/user.test.ts\n ❯ load web/src/user.ts:6:19\n ❯ web/src/app.tsx:2:14"
JSON_LOG = PYTHON.replace("\n", "\\n").replace('"', '\\"')
IN_ONE_LINE = "why at load (/srv/app/web/src/user.ts:6:19) at getUser (/srv/app/web/src/user.ts:2:10)"
DEEP = ["check", "Cart.add", "run", "main"]


@pytest.fixture
def project(memory: Memory, workspace: Path) -> Path:
    for path, text in TREE.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text)
    memory.scan(str(workspace))
    return workspace


@pytest.mark.parametrize(
    ("trace", "names"),
    [
        (PYTHON, DEEP),
        (NODE, ["load", "getUser"]),
        (BROWSER, ["load", "getUser", "App"]),
        (PYTEST, ["check", "Cart.add", "test_add"]),
        (TSC, ["load", "App"]),
        (WINDOWS, ["getUser", "App"]),
        (ESLINT, ["load", "App"]),
        (MYPY, ["Cart.add", "run"]),
        (VITEST, ["load", "App"]),
        (JSON_LOG, DEEP),
        (IN_ONE_LINE, ["load", "getUser"]),
    ],
    ids=["python", "node", "browser", "pytest", "tsc", "windows", "eslint", "mypy", "vitest", "json", "one line"],
)
def test_frames_become_entities_of_the_project_innermost_first(
    trace: str, names: list[str], memory: Memory, project: Path
) -> None:
    answer = memory.query(trace, str(project))
    assert [hit.qualified_name or hit.name for hit in answer.results][: len(names)] == names
    assert "raw_decode" not in [hit.name for hit in answer.results]
    assert answer.question == trace.strip()


def test_a_file_that_has_changed_since_is_met_by_the_function_of_the_frame(memory: Memory, project: Path) -> None:
    trace = 'File "/x/src/shop/cart.py", line 2, in check\nKeyError'
    assert memory.query(trace, str(project)).results[0].name == "check"


def test_a_trace_of_elsewhere_is_said_and_its_message_asked(memory: Memory, project: Path) -> None:
    answer = memory.query('File "/x/other/place.py", line 2, in work\nCartError: no cart to add to', str(project))
    assert "no frame" in answer.warnings[0]
    assert answer.results[0].qualified_name.startswith("Cart")


def test_a_library_under_scan_knows_its_own_frames(memory: Memory, project: Path) -> None:
    trace = 'File "/venv/lib/python3.11/site-packages/shop/cart.py", line 8, in check\nKeyError'
    assert memory.query(trace, str(project)).results[0].name == "check"


@pytest.mark.parametrize(
    "question",
    [
        "main.py:42",
        "what is at src/main.py:42 ?",
        "src/app.py:12: in what function is this?",
        "see src/app.py:12: it is odd",
        "how does http://localhost:3000 work",
        "look at the error in main.py",
        "tests/test_x.py::TestCart::test_add",
    ],
)
def test_a_question_with_a_place_is_no_trace(question: str) -> None:
    assert find_trace(question) is None


def test_the_words_of_a_trace_are_those_of_its_messages() -> None:
    assert {"home", "ci", "build", "shop"}.isdisjoint(understand(PYTHON).words)
    assert "keyerror" in understand(PYTHON).words


@pytest.mark.parametrize(
    ("text", "places"),
    [
        # pytest's long form: a place alone on its line, the failing one last
        ("tests/test_cart.py:2: \n_ _ _ _\n\nsrc/shop/cart.py:3: \n_ _ _\nsrc/shop/cart.py:8: KeyError",
         ["src/shop/cart.py:8", "src/shop/cart.py:3", "tests/test_cart.py:2"]),
        # Java: the cause of the cause is where it began
        ("Exception: x\n\tat com.shop.Cart.add(Cart.java:3)\n\tat com.shop.Main.main(Main.java:8)\n"
         "Caused by: java.io.IOException\n\tat com.shop.Disk.read(Disk.java:7)\n\t... 2 more",
         ["Disk.java:7 read", "Cart.java:3 add", "Main.java:8 main"]),
        ("Error: outer\n    at a (/app/a.js:1:1) {\n  [cause]: Error: inner\n      at b (/app/b.js:2:2)\n}",
         ["/app/b.js:2 b", "/app/a.js:1 a"]),
        ("   at Shop.Cart.Add() in C:\\src\\Cart.cs:line 12", ["C:/src/Cart.cs:12"]),
        ("Error: Undefined variable.\n12 |   color: $x;\n  src/style.scss 12:10  root stylesheet",
         ["src/style.scss:12"]),
        ("add@http://localhost/src/a.js:1:1\nglobal code@http://localhost/src/b.js:3:1\n"
         "async*load@http://localhost/src/c.js:2:1",
         ["localhost/src/a.js:1 add", "localhost/src/b.js:3", "localhost/src/c.js:2 load"]),
        ('Current thread 0x1 (most recent call first):\n  File "/app/db.py", line 5 in load\n'
         '  File "/app/cart.py", line 20 in total',
         ["/app/db.py:5 load", "/app/cart.py:20 total"]),
        ('\x1b[35mFile \x1b[0m"/app/cart.py"\x1b[0m, line \x1b[35m20\x1b[0m, in \x1b[35mtotal\x1b[0m\nKeyError: 1',
         ["/app/cart.py:20 total"]),
        ('> Traceback (most recent call last):\r\n>   File "C:\\shop\\cart.py", line 20, in total\r\n> KeyError: 1',
         ["C:/shop/cart.py:20 total"]),
    ],
)  # fmt: skip
def test_other_forms_of_traces_are_read_innermost_first(text: str, places: list[str]) -> None:
    frames = understand(text).frames
    assert [f"{frame.path}:{frame.line}{f' {frame.name}' if frame.name else ''}" for frame in frames] == places


def test_columns_of_places_are_no_words_of_the_message() -> None:
    assert understand(NODE).plain.split("\n")[1].strip() == ""
    assert "12" not in understand(MYPY).words


def test_a_place_with_a_colon_behind_it_is_a_question_about_that_line() -> None:
    query = understand("src/shop/cart.py:3:")
    assert (query.frames, query.paths[0].line) == ((), 3)


def test_a_frame_behind_the_end_of_its_file_means_the_file(memory: Memory, workspace: Path) -> None:
    (workspace / "cart.py").write_text("def add(item):\n    return item\n")
    memory.scan(str(workspace))
    answer = memory.query('  File "/app/cart.py", line 900, in gone\nKeyError: 1', str(workspace))
    assert [hit.qualified_name or hit.name for hit in answer.results] == ["cart"]


def test_a_trace_of_minified_or_foreign_files_says_that_no_frame_is_here(memory: Memory, workspace: Path) -> None:
    (workspace / "cart.py").write_text("def add(item):\n    return item\n")
    memory.scan(str(workspace))
    text = "TypeError: t is not a function\n    at e.r (https://example.com/static/js/main.3f2a1b.chunk.js:2:183729)"
    answer = memory.query(text, str(workspace))
    assert answer.nothing_relevant
    assert "no frame of the trace is in this project" in answer.warnings


def recursion(frames: int) -> str:
    """A Python trace of so many distinct frames that ends in the project's `check`."""
    deep = "".join(f'  File "/ci/src/shop/deep_{i}.py", line {i + 1}, in step_{i}\n    step()\n' for i in range(frames))
    return f"why?\nTraceback (most recent call last):\n{deep}" + PYTHON.partition("last):\n")[2]


def node(frames: int) -> str:
    return NODE + "".join(f"\n    at step{i} (/srv/app/web/src/deep{i}.ts:{i + 1}:3)" for i in range(frames))


@pytest.mark.parametrize(
    ("trace", "name"),
    [
        (recursion(400), "check"),
        (recursion(8_000), "check"),
        ("\x1b[31m" + recursion(400), "check"),
        (node(400), "load"),
        (node(8_000), "load"),
    ],
    ids=["python", "python over the bound", "coloured", "node", "node over the bound"],
)
def test_a_trace_longer_than_a_question_keeps_its_failing_frame_and_its_error(
    trace: str, name: str, memory: Memory, project: Path
) -> None:
    query = understand(trace)
    assert {"keyerror", "typeerror"} & set(query.words[:12])
    assert len(query.text) <= MAX_QUESTION_CHARS
    assert len(query.plain) <= MAX_QUESTION_CHARS
    answer = memory.query(trace, str(project))
    assert answer.results[0].name == name
    assert not [warning for warning in answer.warnings if "no frame" in warning or "was cut" in warning]
    assert any(str(MAX_QUESTION_CHARS) in warning for warning in answer.warnings)


def test_the_frame_of_the_project_is_found_below_hundreds_of_library_frames(memory: Memory, project: Path) -> None:
    library = "".join(f'  File "/usr/lib/python3.11/x/m{i}.py", line 1, in f{i}\n' for i in range(300))
    answer = memory.query(PYTHON.rpartition("KeyError")[0] + library + "KeyError: None", str(project))
    assert answer.results[0].name == "check"


@pytest.mark.parametrize(
    "text", [" " * 9_000 + "x" * 190_000, "at a " * 40_000, "a/b.c " * 30_000, "\t" * 190_000 + "at", "a." * 100_000]
)
def test_a_giant_text_without_frames_is_no_trace_and_is_cut(text: str) -> None:
    query = understand(f"q {text}")
    assert query.frames == ()
    assert query.cut
