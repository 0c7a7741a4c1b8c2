import hashlib

import pytest

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import CodeEntity
from zerikai_memory.retrieve.cite import Cited, WorkingFile, verify
from zerikai_memory.retrieve.pack import pack

SOURCE = b'''import os


def first(a, b):
    """Add two numbers.

    A longer explanation that is not needed.
    """
    total = a + b
    return total


def second():
    return 2
'''


def entity(source: bytes, name: str) -> CodeEntity:
    return next(e for e in extract(source, "m.py").entities if e.name == name)


def on_disk(content: bytes | None, *, missing: bool = False) -> WorkingFile:
    digest = None if content is None else hashlib.sha256(content).hexdigest()
    return WorkingFile("m.py", content, digest, missing)


def cite(name: str, now: bytes | None, *, missing: bool = False) -> Cited:
    return verify(entity(SOURCE, name), hashlib.sha256(SOURCE).hexdigest(), on_disk(now, missing=missing), extract)


def test_an_unchanged_file_is_fresh_and_not_parsed_again() -> None:
    def never(source: bytes, path: str) -> None:
        raise AssertionError("parsed again")

    cited = verify(entity(SOURCE, "second"), hashlib.sha256(SOURCE).hexdigest(), on_disk(SOURCE), never)
    assert (cited.state, cited.lines) == ("fresh", ("def second():", "    return 2"))


def test_a_moved_entity_is_cited_at_its_new_lines() -> None:
    cited = cite("second", b"# new line\n" + SOURCE)
    assert (cited.state, cited.entity.start_line) == ("moved", 14)
    assert cited.lines[0] == "def second():"


def test_an_edit_elsewhere_in_the_file_keeps_an_entity_fresh() -> None:
    assert cite("first", SOURCE.replace(b"return 2", b"return 3")).state == "fresh"


def test_equal_names_are_told_apart_by_their_bodies() -> None:
    twins = b"if a:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n"
    second = [e for e in extract(twins, "m.py").entities if e.name == "f"][1]
    swapped = (
        twins.replace(b"return 1", b"return X").replace(b"return 2", b"return 1").replace(b"return X", b"return 2")
    )
    cited = verify(second, "old", on_disk(swapped), extract)
    assert cited.lines[-1].strip() == "return 2"


def test_what_is_gone_or_cannot_be_told_shows_no_lines() -> None:
    assert cite("second", SOURCE.replace(b"def second", b"def other")).state == "gone"
    assert cite("second", None, missing=True).state == "gone"
    assert cite("second", None).state == "stale"  # unreadable is not gone
    for now in (SOURCE.replace(b"def second", b"def other"), None):
        assert cite("second", now).lines == ()


def test_packing_gives_signature_then_docstring_then_body() -> None:
    text = pack([cite("first", SOURCE)], 1000)[0]
    assert text.split("\n") == ["def first(a, b):", "Add two numbers.", "    total = a + b", "    return total"]


def test_packing_stays_within_the_budget_and_heads_come_before_bodies() -> None:
    both = [cite("first", SOURCE), cite("second", SOURCE)]
    for budget in range(0, 200, 7):
        texts = pack(both, budget)
        assert sum(len(text) for text in texts) <= budget
    assert pack(both, 50)[1].startswith("def second()")


@pytest.mark.parametrize(
    ("path", "source", "name", "shown"),
    [
        ("a.js", "export const dbl = n => n * 2;\n", "dbl", "export const dbl = n => n * 2;"),  # one line is all
        ("a.py", "def one(): return 41\n", "one", "def one(): return 41"),
        (
            "a.js",  # a signature over several lines, with the body's opening brace on the last
            "export function f(\n  a,\n  b,\n) {\n  return a;\n}\n",
            "f",
            "export function f(\n  a,\n  b,\n) {\n  return a;\n}",
        ),
        (
            "a.js",
            "const load = (url, done) => {\n\tconst x = url;\n\treturn done(x);\n};\n",
            "load",
            "const load = (url, done) => {\n\tconst x = url;\n\treturn done(x);\n};",
        ),
        ("a.md", "# Test\nRun it:\n\n```\nnpm test\n```\n", "Test", "# Test\nRun it:\n\n```\nnpm test\n```"),
        ("a.css", ".a { color: red; }\n", ".a", ".a { color: red; }"),
    ],
)
def test_what_is_shown_of_an_entity_is_its_own_lines_without_a_gap(
    path: str, source: str, name: str, shown: str
) -> None:
    (found,) = [e for e in extract(source.encode(), path).entities if e.name == name and e.entity_type != "module"]
    cited = verify(found, "x", WorkingFile(path, source.encode(), "x", False), extract)
    assert pack([cited], 1000) == [shown]


def test_a_python_docstring_is_not_shown_twice() -> None:
    assert pack([cite("first", SOURCE)], 1000)[0].count("Add two numbers") == 1


def test_a_key_block_around_an_entity_is_masked_in_its_lines() -> None:
    key = "\n".join(["-----BEGIN RSA PRIVATE KEY-----", *["MIIEowIBAAKCAQEAx7f" + "A" * 40] * 30])
    source = f'KEY = """{key}\n-----END RSA PRIVATE KEY-----"""\n\n\ndef use():\n    return KEY\n'.encode()
    for name in ("KEY", "use"):
        cited = verify(entity(source, name), "x", WorkingFile("m.py", source, "x", False), extract)
        assert "MIIEow" not in "".join(cited.lines)
    assert cited.lines == ("def use():", "    return KEY")
