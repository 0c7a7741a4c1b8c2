"""What a change touches and which tests run it: through helpers, fixtures, base classes; guesses off."""

import pytest

from tests.codemap.views.sketch import sketch, told
from zerikai_memory.codemap.views.answer import view_parts
from zerikai_memory.model_views import ProjectTexts, ViewRequest

BANK = """
bank/rates.py
  1-5 function rate
bank/accounts.py
  1-30 class Account
  3-6 method Account.interest
  8-12 method Account.close
  40-60 class Savings
  42-45 method Savings.interest
  2 - import> bank/rates.py:rate
  40 Savings inherit> bank/accounts.py:Account
  5 Account.interest call> bank/rates.py:rate
  9 Account.close call> bank/accounts.py:Account.interest
  43 Savings.interest call> bank/accounts.py:Account.interest
bank/report.py
  1-20 function monthly
  1 - import> bank/accounts.py:Account
  7 monthly call~ bank/accounts.py:Account.close
  9 monthly call? helper
bank/cli.py
  3-9 command report @app.command("report")
  2 - import> bank/report.py:monthly
  5 report call> bank/report.py:monthly
bank/other.py
  1-4 function helper
  1 - import> bank/report.py
tests/conftest.py
  3-6 function account @pytest.fixture
  4 account call> bank/accounts.py:Account.close
tests/helpers.py
  1-9 function open_account
  3 open_account call> bank/accounts.py:Account.close
tests/test_accounts.py
  1-5 function test_close (account)
  7-9 function test_open
  11-30 class TestSetUp
  12-14 method TestSetUp.setUp
  16-18 method TestSetUp.test_nothing
  8 test_open call> tests/helpers.py:open_account
  13 TestSetUp.setUp call> bank/accounts.py:Account.close
tests/test_cli.py
  1-9 function test_report
  1 - import> bank/cli.py:report
tests/test_rates.py
  1-9 function test_rate
  2 - import> bank/rates.py:rate
  4 test_rate call> bank/rates.py:rate
tests/test_other.py
  1-9 function test_unrelated
  2 - import> bank/other.py
  5 test_unrelated call? helper
web/total.test.js
  2 - call> bank/rates.py:rate
"""


def view(name, target, **more):
    return view_parts(sketch(BANK), name, ViewRequest(target, **more), ProjectTexts())


def test_impact_goes_through_calls_to_the_end_and_through_imports_one_step():
    rows = told(view("impact", "rate"), "impact")
    assert rows == {
        "bank/accounts.py": (2,),
        "Account.interest": (5,),
        "Account.close": (9,),
        "Savings.interest": (43,),
        "monthly": (7,),
        "report": (5,),
    }


def test_facts_come_before_what_is_likely():
    (part,) = [part for part in view("impact", "rate") if part.title == "impact"]
    assert [row.evidence for row in part.rows] == ["resolved"] * 4 + ["imported-name"] * 2


def test_tests_are_found_through_helpers_fixtures_set_ups_and_imports():
    assert told(view("impact", "rate"), "tests to run") == {
        "test_rate": (4,),
        "web/total.test.js": (2,),
        "test_open": (8,),
        "TestSetUp": (13,),
        "test_close": (1,),
        "tests/test_cli.py": (1,),  # it only imports the command, as test runners of commands do
    }


def test_the_tests_to_run_are_also_a_list_of_files():
    (part,) = [part for part in view("impact", "Account.close") if part.title == "tests to run"]
    assert part.note == "run: tests/test_accounts.py tests/test_cli.py"


def test_a_change_of_an_override_reaches_the_callers_of_what_it_overrides_as_likely():
    (part,) = [part for part in view("impact", "Savings.interest") if part.title == "impact"]
    assert {row.name: row.evidence for row in part.rows}["Account.close"] == "imported-name"


def test_a_change_of_a_class_reaches_its_subclasses():
    assert "Savings" in told(view("impact", "Account"), "impact")


def test_guesses_are_counted_and_only_followed_when_asked_for():
    (part,) = [part for part in view("impact", "helper") if part.guesses]
    assert (part.rows, part.omitted) == ((), 2)
    assert "2 more use something of this name" in part.note
    assert told(view("impact", "helper", guesses=True), "impact by name only") == {
        "monthly": (9,),
        "test_unrelated": (5,),
        "report": (5,),
        "tests/test_cli.py": (1,),
    }


def test_depth_bounds_an_impact():
    assert set(told(view("impact", "rate", depth=1), "impact")) == {"bank/accounts.py", "Account.interest"}


@pytest.mark.parametrize(
    ("target", "title", "names"),
    [
        ("Account.close", "tests", {"test_open", "TestSetUp", "test_close", "tests/test_cli.py"}),
        ("helper", "tests by name only", {"test_unrelated"}),
        ("bank/other.py", "tests", {"tests/test_other.py"}),
        ("test_close", "tested code", {"Account.close"}),  # through its fixture
        ("test_open", "tested code", {"Account.close"}),  # through a helper of the tests
        ("test_unrelated", "tested code by name only", {"helper"}),
        ("tests/test_rates.py", "tested code", {"rate"}),
    ],
)
def test_tests_lead_to_code_and_code_to_tests(target, title, names):
    assert set(told(view("tests", target), title)) == names


def test_a_test_file_named_after_a_file_is_a_guess():
    table = sketch("a/prices.py\n  1-2 function x\ntests/test_prices.py\n  1-2 function test_it\n")
    sure, guessed = view_parts(table, "tests", ViewRequest("a/prices.py"), ProjectTexts())
    assert sure.rows == ()
    assert [(row.name, row.detail) for row in guessed.rows] == [("tests/test_prices.py", "named after a/prices.py")]


FIXTURES = """
tests/conftest.py
  1-2 function db @pytest.fixture
  4-5 function clean @pytest.fixture(autouse=True)
tests/unit/conftest.py
  1-2 function db @pytest.fixture(name="db")
tests/unit/test_a.py
  1-2 function test_own (db)
  4-5 function test_plain
tests/test_b.py
  1-2 function test_outer (db)
  4-5 function test_marked @pytest.mark.usefixtures("db")
other/test_c.py
  1-2 function test_elsewhere (db)
"""


@pytest.mark.parametrize(
    ("target", "users"),
    [
        ("tests/conftest.py:db", {"test_outer", "test_marked"}),
        ("tests/unit/conftest.py:db", {"test_own"}),
        ("clean", {"test_own", "test_plain", "test_outer", "test_marked"}),
    ],
)
def test_a_fixture_serves_the_tests_below_its_conftest_and_the_nearest_wins(target, users):
    parts = view_parts(sketch(FIXTURES), "impact", ViewRequest(target), ProjectTexts())
    assert set(told(parts, "tests to run")) == users


def test_a_test_client_of_the_product_is_no_test_to_run():
    text = """
web/app.py
  1-3 function handle
web/test/client.py
  1-9 class Client
  2-4 method Client.get
  3 Client.get call> web/app.py:handle
  1 - import> web/app.py:handle
web/test/testcases.py
  1-9 class WebTestCase
  2-4 method WebTestCase.get
  3 WebTestCase.get call> web/app.py:handle
tests/script.py
  3 - call> web/app.py:handle
tests/test_app.py
  1-3 function test_get
  2 test_get call> web/test/client.py:Client.get
"""
    parts = view_parts(sketch(text), "impact", ViewRequest("handle"), ProjectTexts(lambda: (), lambda names: []))
    named = {row.name for part in parts if "test" in part.title for row in part.rows}
    assert named == {"test_get", "tests/test_app.py", "tests/script.py"}
