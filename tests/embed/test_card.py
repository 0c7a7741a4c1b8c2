"""What of an entity or a file is embedded."""

import pytest

from zerikai_memory.embed.card import entity_card, file_card, split_words
from zerikai_memory.model import CodeEntity, EntityType


def entity(kind, name, signature="", docstring=None, path="src/http/client.py"):
    return CodeEntity("id", name.split(".")[-1], name, kind, "python", path, 1, 2, signature, docstring)


@pytest.mark.parametrize(
    ("identifier", "words"),
    [
        ("snake_case.__init__", "snake case init"),
        ("parseHTTPResponse2", "parse HTTP Response 2"),
        ("src/http-client/v2", "src http client v 2"),
        ("größe_ändern", "größe ändern"),  # other alphabets stay words for whoever reads the text
        ("", ""),
        ("___", ""),
    ],
)
def test_identifiers_are_split_into_words(identifier, words):
    assert split_words(identifier) == words


def test_a_function_card_is_title_signature_docstring_and_no_body():
    card = entity_card(entity(EntityType.METHOD, "Client.sendAll", "def sendAll(self, urls)", "Send.\n\nMore."), "BODY")
    assert card == "src http client method Client send All\ndef sendAll(self, urls)\nSend.\n\nMore."


@pytest.mark.parametrize("kind", [EntityType.MODULE, EntityType.CONSTANT])
def test_modules_and_constants_bring_the_start_of_their_code(kind):
    card = entity_card(entity(kind, "LIMIT", "LIMIT = 5"), "c" * 1000)
    assert card.endswith("\n" + "c" * 400)
    assert "c" * 401 not in card


def test_long_docstrings_are_cut():
    card = entity_card(entity(EntityType.FUNCTION, "f", "def f()", "d" * 1000), "")
    assert card.endswith("\n" + "d" * 500)


def test_an_entity_without_a_name_of_its_own_has_path_and_kind_as_title():
    assert entity_card(entity(EntityType.MODULE, "", path="a/my_mod.test.ts"), "") == "a my mod test module"


def test_a_file_card_is_path_docstring_what_members_say_and_names():
    said = ["Sends a request.\n\nRetries twice.", "Every header at once. Never cached."]
    assert file_card("src/http_client.py", "Talks HTTP.", ["Client", "Client.get_all"], said) == (
        "src http client\nTalks HTTP.\nSends a request. Every header at once.\nClient Client get all"
    )


def test_of_very_many_docstrings_the_first_ones_are_in_a_file_card_and_its_names_still_are():
    card = file_card("a.py", None, ["run"], (f"Sentence {i} of a file that talks." for i in range(100_000)))
    assert len(card) < 700
    assert card.startswith("a\nSentence 0 of")
    assert card.endswith("\nrun")


def test_a_docstring_without_an_end_of_a_sentence_is_cut():
    assert file_card("a.py", None, [], ["x" * 1000]) == "a\n" + "x" * 200


@pytest.mark.parametrize(
    "header", ["Copyright 2020 Somebody", "Licence: MIT", "@license MIT", "SPDX-License-Identifier: MIT"]
)
def test_licence_headers_say_nothing_about_a_file(header):
    assert file_card("a.js", header, ["run"], []) == "a\nrun"


def test_a_licence_word_far_below_does_not_empty_the_card():
    assert "x" * 600 in file_card("a.py", "x" * 700 + " license", [], [])


def test_file_names_without_extension_keep_their_words():
    assert file_card("docker/Dockerfile", None, [], []) == "docker Dockerfile"
    assert file_card(".env.example", None, [], []) == "env"


def test_a_file_of_very_many_names_is_cut():
    assert len(file_card("a.py", None, (f"name_{i}" for i in range(100_000)), [])) < 9_000
