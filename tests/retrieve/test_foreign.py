"""Questions in other languages about code in English."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from zerikai_memory.app import Memory
from zerikai_memory.retrieve.foreign import fold, in_english, language_of_question, translations
from zerikai_memory.retrieve.query import understand

CODE = '''"""Users and their secrets."""

SECRETS = {"token", "password"}


def mask_secrets(text):
    """Replace secrets in a text by stars."""
    return text


def load_user(user_id):
    """Read one user from the database."""
    return user_id


def send_mail(address, attachment):
    """Send an email with an attachment."""
    return address


def hash_password(password):
    """Give the hash of a password."""
    return password
'''
NOTES = "# Überweisung\n\nWie die Bestellung abläuft, erklärt der Leitfaden.\n"


@pytest.fixture
def project(memory: Memory, workspace: Path) -> str:
    (workspace / "users.py").write_text(CODE)
    (workspace / "NOTES.md").write_text(NOTES, "utf-8")
    memory.scan(str(workspace))
    return str(workspace)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("ou sont masqués les secrets", "mask_secrets"),
        ("où sont masqués les secrets ?", "mask_secrets"),
        ("wo werden die Secrets maskiert", "mask_secrets"),
        ("dónde se enmascaran los secretos", "mask_secrets"),
        ("onde são mascarados os secrets", "mask_secrets"),
        ("dove vengono mascherati i segreti", "mask_secrets"),
        ("hoe wordt een wachtwoord gehasht", "hash_password"),
        ("где хешируется пароль", "hash_password"),
        ("密码在哪里哈希", "hash_password"),
        ("パスワードのハッシュ", "hash_password"),
        ("비밀번호 해시", "hash_password"),
        ("comment envoyer un courriel", "send_mail"),
        ("correo con adjunto", "send_mail"),  # no function word of the language, one of another
        ("utilisateur base de données", "load_user"),
        ("où est load_user", "load_user"),  # a name counts as it is written
        ("uberweisung", "Überweisung"),  # accents are folded
        ("wie läuft die Bestellung ab", "Überweisung"),  # what the project knows is not translated
    ],
)
def test_a_question_in_another_language_finds_code_in_english(
    question: str, name: str, memory: Memory, project: str
) -> None:
    answer = memory.query(question, project)
    assert not answer.nothing_relevant
    assert answer.results[0].name == name


@pytest.mark.parametrize(
    "question",
    [
        "comment faire cuire un saumon",
        "wie koche ich Kartoffeln",
        "receta de tortilla",
        "как сварить борщ",
        "怎么做红烧肉",
    ],
)
def test_what_is_not_there_is_not_found_in_other_languages_either(question: str, memory: Memory, project: str) -> None:
    assert memory.query(question, project).nothing_relevant


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("où est la classe", "French"),
        ("wo wird das gespeichert", "German"),
        ("dónde se guarda", "Spanish"),
        ("onde fica o cache", "Portuguese"),
        ("dove viene scritto il file", "Italian"),
        ("waar wordt het opgeslagen", "Dutch"),
        ("где это", "Russian"),
        ("where is the die rolled for a user", None),
        ("comment parser", None),
        ("per user quota in a table", None),
        ("os path del", None),
        ("", None),
    ],
)
def test_the_language_of_a_question_is_told_by_its_function_words(question: str, language: str | None) -> None:
    assert language_of_question(question) == language


def test_an_english_question_stays_as_it_is() -> None:
    def counts(words: Iterable[str]) -> Mapping[str, int]:
        return dict.fromkeys(words, 0)

    query = understand("how does the borrow checker verify the base")
    assert in_english(query, counts, lambda name: ()) is query


@pytest.mark.parametrize(
    ("word", "english"), [("Passwörter", "password"), ("contraseñas", "password"), ("密码", "password"), ("salmon", "")]
)
def test_words_of_programming_are_known_in_any_ending(word: str, english: str) -> None:
    assert translations(word)[:1] == ((english,) if english else ())


@pytest.mark.parametrize(
    ("word", "folded"),
    [("Überblick", "uberblick"), ("œuvre", "oeuvre"), ("Straße", "strasse"), ("が", "が"), ("й", "й")],
)
def test_accents_of_latin_letters_are_folded_and_no_others(word: str, folded: str) -> None:
    assert fold(word) == folded


TOOLS = {
    "http.py": '''"""Requests and what is done with their answers."""


def build_redirect(request, response):
    """Build the request that follows a redirect."""
    return request


def retry(times):
    """Send a failed request again."""
    return times


def set_header(name, value):
    """Set one header of a request."""
    return name, value


def rollback(savepoint):
    """Go back to a savepoint."""
    return savepoint


def auto_field(cache):
    """The field that a cache is kept in."""
    return cache
''',
    "templates.py": '''"""Templates."""


class Keyboard:
    """Keys that are pressed."""


def compile_template(source):
    """Compile a template to code."""
    return source


def show_error(message):
    """Display the message of an error."""
    return message


def store_session(session):
    """Save a session to the storage."""
    return session
''',
}


@pytest.fixture
def tools(memory: Memory, workspace: Path) -> str:
    for path, text in TOOLS.items():
        (workspace / path).write_text(text)
    memory.scan(str(workspace))
    return str(workspace)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("リダイレクトはどこで処理されますか", "build_redirect"),
        ("如何处理重定向", "build_redirect"),
        ("리다이렉트는 어디에서 처리되나요", "build_redirect"),
        ("重试失败的请求在哪里实现", "retry"),
        ("retry 在哪里实现", "retry"),
        ("retry はどこで実装されていますか", "retry"),
        ("retry는 어디에 구현되어 있나요", "retry"),
        ("где реализован retry", "retry"),
        ("που ορίζεται το retry", "retry"),  # Greek is in no table
        ("klawiatura Keyboard", "Keyboard"),  # nor is Polish
        ("ヘッダーはどこで設定されますか", "set_header"),
        ("セッションはどこに保存されますか", "store_session"),
        ("模板在哪里编译", "compile_template"),
        ("错误信息在哪里显示", "show_error"),
        ("Wo wird die Umleitung behandelt?", "build_redirect"),
        ("¿dónde se implementa la redirección?", "build_redirect"),
        ("où est traitée la redirection", "build_redirect"),
    ],
)
def test_a_sentence_is_answered_where_its_telling_words_are(
    question: str, name: str, memory: Memory, tools: str
) -> None:
    answer = memory.query(question, tools)
    assert not answer.nothing_relevant
    assert name in [hit.name for hit in answer.results[:3]]


@pytest.mark.parametrize(
    "question",
    [
        "Wie backe ich Brot?",  # `backe` has the stem of back
        "Wo kann ich ein Auto kaufen?",  # one word is known by chance
        "cuánto cuesta un coche nuevo",  # coche is no misspelt cache
        "cuanto cuesta un coche nuevo",
        "パスタの作り方を教えてください",
        "富士山の高さは何メートルですか",
        "今天天气怎么样",
        "哪家餐厅的服务最好",
        "김치찌개 만드는 방법",
        "jak upiec chleb",
    ],
)
def test_a_word_that_is_known_by_chance_is_no_answer(question: str, memory: Memory, tools: str) -> None:
    answer = memory.query(question, tools)
    assert answer.nothing_relevant
    assert not answer.warnings


def test_an_english_question_with_an_unknown_word_beside_a_name_stays_as_it_is() -> None:
    query = understand("where is the frobnicator Keyboard")
    assert in_english(query, lambda words: {word: int(word == "keyboard") for word in words}, lambda name: [1]) is query
