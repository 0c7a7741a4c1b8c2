from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError
from zerikai_memory.retrieve.filters import Filters, kinds_meant, languages_meant, paths_meant, take_filters
from zerikai_memory.retrieve.query import understand

TREE = {
    "api/users.py": 'class User:\n    """A user who logs in."""\n\n\ndef load_user(key):\n    """Load a user."""\n',
    "api/admin/roles.py": 'def load_role(user):\n    """Load the role of a user."""\n',
    "web/user.js": "/** Loads a user over HTTP. */\nexport function loadUser(key) { return fetch(key); }\n",
    "web/user.css": ".user-card { color: red; }\n",
    "README.md": "# Users\n\nHow a user is loaded.\n",
}


@pytest.mark.parametrize(
    ("question", "rest", "filters"),
    [
        ("load user lang:python", "load user", Filters(lang=("python",))),
        ("kind:class,function path:src/ user", "user", Filters(path=("src/",), kind=("class", "function"))),
        ("path:a path:b", "", Filters(path=("a", "b"))),
        ('path:"my docs/" setup', "setup", Filters(path=("my docs/",))),
        ("category:decision why", "why", Filters(category=("decision",))),
        ("language:ts", "", Filters(lang=("ts",))),
        # As people write them.
        ("load user lang: python", "load user", Filters(lang=("python",))),
        ("LANG:Python Kind:Methods", "", Filters(lang=("Python",), kind=("Methods",))),
        ("user lang:python, ts", "user", Filters(lang=("python", "ts"))),
        ("user lang:python, please", "user   please", Filters(lang=("python",))),
        ("user (lang:python)", "user (", Filters(lang=("python",))),
        ("user lang:'python'", "user", Filters(lang=("python",))),
        ("user lang：python", "user", Filters(lang=("python",))),
        ("user path: src/", "user", Filters(path=("src/",))),
        ("why category: decision", "why", Filters(category=("decision",))),
        # What is kept out.
        ("users -path:api", "users", Filters(path=("!api",))),
        ("users path:!api/users.py", "users", Filters(path=("!api/users.py",))),
        ("users NOT path:api", "users", Filters(path=("!api",))),
        ("users except lang:python", "users", Filters(lang=("!python",))),
        ("users kind:!class,function", "users", Filters(kind=("!class", "!function"))),
        ("users path:src,!src/made", "users", Filters(path=("src", "!src/made"))),
        ("users -lang: python, css", "users", Filters(lang=("!python", "!css"))),
        ("users !kind:class lang:python", "users", Filters(lang=("python",), kind=("!class",))),
        # No filters: addresses, scopes, annotations, code, a key with nothing behind it.
        ("open http://localhost:80", "open http://localhost:80", Filters()),
        ("std::vector and lang::x", "std::vector and lang::x", Filters()),
        ("def f(path:str, kind: str)", "def f(path:str, kind: str)", Filters()),
        ("`path:src`", "`path:src`", Filters()),
        ("path: where is it", "path: where is it", Filters()),
        ("path://x/y", "path://x/y", Filters()),
        ("which kind:", "which kind:", Filters()),
    ],
)
def test_filters_are_taken_out_of_the_question_and_nothing_else(question: str, rest: str, filters: Filters) -> None:
    assert take_filters(question) == (rest, filters)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("users lang:", "lang: no value is given"),
        ("users path:", "path: no value is given"),
        ('path:"" users', "path: no value is given"),
        ("users lang: klingon", "lang: 'klingon' is none, so nothing is filtered; known are python"),
        ("users kind: gadget", "kind: 'gadget' is none, so nothing is filtered; known are module"),
        ("users category: gossip", "category: 'gossip' is none, so nothing is filtered; known are fact"),
        ("users path: where", "path: 'where' is none"),
        ("users -category:fact", "category: records of a category are asked for and cannot be kept out"),
        # code, and filters that are read
        ("def f(path: str, kind: int)", ""),
        ("path: string", ""),
        ("`lang: klingon`", ""),
        ("lang: {}", ""),
        ("open http://localhost:80", ""),
        ("lang: python kind:class", ""),
    ],
)
def test_a_filter_that_cannot_be_read_is_told_and_never_silently_words(question: str, said: str) -> None:
    remarks = understand(question).remarks
    assert [said] == [remark[: len(said)] for remark in remarks] if said else not remarks


def test_what_was_not_read_as_a_filter_stands_among_the_warnings(memory: Memory, project: Path) -> None:
    assert any("known are python" in said for said in memory.query("load a user lang:", str(project)).warnings)


@pytest.mark.parametrize(
    ("value", "name"),
    [("Python", "python"), ("py", "python"), (".ts", "typescript"), ("tsx", "typescript"), ("mjs", "javascript")],
)
def test_a_language_is_known_by_name_short_form_and_extension(value: str, name: str) -> None:
    assert languages_meant([value]) == {name}


def test_kinds_are_known_in_the_plural_and_by_other_words() -> None:
    assert kinds_meant(["classes", "Functions", "properties", "const"]) == {"class", "function", "property", "constant"}


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ("api/", ["api/users.py", "api/admin/roles.py"]),
        ("api/us", ["api/users.py"]),  # the beginning of a path
        ("./web", ["web/user.js", "web/user.css"]),
        ("*.py", ["api/users.py", "api/admin/roles.py"]),  # without a slash it is about the file's name
        ("api/*.py", ["api/users.py"]),
        ("api/**", ["api/users.py", "api/admin/roles.py"]),
        ("**/user.*", ["web/user.js", "web/user.css"]),
        ("admin", ["api/admin/roles.py"]),  # a folder further down
        ("users.py", ["api/users.py"]),
        (r"web\user.js", ["web/user.js"]),
        (".", list(TREE)),
        ("/home/me/project/web", ["web/user.js", "web/user.css"]),  # as another program writes it
        (r"C:\project\api\users.py", ["api/users.py"]),
    ],
)
def test_a_path_is_a_beginning_or_a_glob(value: str, paths: list[str]) -> None:
    assert paths_meant([value], list(TREE)) == set(paths)


@pytest.fixture
def project(memory: Memory, workspace: Path) -> Path:
    for path, text in TREE.items():
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(text)
    memory.scan(str(workspace))
    return workspace


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("load a user lang:javascript", {"loadUser", "user"}),
        ("load a user lang:python kind:function", {"load_user", "load_role"}),
        ("load a user path:api/admin", {"load_role", "roles"}),
        ("user kind:class", {"User"}),
        ("load a user -lang:python", {"loadUser", "user", ".user-card", "Users", "README"}),
        ("load_user path:!api/users.py", {"load_role", "roles", "loadUser", "user", ".user-card", "Users", "README"}),
        ("user lang:python kind:!class,module", {"load_user", "load_role"}),
        ("load user NOT path:api lang:python,javascript", {"loadUser", "user"}),
        ("user lang:css,md", {".user-card", "Users", "user", "README"}),
    ],
)
def test_only_what_the_filters_let_in_is_shown(question: str, names: set[str], memory: Memory, project: Path) -> None:
    found = {hit.name for hit in memory.query(question, str(project)).results}
    assert found
    assert found <= names


def test_filters_alone_list_what_they_let_in_and_count_the_rest(memory: Memory, project: Path) -> None:
    answer = memory.query("kind:function", str(project), limit=2)
    assert [hit.qualified_name for hit in answer.results] == ["load_role", "load_user"]
    assert answer.omitted == 1


@pytest.mark.parametrize(
    ("question", "known"),
    [
        ("x lang:cobol", "python, javascript"),
        ("x kind:gadget", "module, class"),
        ("x path:no/such", "README.md, api/, web/"),
        ("x category:gossip", "fact, decision"),
    ],
)
def test_an_unknown_value_names_the_known_ones(question: str, known: str, memory: Memory, project: Path) -> None:
    with pytest.raises(InputError, match=known):
        memory.query(question, str(project))


def test_a_path_to_be_kept_out_that_is_not_there_is_told_and_no_error(memory: Memory, project: Path) -> None:
    answer = memory.query("load_user -path:vendor", str(project))
    assert "load_user" in {hit.name for hit in answer.results}
    assert answer.warnings[0].startswith("path: 'vendor' fits no indexed file")


def test_a_known_value_that_fits_nothing_is_said(memory: Memory, project: Path) -> None:
    answer = memory.query("user lang:vue", str(project))
    assert answer.nothing_relevant
    assert "lang:vue" in answer.warnings[0]


def test_a_category_in_the_question_asks_the_records(memory: Memory, project: Path) -> None:
    note = memory.save("Users log in by mail", str(project), category="decision")
    memory.save("Users log in by mail too", str(project), category="musing")
    assert memory.query("how do users log in category:decision", str(project)).notes == (note,)
    assert memory.query("category:decision", str(project)).notes == (note,)
    assert [found.category for found in memory.query("category:musing", str(project)).notes] == ["musing"]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ('"load the role" of a user', ["load_role"]),
        ('"Loads a user over" http', ["loadUser"]),
        ('user "logs in"', ["User"]),
    ],
)
def test_a_quoted_phrase_must_occur(question: str, names: list[str], memory: Memory, project: Path) -> None:
    found = [hit.name for hit in memory.query(question, str(project)).results if hit.entity_type != "module"]
    assert found == names


def test_a_phrase_that_stands_nowhere_is_said(memory: Memory, project: Path) -> None:
    answer = memory.query('load "user of the role"', str(project))
    assert answer.nothing_relevant
    assert "user of the role" in answer.warnings[0]


def test_what_cannot_be_kept_out_is_not_searched_for() -> None:
    assert understand("users -category:fact").words == understand("users").words
