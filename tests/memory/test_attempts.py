"""Earlier attempts at an error that is pasted as a trace, a log line or plain words: the same error first, failures
before what worked, and nothing about other errors."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.memory.problems import problems, same_problem, without_log_prefix
from zerikai_memory.settings import Settings

CODE = "class {title}:\n    def {name}(self, x):\n        y = x\n        return y\n"
NAMES = ("load_config", "charge_card", "parse_feed", "sync_stock", "send_mail", "price_of")
COLUMNS = ("total", "tax", "zone", "sku", "parcel", "phone", "iban", "rate")
# key, outcome, anchor, content
RECORDS = (
    (
        "yaml_f",
        "failed",
        "load_config",
        "ModuleNotFoundError: No module named 'yaml': added it to requirements-dev.txt",
    ),
    ("yaml_w", "worked", "load_config", "ModuleNotFoundError: No module named 'yaml': added it to requirements.txt"),
    ("req_w", "worked", None, "ModuleNotFoundError: No module named 'requests': pip install -e .[net]"),
    (
        "id_f",
        "failed",
        None,
        "TypeError: Cannot read properties of undefined (reading 'id'): optional chaining moved it",
    ),
    ("id_w", "worked", None, "TypeError: Cannot read properties of undefined (reading 'id'): load the basket first"),
    ("lock_w", "worked", None, "sqlite3.OperationalError: database is locked: BEGIN IMMEDIATE and one writer"),
    ("lock_f", "failed", None, "sqlite3.OperationalError: database is locked: a timeout of 60 s did not help"),
    ("panic_w", "worked", None, "panic: runtime error: index out of range [5] with length 5: bound check in split()"),
    ("link_w", "worked", None, "error: linker `cc` not found on the runner: install build-essential"),
    ("port_w", "worked", None, "Error: listen EADDRINUSE: address already in use :::3000: kill the old dev server"),
    ("assert_f", "failed", None, "AssertionError: assert 3 == 4 in test_total: rounding was not the cause"),
    ("cur_w", "worked", "charge_card", "KeyError: 'currency' when old orders are charged: migrate them to carry EUR"),
    ("cur_f", "failed", "charge_card", "KeyError: 'currency' when charging: read it from the settings, broke refunds"),
    ("mail_w", "worked", "send_mail", "Mails to gmx bounce with 550: SPF record added"),
    ("mail_f", "failed", "send_mail", "Mails to gmx bounce with 550: changed the sender domain, no effect"),
    (
        "rec_f",
        "failed",
        "parse_feed",
        "RecursionError: maximum recursion depth exceeded: a higher limit only crashed it",
    ),
    ("rec_w", "worked", "parse_feed", "Nested categories are walked with a stack now, cycles in the feed are cut"),
    ("pool_f", "failed", None, "TimeoutError: QueuePool limit of size 5 overflow 10 reached: a pool of 50 delayed it"),
    ("ts_w", "worked", None, "error TS2345 in the cart: narrow the union before the call"),
)
LIBRARY_FRAMES = "".join(
    f'  File "/usr/lib/python3.11/site-packages/django/core/handlers/base{i}.py", line {i + 9}, in inner_{i}\n'
    f"    response = get_response_{i}(request, *callback_args)\n"
    for i in range(30)
)
YAML = 'Traceback (most recent call last):\n  File "/app/load_config_mod.py", line 1, in <module>\n    import yaml\n'
KEY = f"Internal Server Error: /checkout\nTraceback (most recent call last):\n{LIBRARY_FRAMES}"
CHAINED = (
    'Traceback (most recent call last):\n  File "/x/site-packages/sqlalchemy/engine/base.py", line 1900, in _execute\n'
    "    do_execute(cursor)\nsqlite3.OperationalError: database is locked\n\nThe above exception was the direct cause "
    'of the following exception:\n\nTraceback (most recent call last):\n  File "/srv/shop/db.py", line 2, in connect\n'
    "    return url\nsqlalchemy.exc.OperationalError: (sqlite3.OperationalError) database is locked\n"
    "[SQL: INSERT INTO orders (id, total) VALUES (?, ?)]\n(Background on this error at: https://sqlalche.me/e/20/e3q8)"
)
ASKED = (
    (f"{YAML}ModuleNotFoundError: No module named 'yaml'", ["yaml_f", "yaml_w"]),
    ("why does it say No module named yaml", ["yaml_f", "yaml_w"]),
    (YAML.replace("load_config", "net") + "ModuleNotFoundError: No module named 'requests'", ["req_w"]),
    (
        "TypeError: Cannot read properties of undefined (reading 'id')\n    at total (/srv/shop/cart.tsx:2:38)\n"
        "    at renderWithHooks (/srv/shop/node_modules/react-dom/cjs/react-dom.development.js:14985:18)",
        ["id_f", "id_w"],
    ),
    (CHAINED, ["lock_f", "lock_w"]),
    (
        "panic: runtime error: index out of range [7] with length 7\n\ngoroutine 1 [running]:\nmain.split(0xc00, 0x7)\n"
        "\t/home/x/indexer/split.go:44 +0x1d\nexit status 2",
        ["panic_w"],
    ),
    ("   Compiling shop v0.1.0\nerror: linker `cc` not found\n  |\n  = note: No such file (os error 2)", ["link_w"]),
    (
        "node:events:495\n      throw er; // Unhandled 'error' event\n\nError: listen EADDRINUSE: address already in "
        "use :::3000\n    at Server.setupListenHandle [as _listen2] (node:net:1817:16)",
        ["port_w"],
    ),
    (
        ">       assert total([1, 2]) == 4\nE       assert 3 == 4\n\ntests/test_total.py:5: AssertionError\n"
        "FAILED tests/test_total.py::test_total - assert 3 == 4",
        ["assert_f"],
    ),
    (
        f"{KEY}  File \"/srv/shop/charge_card_mod.py\", line 3, in charge_card\n    y = x\nKeyError: 'currency'\n",
        ["cur_f", "cur_w"],
    ),
    ("2026-05-03 12:00:01,345 ERROR [worker-3] shop.charge: KeyError: 'currency' (order=9f3a)", ["cur_f", "cur_w"]),
    (
        "Traceback (most recent call last):\n"
        + '  File "/srv/shop/parse_feed_mod.py", line 3, in parse_feed\n    y = x\n' * 3
        + "RecursionError: maximum recursion depth exceeded while calling a Python object",
        ["rec_f", "rec_w"],
    ),
    (
        "sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30",
        ["pool_f"],
    ),
    (
        'Traceback (most recent call last):\n  File "/srv/shop/send_mail_mod.py", line 3, in send_mail\n    y = x\n'
        "smtplib.SMTPRecipientsRefused: {'a@gmx.de': (550, b'refused')}",
        ["mail_f", "mail_w"],
    ),
    ("src/cart.ts(3,4): error TS2345: Argument of type 'string' is not assignable to parameter", ["ts_w"]),
    ("charge_card_mod.py:3", ["cur_f", "cur_w"]),
    ('  File "/srv/shop/price_of_mod.py", line 3, in price_of\nZeroDivisionError: division by zero', []),
)  # fmt: skip


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("attempts").resolve()
    (folder / "shop").mkdir()
    for name in NAMES:
        (folder / "shop" / f"{name}_mod.py").write_text(CODE.format(title=name.title().replace("_", ""), name=name))
    memory = Memory(Settings(home=folder / "brain", vector_store="exact", workspace=str(folder / "shop")), cwd=folder)
    memory.scan()
    for i, column in enumerate(COLUMNS):  # near in kind or words, about other errors
        outcome = ("worked", "failed")[i % 2]
        memory.save(f"KeyError: '{column}' in the import: default it to zero", category="fix", outcome=outcome)
        memory.save(
            f"ValueError: could not convert string to float: '{column}': skip the header",
            category="fix",
            outcome=outcome,
        )
        memory.save(f"The {column} is computed in cents and rounded half even")
    for key, outcome, anchor, content in RECORDS:
        memory.save(
            content, category="fix", outcome=outcome, anchors=[anchor] if anchor else [], details={"tags": [key]}
        )
    yield memory
    memory.close()


@pytest.mark.parametrize(("question", "expected"), ASKED)
def test_attempts_at_the_same_error_come_first_and_failures_before_all(
    memory: Memory, question: str, expected: list[str]
):
    for category in (None, "FIX"):
        found = memory.query(question, category=category)
        assert [note.tags[0] if note.tags else note.content for note in found.notes][
            : len(expected) or None
        ] == expected
        for note in found.notes[: len(expected)]:
            assert f"[{note.outcome}]" in found.answer


@pytest.mark.parametrize(
    ("asked", "held", "same"),
    [
        ("KeyError: 'a'", "KeyError 'a' in the middleware, answer 400", True),
        ("KeyError: 'a'", "KeyError: 'b' in the middleware", False),
        ("x.y.KeyError: 'a'", "The call raised KeyError: 'a'", True),
        ("KeyError: 'a'", "IndexError: 'a'", False),
        (
            "FileNotFoundError: No such file or directory: '/tmp/1/x'",
            "FileNotFoundError: No such file or directory",
            True,
        ),
        ("error[E0502]: cannot borrow `x` as mutable", "error[E0499]: cannot borrow `y` as mutable", False),
        ("fatal: not a git repository", "fatal: not a git repository in CI: check out with depth 0", True),
        ("fatal: not a git repository", "fatal: refusing to merge unrelated histories", False),
        ("TimeoutError", "TimeoutError: the pool is exhausted", True),
    ],
)
def test_two_errors_are_the_same_by_kind_and_message(asked: str, held: str, same: bool):
    assert any(same_problem(one, other) for one in problems(asked) for other in problems(held)) is same


@pytest.mark.parametrize(
    "text", ["", "the error is in the cache", "We handle every exception in one place", "\ud800\n\x00", "a\n" * 5000]
)
def test_prose_tells_of_no_error(text: str):
    assert problems(text) == ()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("2026-05-03T12:00:01.345Z ERROR shop.charge: KeyError: 'x'", "KeyError: 'x'"),
        ("[12:30:11] [main] FATAL boot - cannot bind", "cannot bind"),
        ("KeyError: 'x' in load: no default", "KeyError: 'x' in load: no default"),
        ("shop: which database", "shop: which database"),
    ],
)
def test_a_log_line_is_read_without_what_stands_in_front(line: str, said: str):
    assert without_log_prefix(line) == said
