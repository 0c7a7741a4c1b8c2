from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.markdown import plain
from zerikai_memory.model import CodeEntity


def sections(text: str) -> list[CodeEntity]:
    return list(extract(text.encode(), "a.md").entities[1:])


def test_section_runs_to_the_line_before_the_next_heading_of_its_level() -> None:
    text = "# A\n\nintro\n\n## B\n\ntext b\n\n### C\n\n## D\n\nAnother\n=======\n\nend\n\n"
    got = [(e.qualified_name, e.start_line, e.end_line, e.parent) for e in sections(text)]
    assert got == [
        ("A", 1, 12, None),
        ("A.B", 5, 10, "A"),
        ("A.B.C", 9, 10, "A.B"),
        ("A.D", 11, 12, "A"),
        ("Another", 13, 16, None),
    ]


def test_body_of_a_section_is_its_own_text_and_its_first_paragraph_documents_it() -> None:
    extraction = extract(b"# A\n\n![badge](x)\n\nFirst *words*\nhere.\n\n- item\n\n## B\n\n`code` only\n", "a.md")
    module, a, b = extraction.entities
    assert module.docstring == "A\n\nbadge"
    assert (a.docstring, b.docstring) == ("badge", "code only")
    assert "First *words*\nhere." in extraction.bodies[a.id]
    assert "code" not in extraction.bodies[a.id]


@pytest.mark.parametrize(
    ("text", "title", "intro"),
    [
        ("---\ntitle: 'Guide'\ndescription: How to\n---\n\n# Other\n", "Guide", "How to"),
        ("+++\ntitle: Guide\n+++\n\ntext\n", "Guide", "text"),
        ("## Small\n\n# Big\n\ntext\n", "Big", "text"),
        ("just text\n", "just text", ""),
        ("", "", ""),
    ],
)
def test_module_is_documented_by_title_and_introduction(text: str, title: str, intro: str) -> None:
    expected = "\n\n".join(part for part in (title, intro) if part) or None
    assert extract(text.encode(), "a.md").entities[0].docstring == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`a*b*` and **bold** _it_ snake_case_name", "a*b* and bold it snake_case_name"),
        ("[text](http://x/(y)) ![alt](i.png) [ref][1]", "text alt ref"),
        (r"\# no \*mark\* <a id='x'></a>tail", "# no *mark* tail"),
        ("two\n  lines", "two lines"),
    ],
)
def test_inline_marks_are_taken_off(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("> # quoted\n\n- # in a list\n\n# real\n", ["real"]),
        ("```\n# a\n```\n~~~\n# b\n~~~\n    # c\n<!--\n# d\n-->\n\n# real {#id .x}\n", ["real"]),
        ("# <img src='logo.png' alt='Logo'>\n", ["Logo"]),
        ("#\n\n## Named ##\n", ["Named"]),
        ("import X from './x'\n\n<X prop={{a: 1}}>\n\n# In MDX\n\n</X>\n\nexport const a = 1\n", ["In MDX"]),
        ("Two\nlines\n===\n", ["Two lines"]),
        ("# Same\n# Same\n", ["Same", "Same"]),
        ("# crlf\r\n\r\n## b\r\n", ["crlf", "b"]),
    ],
)
def test_only_headings_of_the_document_itself_make_sections(text: str, names: list[str]) -> None:
    assert [entity.name for entity in sections(text)] == names


LINES = [
    "# One",
    "## Two",
    "###### Six",
    "####### no",
    "#no",
    "===",
    "---",
    "text",
    "",
    "",
    "```",
    "~~~~",
    "    # code",
]
LINES += ["    # code", "> # quote", "***", "<div>", "</div>", "<!-- x -->", "# `c` #", "   ## three"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=14))
def test_headings_are_those_of_commonmark(lines: list[str]) -> None:
    markdown_it = pytest.importorskip("markdown_it")  # comes with rich
    text = "text\n\n" + "\n".join(lines) + "\n"
    tokens = markdown_it.MarkdownIt("commonmark").parse(text)
    expected = [
        (token.map[0] + 1, int(token.tag[1]))
        for token, inline in itertools.pairwise(tokens)
        if token.type == "heading_open" and token.level == 0 and inline.content
    ]
    assert [(e.start_line, e.signature.index(" ")) for e in sections(text)] == expected
