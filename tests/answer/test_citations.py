"""What a model cites is held against what it was given."""

from __future__ import annotations

import pytest

from zerikai_memory.answer.citations import check_citations
from zerikai_memory.model import Hit, Note


def hit(path: str, start: int, end: int) -> Hit:
    return Hit("f", "f", "function", path, start, end, 0.5, 1.0, "fresh", "", "e")


HITS = [
    hit("src/shop/cart.py", 10, 20),
    hit("src/a b/[id].tsx", 1, 9),
    hit("docs/one/x.md", 5, 5),
    hit("docs/x.md", 1, 2),
]
NOTES = [Note("n7", "fact", "x", 0.0, "w")]


@pytest.mark.parametrize(
    ("text", "kept", "removed"),
    [
        # given, with and without the mark, a line or lines
        ("See #src/shop/cart.py:10.", "See #src/shop/cart.py:10.", ()),
        ("See `src/shop/cart.py:12-20`.", "See `src/shop/cart.py:12-20`.", ()),
        ("In #src/a b/[id].tsx:3 too", "In #src/a b/[id].tsx:3 too", ()),
        # the end of a path that only one file has becomes the path
        ("See #cart.py:10", "See #src/shop/cart.py:10", ()),
        ("See #docs/x.md:1", "See #docs/x.md:1", ()),
        # a file that was not given
        ("It is fast (#src/shop/db.py:3).", "It is fast.", ("#src/shop/db.py:3",)),
        ("It is in src/other.ts:44, yes", "It is in, yes", ("src/other.ts:44",)),
        # lines that were not given
        ("See #src/shop/cart.py:21 now", "See now", ("#src/shop/cart.py:21",)),
        ("See [#src/shop/cart.py:15-40].", "See.", ("#src/shop/cart.py:15-40",)),
        ("See `#src/shop/cart.py:9`.", "See.", ("#src/shop/cart.py:9",)),
        # notes
        ("As note:n7 says, not note:n8.", "As note:n7 says, not.", ("note:n8",)),
        # no citations
        ("Open http://127.0.0.1:8000 or example.com:443", "Open http://127.0.0.1:8000 or example.com:443", ()),
        ("At 10:30 the ratio 3:1 and http://h/x.py:80", "At 10:30 the ratio 3:1 and http://h/x.py:80", ()),
    ],
)
def test_only_what_was_given_stays_cited(text, kept, removed) -> None:
    checked = check_citations(text, HITS, NOTES)
    assert (" ".join(checked.text.split()), checked.removed) == (kept, removed)


def test_a_text_without_invention_is_not_touched() -> None:
    text = "  f( )  is\n\n`` empty ``, see #docs/x.md:1 ."
    assert check_citations(text, HITS, NOTES).text == text
