"""How many entities hold a name in their text, counted as far as it matters."""

import pytest

from zerikai_memory.store.mentions import entities_mentioning


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("only_defined_here", 1),
        ("called_by_other", 2),
        ("passed_as_value", 2),
        ("called_thrice", 2),  # counted no further
        ("NamedInString", 2),
        ("nowhere_at_all", 0),
        ("__", 2),  # no word to look for: perhaps used
    ],
)
def test_a_name_that_stands_only_in_its_definition_is_told_from_others(memory, workspace, name, count):
    (workspace / "a.py").write_text("""\
def only_defined_here():
    return 1

def called_by_other():
    return 2

def passed_as_value():
    return 3

def called_thrice():
    return called_by_other()

class NamedInString:
    def run(self):
        return map(passed_as_value, [called_thrice(), getattr(self, "NamedInString")])

def last():
    return called_thrice()
""")
    memory.scan(str(workspace))
    index = memory._brain.index(memory.resolve(str(workspace)).id)
    assert entities_mentioning(index, [name, name]) == [count, count]
