"""After any sequence of edits, renames and deletions a map that was kept up is the map made from nothing."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fake_embedder import FakeEmbedder
from zerikai_memory.codemap.maps import CodeMaps
from zerikai_memory.lang import EXTRACTOR_VERSION
from zerikai_memory.lang.extract import extract
from zerikai_memory.lang.registry import language_of
from zerikai_memory.model import Workspace
from zerikai_memory.model_map import Edge
from zerikai_memory.scan.run import ScanParts, run_scan
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.map import MapStore, edge_of
from zerikai_memory.workspace.walk import walk

PATHS = ("main.py", "pkg/__init__.py", "pkg/a.py", "pkg/b.py", "pkg/sub/__init__.py", "pkg/sub/c.py", "src/pkg/a.py")
PARTS = (
    "from pkg.a import helper\n\ndef use():\n    helper()\n",
    "from .a import *\n",
    "from .sub.c import Base\n\nclass Child(Base):\n    def go(self):\n        return self.run()\n",
    "import pkg.sub.c as c\n\ndef make():\n    thing = c.Base()\n    thing.run()\n    return thing\n",
    "from pkg import b\n\nb.make().run()\n",
    "__all__ = ['helper']\n\ndef helper():\n    return other()\n",
    "def other():\n    unknown.run()\n",
    "class Base:\n    def run(self) -> 'Base':\n        return self\n\n    @property\n    def name(self): return 1\n",
    "class Base:\n    def walk(self):\n        helper()\n",
    "LIMIT = 3\n\ndef limited(x: 'Base' = LIMIT):\n    return x.run()\n",
    "import helper\nhelper.other()\n",
)
SCRIPTS = ("web/a.ts", "web/b.ts", "web/index.ts", "web/page.html", "web/site.css", "README.md")
SCRIPT_PARTS = (
    "import { run } from './a';\nrun();\n",
    "export function run() { return make(); }\n",
    "export * from './b';\n",
    "export class Made { go() { return this.stop(); } stop() {} }\nexport function make() { return new Made(); }\n",
    "<link href='site.css'><p class='big'>[x](a.ts)</p>\n",
    ".big { color: red }\n",
)

contents = st.lists(st.sampled_from(PARTS), max_size=3).map("".join)
script_contents = st.lists(st.sampled_from(SCRIPT_PARTS), max_size=2).map("".join)
steps = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), contents),
    st.tuples(st.just("write"), st.sampled_from(SCRIPTS), script_contents),
    st.tuples(st.just("delete"), st.sampled_from(PATHS + SCRIPTS), st.just("")),
    st.tuples(st.just("rename"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("touch"), st.sampled_from(PATHS + SCRIPTS), st.just("")),
    st.tuples(st.just("push down"), st.sampled_from(PATHS + SCRIPTS), st.just("")),
)


class Project:
    """A folder that is scanned and mapped after each step."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        self.target = Workspace("0" * 36, "project", str(self.root))
        self.index = WorkspaceIndex(folder / "index.db")
        self.store = MapStore(folder / "map.db")
        self.maps = CodeMaps(lambda _: self.index, lambda _: self.store)
        self._folder = folder

    def do(self, step: tuple[str, str, str]) -> None:
        action, path, argument = step
        file = self.root / path
        if action == "write":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(argument)
        elif file.exists() and action == "delete":
            file.unlink()
        elif file.exists() and action == "rename":
            (self.root / argument).parent.mkdir(parents=True, exist_ok=True)
            file.replace(self.root / argument)
        elif file.exists():
            file.write_text("\n" * (action == "push down") + file.read_text())

    def scan(self) -> None:
        run_scan(
            ScanParts(
                workspace=self.target,
                root=self.root,
                index=self.index,
                embedder=FakeEmbedder(),
                walk=lambda: walk(
                    self.root,
                    language_of=language_of,
                    respect_gitignore=True,
                    max_file_bytes=10_000,
                    brain=self._folder / "brain",
                ),
                extract=extract,
                extractor_version=EXTRACTOR_VERSION,
                max_file_bytes=10_000,
            )
        )

    def kept(self) -> list[Edge]:
        """The edges after the map was brought up to the index."""
        self.maps.update(self.target)
        return [edge_of(row) for row in self.store.edges()[1]]

    def anew(self) -> list[Edge]:
        """The edges of a map made from nothing."""
        store = MapStore(self._folder / "anew.db")
        store.remove()
        CodeMaps(lambda _: self.index, lambda _: store).update(self.target)
        try:
            return [edge_of(row) for row in store.edges()[1]]
        finally:
            store.close()

    def close(self) -> None:
        self.index.close()
        self.store.close()


@contextmanager
def project() -> Iterator[Project]:
    with tempfile.TemporaryDirectory() as folder:
        made = Project(Path(folder))
        try:
            yield made
        finally:
            made.close()


@settings(max_examples=30, deadline=None)
@given(
    first=st.lists(steps, min_size=3, max_size=8), later=st.lists(st.lists(steps, min_size=1, max_size=3), max_size=4)
)
def test_a_map_that_was_kept_up_is_the_map_made_from_nothing(first, later):
    with project() as made:
        made.do(("write", "main.py", PARTS[0]))
        for round_ in (first, *later):
            for step in round_:
                made.do(step)
            made.scan()
            assert made.kept() == made.anew()
