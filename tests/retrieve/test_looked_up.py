"""A question that is one name or one path: what bears it, what mentions it, and no filler."""

from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.retrieve.query import understand

STORE = '''"""Keep users in memory."""

SECRETS = {"token", "password"}


class UserStore:
    """Users by id."""

    def getUser(self, user_id):
        """Give one user."""
        return user_id


def connect_db(url):
    """Open a connection."""
    return url


def main():
    store = UserStore()
    print(store.getUser(1))
'''
GREET = "/** Greets a person. */\nexport function greetPerson(name: string): string {\n  return name\n}\n"
README = "# Tiny\n\nA tiny thing.\n\n## Usage\n\nCall `getUser`.\n"


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    (workspace / "src").mkdir()
    for path, text in {"src/store.py": STORE, "src/greet.ts": GREET, "README.md": README}.items():
        (workspace / path).write_text(text)
    memory.scan(str(workspace))
    return str(workspace)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("get_user", ["UserStore.getUser", "main", "Tiny.Usage"]),  # another casing, a call, a document
        ("what is getUser?", ["UserStore.getUser", "main", "Tiny.Usage"]),
        ("UserStore.getUser", ["UserStore.getUser", "main", "Tiny.Usage"]),
        ("UserStore", ["UserStore", "UserStore.getUser", "main"]),  # a class has its members
        ("connectDb", ["connect_db"]),
        ("secrets", ["SECRETS"]),
        ("Usage", ["Tiny.Usage"]),
        ("greet.ts", ["greet", "greetPerson"]),
        ("src/store.py:10", ["UserStore.getUser", "UserStore", "store"]),  # what is around the line
        ("src/store.py:10:5", ["UserStore.getUser", "UserStore", "store"]),
        (r"src\store.py:15", ["connect_db", "store"]),
        (r"C:\work\tiny\src\store.py:15", ["connect_db", "store"]),
        ("file:///home/me/tiny/src/store.py:15", ["connect_db", "store"]),
        ("/home/me/tiny/src/store.py:15", ["connect_db", "store"]),
        ("`src/store.py` line 15", ["connect_db", "store"]),
        ("line 15 of src/store.py", ["connect_db", "store"]),
        ("src/store.py(15,5)", ["connect_db", "store"]),
        ("https://example.com/me/tiny/blob/main/src/store.py#L15-L16", ["connect_db", "store"]),
    ],
)
def test_a_lone_name_gives_what_bears_or_mentions_it(
    question: str, names: list[str], memory: Memory, project: str
) -> None:
    found = [hit.qualified_name or hit.name for hit in memory.query(question, project).results]
    assert found[0] == names[0]
    assert sorted(found) == sorted(names)


def test_a_line_behind_the_end_of_the_file_gives_the_file_and_says_so(memory: Memory, project: str) -> None:
    answer = memory.query("src/store.py:400", project)
    assert {hit.file_path for hit in answer.results} == {"src/store.py"}
    assert any("the file has 21 lines" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    ("question", "looked_up"),
    [
        ("getUser", "getUser"),
        ("UserStore.getUser", "getUser"),
        ("where is getUser", "getUser"),
        ("src/store.py:3", "store.py"),
        ("how does getUser mask secrets", None),
        ("errors in src/store.py", None),
        ("users of memory", None),
    ],
)
def test_a_question_is_looked_up_when_a_name_is_all_of_it(question: str, looked_up: str | None) -> None:
    assert understand(question).looked_up == looked_up
