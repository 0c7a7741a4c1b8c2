"""A file that is broken keeps the records of what is still in it."""

from __future__ import annotations

import pytest

from zerikai_memory.lang.extract import extract
from zerikai_memory.scan.last_good import with_last_good

GOOD = '''\
class Shop:
    """Sells."""

    @cached
    def price(self):
        return 1

    def close(self):
        return 2


def after():
    return Shop().price()
'''


def names(source: str, previous: str = GOOD, path: str = "a.py") -> dict[str, tuple[int, int]]:
    before = extract(previous.encode(), path)
    now = with_last_good(extract(source.encode(), path), before.entities, source.encode())
    assert set(now.bodies) == {entity.id for entity in now.entities}
    assert {reference.from_entity for reference in now.references} <= set(now.bodies)
    return {e.qualified_name: (e.start_line, e.end_line) for e in now.entities[1:]}


ALL = {"Shop": (1, 9), "Shop.price": (5, 6), "Shop.close": (8, 9), "after": (12, 13)}


@pytest.mark.parametrize(
    "damage",
    [
        ('"""Sells."""', '"""Sells.'),  # swallows the rest of the file
        ("class Shop:", "class Shop"),  # the methods seem to be functions
        ("return 1", "return (1"),
        ("def price(self):", "def price(self:"),
    ],
)
def test_damage_in_one_place_loses_no_definition_and_moves_no_line(damage: tuple[str, str]) -> None:
    source = GOOD.replace(*damage)
    assert extract(source.encode(), "a.py").partial
    found = names(source)
    assert found.keys() == ALL.keys()
    assert {name: start for name, (start, _) in found.items()} == {name: start for name, (start, _) in ALL.items()}


def test_kept_records_have_the_lines_of_today() -> None:
    source = "import x\n\n" + GOOD.replace('"""Sells."""', '"""Sells.')
    assert names(source)["Shop.close"] == (10, 11)
    assert names(source)["after"] == (14, 15)


def test_what_has_gone_from_the_text_is_not_kept() -> None:
    source = GOOD.replace("    def close(self):\n        return 2\n", "").replace('"""Sells."""', '"""Sells.')
    assert "Shop.close" not in names(source)
    renamed = GOOD.replace("def close", "def shut").replace("return 1", "return (1")
    assert "Shop.close" not in names(renamed)


def test_a_file_that_parses_keeps_nothing() -> None:
    assert names("def other(): pass\n") == {"other": (1, 1)}


def test_two_of_the_same_name_keep_their_own_lines() -> None:
    good = "if a:\n    def f(): return 1\nelse:\n    def f(): return 2\n"
    source = good.replace("if a:", 'if a: """')
    before = extract(good.encode(), "a.py")
    now = with_last_good(extract(source.encode(), "a.py"), before.entities, source.encode())
    assert [e.start_line for e in now.entities[1:]] == [2, 4]


def test_a_second_broken_scan_keeps_them_too() -> None:
    source = GOOD.replace('"""Sells."""', '"""Sells.').encode()
    first = with_last_good(extract(source, "a.py"), extract(GOOD.encode(), "a.py").entities, source)
    second = with_last_good(extract(source, "a.py"), first.entities, source)
    assert second.entities == first.entities
    assert second.partial
