import pytest

from zerikai_memory.lang.extract import extract
from zerikai_memory.retrieve.cite import Cited
from zerikai_memory.retrieve.digest import Wanted, digest

SOURCE = '''class Cart:
    """What a customer is about to buy."""

    def total(self, rate):
        """Sum of all prices, with tax."""
        net = 0
        for item in self.items:
            net += item.price
        for code in self.vouchers:
            net -= self.worth(code)
        log("total")
        return net * (1 + rate)

    def worth(self, code):
        return self.table[code]
'''


def cited(name: str) -> Cited:
    entity = next(e for e in extract(SOURCE.encode(), "cart.py").entities if e.name == name)
    return Cited(entity, "fresh", tuple(SOURCE.split("\n")[entity.start_line - 1 : entity.end_line]))


def test_only_lines_that_hold_words_of_the_question_are_shown_of_a_body() -> None:
    (text,) = digest([Wanted(cited("total"))], ["vouchers"], 1000)
    assert text.split("\n") == [
        "def total(self, rate)",
        "Sum of all prices, with tax.",
        "...",
        "    for code in self.vouchers:",
        "...",
    ]


def test_what_says_nothing_of_itself_shows_its_opening() -> None:
    (text,) = digest([Wanted(cited("worth"))], ["price"], 1000)
    assert text == "def worth(self, code)\n    return self.table[code]"


def test_the_line_that_was_asked_for_is_shown_with_what_is_around_it() -> None:
    (text,) = digest([Wanted(cited("total"), line=10)], [], 1000)
    assert "net -= self.worth(code)" in text
    assert "net = 0" not in text


def test_others_of_the_same_file_are_one_line_each() -> None:
    texts = digest([Wanted(cited("Cart")), Wanted(cited("total")), Wanted(cited("worth"))], ["price"], 2000)
    assert texts[1:] == ["def total(self, rate)", "def worth(self, code)"]


@pytest.mark.parametrize("room", [0, 10, 40, 80, 150, 300])
def test_all_texts_together_fit_into_the_room(room: int) -> None:
    items = [Wanted(cited(name)) for name in ("Cart", "total", "worth")]
    assert sum(map(len, digest(items, ["price", "vouchers"], room))) <= room
