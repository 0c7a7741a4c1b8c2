"""Settings: what is documented, where values come from, and what happens to wrong ones."""

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from zerikai_memory.settings import VARIABLES, Settings, brain_home, load_settings

ROOT = Path(__file__).resolve().parents[1]
# The damaged file of a real report: line 5 has a wrong value, 7, 8 and 10 are no settings.
DAMAGED = (
    b"# comment\n\nDEEPSEEK_API_KEY=\nOLLAMA_HOST = http://127.0.0.1:1\nQUERY_DISTANCE_THRESHOLD=one point two\n"
    b'export DEFAULT_MEMORY_MODE=cloud\nBROKEN LINE WITHOUT EQUALS\nQUOTED="unclosed\n'
    b"ENABLE_TOKEN_TRACKING=yes # really\n\xff\xfe=x\n"
)


def settings_of(home, text=None, checkout=None, **env):
    home.mkdir(exist_ok=True)
    if text is not None:
        raw = text if isinstance(text, bytes) else text.encode()
        (home / ".env").write_bytes(raw)
    return load_settings({"ZERIKAI_HOME": str(home), **env}, checkout)


def default(name):
    return next(f.default for f in fields(Settings) if f.name == name)


def test_the_example_file_lists_every_variable_commented_out_with_its_default():
    listed = re.findall(r"^# ([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, _ in listed] == [variable.name for variable in VARIABLES]
    for variable, (_, text) in zip(VARIABLES, listed, strict=True):
        if text:
            assert variable.parse(text) == default(variable.field), variable.name
        else:
            assert variable.field == "home" or default(variable.field) is None, variable.name


def test_the_example_file_sets_nothing():
    lines = (ROOT / ".env.example").read_text(encoding="utf-8").splitlines()
    assert all(not line or line.startswith("#") for line in lines)


@pytest.mark.parametrize("document", ["docs/settings.md", "README.md"])
def test_the_documents_name_every_variable_and_its_default(document):
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| ([^|]*) \|", (ROOT / document).read_text("utf-8"), re.MULTILINE))
    assert list(rows) == [variable.name for variable in VARIABLES]
    for variable in VARIABLES:
        text = rows[variable.name].strip().strip("`")
        if variable.field != "home" and default(variable.field) is not None:
            assert variable.parse(text) == default(variable.field), variable.name


def test_nothing_set_gives_the_defaults(tmp_path):
    settings = settings_of(tmp_path / "brain")
    assert settings == Settings(home=tmp_path / "brain")
    assert settings.problems == ()


def test_environment_wins_over_the_brain_and_the_brain_over_the_checkout(tmp_path):
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    (checkout / ".env").write_text("TOP_K=7\nRANKER=classic\nMAX_FILE_BYTES=2000\n")
    settings = settings_of(tmp_path / "brain", "TOP_K=8\nRANKER=hybrid\n", checkout, TOP_K="9", RESPECT_GITIGNORE="off")
    assert (settings.top_k, settings.ranker, settings.max_file_bytes) == (9, "hybrid", 2000)
    assert settings.respect_gitignore is False


def test_the_folder_that_the_process_stands_in_is_not_read(tmp_path, monkeypatch):
    (tmp_path / ".env").write_text("TOP_K=9\n")
    monkeypatch.chdir(tmp_path)
    assert settings_of(tmp_path / "brain").top_k == 5


def test_a_damaged_file_is_reported_by_line_and_the_rest_is_used(tmp_path):
    settings = settings_of(tmp_path / "brain", DAMAGED + b"TOP_K=6\n")
    assert settings.top_k == 6
    assert settings.query_distance_threshold is None
    told = "\n".join(settings.problems)
    assert re.findall(r"(?:line |\.env:)(\d+)", told) == ["7", "8", "10", "5"]
    assert "QUERY_DISTANCE_THRESHOLD" in told
    # A line that could not be read may hold a secret.
    assert "BROKEN" not in told
    assert "unclosed" not in told


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("TOP_K", " 12 ", 12),
        ("TOP_K", "", 5),
        ("ENABLE_LEXICAL_RERANK", "No", False),
        ("ENABLE_LEXICAL_RERANK", "ON", True),
        ("RANKER", "Classic", "classic"),
        ("QUERY_DISTANCE_THRESHOLD", "1.5", 1.5),
        ("QUERY_DISTANCE_THRESHOLD", "0", 0.0),
        ("MAX_FILE_BYTES", "1_000_000", 1_000_000),
        ("VECTOR_STORE", "chroma-http", "chroma-http"),
        ("CHROMA_URL", "https://chroma.example:8443/", "https://chroma.example:8443"),
        ("MEMORY_MODE", "Hybrid", "hybrid"),
        ("OLLAMA_HOST", "0.0.0.0", "http://127.0.0.1:11434"),  # an address to listen on
        ("OLLAMA_HOST", " 'gpu.local' ", "http://gpu.local:11434"),
        ("OLLAMA_HOST", "http://gpu.local", "http://gpu.local:80"),
        ("OLLAMA_HOST", "::1", "http://[::1]:11434"),
        ("OLLAMA_HOST", "[::]:80", "http://[::1]:80"),
        ("OPENAI_COMPAT_BASE_URL", "http://127.0.0.1:1234/v1/", "http://127.0.0.1:1234/v1"),
        ("DEEPSEEK_API_KEY", "sk-1", "sk-1"),
        ("CLOUD_ESCALATION_KEYWORDS", "Design,  big  picture,design,", ("design", "big picture")),
        ("CLOUD_ESCALATION_KEYWORDS", "none", ()),
    ],
)
def test_a_value_is_read(tmp_path, name, text, value):
    settings = settings_of(tmp_path / "brain", **{name: text})
    field = next(variable.field for variable in VARIABLES if variable.name == name)
    assert getattr(settings, field) == value
    assert settings.problems == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("TOP_K", "0"),
        ("TOP_K", "51"),
        ("TOP_K", "five"),
        ("TOP_K", "5.5"),
        ("ENABLE_LEXICAL_RERANK", "maybe"),
        ("RANKER", "best"),
        ("EMBEDDING", "gpt"),
        ("VECTOR_STORE", "pinecone"),
        ("CHROMA_URL", "127.0.0.1:8000"),
        ("CHROMA_URL", "ftp://127.0.0.1"),
        ("CHROMA_URL", "http://127.0.0.1:8000/somewhere"),
        ("CHROMA_URL", "http://127.0.0.1:99999"),
        ("CHROMA_URL", "http://"),
        ("QUERY_DISTANCE_THRESHOLD", "nan"),
        ("QUERY_DISTANCE_THRESHOLD", "-1"),
        ("LEXICAL_RERANK_WEIGHT", "inf"),
        ("MAX_FILE_BYTES", "1MB"),
        ("MEMORY_MODE", "private"),
        ("OLLAMA_HOST", "http://gpu local"),
        ("OLLAMA_HOST", "gpu:99999"),
        ("OPENAI_COMPAT_BASE_URL", "127.0.0.1:1234"),
        ("DEEPSEEK_MODEL_FAST", "deepseek-chat"),  # shut off in July 2026
        ("DEEPSEEK_BASE_URL", "file:///etc"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_got_and_the_default_is_used(tmp_path, name, text):
    settings = settings_of(tmp_path / "brain", **{name: text})
    field = next(variable.field for variable in VARIABLES if variable.name == name)
    assert getattr(settings, field) == default(field)
    (problem,) = settings.problems
    assert name in problem
    assert repr(text) in problem
    assert repr(default(field)) in problem


def test_a_url_with_a_password_is_refused_and_not_repeated(tmp_path):
    settings = settings_of(tmp_path / "brain", CHROMA_URL="http://me:secret@127.0.0.1:8000")
    (problem,) = settings.problems
    assert "CHROMA_URL" in problem
    assert "secret" not in problem


def test_a_key_is_shown_nowhere(tmp_path):
    settings = settings_of(tmp_path / "brain", DEEPSEEK_API_KEY="sk-secret one", OPENAI_COMPAT_API_KEY="sk-secret")
    (problem,) = settings.problems
    assert "DEEPSEEK_API_KEY" in problem
    assert "secret" not in problem + repr(settings)


def test_an_older_name_is_read_where_the_name_itself_is_not_set(tmp_path):
    assert settings_of(tmp_path / "brain", ROUTER_MODE="hybrid").memory_mode == "hybrid"
    assert settings_of(tmp_path / "brain", ROUTER_MODE="hybrid", MEMORY_MODE="cloud").memory_mode == "cloud"
    assert "ROUTER_MODE" in settings_of(tmp_path / "brain", ROUTER_MODE="fast").problems[0]


def test_quotes_exports_comments_and_windows_files_are_read(tmp_path):
    text = b"\xef\xbb\xbfexport TOP_K=\"7\" # seven\r\nZERIKAI_WORKSPACE='a # b'\r\n"
    settings = settings_of(tmp_path / "brain", text)
    assert (settings.top_k, settings.workspace, settings.problems) == (7, "a # b", ())


def test_values_are_not_expanded(tmp_path):
    assert settings_of(tmp_path / "brain", "ZERIKAI_WORKSPACE=${HOME}\n").workspace == "${HOME}"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / ".env")
    code = (
        "import sys; from zerikai_memory.settings import load_settings\n"
        "print(*load_settings({'ZERIKAI_HOME': sys.argv[1]}).problems)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert "not a regular file" in done.stdout


def test_a_huge_file_is_a_problem_and_not_read(tmp_path):
    settings = settings_of(tmp_path, "TOP_K=9\n" + "# comment\n" * 100_000)
    assert settings.top_k == default("top_k")
    assert "more than" in settings.problems[0]


def test_an_unreadable_file_is_a_problem_and_no_error(tmp_path):
    (tmp_path / "brain" / ".env").mkdir(parents=True)
    assert "cannot be read" in settings_of(tmp_path / "brain").problems[0]


@pytest.mark.parametrize("text", ["~/x", "./x", "/x/../y"])
def test_the_home_folder_is_made_absolute(text):
    home = brain_home({"ZERIKAI_HOME": text}, None)
    assert home.is_absolute()
    assert ".." not in home.parts


def test_a_checkout_keeps_its_brain_to_itself(tmp_path):
    assert brain_home({}, tmp_path) == tmp_path / ".brain"
    assert brain_home({"ZERIKAI_HOME": "  "}, tmp_path) == tmp_path / ".brain"
    assert brain_home({}, None).name == "zerikai-memory"


@pytest.mark.parametrize(
    ("mode", "url", "store"),
    [
        ("local", "http://chroma.example:8000", "exact"),  # the wall
        ("local", "http://127.0.0.1:8000", "chroma-http"),
        ("hybrid", "http://chroma.example:8000", "chroma-http"),
    ],
)
def test_a_chroma_server_beyond_this_machine_is_behind_the_local_wall(mode, url, store, tmp_path):
    env = {"ZERIKAI_HOME": str(tmp_path), "MEMORY_MODE": mode, "VECTOR_STORE": "chroma-http", "CHROMA_URL": url}
    settings = load_settings(env)
    assert settings.vector_store == store
    assert any("MEMORY_MODE" in problem for problem in settings.problems) == (store == "exact")
