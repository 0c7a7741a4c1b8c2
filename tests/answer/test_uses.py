"""Questions that the code map answers, told from those it does not, and the answers with their lines."""

import pytest

from zerikai_memory.answer.uses import use_question
from zerikai_memory.errors import InputError


@pytest.mark.parametrize(
    ("question", "view", "name"),
    [
        ("where is parse_config used?", "dependents", "parse_config"),
        ("Where is `parse_config` used in the codebase?", "dependents", "parse_config"),
        ("where do we use Store.save", "dependents", "Store.save"),
        ("who uses Store", "dependents", "Store"),
        ("who imports app/core.py?", "dependents", "app/core.py"),
        ("which files import utils.py", "dependents", "utils.py"),
        ("what depends on the class Store?", "dependents", "Store"),
        ("usages of parse_config", "dependents", "parse_config"),
        ("find all references to parse_config", "dependents", "parse_config"),
        ("who calls parse_config()", "callers", "parse_config()"),
        ("what calls parse_config?", "callers", "parse_config"),
        ("Which functions call parse_config?", "callers", "parse_config"),
        ("where is parse_config called from?", "callers", "parse_config"),
        ("callers of parse_config", "callers", "parse_config"),
        ("show me all the callers of the function parse_config", "callers", "parse_config"),
        ("what does parse_config call?", "callees", "parse_config"),
        ("what does app/core.py depend on", "dependencies", "app/core.py"),
        ("what breaks if I change parse_config?", "impact", "parse_config"),
        ("what would break if we renamed the method Store.save", "impact", "Store.save"),
        ("What happens when I remove parse_config?", "impact", "parse_config"),
        ("what is affected by changing parse_config", "impact", "parse_config"),
        ("impact of changing parse_config", "impact", "parse_config"),
        ("what does a change of parse_config break", "impact", "parse_config"),
        ("is parse_config used anywhere?", "dependents", "parse_config"),
        ("is the function parse_config still called", "callers", "parse_config"),
        ("tests for parse_config", "tests", "parse_config"),
        ("which tests cover parse_config?", "tests", "parse_config"),
        ("are there any tests for parse_config?", "tests", "parse_config"),
        ("how is parse_config tested?", "tests", "parse_config"),
        ("does anything use parse_config?", "dependents", "parse_config"),
        ("does anything still call parse_config?", "callers", "parse_config"),
        ("is there any code that calls parse_config", "callers", "parse_config"),
        ("is parse_config tested?", "tests", "parse_config"),
        ("does parse_config have any tests?", "tests", "parse_config"),
        ("where is Store instantiated?", "callers", "Store"),
        ("who instantiates Store", "callers", "Store"),
        # in other languages
        ("Wer ruft parse_config auf?", "callers", "parse_config"),
        ("wo wird die Funktion parse_config verwendet", "dependents", "parse_config"),
        ("qui appelle parse_config ?", "callers", "parse_config"),
        ("où est utilisée la classe Store ?", "dependents", "Store"),
        ("¿Quién llama a parse_config?", "callers", "parse_config"),
        ("quien usa Store", "dependents", "Store"),
        ("¿dónde se usa parse_config?", "dependents", "parse_config"),
        ("quem chama parse_config?", "callers", "parse_config"),
        ("chi chiama parse_config?", "callers", "parse_config"),
        ("wie roept parse_config aan?", "callers", "parse_config"),
        ("кто вызывает parse_config?", "callers", "parse_config"),
        ("谁调用 parse_config？", "callers", "parse_config"),
        ("谁调用了parse_config", "callers", "parse_config"),
        ("parse_config在哪里被使用？", "dependents", "parse_config"),
        ("誰が parse_config を呼び出していますか？", "callers", "parse_config"),
        ("누가 parse_config를 호출하나요?", "callers", "parse_config"),
    ],
)
def test_questions_about_uses_are_told_with_their_view_and_name(question, view, name):
    asked = use_question(question)
    assert asked is not None
    assert (asked.view, asked.name) == (view, name)


@pytest.mark.parametrize(
    ("question", "only"),
    [
        ("which classes inherit from Store?", "subclasses"),
        ("who subclasses Store", "subclasses"),
        ("what extends Store?", "subclasses"),
        ("subclasses of Store", "subclasses"),
        ("where is Store raised?", "raised"),
        ("what throws Store", "raised"),
        ("who catches Store?", "caught"),
        ("is Store ever caught?", "caught"),
        ("who uses Store?", ""),
    ],
)
def test_questions_for_some_uses_say_for_which(question, only):
    asked = use_question(question)
    assert (asked.view, asked.name, asked.only) == ("dependents", "Store", only)


@pytest.mark.parametrize(
    "question",
    [
        "wer ist hier zuständig?",
        "where is Store implemented?",
        "how does the parser work?",
        "where is the configuration file parsed and used?",
        "parse_config",
        "who calls whom in the request cycle",
        "what calls are made to the database on start?",
        "where is parse_config",
        "tests",
        "how do I run the tests for the whole project?",
        "where is parse_config used and why was it written so?",
        "",
        "who calls " + "x" * 300,
    ],
)
def test_other_questions_are_left_to_the_search(question):
    assert use_question(question) is None


TESTS = "tests/test_orders.py"


@pytest.fixture
def shop(memory, workspace):
    files = {
        "money/price.py": "RATE = 2\n\n\ndef price_of(item):\n    return item * RATE\n",
        "shop/orders.py": (
            "from money.price import price_of\n\n\ndef total(items):\n    return sum(price_of(i) for i in items)\n"
        ),
        "tests/test_orders.py": (
            "from shop.orders import total\n\n\ndef test_total():\n    assert total([1, 2]) == 6\n"
        ),
        "money/lonely.py": "def nobody_calls_me():\n    return 1\n",
    }
    for path, text in files.items():
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_text(text)
    memory.scan(str(workspace))
    return lambda question, **more: memory.query(question, str(workspace), **more)


@pytest.mark.parametrize(
    ("question", "cited"),
    [
        ("who calls price_of?", {("total", "shop/orders.py", 5)}),
        (
            "what breaks if I change price_of",
            {("total", "shop/orders.py", 5), ("test_total", "tests/test_orders.py", 5)},
        ),
        ("tests for price_of", {("test_total", TESTS, 5)}),
        ("what does total call", {("price_of", "shop/orders.py", 5)}),
    ],
)
def test_the_answer_cites_each_use_at_its_line_with_the_code(shop, question, cited):
    answer = shop(question)
    assert answer.route.backend == "map"
    found = {(hit.qualified_name, hit.file_path, hit.start_line) for hit in answer.results}
    assert cited <= found
    assert all(f"#{path}:{line}" in answer.answer for _, path, line in cited)
    assert all(hit.text for hit in answer.results if hit.file_path.endswith(".py"))


def test_code_and_tests_share_the_room_of_an_answer(shop):
    answer = shop("what breaks if I change RATE", limit=2)
    assert "tests/test_orders.py" in {hit.file_path for hit in answer.results}


@pytest.mark.parametrize(("limit", "shown"), [(1, 1), (3, 3), (12, 12), (None, 10)])
def test_a_limit_holds_for_lists_of_the_map_and_the_rest_is_counted(shop, workspace, memory, limit, shown):
    users = "".join(f"def user{i}(x):\n    return price_of(x)\n" for i in range(13))
    (workspace / "shop" / "many.py").write_text(f"from money.price import price_of\n{users}")
    memory.scan(str(workspace))
    answer = shop("who calls price_of", limit=limit)
    assert (len(answer.results), answer.omitted) == (shown, 14 - shown)


def test_where_something_is_used_lists_imports_and_calls(shop):
    answer = shop("where is price_of used?")
    assert {(hit.file_path, hit.start_line) for hit in answer.results} == {("shop/orders.py", 1), ("shop/orders.py", 5)}


def test_that_nothing_uses_it_is_an_answer(shop):
    answer = shop("who calls nobody_calls_me?")
    assert answer.results == ()
    assert "nothing in the project calls, as far as is known" in answer.answer


@pytest.mark.parametrize("question", ["who calls save", "tests for save", "where is save used?"])
def test_a_name_of_many_things_is_answered_with_the_things_to_choose_from(shop, workspace, memory, question):
    classes = "".join(f"class C{i}:\n    def save(self): pass\n" for i in range(14))
    (workspace / "shop" / "busy.py").write_text(classes)
    memory.scan(str(workspace))
    answer = shop(question)
    assert answer.route.backend == "map"
    assert "'save' names 14 things, ask for one of them as it is written here:" in answer.answer
    assert "- C0.save #shop/busy.py:2" in answer.answer
    assert {hit.qualified_name for hit in answer.results} < {f"C{i}.save" for i in range(14)}
    assert answer.omitted + len(answer.results) == 14


def test_of_many_things_what_the_bare_name_says_in_full_is_answered_and_the_rest_named(shop, workspace, memory):
    classes = "".join(f"class C{i}:\n    def total(self): pass\n" for i in range(6))
    (workspace / "shop" / "busy.py").write_text(classes)
    memory.scan(str(workspace))
    answer = shop("who calls total")
    assert ("test_total", TESTS, 5) in {(hit.qualified_name, hit.file_path, hit.start_line) for hit in answer.results}
    assert any("also names 6 things" in told and "C0.total #shop/busy.py:2" in told for told in answer.warnings)


LEDGER = """from money.errors import Refused, Plain


class Late(Refused):
    pass


def book(entry):
    if not entry:
        raise Refused("empty")
    return entry


def try_to(entry):
    try:
        return book(entry)
    except Refused:
        return None


def make():
    return Plain()
"""


@pytest.mark.parametrize(
    ("question", "lines", "others"),
    [
        ("which classes inherit from Refused?", [4], True),
        ("where is Refused raised?", [10], True),
        ("who catches Refused", [17], True),
        ("what extends Plain?", [], True),  # an answer: nothing does
        ("where is Plain raised?", [1, 22], False),  # nobody raises it by that word, so all uses
        ("where is Plain instantiated?", [22], False),
    ],
)
def test_of_the_uses_those_are_told_that_are_asked_for(shop, workspace, memory, question, lines, others):
    (workspace / "money" / "errors.py").write_text("class Refused(Exception): ...\n\n\nclass Plain: ...\n")
    (workspace / "money" / "ledger.py").write_text(LEDGER)
    memory.scan(str(workspace))
    answer = shop(question)
    assert answer.route.backend == "map"
    assert sorted(hit.start_line for hit in answer.results) == lines
    assert any("all its uses" in told for told in answer.warnings) == (question == "where is Plain raised?")
    assert any("other use" in told and "code_map view=dependents" in told for told in answer.warnings) == others
    assert lines or "nothing in the project inherits from it" in answer.answer


def test_a_constant_in_capitals_without_uses_is_answered_and_an_unknown_word_searched_for(shop, workspace, memory):
    (workspace / "money" / "limits.py").write_text("TIMEOUT = 5\n")
    memory.scan(str(workspace))
    assert shop("where is TIMEOUT used").route.backend == "map"
    assert shop("where is WINDOW used").route.backend != "map"


def test_a_line_that_a_file_does_not_have_is_told(shop):
    answer = shop("who calls shop/orders.py:99999")
    assert (answer.route.backend, answer.nothing_relevant) == ("map", True)
    assert "line 99999 is not in the map: shop/orders.py has the lines 1 to 5" in answer.answer


def test_an_unknown_name_is_said_to_be_unknown_and_searched_for(shop):
    answer = shop("who calls no_such_function_at_all?")
    assert answer.route.backend != "map"
    assert answer.warnings == (
        "'no_such_function_at_all' names nothing in the code map, so its words are searched for",
    )
    assert shop("who calls home?").warnings == ()


def test_lines_follow_an_edit_and_say_so(shop, workspace):
    path = workspace / "shop" / "orders.py"
    path.write_text("# one\n# two\n" + path.read_text())
    (hit,) = shop("who calls price_of?").results
    assert (hit.start_line, hit.state, hit.text) == (7, "moved", "return sum(price_of(i) for i in items)")
    assert any("the map is older than 1 changed file" in warning for warning in shop("who calls price_of?").warnings)


def test_a_file_that_is_gone_is_said_to_be_gone(shop, workspace):
    (workspace / "shop" / "orders.py").unlink()
    (hit,) = shop("who calls price_of?").results
    assert (hit.state, hit.text) == ("gone", "")


def test_a_budget_holds_for_answers_from_the_map(shop):
    answer = shop("where is price_of used?", budget_tokens=150)
    assert len(answer.answer) <= 600


def test_asking_for_a_cloud_is_never_answered_in_its_place(shop):
    with_cloud = None
    try:
        with_cloud = shop("who calls price_of?", use_cloud=True)
    except InputError:
        return
    assert with_cloud.route.backend != "map"
