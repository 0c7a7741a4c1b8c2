"""Habits measured from code."""

import pytest

from zerikai_memory.brief.conventions import measure_conventions
from zerikai_memory.brief.paths import area_of, code_base, is_product_code, is_test
from zerikai_memory.lang.extract import extract

HINTED = "\n".join(f'def get_{w}(a: int) -> int:\n    """Get."""\n' for w in "abcdefghij")
CAMEL = "\n".join(f"async function getThe{w}() {{ return '{w}'; }}\n" for w in "ABCDEFGHIJ")


def measure(path, source):
    extraction = extract(source.encode(), path)
    return " ".join(measure_conventions(extraction.entities, extraction.references, []))


def test_python_habits_are_told():
    said = measure("pkg/a.py", HINTED)
    assert "named in snake_case (nearly all" in said
    assert "nearly all Python functions declare a return type" in said
    assert "Nearly all public Python definitions have docstrings" in said


def test_script_habits_are_told():
    said = measure("lib/a.js", CAMEL)
    assert "named in camelCase (nearly all" in said
    assert "100 % of the JS/TS functions are async" in said
    assert "Hardly any public JS/TS definitions have doc comments" in said


def test_few_definitions_and_tests_say_nothing():
    assert measure("pkg/a.py", "def get_it(): pass\n") == ""
    assert measure("tests/test_a.py", HINTED) == ""


def test_layout_is_measured_from_texts():
    spaced = [(f"p/{i}.py", "def f():\n    x = 'one'\n    return 'two'\n" * 4) for i in range(4)]
    tabbed = [(f"p/{i}.ts", 'function f() {\n\treturn "a"\n}\nconst b = "c"\n' * 4) for i in range(4)]
    assert measure_conventions([], [], spaced + tabbed) == (
        "Python layout: indent 4 spaces, single quotes.",
        "JS/TS layout: indent tabs, double quotes, no semicolons.",
    )


@pytest.mark.parametrize(
    ("path", "test", "product"),
    [
        ("src/shop/cart.py", False, True),
        ("shop/testing.py", False, True),  # helpers for tests of others are product
        ("tests/test_cart.py", True, False),
        ("shop/cart_test.py", True, False),
        ("web/__tests__/a.ts", True, False),
        ("web/a.spec.tsx", True, False),
        ("web/latest/contest.ts", False, True),
        ("docs/conf.py", False, False),
        ("examples/app.py", False, False),
        ("web/index.html", False, True),
        ("web/app.min.js", False, False),
        ("types/x.d.ts", False, False),
    ],
)
def test_paths_tell_tests_from_product(path, test, product):
    assert (is_test(path), is_product_code(path)) == (test, product)


@pytest.mark.parametrize(
    ("paths", "base"),
    [
        (["a.py", "b.py"], ""),
        (["src/p/a.py", "src/p/b.py"], "src/p/"),
        (["src/p/a.py", "src/q/b.py"], "src/"),
        ([], ""),
    ],
)
def test_the_base_is_where_the_code_branches_out(paths, base):
    assert code_base(paths) == base


def test_an_area_is_the_first_part_below_the_base():
    assert area_of("src/p/x/y.py", "src/p/") == "src/p/x/"
    assert area_of("src/p/y.py", "src/p/") == "src/p/y.py"
    assert area_of("web/y.py", "src/p/") is None
