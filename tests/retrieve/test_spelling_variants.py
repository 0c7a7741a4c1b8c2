"""British and American spellings: each finds code that has the other."""

from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.retrieve.query import understand
from zerikai_memory.retrieve.spelling_variants import as_the_project_spells, other_spelling

PAIRS = """
authorise authorize / organised organized / initialising initializing / serialisation serialization /
tokenisers tokenizers / recognisable recognizable / analyse analyze / paralysed paralyzed / colour color /
colourful colorful / behaviours behaviors / neighbouring neighboring / favourite favorite / centre center /
centred centered / fibres fibers / catalogue catalog / dialogues dialogs / defence defense / licence license /
cancelled canceled / labelling labeling / travellers travelers / modelled modeled / initialled initialed /
grey gray / programme program / enrolment enrollment / artefacts artifacts / judgement judgment
"""


@pytest.mark.parametrize("pair", [line.split() for line in PAIRS.split("/")], ids=lambda pair: pair[0])
def test_either_spelling_gives_the_other(pair: list[str]) -> None:
    british, american = pair
    assert other_spelling(british) == american
    assert other_spelling(american) == british


@pytest.mark.parametrize(
    "word",
    "four for hour your our tour pour advertise advise exercise size prize wise rise raise promise precise revise"
    " supervised surprising resize resized capsize otherwise enterprise expertise compromise genre user other there"
    " calls called filled installed rolling pulled spelling selling smaller parallel error author editor vector acre"
    " sentence reference sequence existing visible issues list basis".split(),
)
def test_words_that_are_spelt_alike_everywhere_have_no_other_spelling(word: str) -> None:
    assert other_spelling(word) is None


AMERICAN = {
    "code.py": '''"""Headers and requests."""


def normalizeHeader(name):
    """Bring the name of a header to one form."""
    return name


def authorize_user(user):
    """Let a user in who has the permission."""
    return user


def cancel_all(requests):
    """Requests that are canceled give a color to the console."""
    return requests
''',
}
BRITISH = {
    "code.py": '''"""Colours and queues."""


def serialise_queue(queue):
    """Write a queue down for a later start."""
    return queue


class ColourPicker:
    """Picks a colour near the centre of the wheel."""
''',
}


@pytest.mark.parametrize(
    ("code", "question", "name"),
    [
        (AMERICAN, "normalise the header", "normalizeHeader"),
        (AMERICAN, "normaliseHeader", "normalizeHeader"),  # a name that the project spells the other way
        (AMERICAN, "authorise a user", "authorize_user"),
        (AMERICAN, "authorise_user", "authorize_user"),
        (AMERICAN, "cancelled requests", "cancel_all"),
        (AMERICAN, "which colour has the console", "cancel_all"),
        (BRITISH, "serialize a queue", "serialise_queue"),
        (BRITISH, "color picker", "ColourPicker"),
        (BRITISH, "center of the wheel", "ColourPicker"),
    ],
)
def test_a_question_in_one_spelling_finds_code_in_the_other(
    code: dict[str, str], question: str, name: str, memory: Memory, workspace: Path
) -> None:
    for path, text in code.items():
        (workspace / path).write_text(text)
    memory.scan(str(workspace))
    answer = memory.query(question, str(workspace))
    assert not answer.nothing_relevant
    assert answer.results[0].name == name
    assert not answer.warnings  # neither is a mistake


def test_the_spelling_that_the_project_has_more_of_is_asked_and_the_other_one_looked_up_as_well() -> None:
    asked = as_the_project_spells(understand("where is the colour set"), lambda words: {"color": 9, "colour": 2})
    assert asked.terms == ("color", "set")
    assert {"color", "colour"} <= set(asked.words)
    assert asked.plain == "where is the color set"


@pytest.mark.parametrize("question", ['"normalise the header"', "see `normalise`", "src/normalise.py"])
def test_quoted_texts_and_paths_stay_as_they_are_written(question: str) -> None:
    query = understand(question)
    assert as_the_project_spells(query, lambda words: dict.fromkeys(words, 0) | {"normalize": 5}) is query


def test_a_name_that_the_project_has_stays_as_it_is_written() -> None:
    query = understand("initialiseColour")
    held = {"initialise": 1, "initialize": 5, "colour": 1, "color": 5}
    assert as_the_project_spells(query, lambda words: held).identifiers == ("initialiseColour",)
