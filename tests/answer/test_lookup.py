"""An entity opened by id or name is shown as its file says it today."""

import pytest

from zerikai_memory.answer.lookup import MAX_CHARS, MAX_EQUALS, MAX_LINES
from zerikai_memory.errors import InputError

SOURCE = """\
class Store:
    def get(self, key):
        return self.rows[key]


class Cache:
    def get(self, key):
        return self.hot[key]
"""


@pytest.fixture
def scanned(memory, workspace):
    (workspace / "store.py").write_text(SOURCE)
    memory.scan(str(workspace))
    return lambda wanted: memory.entity(wanted, str(workspace))


def test_a_qualified_name_is_one_entity_and_a_bare_name_may_be_several(scanned):
    (hit,) = scanned("Cache.get")
    assert (hit.start_line, hit.end_line, hit.state) == (7, 8, "fresh")
    assert hit.text == "    def get(self, key):\n        return self.hot[key]"
    assert [other.qualified_name for other in scanned("get")] == ["Store.get", "Cache.get"]
    assert scanned(hit.entity_id) == (hit,)


@pytest.mark.parametrize(
    ("now", "state", "text"),
    [
        ("# new\n" + SOURCE, "moved", "    def get(self, key):\n        return self.hot[key]"),
        (SOURCE.replace("self.hot[key]", "None"), "changed", "    def get(self, key):\n        return None"),
        ("class Store: ...\n", "gone", "def get(self, key)"),  # the signature that is remembered, no line of another
        (None, "gone", "def get(self, key)"),
    ],
)
def test_a_changed_file_is_read_anew(scanned, workspace, now, state, text):
    if now is None:
        (workspace / "store.py").unlink()
    else:
        (workspace / "store.py").write_text(now)
    (hit,) = scanned("Cache.get")
    assert (hit.state, hit.text) == (state, text)


@pytest.mark.parametrize("wanted", ["nope", "", "store.py", "Cache.", "%", "../../etc/passwd"])
def test_what_is_not_stored_is_refused(scanned, wanted):
    with pytest.raises(InputError, match="no id or name of a stored entity"):
        scanned(wanted)


@pytest.mark.parametrize(
    "body", ["\n".join(f"    a{i} = {i}" for i in range(1_000)), "\n".join(["    a = '" + "x" * 300 + "'"] * 200)]
)
def test_a_very_long_entity_is_cut_and_says_by_how_much(memory, workspace, body):
    (workspace / "long.py").write_text(f"def long():\n{body}\n")
    memory.scan(str(workspace))
    (hit,) = memory.entity("long", str(workspace))
    text, _, rest = hit.text.rpartition("\n... (")
    assert len(text) <= MAX_CHARS
    assert text.count("\n") < MAX_LINES
    assert text.count("\n") + 1 + int(rest.removesuffix(" more lines)")) == body.count("\n") + 2


def test_a_word_that_many_entities_share_shows_some(memory, workspace):
    for i in range(MAX_EQUALS + 3):
        (workspace / f"m{i}.py").write_text("def run(): ...\n")
    memory.scan(str(workspace))
    assert len(memory.entity("run", str(workspace))) == MAX_EQUALS
