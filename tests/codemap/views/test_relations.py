"""Callers, callees, dependents, dependencies: by line, with guesses apart."""

import pytest

from tests.codemap.views.sketch import sketch, told
from zerikai_memory.codemap.views.answer import view_parts
from zerikai_memory.errors import InputError
from zerikai_memory.model_views import ProjectTexts, ViewRequest

SHOP = """
shop/orders.py
  3-9 function total
  11-30 class Order
  12-14 method Order.__init__
  16-20 method Order.save
  2 - import> money/price.py:price
  5 total call> money/price.py:price
  7 total call> money/price.py:price
  13 Order.__init__ call> money/price.py:price
  17 Order.save call> shop/orders.py:total
  18 Order.save call? log
  19 Order.save call! json.dumps
money/price.py
  1-5 function price
  3 price call> money/price.py:price
money/audit.py
  1-9 function log
  20-29 function audit
  22 audit call~ shop/orders.py:Order
  23 audit call? save
tools/log.py
  1-5 function log
tests/test_orders.py
  1-5 function test_order
  1 - import> shop/orders.py:Order
  2 test_order call> shop/orders.py:Order
"""


def view(name, target, **more):
    return view_parts(sketch(SHOP), name, ViewRequest(target, **more), ProjectTexts())


@pytest.mark.parametrize(
    ("name", "target", "title", "rows"),
    [
        ("callers", "price", "callers", {"total": (5, 7), "Order.__init__": (13,)}),  # its recursion is no caller
        ("callers", "total", "callers", {"Order.save": (17,)}),
        ("callers", "Order", "callers", {"audit": (22,), "test_order": (2,)}),  # product before tests
        ("callers", "Order.__init__", "callers", {"audit": (22,), "test_order": (2,)}),  # calling the class runs it
        ("callers", "Order.save", "callers", {}),
        ("callers", "Order.save", "callers by name only", {"audit": (23,)}),
        ("callees", "Order.save", "callees", {"total": (17,)}),
        ("callees", "Order.save", "callees by name only", {"log": (18,)}),
        ("callees", "Order.save", "outside the project", {"json.dumps": (19,)}),
        ("callees", "shop/orders.py", "callees", {"price": (5, 7, 13)}),
        ("callees", "audit", "callees", {"Order": (22,)}),
        (
            "dependents",
            "money/price.py",
            "dependents",
            {"shop/orders.py": (2,), "total": (5, 7), "Order.__init__": (13,)},
        ),
        ("dependents", "shop", "dependents", {"audit": (22,), "test_order": (2,), "tests/test_orders.py": (1,)}),
        ("dependencies", "tests/test_orders.py", "dependencies", {"Order": (1, 2)}),
    ],
)
def test_a_relation_lists_who_and_on_which_lines(name, target, title, rows):
    assert told(view(name, target), title) == rows


def test_more_depth_follows_sure_edges_and_says_through_what():
    (part,) = view("callers", "price", depth=3)
    rows = {row.name: row for row in part.rows}
    assert list(rows) == ["total", "Order.__init__", "Order.save", "audit", "test_order"]
    assert [row.depth for row in part.rows] == [1, 1, 2, 2, 2]
    assert rows["Order.save"].via == rows["total"].entity_id
    assert rows["total"].via == ""


def test_a_way_is_as_sure_as_its_weakest_edge():
    (part,) = view("callers", "price", depth=3)
    assert {row.name: row.evidence for row in part.rows} == {
        "total": "resolved",
        "Order.__init__": "resolved",
        "Order.save": "resolved",
        "audit": "imported-name",
        "test_order": "resolved",
    }


def test_guesses_are_marked_and_never_among_the_facts():
    sure, guessed = view("callers", "Order.save")
    assert (sure.guesses, guessed.guesses) == (False, True)
    assert {row.evidence for row in guessed.rows} == {"same-name"}


def test_a_callee_is_cited_where_it_is_defined_and_where_it_is_called():
    (row,) = view("callees", "Order.save")[0].rows
    assert (row.file_path, row.start_line, row.site_path, row.lines) == ("shop/orders.py", 3, "shop/orders.py", (17,))


def test_things_of_one_name_are_each_answered_apart():
    parts = view("callers", "log")
    assert [part.subject.file_path for part in parts if not part.guesses] == ["money/audit.py", "tools/log.py"]


@pytest.mark.parametrize(
    ("view_name", "target", "said"),
    [
        ("callers", "pricee", "near names: price"),
        ("callers", "shop/order.py", "near names: shop/orders.py"),
        ("callers", "Order.sav", "near names: Order.save"),
        ("callers", "qqqqqq", "query_memory finds code"),
        ("callers", "", "needs one"),
        ("callers", "  ", "needs one"),
        ("callers", "``", "is empty"),
        ("nothing", "price", "is none of profile, overview"),
        ("profile", "price", "about the whole project"),
        ("path", "price", '"A -> B"'),
        ("path", "price -> ", '"A -> B"'),
        ("unused", "price", "a folder or a file"),
    ],
)
def test_a_wrong_question_says_what_is_right(view_name, target, said):
    with pytest.raises(InputError, match=said.replace('"', '"')):
        view(view_name, target)


@pytest.mark.parametrize("depth", [0, -1, 21])
def test_depth_has_bounds(depth):
    with pytest.raises(InputError, match="depth"):
        view("callers", "price", depth=depth)


def test_members_given_to_a_function_are_no_part_of_it():
    text = """
lib/helper.js
  2-5 function helper
  3-4 function helper.inner
  6-8 function helper.help
  3 helper call> lib/helper.js:helper.help
  4 helper call> lib/helper.js:helper.inner
"""
    (part,) = view_parts(sketch(text), "callees", ViewRequest("lib/helper.js:2"), None)
    assert told([part], "callees") == {"helper.help": (3,)}
