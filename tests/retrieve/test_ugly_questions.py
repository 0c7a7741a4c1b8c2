"""Questions of any characters to projects of any shape: answered or refused in words, and always in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zerikai_memory.app import Memory
from zerikai_memory.errors import InputError
from zerikai_memory.retrieve.concepts import WORDS, ProjectConcepts
from zerikai_memory.retrieve.query import MAX_WORDS, understand
from zerikai_memory.retrieve.search import Ranking, Searcher, SearchOptions
from zerikai_memory.retrieve.spelling import MAX_MISSPELT
from zerikai_memory.settings import Settings
from zerikai_memory.store.view import ViewCache

PROJECTS = {
    "nothing": {"empty.py": ""},
    "one function": {"a.py": "def f():\n    pass\n"},
    "styles alone": {"a.css": ".r-stack { color: red }\n#main .x { margin: 0 }\n"},
    "text alone": {"README.md": "# Title\n\nSome text about sessions.\n\n## Install\n\nRun it.\n"},
    "Chinese and Japanese": {
        "README.md": "# 会话管理\n\n用户登录后保存会话。\n\n## 缓存\n\nキャッシュを無効にする。\n",
        "a.py": 'def 保存会话(用户):\n    """用户登录后保存会话。"""\n    return 用户\n',
    },
    "German": {
        "bestellung.py": 'class Bestellung:\n    """Eine Bestellung des Kunden."""\n\n'
        '    def lieferadresse_pruefen(self, kunde):\n        """Prüft die Lieferadresse."""\n',
        "kunde.py": 'def kunde_anlegen(name, größe):\n    return {"name": name}\n',
    },
    "sessions": {
        "sessions.py": 'class SessionStore:\n    """Keeps sessions until they are expired."""\n\n'
        '    def clear_expired(self):\n        """Remove all sessions that have expired."""\n',
        "middleware.ts": "export function loadMiddleware(settings: any) { return settings }\n",
        "index.html": '<div id="main"><script>function a(){}</script></div>',
    },
    "many alike": {
        "big.py": "".join(
            f'def handle_{i % 7}_{i}(request, value):\n    """Handle request {i} of kind {i % 7}."""\n\n'
            for i in range(400)
        )
    },
}
QUESTIONS = (
    *("", " ", "a", "?", "é", "1", "4711", "1 2 3 4 5 6", "٣٤٥ ١٢", "½ ² ³ sesions", "① ② how"),
    *("x" * 200_000, "how are sesions expired " * 9_000, "sesion " * 5_000, "squeeze the reply " * 400, "\n" * 9_000),
    *("a" * 64, "a" * 65 + " sesions", "b" * 24 + " sesions are here", "la" * 40, "ab" * 12 + " how are"),
    *(
        "🎉 party 🎊 sesions",
        "\x00\x01\x02",
        "a\x00b squeeze\x07 the reply",
        "\u0301\u0301 sesions",
        "s\u0301esions how",
    ),
    *(
        "\ud800",
        "\ud800 squeeze the replly \udfff",
        "sesions\ud800expired how",
        "\u202eabc how is it\u202c",
        "\ufeffsesions how",
    ),
    *("كيف تعمل الجلسة", "איך עובד", "会话 保存 how", "用户登录后保存会话的时候发生什么", "セッション", "세션을 저장"),
    *(
        "sеssion expire кириллица",
        "İSTANBUL ı ß ẞ ǅ sesions",
        "ſession expire",
        "ﬁle ﬂow",
        "wie läuft die Bestelung ab",
    ),
    *(
        "AND",
        "NOT OR",
        'sesions AND NOT (expired OR "x")',
        "NEAR(a b, 5)",
        "* ^ sesions : col:",
        "- path: (x)",
        '"',
        '""',
    ),
    *('"unclosed sesions', '"sesions expird"', 'how are "sesions expird" cleared', "'sesions' how", "«sesions» how"),
    *("the a of", "what is the", "how to be", "why", "lang:python", "kind:class", "lang:python squeeze the reply"),
    *('{"query": "squeeze the reply", "n": [1, 2]}', "def f(x):\n    return x+1\n\nwhy does it break?"),
    *('```python\nprint("hello")\n```\nwhat sesions', "# Heading\n\n- list *bold* `code` sesions\n"),
    *("sEsSiOnStOrE", "SESSIONSTORE how", "cLeAr_ExPiReD", "how Are SESIONS expired", "ies ing how ed", "sessio expir"),
    *(
        "sesions.expire how",
        "/sesions/ how",
        "sesions.py:3 how is",
        "..",
        "\\",
        "C:\\sesions\\a.py how",
        "$sesions how",
    ),
    'Traceback (most recent call last):\n  File "sessions.py", line 3, in clear_expired\nValueError: sesions expird',
    "squeeze\nthe reply\nso that it travels faster",
    " ".join(f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}qz" for i in range(3_000)),
)
# Filters that fit nothing are refused, with what there is.
REFUSED = ("path:nowhere.py", "lang:xyz squeeze", "lang:python path:nowhere.py how are sesions expired")


@pytest.fixture(scope="module")
def searchers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, tuple[Searcher, Searcher]]]:
    """Of each project a searcher with the words in memory, and one that leaves them on disk."""
    base = tmp_path_factory.mktemp("ugly")
    memory = Memory(Settings(home=base / "home", vector_store="exact"))
    found = {}
    for name, files in PROJECTS.items():
        folder = base / name
        folder.mkdir()
        for path, text in files.items():
            (folder / path).write_text(text, encoding="utf-8")
        index = memory._brain.index(memory.scan(str(folder)).workspace_id)
        pair = tuple(Searcher(index, ViewCache(index), memory._embedder) for _ in range(2))
        pair[0]._prepare().lexicon.load()
        pair[1]._prepare().lexicon._left = 0
        found[name] = pair
    yield found
    memory.close()


def asked(searcher: Searcher, question: str) -> Ranking:
    return searcher.search(understand(question), SearchOptions(files=3, entities=5))


@pytest.mark.parametrize("project", PROJECTS)
def test_any_question_is_answered_the_same_from_memory_and_from_disk(
    searchers: Mapping[str, tuple[Searcher, Searcher]], project: str
) -> None:
    in_memory, on_disk = searchers[project]
    for question in QUESTIONS:
        ranking = asked(in_memory, question)
        assert ranking == asked(on_disk, question), question[:80]
        ids = [candidate.entity_id for candidate in ranking.candidates]
        assert len(set(ids)) == len(ids) <= 5, question[:80]
        assert ids or ranking.nothing_relevant, question[:80]
    assert not on_disk._prepare().lexicon.in_memory


@pytest.mark.parametrize("question", REFUSED)
@pytest.mark.parametrize("project", PROJECTS)
def test_filters_that_mean_nothing_here_are_refused(
    searchers: Mapping[str, tuple[Searcher, Searcher]], project: str, question: str
) -> None:
    for searcher in searchers[project]:
        with pytest.raises(InputError, match=r"nowhere\.py|xyz"):
            asked(searcher, question)


@pytest.mark.parametrize("project", [name for name in PROJECTS if name != "nothing"])
def test_what_is_put_right_is_told_and_never_much(
    searchers: Mapping[str, tuple[Searcher, Searcher]], project: str
) -> None:
    speller = searchers[project][0]._prepare().speller
    for question in QUESTIONS:
        query = understand(question)
        corrected, told = speller.corrected(query)
        assert (corrected == query) == (not told), question[:80]
        assert len(told) <= MAX_MISSPELT
        assert len(corrected.words) <= MAX_WORDS
        assert (corrected.phrases, corrected.filters, corrected.paths) == (query.phrases, query.filters, query.paths)


def test_a_mark_before_pasted_text_hides_no_slip(searchers: Mapping[str, tuple[Searcher, Searcher]]) -> None:
    warnings = asked(searchers["sessions"][0], "\ufeffsesions are expired how").warnings
    assert warnings == ("sesions: no such word in the project, taken for sessions",)


class Everything:
    def __contains__(self, stem: object) -> bool:
        return True


@settings(max_examples=60)
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from("squeeze reply tongue visitor zyzzyva the is 12 é 会话".split()), max_size=90).map(
        " ".join
    )
)
def test_what_any_text_means_is_bounded_and_of_its_own_words(text: str) -> None:
    terms = understand(text).terms
    meaning = ProjectConcepts(Everything).meaning(text, terms)
    assert len(meaning.words) == len(set(meaning.words)) <= WORDS
    assert meaning.understood <= set(terms)
    assert meaning == ProjectConcepts(Everything).meaning(text, terms)


@pytest.mark.parametrize("text", ["squeeze the reply", "which tongue does the visitor prefer"])
def test_a_project_that_holds_nothing_means_nothing(text: str) -> None:
    meaning = ProjectConcepts(frozenset).meaning(text, understand(text).terms)
    assert (meaning.words, meaning.understood) == ((), frozenset())
