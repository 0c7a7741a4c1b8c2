import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerikai_memory.store.words import MAX_WORD, match_expression, split_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getHTTPHeader", ["get", "http", "header", "gethttpheader"]),  # an acronym inside camelCase
        ("get_http_header", ["get", "http", "header", "gethttpheader"]),  # another casing, the same words
        ("__init__", ["init"]),  # underscores around a name are no parts
        ("utf8", ["utf", "8", "utf8"]),  # digits are parts
        ("plain words", ["plain", "words"]),
        ("naïve ΑΒΓ", ["naïve", "αβγ"]),  # letters outside ASCII stay whole
        ("数据库连接", ["数据", "据库", "库连", "连接"]),  # no blanks between words: overlapping pairs
        ("a.b->c[0]", ["a", "b", "c", "0"]),  # punctuation separates
        ("x" * (MAX_WORD + 1), []),  # data, not a word
    ],
)
def test_identifiers_give_their_parts_and_their_joined_form(text: str, expected: list[str]) -> None:
    assert list(words(text)) == expected


def test_split_words_leaves_the_joined_form_out() -> None:
    assert split_words("getUserById path/to_file.py") == ["get", "user", "by", "id", "path", "to", "file", "py"]


@pytest.mark.parametrize(
    ("given_words", "expected"),
    [
        (["alpha", "beta"], '"alpha" OR "beta"'),
        (["alpha", "alpha"], '"alpha"'),  # each word once
        (['say "no"'], '"say ""no"""'),  # quotes cannot end the quoting
        ([], None),  # nothing to match is not "match everything"
    ],
)
def test_match_expressions_quote_every_word(given_words: list[str], expected: str | None) -> None:
    assert match_expression(given_words) == expected


def test_longer_words_also_match_as_beginnings_unless_they_stand_alone() -> None:
    assert match_expression(["url", "slug"], prefixes=True) == '"url" OR "slug" OR "slug"*'
    assert match_expression(["slug"], prefixes=True) == '"slug"'


@given(st.text())
def test_words_are_lower_case_and_bounded_for_any_text(text: str) -> None:
    for word in words(text):
        assert word
        assert len(word) <= MAX_WORD or not word.isascii()
        assert not word.isspace()
