import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zerikai_memory.retrieve.query import MAX_WORDS, PathMention, understand


@pytest.mark.parametrize(
    ("question", "identifiers"),
    [
        ("getUserById", ("getUserById",)),
        ("where is get_user_by_id called", ("get_user_by_id",)),
        ("how does QuerySet.bulk_create work?", ("QuerySet.bulk_create",)),
        ("std::vector", ("std.vector",)),
        ("parse", ("parse",)),  # alone: the name of something
        ("where is parse?", ("parse",)),  # alone but for function words
        ("parse the header", ()),  # plain words
        ("`render` the page", ("render",)),  # quoted as code
        ("run mod_07/task.py", ("run",)),  # beside a path
        ("what is __init__ for", ("__init__",)),
    ],
)
def test_identifiers_are_names_written_as_code(question: str, identifiers: tuple[str, ...]) -> None:
    assert understand(question).identifiers == identifiers


@pytest.mark.parametrize(
    ("question", "mention"),
    [
        ("src/app/main.py", PathMention("src/app/main.py", None)),
        ("what is at main.py:42 ?", PathMention("main.py", 42)),
        ("./lib/view.js", PathMention("lib/view.js", None)),
        (r"src\app\main.py:7", PathMention("src/app/main.py", 7)),
        ("routes under app/[id]/page.tsx", PathMention("app/[id]/page.tsx", None)),
        ("main.py:42:7", PathMention("main.py", 42)),
        ("main.py:42-60", PathMention("main.py", 42)),
        ("https://example.org/o/r/blob/main/src/a.ts#L10-L20", PathMention("example.org/o/r/blob/main/src/a.ts", 10)),
        ("what does main.py line 42 do", PathMention("main.py", 42)),
    ],
)
def test_paths_and_lines_are_seen(question: str, mention: PathMention) -> None:
    assert mention in understand(question).paths


def test_stop_words_are_dropped_unless_there_is_nothing_else() -> None:
    assert understand("how is the header parsed").words == ("header", "parsed")
    assert understand("how to be").words == ("how", "to", "be")


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ('find "refresh the token" please', ("refresh the token",)),
        ('"timeout" and “retry later”', ("timeout", "retry later")),
        ("`refresh the token`", ()),  # code, not a quotation
        ('an "unclosed quote', ()),
        ('5" and 6" pipes', ()),  # inches
        ('" "', ()),  # nothing to find
        ('Traceback (most recent call last):\n  File "/app/x.py", line 3, in f\nKeyError: "a b"', ()),
    ],
)
def test_quoted_phrases_are_what_must_occur(question: str, phrases: tuple[str, ...]) -> None:
    assert understand(question).phrases == phrases


@given(st.text(max_size=300))
def test_any_text_is_understood_without_an_error(question: str) -> None:
    query = understand(question)
    assert len(query.words) <= MAX_WORDS
    assert "\0" not in query.text


@pytest.mark.parametrize(
    "piece", ["x", "a.b", "/a", "_", "a-", ".", "a:", "@", '"a ', "`", "a.py:1 ", "at a (", "[", "#a"]
)
def test_endless_words_are_taken_apart_in_no_time(piece: str) -> None:
    started = time.process_time()
    understand(piece * 8_000)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("question", "identifiers"),
    [
        ("foo*", ("foo",)),
        ("-foo", ("foo",)),
        ("^foo", ("foo",)),
        ("foo:", ("foo",)),
        ("**foo**", ("foo",)),
        ("foo();", ("foo",)),
        ("`foo`?", ("foo",)),
        ("NEAR(foo)", ("foo",)),
        ("NEAR/3(foo)", ("foo",)),
        ('"NEAR(foo, 5)"', ("foo",)),
        ("NOT foo", ("foo",)),
        ("foo OR", ("foo",)),
        ("(get_user AND setUser)", ("get_user", "setUser")),
        ("Store->getUser", ("Store.getUser",)),
        ("store?.getUser()", ("store.getUser",)),
        ("_private", ("_private",)),
        ("__init__", ("__init__",)),
    ],
)
def test_operators_and_signs_around_a_name_do_not_hide_it(question: str, identifiers: tuple[str, ...]) -> None:
    query = understand(question)
    assert query.identifiers == identifiers
    assert not query.phrases or query.phrases == identifiers


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("retries AND timeouts", ("retries", "timeouts")),
        ("AND", ("and",)),  # nothing else is asked
        ("SELECT NEAR", ("select", "near")),  # all of it is in capitals
        ("who handles NOT_FOUND", ("handles", "not", "found", "notfound")),  # part of a name
    ],
)
def test_operators_in_capitals_are_no_words(question: str, words: tuple[str, ...]) -> None:
    assert understand(question).words == words


@pytest.mark.parametrize(
    ("question", "alone"),
    [("getUser(1)", True), ("getUser[0]", True), ("getUser(cart)", False), ("getUser setUser", False)],
)
def test_a_name_with_a_number_is_still_alone(question: str, alone: bool) -> None:
    assert understand(question).name_alone is alone


def test_the_key_of_a_filter_that_was_not_read_is_no_word() -> None:
    assert [understand(text).words for text in ("users lang:", "lang: klingon users", "lang:")] == [
        ("users",),
        ("klingon", "users"),
        (),
    ]
