"""Codes and flags stand in the code as texts: a question with one finds the place, and no namesake before it."""

from pathlib import Path

import pytest

from tests.retrieve.written import scanned
from zerikai_memory.app import Memory

FILES = {
    "checks/urls.py": "def check_urls(errors):\n    return E006(errors)\n\n\ndef E006(name):\n"
    "    return Error('urls.' + name, id='urls.E006')\n",
    "models/base.py": "class Model:\n    def check_names(self):\n        errors = []\n"
    "        errors.append(Error('a clash of names', id='models.E006'))\n        return errors\n",
    "models/fields.py": "class Field:\n    def check_ignored(_):\n        return Warn('no effect', id='fields.W340')\n"
    "\n\nclass CharField(Field):\n    pass\n\n\nclass TextField(Field):\n    pass\n",
    "commands/migrate.py": "class Command:\n    def add_arguments(self, parser):\n"
    "        parser.add_argument('--fake-initial', action='store_true', help='Detect tables.')\n\n"
    "    def handle(self, options):\n        return run(fake_initial=options['fake_initial'])\n",
    "commands/executor.py": "def run(fake_initial=False):\n    return apply(fake_initial)\n\n\n"
    "def apply(fake_initial):\n    return fake_initial\n",
    "style.css": ":root { --accent-color: red; }\n.a { color: var(--accent-color); }\n",
    "web/errors.ts": "export function refuse(): never {\n  throw new Error('TS2304: no such name');\n}\n",
}


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    return scanned(memory, workspace, FILES)


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("models.E006", "Model.check_names"),
        ("what does models.E006 mean?", "Model.check_names"),
        ("urls.E006", "E006"),
        ("E006", "E006"),  # a name of the project
        ("fields.W340", "Field.check_ignored"),
        ("W340", "Field.check_ignored"),
        ("why do I get fields.W340 for a text field", "Field.check_ignored"),
        ("TS2304", "refuse"),
        ("--fake-initial", "Command.add_arguments"),
        ("what does --fake-initial do", "Command.add_arguments"),
        ("--accent-color", ":root.--accent-color"),  # a name too
    ],
)
def test_a_code_or_flag_is_found_where_it_stands(question: str, first: str, memory: Memory, project: str) -> None:
    hits = memory.query(question, project).results
    assert (hits[0].qualified_name or hits[0].name) == first


@pytest.mark.parametrize("question", ["fields.W340", "W340"])
def test_a_code_alone_gives_nothing_beside_its_place(question: str, memory: Memory, project: str) -> None:
    assert [hit.qualified_name for hit in memory.query(question, project).results] == ["Field.check_ignored"]


def test_what_many_entities_hold_is_a_word_and_no_code(memory: Memory, workspace: Path) -> None:
    held = "".join(f"def hash_{i}(text):\n    return digest(text, 'SHA256')\n\n\n" for i in range(40))
    (workspace / "hashes.py").write_text(held)
    (workspace / "keys.py").write_text("def derive_key(secret):\n    return digest(secret, 'SHA256', rounds=9)\n")
    memory.scan(str(workspace))
    hits = memory.query("how is a key derived from a secret with SHA256", str(workspace)).results
    assert hits[0].name == "derive_key"
