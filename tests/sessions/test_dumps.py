"""Which lines of a message are pasted output, and what of them stays."""

import pytest

from zerikai_memory.model_sessions import Role
from zerikai_memory.sessions.cleaning import clean
from zerikai_memory.sessions.dumps import without_dumps
from zerikai_memory.sessions.formats.base import Said

GIT = """\
diff --git a/src/cart.py b/src/cart.py
index 83db48f..bf269f4 100644
--- a/src/cart.py
+++ b/src/cart.py
@@ -1,4 +1,5 @@ import os
 def load(name):
-    return name
+    if not name:
+        return None
+    return name

 # the end
@@ -10 +11 @@ def x
-a
+b"""
NEW = """\
diff --git a/new.txt b/new.txt
new file mode 100644
index 0000000..e69de29
--- /dev/null
+++ b/new.txt
@@ -0,0 +1,2 @@
+one
+two
\\ No newline at end of file"""
PLAIN = "--- old/a.c\t2026-01-01 10:00:00\n+++ new/a.c\t2026-01-02 10:00:00\n@@ -1 +1 @@\n-int a;\n+long a;"
AGENT = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-old\n+new\n*** Add File: b.py\n+x\n*** End Patch"
# Some chats strip the blanks in front of a pasted line.
STRIPPED = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\ndef a():\n-return 1\n+return 2\n"
STAT = " src/a.py | 12 ++++---\n src/b.py |  3 +\n 2 files changed, 10 insertions(+), 5 deletions(-)"
PYTHON = """\
Traceback (most recent call last):
  File "/app/a.py", line 3, in <module>
    main()
  File "/app/c.py", line 44, in run
    raise ValueError(x)
    ^^^^^^^^^^^^^^^^^^^
ValueError: pool is closed"""
NODE = """\
TypeError: Cannot read properties of undefined
    at getUser (/app/src/user.ts:12:5)
    at async handler (/app/src/h.ts:4:3)
    at next (/app/node_modules/express/lib/router/route.js:144:13)"""
GO = "goroutine 1 [running]:\nmain.run(0x1)\n\t/app/main.go:12 +0x1d\nmain.main()\n\t/app/main.go:5 +0x20"
LOG = "\n".join(f"2026-11-01 10:00:0{n} {level} step {n}" for n, level in enumerate(["INFO"] * 4 + ["ERROR", "INFO"]))
PYTEST = "\n".join(f"tests/test_{name}.py ......                         [ {n}0%]" for n, name in enumerate("abcdefg"))

COMMAND = "$ npm run build\n> shop@1.0.0 build\n> vite build\n" + "src/a.js  1 kB\n" * 5 + "TypeError: x is no function"
PSQL = " id | name\n----+-------\n" + "  1 | Ann\n" * 5 + "(5 rows)"
MYSQL = "+----+\n| id |\n+----+\n" + "|  1 |\n" * 4 + "+----+"
JSON = "{\n" + '  "a": 1,\n  "b": {\n    "c": "x"\n  },\n' * 7 + '  "d": [\n  ]\n}'


@pytest.mark.parametrize(
    ("pasted", "kept"),
    [
        (GIT, "[diff: src/cart.py, 15 lines]"),
        (f"{GIT}\n{NEW}", "[diff: src/cart.py new.txt, 24 lines]"),
        (
            f"commit {'0a' * 20}\nAuthor: Ann <ann@example.com>\nDate:   Mon Nov 30 2026\n\n    Cents\n\n{GIT}",
            "commit 0a0a0a0a0a\n\n    Cents\n\n[diff: src/cart.py, 15 lines]",
        ),
        (PLAIN, "[diff: old/a.c new/a.c, 5 lines]"),
        (AGENT, "[diff: src/a.py b.py, 8 lines]"),
        (STRIPPED.strip(), "[diff: a.py, 6 lines]"),
        (STAT, "[diff: src/a.py src/b.py, 2 lines]\n 2 files changed, 10 insertions(+), 5 deletions(-)"),
        (f"```diff\n{GIT}\n```", "[diff: src/cart.py, 15 lines]"),
        (f"```\n{GIT}\n```", "```\n[diff: src/cart.py, 15 lines]\n```"),
        (PYTHON, '[stack, 6 lines, the innermost:]\nFile "/app/c.py", line 44, in run\nValueError: pool is closed'),
        (NODE, "\n".join(NODE.splitlines()[:2]) + "\n[stack, 2 more lines]"),
        (GO, "goroutine 1 [running]:\n[stack, 4 more lines]"),
        (LOG, "2026-11-01 10:00:04 ERROR step 4\n[output, 6 lines]"),
        (PYTEST, "[output, 7 lines]"),
        (COMMAND, "$ npm run build\n[output, 7 lines]\nTypeError: x is no function"),
        (f"```\n{COMMAND}\n```", "```\n$ npm run build\n[output, 7 lines]\nTypeError: x is no function\n```"),
        (PSQL, "[output, 7 lines]\n(5 rows)"),
        (MYSQL, "[output, 8 lines]"),
        (JSON, "[output, 32 lines]"),
        (f"```console\n{LOG}\n$ done\n```", "2026-11-01 10:00:04 ERROR step 4\n[output, 7 lines]"),
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_was_pasted_becomes_a_mark_and_what_was_said_around_it_stays(pasted: str, kept: str, role: Role):
    text = clean(Said(role, f"Why is this?\n{pasted}\n\nI think it is the pool."), 10_000).text
    assert text == f"Why is this?\n{kept}\n\nI think it is the pool."
    assert without_dumps(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "- one\n- two\n+ three\n* four\n1. five\n---\nsix",
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 9,
        "diff: src/cart.py\nchanged as agreed\nand tested",
        "Pros:\n+ fast\n+ simple\n- big\n- new\nSo?",
        "```python\ndef a():\n    return 1\n```\n" * 3,
        "ok\nok then\nERROR in two lines\nis no log",
        "At 10:00 we met.\nAt 11:00 we decided.\nAt 12:00 we ate.\n" * 3,
        "  at home\n  at work\n  at night",
        "---\ntitle: a\n---\ntext\n",
        "$ make a\n$ make b\n$ make c\n$ make d\n$ make e\n$ make f\n$ make g\nthen ask",
        'set\n{\n  "a": 1,\n  "b": [1, 2]\n}\nin the file',
        "name | age\n--- | ---\n" + "Ann | 3\n" * 9,
        "a | b of\n" * 9,
        "@@ -1,40 +1,50 @@"[:2] + " mention\nthe team\nplease",
    ],
)
def test_talk_stays_as_it_is(text: str):
    assert without_dumps(text) == text


def test_prose_after_a_cut_diff_is_not_taken_for_it():
    cut = "@@ -1,40 +1,50 @@\n-a\n+b\nWhy does this\nbreak the login\nof all shops?"
    assert without_dumps(cut) == "[diff, 3 lines]\nWhy does this\nbreak the login\nof all shops?"
