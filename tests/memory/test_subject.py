"""`ledger --entity`: records are found by everything that an anchor may be given as."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError
from zerikai_memory.memory.subject import places_meant
from zerikai_memory.settings import Settings

BAKERY = "class Bakery:\n    def bake(self):\n        return 1\n\n    def sell(self):\n        return 2\n\n\n"
BAKERY += "def close():\n    pass\n"


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    folder = tmp_path_factory.mktemp("subject").resolve()
    (folder / "shop" / "src").mkdir(parents=True)
    (folder / "shop" / "src" / "bakery.py").write_text(BAKERY)
    (folder / "shop" / "src" / "plain.py").write_text("def plain():\n    return 0\n")
    memory = Memory(Settings(home=folder / "brain", vector_store="exact", workspace=str(folder / "shop")), cwd=folder)
    memory.scan()
    memory.save("About the file", anchors=["bakery.py"])
    memory.save("About the class", anchors=["Bakery"])
    memory.save("About baking", anchors=["Bakery.bake"])
    memory.save("About closing", anchors=["close"])
    yield memory
    memory.close()


@pytest.mark.parametrize(
    ("entity", "found"),
    [
        ("bakery.py:3", {"About baking", "About the class"}),  # a line means what is around it, too
        ("src/bakery.py:10", {"About closing"}),
        ("{root}/src/bakery.py:3", {"About baking", "About the class"}),
        (r"C:\old\shop\src\bakery.py:10", {"About closing"}),
        ("bakery.py", {"About the file", "About the class", "About baking", "About closing"}),
        ("Bakery", {"About the class", "About baking"}),
        ("bake", {"About baking"}),
        ("bake()", {"About baking"}),
        ("Bakery.bake #src/bakery.py:2 (0.84)", {"About baking"}),
        ("bakery.py::close", {"About closing"}),
        ("src.bakery.close", {"About closing"}),
        ("plain", set()),  # code that no record is about
        ("plain.py:1", set()),
        ("Bakery.sell", set()),
    ],
)
def test_records_about_code_are_found_however_it_is_named(memory: Memory, entity: str, found: set[str]):
    records = memory.records()
    text = entity.format(root=records.target.path) if "{root}" in entity else entity
    assert {note.content for note in records.listed(None, 9, entity=text)} == found


@pytest.mark.parametrize(
    ("entity", "message"),
    [
        ("bakry.py:3", "near names: src/bakery.py"),
        ("bakey", r"near names: .*Bakery"),
        ("zzzzzz", r"'zzzzzz' is no code of the index and no anchor of a record$"),
        (" ", "empty text"),
    ],
)
def test_code_that_is_not_known_is_an_error_with_near_names(memory: Memory, entity: str, message: str):
    with pytest.raises(InputError, match=message):
        memory.records().listed(None, 9, entity=entity)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("login", [("auth/session.py", "Session.login")]),
        ("Session", [("auth/session.py", "Session.login")]),
        ("session.py", [("auth/session.py", "Session.login")]),
        ("login #auth/session.py:7", [("auth/session.py", "Session.login")]),
    ],
)
def test_without_an_index_names_decide(text: str, meant: list[tuple[str, str]]):
    kept = [("auth/session.py", "Session.login"), ("other.py", "login_page")]
    assert places_meant(text, kept, None, "/work/shop") == meant


def test_code_that_has_moved_or_gone_since_is_still_the_subject(memory: Memory):
    root = Path(memory.records().target.path)
    (root / "src" / "late.py").write_text("def late():\n    return 1\n")
    memory.scan()
    memory.save("About lateness", anchors=["late"])
    (root / "src" / "late.py").rename(root / "src" / "later.py")
    memory.scan()
    assert [note.content for note in memory.records().listed(None, 9, entity="later.py:1")] == ["About lateness"]
    (root / "src" / "late.py").write_text("def other():\n    return 1\n")
    memory.scan()
    assert [note.content for note in memory.records().listed(None, 9, entity="later.py:1")] == ["About lateness"]
    (root / "src" / "late.py").unlink()
    (root / "src" / "later.py").unlink()
    memory.scan()
    assert [note.content for note in memory.records().listed(None, 9, entity="late")] == ["About lateness"]
    assert [note.anchors[0].state for note in memory.records().listed(None, 9, entity="src/late.py")] == ["gone"]


def test_a_category_is_asked_for_in_any_case_and_number_and_an_unknown_one_is_named(memory: Memory):
    note = memory.save("Close at six", category="Decisions")
    assert note.category == "decision"
    assert memory.records().listed("DECISIONS", 9) == memory.records().listed("decision", 9) == (note,)
    assert memory.records().listed("fixes", 9) == ()
    assert memory.records().asked("when do we close", "Decision", 9) == (note,)
    with pytest.raises(InputError, match="no record is a 'recipe'; known are fact, decision"):
        memory.records().listed("recipe", 9)
    with pytest.raises(InputError, match="no record is a 'recipe'"):
        memory.records().asked("bread", "recipe", 9)
