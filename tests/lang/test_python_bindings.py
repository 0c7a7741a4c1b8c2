"""What a name stands for in Python, in the normal form that resolvers follow."""

import pytest

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import ReferenceKind


def bound(source: str) -> list[tuple[str, str]]:
    return [(r.name, r.target_text) for r in extract(source.encode(), "a.py").bindings]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = Foo(1, 2)", [("x", "Foo()")]),
        ("x: Foo = make()", [("x", ": Foo")]),
        ("self.db = a.b(1).c[0]", [("self.db", "a.b().c[]")]),
        ("x = await (yield_it())", [("x", "yield_it()")]),
        ("x = a() if t else b()", [("x", "a()|b()")]),
        ("x = given or Default()", [("x", "given|Default()")]),
        ("x = None if t else b()", [("x", "b()")]),  # None is nobody's method
        ("x = y = f()", [("x", "f()"), ("y", "f()")]),
        ("a, b = c(), d", [("a", "c()"), ("b", "d")]),
        ("a, *b = c", [("a", "?"), ("b", "?")]),
        ("x = [1, 2]", [("x", "list()")]),
        ("x = a + b", [("x", "?")]),
        ("with open(p) as f, g() as (h, i): pass", [
            ("f", "open().__enter__()"), ("h", "?"), ("i", "?")
        ]),
        ("try: pass\nexcept (A, B) as e: pass\nexcept C as d: pass", [("e", "?"), ("d", "C()")]),
        ("for x in items(): pass", [("x", "items()[]")]),
        ("y = [x for x in xs]", [("y", "list()"), ("x", "xs[]")]),
        ("if (n := f()): pass", [("n", "f()")]),
        ("k = lambda q, *r, s=1: q", [("k", "lambda"), ("q", "?"), ("r", "?"), ("s", "?")]),
        ("__all__ = ['a', \"b\"] + m.__all__\n__all__ += ['c']", [("__all__", "a,b,*m"), ("__all__", "c")]),
        ("__all__ = names()", [("__all__", "?")]),
    ],
)  # fmt: skip
def test_a_binding_says_what_a_name_stands_for(source, expected):
    assert [pair for pair in bound(source) if pair[0]] == expected


def test_values_that_are_read_are_recorded_once_and_not_the_variables_of_the_function():
    source = "def f(a):\n    b = 1\n    g(a, b, handler, key=mod.func)\n    g(handler)\n    return self.flag\n"
    assert bound(source) == [("b", "int()"), ("", "handler"), ("", "mod.func"), ("return", "self.flag")]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("foo(1).bar(2)", "foo().bar"),
        ("super(A, self).save(x)", "super().save"),
        ("', '.join(x)", "str().join"),
        ("(a + b).join(x)", "?.join"),
        ("x[0].join(y)", "x[].join"),
    ],
)
def test_a_method_of_an_expression_is_no_bare_name(source, target):
    calls = [r.target_text for r in extract(source.encode(), "a.py").references if r.kind is ReferenceKind.CALL]
    assert target in calls
