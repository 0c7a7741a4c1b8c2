"""What texts mean as anchors: readings of a text, and the entities of a real project that they name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError
from zerikai_memory.memory.places import Place, readings, relative_paths
from zerikai_memory.settings import Settings

BAKERY = '''"""Bread."""


class Bakery:
    """Sells it."""

    def bake(self, count):
        return ["bread"] * count

    def sell(self):
        return self.bake(1)


def close():
    return None
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("anchors").resolve()


@pytest.fixture(scope="module")
def memory(folder: Path) -> Iterator[Memory]:
    """One memory for all tests here: each looks only at what it saved itself."""
    memory = Memory(Settings(home=folder / "brain", vector_store="exact"), cwd=folder)
    yield memory
    memory.close()


@pytest.fixture(scope="module")
def project(memory: Memory, folder: Path) -> str:
    src = folder / "project" / "src"
    src.mkdir(parents=True)
    (src / "bakery.py").write_text(BAKERY)
    (src / "other.py").write_text("def close():\n    return 2\n")
    memory.scan(str(folder / "project"))
    return str(folder / "project")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("app.py", Place(path="app.py")),
        ("`app.py`", Place(path="app.py")),
        ("app.py:12", Place(path="app.py", line=12)),
        ("app.py:12:5", Place(path="app.py", line=12)),
        ("app.py:12-20", Place(path="app.py", line=12)),
        ("app.py#L12-L20", Place(path="app.py", line=12)),
        ("app.py line 12", Place(path="app.py", line=12)),
        (r"C:\shop\app.py:12", Place(path=r"C:\shop\app.py", line=12)),
        (r"C:\shop\app.py::load", Place(path=r"C:\shop\app.py", name="load")),
        ("app.py::TestX::test_y", Place(path="app.py", name="TestX::test_y")),
        ("load #src/app.py:12", Place(path="src/app.py", line=12, name="load")),
        ("load #src/app.py:12 (0.84) [moved]", Place(path="src/app.py", line=12, name="load")),
        ("- load #src/app.py:12-20 (function, moved)", Place(path="src/app.py", line=12, name="load")),
        ("Session.login (src/app.py)", Place(path="src/app.py", name="Session.login")),
        ("@src/app.py:3", Place(path="src/app.py", line=3)),
        ("login", Place(name="login")),
        ("#main", Place(name="#main")),
    ],
)
def test_a_text_is_read_in_every_way_it_is_written(text: str, place: Place):
    assert place in list(readings(text))


@pytest.mark.parametrize(
    ("path", "root", "meant"),
    [
        ("/work/shop/src/a.py", "/work/shop", ("src/a.py",)),
        ("/work/shop/./src//a.py", "/work/shop/", ("src/a.py",)),
        (r"\work\shop\src\a.py", "/work/shop", ("src/a.py",)),
        (r"C:\Work\Shop\src\a.py", r"c:\work\shop", ("src/a.py",)),
        ("c:/work/shop/src/a.py", r"C:\Work\shop", ("src/a.py",)),
        ("file:///work/shop/src/my%20file.py", "/work/shop", ("src/my file.py",)),
        ("file:///C:/work/shop/a.py", "C:/work/shop", ("a.py",)),
        (r"C:\Users\ann\shop\src\a.py", "/work/shop", ("src/a.py",)),  # the same project on another machine
        ("/home/ann/shop/src/a.py", "/work/shop", ("src/a.py", "home/ann/shop/src/a.py")),
        (r"D:\elsewhere\a.py", "/work/shop", ()),
        (r"src\a.py", "/work/shop", ("src/a.py",)),
        ("./src/a.py", "/work/shop", ("src/a.py",)),
        ("/work/shopping/a.py", "/work/shop", ("work/shopping/a.py",)),  # not inside, only a longer name
    ],
)
def test_a_path_is_relative_to_the_workspace_whatever_its_style(path: str, root: str, meant: tuple[str, ...]):
    assert relative_paths(path, root) == meant


@pytest.mark.parametrize(
    ("wanted", "label"),
    [
        ("{root}/src/bakery.py", "src/bakery.py"),
        ("{root}/src/bakery.py:8", "Bakery.bake (src/bakery.py)"),
        ("file://{root}/src/bakery.py", "src/bakery.py"),
        ("{windows}\\src\\bakery.py:8", "Bakery.bake (src/bakery.py)"),
        (r"C:\projects\project\src\bakery.py:8", "Bakery.bake (src/bakery.py)"),
        ("src\\bakery.py::close", "close (src/bakery.py)"),
        ("bakery.py:5", "Bakery (src/bakery.py)"),
        ("bakery.py:8:3", "Bakery.bake (src/bakery.py)"),
        ("bake #{root}/src/bakery.py:7", "Bakery.bake (src/bakery.py)"),
        ("Bakery.bake (src/bakery.py)", "Bakery.bake (src/bakery.py)"),
        ("close #other.py:1 (0.84)", "close (src/other.py)"),
        ("@src/bakery.py", "src/bakery.py"),
        ("SRC/Bakery.py", "src/bakery.py"),
        ("`Bakery.sell`", "Bakery.sell (src/bakery.py)"),
    ],
)
def test_absolute_and_odd_anchors_mean_their_entity(memory: Memory, project: str, wanted: str, label: str):
    text = wanted.format(root=project, windows=project.replace("/", "\\"))
    note = memory.save(f"It is so of {wanted}", project, anchors=[text])
    assert [anchor.label for anchor in note.anchors] == [label]


def test_a_path_through_a_link_into_the_workspace_is_inside(memory: Memory, project: str, tmp_path: Path):
    (tmp_path / "link").symlink_to(project)
    note = memory.save("It is linked", project, anchors=[f"{tmp_path}/link/src/bakery.py"])
    assert note.anchors[0].label == "src/bakery.py"


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("", "empty text"),
        ("  ", "empty text"),
        ("/etc/passwd", "is no entity or file of the index"),
        (r"D:\elsewhere\x.py", "outside of the workspace"),
        ("src", "near names: src/bakery.py, src/other.py"),
        ("bakery.py:999", "has nothing at line 999; what is indexed of it ends at line 1"),
        ("bakry.py:7", "near names: src/bakery.py"),
        ("bak #bakery.py:7", "near names: Bakery.bake"),
        ("close", r"ambiguous, give one of: close #src/bakery.py:\d+, close #src/other.py:1"),
        ("x" * 600, "600 characters"),
        ("\x00", "is no entity"),
        ("\ud800", "is no entity"),
    ],
)
def test_an_anchor_that_means_nothing_is_refused_and_nothing_is_stored(
    memory: Memory, project: str, wanted: str, message: str
):
    with pytest.raises(InputError, match=message):
        memory.save("It is refused", project, anchors=[wanted])
    assert "It is refused" not in [note.content for note in memory.records(project).listed(None, 500)]


def test_empty_texts_among_ids_and_tags_are_refused(memory: Memory, project: str):
    for arguments in ({"supersedes": [""]}, {"details": {"tags": [""]}}, {"details": {"tags": ["a", " "]}}):
        with pytest.raises(InputError, match=r"got ''|got ' '"):
            memory.save("Tags are so", project, **arguments)
    assert memory.save("Tags are so", project, details={"tags": "a, b,"}).tags == ("a", "b")


def test_ids_are_whole_or_long_enough_or_refused_with_what_they_might_be(memory: Memory, project: str):
    records = memory.records(project)
    line = '{{"id":"{id}","category":"fact","content":"Record {id}","created_at":1700000000}}\n'
    records.imported("".join(line.format(id=id) for id in ("abcdef123456", "abcdef999999", "beef00112233", "abcd")))
    assert records.confirm("abcd").id == "abcd"  # whole, though others begin so
    assert records.confirm("note:beef00").id == "beef00112233"
    assert records.confirm("[note:abcdef1] (fact, 2026-05-03)").id == "abcdef123456"
    with pytest.raises(InputError, match=r"'beef0' is too short .*beef00112233 \(fact: Record beef00112233\)"):
        records.confirm("beef0")
    with pytest.raises(InputError, match=r"'abcdef' is ambiguous; so begins: abcdef123456 .*, abcdef999999"):
        records.confirm("abcdef")
    for text in ("", "note:", "nope1234", "%", "abc def", "x" * 1000):
        with pytest.raises(InputError, match="notes list"):
            records.confirm(text)
