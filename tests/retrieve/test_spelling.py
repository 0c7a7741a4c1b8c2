"""Misspelt words of questions: what they are taken for, what stays as it is written, and what the reader is told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.embed.vocabulary import known_words, rare_words
from zerikai_memory.errors import StoreError
from zerikai_memory.retrieve.query import Query, understand
from zerikai_memory.retrieve.spelling import Speller, Vocabulary, edit_cost, is_word
from zerikai_memory.settings import Settings
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.lexical import Lexicon
from zerikai_memory.store.view import load_view

CODE = {
    "sessions.py": '''"""Sessions of users."""


class SessionStore:
    """Keeps sessions until they are expired."""

    def clear_expired(self):
        """Remove all sessions that have expired."""


def load_middleware(settings):
    """Load the middleware classes that the settings name."""
    return settings


def authenticate(credentials):
    """Authentication: check the credentials of a user against the backends."""
    return credentials
''',
    "validators.py": '''"""Validation of what users type."""


def validate_email(value):
    """Validate that a text is an email address."""
    return value


def paginate(queryset, per_page):
    """Split a queryset into pages; deserialization is elsewhere."""
    return queryset


def permission_required(name):
    """Let only users with a permission in."""
    return name
''',
    "fetching.py": '''"""Reading over the network."""


def fetch_url(url, retries=3):
    """Read a url, again when it fails."""
    return url
''',
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """No test writes: one project does for all of them."""
    home = tmp_path_factory.mktemp("brain")
    memory = Memory(Settings(home=home, vector_store="exact", ollama_host="http://127.0.0.1:9"), cwd=home)
    yield memory
    memory.close()


@pytest.fixture(scope="module")
def project(memory: Memory, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("project")
    for name, text in CODE.items():
        (folder / name).write_text(text)
    memory.scan(str(folder))
    return str(folder)


@pytest.fixture(scope="module")
def index(memory: Memory, project: str) -> WorkspaceIndex:
    return WorkspaceIndex(next((memory.settings.home / "index").glob("*.db")))


@pytest.fixture
def speller(index: WorkspaceIndex) -> Speller:
    view = load_view(index)
    return Speller(view, Lexicon(index, view.generation, len(view)))


@pytest.mark.parametrize(
    ("question", "name", "told"),
    [
        ("how are sesions expired", "SessionStore", "sesions: … taken for sessions"),
        ("where is the midleware loaded", "load_middleware", "midleware: … taken for middleware"),
        (
            "valdate an emial adress",
            "validate_email",
            "valdate: … taken for validate|emial: … taken for email|adress: … taken for address",
        ),
        ("how does authentification work", "authenticate", "authentification: … taken for authentication"),
        ("Pagniate a querset!", "paginate", "pagniate: … taken for paginate|querset: … taken for queryset"),
        ("how are the (sesion's) entries expierd?", "SessionStore.clear_expired", "sesion: … taken for session"),
        ("which permision is requird", "permission_required", "permision: … taken for permission"),
        ("check the credentails of a user", "authenticate", "credentails: … taken for credentials"),
        ("whre is midleware", "load_middleware", "midleware: … taken for middleware"),
    ],
)
def test_a_misspelt_question_is_answered_and_the_reader_is_told(
    question: str, name: str, told: str, memory: Memory, project: str
) -> None:
    answer = memory.query(question, project)
    assert not answer.nothing_relevant
    assert answer.results[0].qualified_name == name
    assert answer.question == question
    for line in told.split("|"):
        assert line.replace("…", "no such word in the project,") in answer.warnings


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        # swapped, missing, doubled, wrong letter
        ("how are sessoins expired", "how are sessions expired"),
        ("how are sessons expired", "how are sessions expired"),
        ("how are sesssions expired", "how are sessions expired"),
        ("how are sessiins expired", "how are sessions expired"),
        ("how are zessions expired", "how are sessions expired"),
        # two of them in a long word
        ("where is the mideware loadd", "where is the middleware load"),
        ("which autentication backends", "which authentication backends"),
        # English has the word where the project has none
        ("the adress of the emial", "the address of the email"),
        ("where is the temperatrue", "where is the temperature"),
    ],
)
def test_a_word_is_taken_for_the_nearest(question: str, searched: str, speller: Speller) -> None:
    query, _ = speller.corrected(understand(question))
    assert query.plain == searched


def test_words_and_terms_are_those_of_the_corrected_question_and_the_text_is_as_asked(speller: Speller) -> None:
    query, _ = speller.corrected(understand("where is midleware"))
    right = understand("where is middleware")
    assert (query.plain, query.words, query.terms, query.identifiers) == (
        right.plain,
        right.words,
        right.terms,
        right.identifiers,
    )
    assert query.text == "where is midleware"


@pytest.mark.parametrize(
    "question",
    [
        "how are sessions expired",
        # right words that the project does not hold, rare ones too
        "how do I poach salmon and carve a pumpkin",
        "why do cats purr on suede",
        "does the oscillator scram",
        "how are widgets rasterised and vectorised",
        "is it transpiled and precached before unzipping",
        "which webhooks does kubectl call",
        "does it run on deno or vite with redis",
        "is arrhythmia descaled",
        # of no letters that mean anything
        "xqzzt and qwrtplk",
        "what is zzzzzzzz",
        # short for something of the project
        "the creden of the authe",
    ],
)
def test_right_words_and_nonsense_are_never_changed(question: str, speller: Speller) -> None:
    query = understand(question)
    assert speller.corrected(query) == (query, ())


@pytest.mark.parametrize(
    "question",
    [
        "midleware",  # a name that is all there is
        "where is load_midleware",
        "where is loadMidleware called",
        "where is Midleware loaded",
        "what does midleware() do",
        "what calls settings.midleware",
        "what is in midleware.py",
        "what is in src/midleware",
        "what is in midleware/sesions.py:3",
        "what does `midleware` do",
        'who says "the midleware adress"',
        "who says 'midleware'",
        "where is midleware2 loaded",
        "where is .midleware-box styled",
        "what is #midleware",
        "sessions path:midleware",
        "the MIDLEWARE of sessions",
        "naïve midlewäre",
    ],
)
def test_names_paths_quoted_texts_and_filters_stay_as_written(question: str, speller: Speller) -> None:
    query = understand(question)
    assert speller.corrected(query) == (query, ())


def test_the_message_of_a_trace_stays_as_written(speller: Speller) -> None:
    trace = (
        'Traceback (most recent call last):\n  File "sessions.py", line 9, in clear_expired\n    x()\n'
        "ValueError: the sesions of midleware are gone\n"
    )
    query = understand(trace)
    assert query.frames
    assert speller.corrected(query) == (query, ())


@pytest.mark.parametrize(
    "question",
    [
        "où sont validées les sesions",
        "wo werden die Sitzungen und sesions geladen",
        "dónde caducan las sesiones",
        "correo con adjunto",
        "где хранится sesions",
        "密码在哪里哈希 sesions",
    ],
)
def test_questions_in_other_languages_are_left_to_their_own_words(question: str, speller: Speller) -> None:
    query = understand(question)
    assert speller.corrected(query) == (query, ())


@pytest.mark.parametrize("question", ["xqzzt", "where is the xqzzt", "how is the xqzzt wvvrk done", "poach a salmon"])
def test_nonsense_and_what_is_not_there_stay_refused(question: str, memory: Memory, project: str) -> None:
    answer = memory.query(question, project)
    assert answer.nothing_relevant
    assert not any("taken for" in warning for warning in answer.warnings)


def test_words_in_memory_and_on_disk_are_corrected_alike(index: WorkspaceIndex) -> None:
    view = load_view(index)
    lexicon = Lexicon(index, view.generation, len(view))
    question = understand("valdate the emial of a sesion")

    def corrected() -> tuple[Query, tuple[str, ...]]:
        return Speller(view, lexicon).corrected(question)

    on_disk = corrected()
    lexicon.load()
    assert lexicon.in_memory
    assert corrected() == on_disk
    assert on_disk[0].plain == "validate the email of a session"


def test_only_unknown_words_are_looked_for(index: WorkspaceIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    view = load_view(index)
    speller = Speller(view, Lexicon(index, view.generation, len(view)))
    monkeypatch.setattr(Vocabulary, "near", None)
    query = understand("how are sessions expired and salmon poached")
    assert speller.corrected(query) == (query, ())


def test_words_that_cannot_be_read_leave_those_of_names(
    index: WorkspaceIndex, speller: Speller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def damaged(_: WorkspaceIndex) -> set[str]:
        raise StoreError("damaged")

    monkeypatch.setattr("zerikai_memory.store.lexical.written_words", damaged)
    query, told = speller.corrected(understand("where is the querset of the midleware"))
    assert query.plain == "where is the querset of the middleware"
    assert len(told) == 1
    assert "cannot be read: damaged" in caplog.text


@pytest.mark.parametrize(
    ("one", "other", "most", "edits"),
    [
        ("session", "session", 0, 0),
        ("sesion", "session", 1, 1),
        ("sesssion", "session", 1, 1),
        ("sessoin", "session", 1, 1),
        ("sassion", "session", 1, 1),
        ("essino", "session", 2, 2),
        ("sesino", "session", 1, None),
        ("", "a", 1, 1),
        ("", "ab", 1, None),
        ("abcd", "badc", 2, 2),
        ("authentification", "authentication", 2, 2),
    ],
)
def test_edits_are_letters_more_less_other_or_swapped(one: str, other: str, most: int, edits: int | None) -> None:
    cost = edit_cost(one, other, most)
    assert (None if cost is None else round(cost)) == edits
    back = edit_cost(other, one, most)
    assert (None if back is None else round(back)) == edits


@pytest.mark.parametrize(("word", "right"), [("cokies", "cookies"), ("exceution", "execution"), ("anser", "answer")])
def test_of_several_words_the_likelier_slip_is_meant(word: str, right: str) -> None:
    near = Vocabulary(["cookies", "copies", "execution", "exception", "answer", "auser"]).near(word, 1)
    assert min(near, key=near.__getitem__) == right


def test_a_vocabulary_of_no_words_has_none_near() -> None:
    assert Vocabulary([]).near("session", 2) == {}
    assert not Vocabulary([]).begins("session")


@pytest.mark.parametrize(
    ("word", "right"),
    [
        *((word, True) for word in ("session", "unmasked", "prefetching", "visualise", "visualisation", "purr")),
        *((word, True) for word in ("kubectl", "queries", "unzipped", "rerouting", "exercises", "promise")),
        *(
            (word, False)
            for word in ("sesion", "sessio", "midleware", "adress", "recieve", "xqzzt", "exercixes", "postgress")
        ),
    ],
)
def test_a_word_is_right_when_english_or_programmers_have_it(word: str, right: bool) -> None:
    assert is_word(word) is right


def test_rare_words_are_in_order_and_not_among_the_known() -> None:
    data = Path(__file__).parents[2] / "zerikai_memory" / "embed" / "data"
    for name in ("english_words.txt", "software_words.txt"):
        listed = (data / name).read_text("utf-8").splitlines()
        assert listed == sorted(set(listed))
        assert all(word.isascii() and word.isalpha() and word.islower() for word in listed)
    assert not (rare_words() & known_words().keys())
