"""The part of a message that a hit shows: it holds what matched, marked, and stays short."""

import pytest

from zerikai_memory.sessions.snippets import MOST_MARKS, SNIPPET_CHARS, snippet
from zerikai_memory.store.stemmer import Stemmer
from zerikai_memory.store.words import word_places, words

FAR = "Nothing of interest is said in this long sentence of plain words. " * 40
IDS = "order_id user_id cart_id item_id shop_id price_id name_id " * 60
STEMS = Stemmer().stems


def shown(text: str, asked: str) -> str:
    return snippet(text, list(words(asked)), STEMS).text


@pytest.mark.parametrize(
    ("text", "asked", "marked"),
    [
        ("we parsed it", "parsing", "**parsed**"),
        (FAR + "at the very end: wolverine", "wolverine", "**wolverine**"),
        ("wolverine " + FAR, "wolverine", "**wolverine**"),
        (FAR + "Wolverines. " + FAR, "wolverine", "**Wolverines**"),
        (IDS + "we chose the tenant_id as key " + IDS, "tenant id key", "the **tenant_id** as **key**"),
        (IDS + "we chose it " + IDS, "why was order_id chosen? we chose", "**chose**"),
        ("x" * 900 + " wolverine " + "y" * 900, "wolverine", "**wolverine**"),
        ("a/" * 400 + "wolverine" + "/b" * 400, "wolverine", "**wolverine**"),
        ("getWolverineOf" + "Something" * 60, "wolverine", "get**Wolverine**Of"),
        (FAR + "the sessionId is", "sessionid", "**sessionId**"),
        (FAR + "session_id is", "sessionid", "**session_id**"),
        (FAR + "the cliché and the café", "cafe", "**café**"),
        (FAR + "STRASSE und Straße", "straße", "**Straße**"),
        ("没有什么。" * 100 + "我们改了设置文件的位置", "设置文件", "**设置文件**"),
        ("没有什么" * 200 + "设置文件" + "没有什么" * 200, "设置文件", "**设置文件**"),
        ("東京都の天気" * 80 + "認証サーバー", "認証サーバー", "**認証サーバー**"),
        ("generalization " * 3 + FAR + "universal", "universe universal", "**universal**"),
        ("as PBKDF2 is slow, argon2 was tried", "why PBKDF2", "as **PBKDF2** is slow, argon2"),
        ("step 2", "2", "step **2**"),
        (FAR + "organizations", "organizing", "**organizations**"),  # endings that only the index's stemmer joins
        (FAR + "v2.13.4", "13", "**13**"),
        ("İstanbul " * 50 + "wolverine", "wolverine", "**wolverine**"),  # its lower case is longer
    ],
)
def test_the_match_is_in_the_snippet_and_marked(text: str, asked: str, marked: str):
    found = shown(text, asked)
    assert marked in found
    assert len(found) <= SNIPPET_CHARS + 8


@pytest.mark.parametrize("where", range(0, 2_700, 90))
def test_the_match_is_shown_wherever_it_stands(where: int):
    text = (FAR[:where] + " wolverine " + FAR[where:]).strip()
    found = shown(text, "wolverine")
    assert "**wolverine**" in found
    assert len(found) <= SNIPPET_CHARS + 8


def test_of_many_matches_each_word_is_marked_before_any_twice():
    found = shown("cache " * 20 + "wolverine", "cache wolverine")
    assert found.count("**") == 2 * MOST_MARKS
    assert found.endswith("**wolverine**")


def test_a_short_message_is_shown_whole():
    assert shown("Because floats\n\nround.", "floats") == "Because **floats** round."
    assert shown("nothing matches", "wolverine") == "nothing matches"


def test_it_is_cut_between_words():
    found = shown(FAR + "wolverine " + FAR, "wolverine")
    assert set(found.replace("**", "").replace(".", "").split()) <= {*FAR.replace(".", "").split(), "wolverine"}


@pytest.mark.parametrize("text", ["getHTTPHeader of get_http_header", "设置文件 x", "naïve_Plan9 ok", "a_b", "x" * 80])
def test_places_of_words_are_those_of_the_words(text: str):
    placed = list(word_places(text))
    assert [word for word, _, _ in placed] == list(words(text))
    assert all(text[start:end].lower().replace("_", "") == word for word, start, end in placed)
