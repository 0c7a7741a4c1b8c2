"""The nine sections and the check of a text that replaces a brief."""

import pytest

from zerikai_memory.brief.sections import MAX_CHARS, SECTIONS, check_sections, section_bodies, token_count
from zerikai_memory.errors import InputError

WHOLE = "\n\n".join(f"## {name}\n\nText of {name}." for name in SECTIONS)


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        (WHOLE, []),
        (WHOLE.replace("## ", "# "), []),  # any heading level
        (WHOLE.replace("Development & Testing", "Development and testing"), []),
        (WHOLE.replace("## Overview", "## 1. Overview"), []),
        (WHOLE.replace("\n", "\r\n"), []),
        (WHOLE.replace("## Purpose", "Purpose"), ["Purpose"]),  # a word in the text is no heading
        ("just a sentence", list(SECTIONS)),
    ],
)
def test_missing_sections_are_named_and_nothing_is_refused(text, warned):
    warnings = check_sections(text)
    assert (warnings == ()) == (not warned)
    assert all(name in warnings[0] for name in warned)


def test_a_long_brief_is_accepted_with_a_word_about_its_cost():
    assert "tokens" in check_sections(WHOLE + "x" * 12_000)[0]


@pytest.mark.parametrize("text", ["", " \n\t", "x" * (MAX_CHARS + 1)])
def test_an_empty_or_huge_text_is_refused(text):
    with pytest.raises(InputError):
        check_sections(text)


def test_bodies_are_found_under_their_headings():
    bodies = section_bodies("# P\n\n## Overview\none\n### detail\ntwo\n## Purpose\nthree\n## Purpose\nfour")
    assert bodies == {"Overview": "one", "Purpose": "three"}


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2)])
def test_four_characters_are_a_token(text, tokens):
    assert token_count(text) == tokens
