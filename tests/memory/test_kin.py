"""Words that mean nearly the same, for recall of records."""

from __future__ import annotations

import pytest

from zerikai_memory.memory.kin import kin_of, kin_words
from zerikai_memory.retrieve.names import stem


@pytest.mark.parametrize(
    ("asked", "said", "kin"),
    [
        ("database", "sqlite", True),
        ("databases", "postgresql", True),  # any form of a word
        ("sqlite", "database", True),
        ("sqlite", "postgresql", False),  # two databases are not the same
        ("authenticate", "login", True),
        ("rollback", "restore", True),
        ("retention", "pruned", True),
        ("coffee", "tea", False),
        ("", "", False),
    ],
)
def test_kin_is_told_by_the_list_in_any_form_and_both_ways(asked: str, said: str, kin: bool):
    assert (stem(said) in kin_of(asked)) is kin
    assert (stem(asked) in kin_of(said)) is kin


def test_kin_words_are_spelled_as_they_are_listed_once_and_never_the_word_itself():
    found = kin_words(["database", "db"])
    assert {"sqlite", "postgres", "datastore"} <= set(found)
    assert len(set(found)) == len(found)
    assert "database" not in kin_words(["database"])
    assert kin_words(["coffee"]) == ()
