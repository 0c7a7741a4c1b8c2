"""Where Python references lead, and how far that is known."""

from __future__ import annotations

from collections import defaultdict

import pytest

from zerikai_memory.codemap.project import FileFacts, Named, Project
from zerikai_memory.codemap.python import PythonResolver
from zerikai_memory.lang.extract import extract
from zerikai_memory.model import CodeEntity, EntityType, ReferenceKind


class TreeFacts:
    """The facts of source texts by path."""

    def __init__(self, tree: dict[str, str]) -> None:
        self.entities: dict[str, CodeEntity] = {}
        self._files: dict[str, FileFacts] = {}
        self._calls = {}
        self._names = defaultdict(list)
        for path, text in sorted(tree.items()):
            found = extract(text.encode(), path)
            others = tuple(r for r in found.references if r.kind is not ReferenceKind.CALL)
            self._files[path] = FileFacts(path, found.language, found.entities, others + found.bindings)
            self._calls[path] = [r for r in found.references if r.kind is ReferenceKind.CALL]
            for e in found.entities:
                self.entities[e.id] = e
                if e.entity_type is not EntityType.MODULE:
                    self._names[e.name].append(Named(e.id, e.name, e.qualified_name, e.entity_type, e.language, path))

    def paths(self):
        return self._files

    def file(self, path):
        return self._files.get(path)

    def calls(self, path):
        return self._calls[path]

    def named(self, name):
        return self._names[name]

    def text(self, path):
        return None


def edges(tree: dict[str, str], path: str = "main.py", name: str = "") -> set[str]:
    """`kind evidence file qualified-name` of every edge of a file."""
    facts = TreeFacts(tree)
    found = set()
    for edge in PythonResolver(Project(facts, name)).resolve(path):
        target = facts.entities[edge.target] if edge.target else None
        place = f"{target.file_path} {target.qualified_name}".strip() if target else f"{edge.target_name} outside"
        found.add(f"{edge.kind} {edge.evidence} {place}")
    return found


LIB = """\
class Base:
    def __init__(self): pass
    def run(self) -> "Base": return self
    @classmethod
    def make(cls): return cls()
    @property
    def peer(self) -> "Peer": return Peer()

class Peer:
    def go(self): pass
    def __call__(self): pass

class Child(Base):
    def run(self):
        return super().run()
    def twice(self):
        self.run()

def helper() -> Peer: ...

async def later():
    return Peer()

LIMIT = 3
shared = Child()
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from lib import helper\nhelper()", "call resolved lib.py helper"),
        ("from lib import helper as h\nh()", "call resolved lib.py helper"),
        ("import lib\nlib.helper()", "call resolved lib.py helper"),
        ("import lib as l\nl.helper()", "call resolved lib.py helper"),
        ("from lib import *\nhelper()", "call resolved lib.py helper"),
        ("import lib", "import resolved lib.py"),
        ("from lib import LIMIT", "use resolved lib.py LIMIT"),
        ("from lib import Base\nBase()", "call resolved lib.py Base"),
        ("from lib import Base\nBase()", "call resolved lib.py Base.__init__"),
        ("from lib import Child\nChild()", "call resolved lib.py Base.__init__"),
        ("from lib import Child\nChild().run()", "call resolved lib.py Child.run"),
        ("from lib import Child\nx = Child()\nx.twice()", "call resolved lib.py Child.twice"),
        ("from lib import Base\ndef f(x: Base): x.run()", "call resolved lib.py Base.run"),
        ("from lib import Base\ndef f(x: 'Base | None' = None): x.run()", "call resolved lib.py Base.run"),
        ("from lib import Peer\ndef f(xs: list[Peer]):\n    for x in xs: x.go()", "call resolved lib.py Peer.go"),
        ("from lib import Base\nBase().run().run()", "call resolved lib.py Base.run"),
        ("from lib import Base\nBase.make().run()", "call resolved lib.py Base.run"),
        ("from lib import Child\nChild.make().run()", "call resolved lib.py Child.run"),
        ("from lib import Base\nBase().peer.go()", "call resolved lib.py Peer.go"),
        ("from lib import Base\nprint(Base().peer)", "use resolved lib.py Base.peer"),
        ("from lib import helper\nhelper().go()", "call resolved lib.py Peer.go"),
        ("from lib import later\nasync def f(): (await later()).go()", "call resolved lib.py Peer.go"),
        ("from lib import shared\nshared.run()", "call resolved lib.py Child.run"),
        ("from lib import Peer\nPeer()()", "call resolved lib.py Peer"),
        ("from lib import Peer\np = Peer()\np()", "call resolved lib.py Peer.__call__"),
        ("from lib import Base\nclass A:\n    def __init__(self): self.b = Base()\n    def f(self): self.b.run()",
         "call resolved lib.py Base.run"),
        ("from lib import Base\nclass A:\n    b: Base\n    def f(self): self.b.run()", "call resolved lib.py Base.run"),
        ("from lib import Child\nclass A(Child):\n    def run(self): super().run()", "call resolved lib.py Child.run"),
        ("from lib import Child\nclass A(Child): pass", "inherit resolved lib.py Child"),
        ("from lib import helper\n@helper\ndef f(): pass", "decorate resolved lib.py helper"),
        ("from lib import Base, helper\nBase.run = helper", "patch resolved lib.py Base.run"),
        ("from lib import helper\nregister(helper)", "use resolved lib.py helper"),
        ("try:\n    from lib import helper\nexcept ImportError:\n    helper = None\nhelper()",
         "call resolved lib.py helper"),
        ("def f():\n    def g(): pass\n    g()", "call resolved main.py f.g"),
        ("from lib import nothing\nnothing()", "call imported-name lib.py"),
        ("import os.path\nos.path.join()", "call external os.path.join outside"),
        ("print(1)", "call external print outside"),
        ("def f(x): x.twice()", "call same-name lib.py Child.twice"),
        ("def f(x): x.no_such_name()", "call external x.no_such_name outside"),
        ("import lib\nclass A:\n    go = staticmethod(lib.helper)\n    def f(self): self.go()",
         "call resolved lib.py helper"),
        ("class A:\n    def __init__(self, fn): self.go = fn\n    def go(self): pass\n    def f(self): self.go()",
         "call imported-name main.py A.go"),
        ("@app.get('/x')\ndef page(): pass", "register resolved main.py page"),
    ],
)  # fmt: skip
def test_a_reference_leads_where_the_language_says(source, expected):
    assert expected in edges({"main.py": source, "lib.py": LIB})


@pytest.mark.parametrize(
    ("source", "never"),
    [
        ("from lib import helper\ndef f(helper): helper()", "lib.py helper"),  # a parameter of that name
        ("from lib import helper\ndef f():\n    helper = other()\n    helper()", "lib.py helper"),
        ("def run(): pass\ndef f(x): x[0].run()", "resolved main.py run"),  # a method of something, no bare name
        ("import lib\nlib.helper.run()", "resolved lib.py Base.run"),
        ("class A:\n    def f(self): pass\n    def g(self): f()", "resolved main.py A.f"),  # classes are no scope
        ("from time import time\ntime()", "resolved"),
    ],
)
def test_a_guess_is_never_called_resolved(source, never):
    assert not [edge for edge in edges({"main.py": source, "lib.py": LIB}) if never in edge and "call" in edge]


BOTH = {"a.py": "def x(): pass\ndef y(): pass\n", "b.py": "def x(): pass\ndef y(): pass\n"}
TWO = "class B:\n    def run(self): pass\nclass C:\n    def run(self): pass\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # of what is bound one after the other, the last holds, stars too
        ("from a import *\nfrom b import *\ndef f(): y()", {"b.py y"}),
        ("from a import y\nfrom b import *\ndef f(): y()", {"b.py y"}),
        ("from b import *\nfrom a import y\ndef f(): y()", {"a.py y"}),
        ("from a import x\nfrom b import x\nfrom a import *\ndef f(): x()", {"a.py x"}),
        ("from a import x\ndef x(): pass\ndef f(): x()", {"main.py x"}),
        ("def x(): pass\nfrom a import x\ndef f(): x()", {"a.py x"}),
        ("from a import x\nx()\nfrom b import x", {"a.py x"}),
        ("from a import x\nclass A:\n    x()\ndef x(): pass", {"a.py x"}),
        ("from a import x\nclass A:\n    def f(self): x()\ndef x(): pass", {"main.py x"}),
        # ... unless it may not have happened
        ("try:\n    from a import x\nexcept ImportError:\n    from b import x\nx()", {"a.py x", "b.py x"}),
        ("from a import x\nif fast:\n    from b import x\nx()", {"a.py x", "b.py x"}),
        ("if fast:\n    from b import x\nfrom a import x\nx()", {"a.py x"}),
        ("try:\n    from a import x\nexcept ImportError:\n    def x(): pass\nx()", {"a.py x", "main.py x"}),
        ("if fast:\n    from a import x\n    x()\nelse:\n    from b import x", {"a.py x"}),
        # a decorated function is still that function
        ("def x(): pass\nx = cached(x)\nx()", {"main.py x"}),
        # local variables
        (TWO + "def f():\n    w = B()\n    w = C()\n    w.run()", {"main.py C.run"}),
        (TWO + "def f():\n    w = B()\n    w.run()\n    w = C()", {"main.py B.run"}),
        (TWO + "def f():\n    w = B()\n    if f:\n        w = C()\n    w.run()", {"main.py B.run", "main.py C.run"}),
        (TWO + "def f():\n    w = B()\n    w = C()\n    w = B()\n    w.run()", {"main.py B.run"}),
        (TWO + "def f(w: B):\n    w = C()\n    w.run()", {"main.py C.run"}),
        (TWO + "def f(w: B):\n    w = w.run()\n    w.run()", {"main.py B.run"}),
        (TWO + "w = B()\nw.run()\nw = C()", {"main.py B.run"}),
    ],
)
def test_the_last_of_several_bindings_holds_where_it_was_surely_made(source, expected):
    found = {e.split(" ", 2)[2] for e in edges({"main.py": source, **BOTH}) if e.startswith("call resolved")}
    assert found - {"main.py B", "main.py C"} == expected


WITH = """\
class Session:
    def __enter__(self: TS) -> TS: return self
    def send(self): pass
class Sub(Session):
    def extra(self): pass
class Other:
    def __enter__(self) -> "Session": ...
@contextmanager
def opened():
    yield Sub()
"""


@pytest.mark.parametrize(
    ("used", "method"),
    [("Session()", "send"), ("Sub()", "extra"), ("Other()", "send"), ("opened()", "extra")],
)
def test_with_gives_what_enter_says_or_the_generator_yields(used, method):
    source = f"{WITH}def f():\n    with {used} as s:\n        s.{method}()\n"
    owner = "Session" if method == "send" else "Sub"
    assert f"call resolved main.py {owner}.{method}" in edges({"main.py": source})


@pytest.mark.parametrize(
    ("patched", "expected"),
    [
        ("with mock.patch('lib.helper'): pass", {"patch resolved lib.py helper"}),
        ("with patch('lib.Child.twice', autospec=True): pass", {"patch resolved lib.py Child.twice"}),
        ("mocker.patch('user.helper')", {"patch resolved lib.py helper"}),  # where it is imported
        ("mock.patch.object(lib, 'helper')", {"patch resolved lib.py helper"}),
        ("patch.object(lib.Child, 'run')", {"patch resolved lib.py Child.run"}),
        ("monkeypatch.setattr('lib.LIMIT', 4)", {"patch resolved lib.py LIMIT"}),
        ("monkeypatch.setattr(lib, 'shared', None)", set()),
        ("monkeypatch.setattr(lib.Base, 'run', f)", {"patch resolved lib.py Base.run"}),
        ("patch('lib.nothing'); patch('os.path.join'); patch(name); patch('lib'); patch(f'lib.{x}')", set()),
    ],
)
def test_what_a_test_replaces_is_patched(patched, expected):
    tree = {
        "lib.py": LIB,
        "user.py": "from lib import helper\n",
        "main.py": f"import lib\ndef test_x():\n    {patched}\n",
    }
    assert {edge for edge in edges(tree) if edge.startswith("patch")} == expected


def test_a_patch_above_a_test_is_made_by_that_test():
    facts = TreeFacts({"lib.py": LIB, "main.py": "@other\n@patch('lib.helper')\ndef test_x(m):\n    pass\n"})
    (edge,) = [e for e in PythonResolver(Project(facts)).resolve("main.py") if e.kind == "patch"]
    assert (facts.entities[edge.source].name, edge.line) == ("test_x", 2)


def test_all_is_read_with_what_is_added_to_it_by_calls():
    tree = {
        "a.py": "__all__ = ['x']\n__all__.extend(['_y'])\n__all__.append('_z')\n" + "def _y(): pass\ndef _z(): pass\n"
    }
    tree["main.py"] = "from a import *\n_y()\n_z()\n"
    assert {"call resolved a.py _y", "call resolved a.py _z"} <= edges(tree)


@pytest.mark.parametrize(
    ("tree", "path", "name", "expected"),
    [
        # packages, src layouts, namespace packages, relative imports
        ({"src/shop/__init__.py": "", "src/shop/a.py": "def f(): pass", "tests/t.py": "from shop.a import f\nf()"},
         "tests/t.py", "", "call resolved src/shop/a.py f"),
        ({"ns/part/a.py": "def f(): pass", "main.py": "import ns.part.a\nns.part.a.f()"},
         "main.py", "", "call resolved ns/part/a.py f"),
        ({"p/__init__.py": "", "p/a.py": "def f(): pass", "p/q/__init__.py": "", "p/q/b.py": "from ..a import f\nf()"},
         "p/q/b.py", "", "call resolved p/a.py f"),
        ({"p/__init__.py": "", "p/a.py": "def f(): pass", "p/b.py": "from . import a\na.f()"},
         "p/b.py", "", "import resolved p/a.py"),
        # re-exports, in chains and by stars
        ({"p/__init__.py": "from .a import f as g", "p/a.py": "from .b import *", "p/b.py": "def f(): pass",
          "main.py": "from p import g\ng()"}, "main.py", "", "call resolved p/b.py f"),
        ({"p/__init__.py": "from .a import *\n__all__ = a.__all__", "p/a.py": "__all__ = ['_f']\ndef _f(): pass",
          "main.py": "from p import *\n_f()"}, "main.py", "", "call resolved p/a.py _f"),
        # a workspace that is itself a package
        ({"__init__.py": "", "a.py": "def f(): pass", "b.py": "from shop.a import f\nf()"},
         "b.py", "shop", "call resolved a.py f"),
        # a script beside its module, also one with the name of a standard module
        ({"tools/json.py": "def f(): pass", "tools/run.py": "import json\njson.f()"},
         "tools/run.py", "", "call resolved tools/json.py f"),
        ({"p/__init__.py": "", "p/json.py": "def f(): pass", "p/run.py": "import json\njson.f()"},
         "p/run.py", "", "call external json.f outside"),
        # overloads and branches: the last definition
        ({"a.py": "from typing import overload\n@overload\ndef f(x: int): ...\n@overload\ndef f(x: str): ...\n"
          "def f(x): pass\n", "main.py": "from a import f\nf()"}, "main.py", "", "call resolved a.py f"),
        # a diamond of bases
        ({"main.py": "class A:\n def m(self): pass\nclass B(A): pass\nclass C(A):\n def m(self): pass\n"
          "class D(B, C): pass\nD().m()"}, "main.py", "", "call resolved main.py C.m"),
    ],
)  # fmt: skip
def test_imports_lead_through_packages_and_re_exports(tree, path, name, expected):
    assert expected in edges(tree, path, name)


@pytest.mark.parametrize(
    "source",
    [
        "x = x\nx.f()",
        "from main import a\na()",
        "from .main import *\nfoo()",
        "class A(A): pass\nA().m()",
        "class A(B): pass\nclass B(A): pass\nA().m()",
        "def f(): return g()\ndef g(): return f()\nf().x()",
        "class A:\n    def f(self):\n        self.x = self.x.y\n        self.x.z()",
        "from .... import x\nx()",
    ],
)
def test_circles_end(source):
    assert edges({"main.py": source}) is not None


def test_guesses_are_the_nearest_and_say_how_many_there_were():
    tree = {f"p{i}/a.py": "class A:\n    def go(self): pass\n" for i in range(9)}
    tree["p5/main.py"] = "def f(x):\n    x.go()\n"
    facts = TreeFacts(tree)
    found = [edge for edge in PythonResolver(Project(facts)).resolve("p5/main.py") if edge.evidence == "same-name"]
    assert [edge.candidates for edge in found] == [9] * 5
    assert facts.entities[found[0].target].file_path == "p5/a.py"
