import pytest

from zerikai_memory.retrieve.traits import Side, legacy_flags, main_sides, side_factors, side_of


@pytest.mark.parametrize(
    ("path", "side"),
    [
        ("tests/test_app.py", Side.TEST),
        ("src/app.test.ts", Side.TEST),
        ("pkg/__tests__/a.js", Side.TEST),
        ("conftest.py", Side.TEST),
        ("docs/conf.py", Side.DOCS),
        ("README.md", Side.DOCS),
        ("examples/basic/app.js", Side.EXAMPLE),
        ("src/testing_tools.py", None),  # a name that only begins so
        ("src/latest.py", None),
        ("src/contest.py", None),
        ("src/inspect.ts", None),
    ],
)
def test_side_files_are_known_by_folder_and_name(path: str, side: Side | None) -> None:
    assert side_of(path) == side


SIDES = [None, None, Side.TEST, Side.DOCS]


@pytest.mark.parametrize(
    ("question", "factors"),
    [
        ("parse the header", [1.0, 1.0, 0.3, 0.3]),
        ("how is a header parsed", [1.0, 1.0, 0.3, 0.3]),
        ("the test that parses", [1.0, 1.0, 1.0, 0.3]),
        ("tests for the header", [1.0, 1.0, 1.0, 0.3]),
        ("where is test_parse_header", [1.0, 1.0, 1.0, 0.3]),
        ("how does the test client send requests", [1.0, 1.0, 0.3, 0.3]),  # a part of the product
        ("how to parse a header", [1.0, 1.0, 0.3, 1.0]),  # instructions
    ],
)
def test_side_files_stand_behind_unless_asked_for(question: str, factors: list[float]) -> None:
    told = side_factors(question, main_sides(SIDES))
    assert [told[side] for side in SIDES] == factors


def test_side_files_count_in_full_only_where_hardly_anything_else_is_there() -> None:
    assert main_sides([Side.TEST, Side.TEST, None]) == frozenset()
    assert main_sides([Side.DOCS] * 19 + [None]) == {Side.DOCS}
    assert side_factors("install", frozenset()) == {None: 1.0, Side.TEST: 0.3, Side.DOCS: 0.3, Side.EXAMPLE: 0.3}
    assert side_factors("install", frozenset({Side.DOCS}))[Side.DOCS] == 1.0


@pytest.mark.parametrize(
    ("paths", "legacy"),
    [
        (["src/legacy/a.py", "src/a.py"], [True, False]),
        (["api/v1/a.ts", "api/v2/a.ts", "api/v2/b.ts"], [True, False, False]),
        (["v1/a.py"], [False]),  # an only version is not old
        # A copy: most files of the folder exist at the same place above it.
        (["x/one.py", "x/two.py", "x/three.py", "x/v/one.py", "x/v/two.py", "x/v/three.py"], [False] * 3 + [True] * 3),
        # Honest siblings share only generic names.
        (["a/__init__.py", "a/utils.py", "a/types.py", "a/b/__init__.py", "a/b/utils.py", "a/b/types.py"], [False] * 6),
    ],
)
def test_old_code_is_known_by_name_version_and_copy(paths: list[str], legacy: list[bool]) -> None:
    assert legacy_flags(paths) == legacy
