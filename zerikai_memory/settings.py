"""Settings: one frozen value, read once from the environment and the brain's own `.env`.

Precedence: process environment, then `$ZERIKAI_HOME/.env`, then the `.env` of our own source checkout. The scanned
project's `.env` and the working folder's are never read: they could redirect where data goes.
A wrong value never stops the start: it is named in `Settings.problems` and its default is used.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

APP_NAME = "zerikai-memory"
# Whose transcripts can be read: the names of `sessions.formats`.
AGENTS = ("claude-code", "codex", "antigravity", "pi", "copilot-cli", "vscode-chat", "generic")
# A line that python-dotenv can use: optional export, a name, an equals sign; or nothing but blank or comment.
_ENV_LINE = re.compile(r"\s*(?:#.*)?$|\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_.]*\s*=")
_ENV_NAME = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=")
_MAX_ENV_BYTES = 100_000  # there are some twenty settings
_ENVIRONMENT = "environment"
# The seed's list; in `MEMORY_MODE=hybrid` a question with one of them goes to the cloud.
ESCALATION_KEYWORDS = (
    *("refactor", "architect", "architecture", "design", "redesign", "migrate", "migration", "strategy", "tradeoff"),
    *("structure", "pattern", "review", "audit", "compare", "alternative"),
)
_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set, with its default. `problems` are sentences about values that were not usable."""

    home: Path
    workspace: str | None = None
    session: str | None = None
    task: str | None = None
    embedding: str = "static"
    embedding_api_key: str | None = field(default=None, repr=False)
    vector_store: str = "auto"
    chroma_url: str = "http://127.0.0.1:8000"
    ranker: str = "hybrid"
    query_distance_threshold: float | None = None
    enable_lexical_rerank: bool = True
    lexical_rerank_weight: float = 0.05
    top_k: int = 5
    respect_gitignore: bool = True
    max_file_bytes: int = 1_500_000
    snapshots: int = 5
    max_content_chars: int = 10_000
    session_places: tuple[tuple[str, str], ...] | None = None
    time_decay_days: float = 90.0
    decision_decay_days: float = 365.0
    memory_mode: str = "local"
    deepseek_api_key: str | None = field(default=None, repr=False)
    deepseek_base_url: str = "https://api.deepseek.com"
    deepseek_model_fast: str = "deepseek-flash"
    deepseek_model_pro: str = "deepseek-v4-pro"
    enable_deepseek_pro: bool = False
    ollama_host: str = "http://127.0.0.1:11434"
    ollama_model: str | None = None
    openai_compat_base_url: str | None = None
    openai_compat_model: str | None = None
    openai_compat_api_key: str | None = field(default=None, repr=False)
    cloud_escalation_word_count: int = 40
    cloud_escalation_keywords: tuple[str, ...] = ESCALATION_KEYWORDS
    enable_token_tracking: bool = True
    budget_warn_percent: float = 80.0
    budget_stop_percent: float = 100.0
    problems: tuple[str, ...] = ()

    @classmethod
    def from_env(cls, env: Mapping[str, str], checkout: Path | None = None) -> Settings:
        """Read settings from `env` and the `.env` files that belong to us; `checkout` is our own source folder."""
        return load_settings(env, checkout)


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable: the field it sets, how its text is read, and its line for the documentation.

    `alias` is an older name that is read where the name itself is not set; a `secret` is never repeated.
    """

    name: str
    field: str
    parse: Callable[[str], Any]
    allowed: str
    alias: str = ""
    secret: bool = False


def load_settings(env: Mapping[str, str], checkout: Path | None = None) -> Settings:
    """Settings from process environment over brain `.env` over checkout `.env`; unusable values become problems."""
    problems: list[str] = []
    home = brain_home(env, checkout)
    values: dict[str, tuple[str, str]] = {}
    sources = [home / ".env"]
    if checkout is not None and checkout / ".env" not in sources:
        sources.append(checkout / ".env")
    for path in reversed(sources):
        for key, (text, line) in _read_env_file(path, problems).items():
            values[key] = (text, f"{path}, line {line}")
    values.update({key: (text, _ENVIRONMENT) for key, text in env.items()})

    chosen: dict[str, Any] = {}
    for variable in VARIABLES:
        name = variable.name if values.get(variable.name, ("",))[0].strip() or not variable.alias else variable.alias
        text, source = values.get(name, ("", ""))
        if not text.strip() or variable.field == "home":
            continue
        try:
            chosen[variable.field] = variable.parse(text.strip())
        except ValueError:
            # A line of a file can be looked up, and may be a secret under the wrong name: it is not repeated.
            shown = source == _ENVIRONMENT and "@" not in text and not variable.secret  # a URL may hold a password
            got = f"got {_shown(text)}" if shown else "the value is not usable"
            problems.append(
                f"{name} ({source}): {got}, expected {variable.allowed}; the default "
                f"{_default(variable.field)!r} is used"
            )
    return _behind_the_wall(Settings(home=home, **chosen), problems)


def _behind_the_wall(settings: Settings, problems: list[str]) -> Settings:
    """In `local` mode nothing beyond this machine is connected to, a Chroma server of the person's own neither."""
    from zerikai_memory.address import is_loopback

    if (
        settings.memory_mode == "local"
        and settings.vector_store == "chroma-http"
        and not is_loopback(settings.chroma_url)
    ):
        problems.append(
            "CHROMA_URL: a server beyond this machine is not connected to while MEMORY_MODE is local; VECTOR_STORE "
            "'exact' is used. Set MEMORY_MODE=hybrid or cloud to allow it"
        )
        settings = replace(settings, vector_store="exact")
    return replace(settings, problems=tuple(problems))


def brain_home(env: Mapping[str, str], checkout: Path | None) -> Path:
    """Folder of the brain: ZERIKAI_HOME, else `.brain` in a source checkout, else the user's data folder."""
    if text := env.get("ZERIKAI_HOME", "").strip():
        return Path(os.path.abspath(Path(text).expanduser()))
    if checkout is not None:
        return checkout / ".brain"
    import platformdirs  # only an installed copy without ZERIKAI_HOME needs it

    return Path(platformdirs.user_data_dir(APP_NAME, appauthor=False))


def source_checkout() -> Path | None:
    """The source checkout this package runs from, or None when it is installed elsewhere."""
    root = Path(__file__).resolve().parents[1]
    return root if (root / "pyproject.toml").is_file() and (root / "scripts").is_dir() else None


def _read_env_file(path: Path, problems: list[str]) -> dict[str, tuple[str, int]]:
    """{name: (value, line number)} of a dotenv file; lines that cannot be read are named, their text never shown."""
    try:
        raw = _regular_bytes(path)
    except FileNotFoundError:
        return {}
    except OSError as error:
        problems.append(f"{path}: cannot be read ({error.strerror or error}); its settings are not used")
        return {}
    from io import StringIO  # only needed when a .env exists

    from dotenv import dotenv_values

    found: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(raw.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            text = line.decode("utf-8").rstrip("\r")
        except UnicodeDecodeError:
            problems.append(f"{path}, line {number}: not UTF-8 text; the line is ignored")
            continue
        if not _ENV_LINE.match(text) or _unclosed(text):
            problems.append(f"{path}, line {number}: not of the form NAME=value; the line is ignored")
            continue
        if match := _ENV_NAME.match(text):
            value = dotenv_values(stream=StringIO(text + "\n"), interpolate=False).get(match.group(1))
            found[match.group(1)] = (value or "", number)
    return found


def _regular_bytes(path: Path) -> bytes:
    """Content of a small regular file; a pipe is not waited for (the server must start)."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError("not a regular file")
        content = file.read(_MAX_ENV_BYTES + 1)
    if len(content) > _MAX_ENV_BYTES:
        raise OSError(f"more than {_MAX_ENV_BYTES:,} bytes")
    return content


def _unclosed(line: str) -> bool:
    """Whether the value opens a quote that the same line does not close (we read one setting per line)."""
    value = line.partition("=")[2].strip()
    return value[:1] in ("'", '"') and not re.match(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*(#.*)?$""", value)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _default(name: str) -> object:
    return next(field.default for field in fields(Settings) if field.name == name)


def _boolean(text: str) -> bool:
    if text.lower() in _TRUE | _FALSE:
        return text.lower() in _TRUE
    raise ValueError(text)


def _word(text: str) -> str:
    if len(text) > 100 or not text.isprintable():
        raise ValueError(text)
    return text


def _number(low: float, high: float) -> Callable[[str], float]:
    def parse(text: str) -> float:
        value = float(text)
        if not (math.isfinite(value) and low <= value <= high):
            raise ValueError(text)
        return value

    return parse


def _integer(low: int, high: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return parse


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in words:
            raise ValueError(text)
        return text.lower()

    return parse


def _places(text: str) -> tuple[tuple[str, str], ...]:
    """`agent=folder` pairs between semicolons."""
    pairs = [tuple(part.strip() for part in item.partition("=")[::2]) for item in text.split(";") if item.strip()]
    found = tuple((agent, folder) for agent, folder in pairs)
    if not all("=" in item for item in text.split(";") if item.strip()) or {a for a, _ in found} - set(AGENTS):
        raise ValueError(text)
    return found


def _server_url(text: str) -> str:
    """The URL without a slash at its end; what it names beyond that is the person's explicit choice."""
    from urllib.parse import urlsplit  # only when it is set

    parts = urlsplit(text)
    plain = parts.path in ("", "/") and not (parts.query or parts.fragment or parts.username or parts.password)
    if parts.scheme not in ("http", "https") or not parts.hostname or not plain or parts.port == 0:
        raise ValueError(text)
    return text.rstrip("/")


def _api_url(text: str) -> str:
    from zerikai_memory.address import base_url  # only when it is set

    return base_url(text)


def _ollama_url(text: str) -> str:
    from zerikai_memory.address import ollama_url

    return ollama_url(text)


def _model_name(text: str) -> str:
    """A name that a provider knows; the two that DeepSeek has shut off are told apart from a typing error."""
    if any(c.isspace() for c in text) or text in ("deepseek-chat", "deepseek-reasoner"):
        raise ValueError(text)
    return text


def _embedding(text: str) -> str:
    """One of our own embeddings, or a model of a server with its address in one spelling."""
    if text.lower() in ("static", "minilm"):
        return text.lower()
    server = embedding_server(text)
    if server is None:
        raise ValueError(text)
    kind, model, url = server
    return f"{kind}:{model}" + (f"@{url}" if url else "")


def embedding_server(text: str) -> tuple[str, str, str] | None:
    """(ollama or openai, model, base URL or "") of an EMBEDDING value; None for another one. Raises ValueError."""
    kind, colon, rest = text.partition(":")
    if not colon or kind not in ("ollama", "openai"):
        return None
    # A model name may hold an @, a base URL none: it would begin a password.
    model, at, url = rest.rpartition("@") if kind == "openai" else (rest, "", "")
    if not model or len(model) > 200 or any(c.isspace() for c in model) or (kind == "openai" and not at):
        raise ValueError(text)
    return kind, model, _api_url(url) if url else ""


def _key(text: str) -> str:
    """A key as it can stand in a header."""
    if not text.isascii() or any(c.isspace() for c in text):
        raise ValueError(text)
    return text


def _words(text: str) -> tuple[str, ...]:
    """Words between commas; `none` is no word at all."""
    if text.lower() == "none":
        return ()
    return tuple(dict.fromkeys(word for part in text.split(",") if (word := " ".join(part.lower().split()))))


VARIABLES: tuple[Variable, ...] = (
    Variable("ZERIKAI_HOME", "home", str, "a folder"),
    Variable("ZERIKAI_WORKSPACE", "workspace", str, "a path, name or id of a workspace"),
    Variable("ZERIKAI_SESSION", "session", _word, "a text of at most 100 characters"),
    Variable("ZERIKAI_TASK", "task", _word, "a text of at most 100 characters"),
    Variable("EMBEDDING", "embedding", _embedding, "static, minilm, ollama:MODEL or openai:MODEL@BASE_URL"),
    Variable("EMBEDDING_API_KEY", "embedding_api_key", _key, "a key without spaces", secret=True),
    Variable(
        "VECTOR_STORE",
        "vector_store",
        _one_of("auto", "exact", "chroma", "chroma-http"),
        "auto, exact, chroma or chroma-http",
    ),
    Variable("CHROMA_URL", "chroma_url", _server_url, "http:// or https://, a host and a port, without a password"),
    Variable("RANKER", "ranker", _one_of("hybrid", "classic"), "hybrid or classic"),
    Variable("QUERY_DISTANCE_THRESHOLD", "query_distance_threshold", _number(0, 4), "a number from 0 to 4"),
    Variable("ENABLE_LEXICAL_RERANK", "enable_lexical_rerank", _boolean, "true or false"),
    Variable("LEXICAL_RERANK_WEIGHT", "lexical_rerank_weight", _number(0, 10), "a number from 0 to 10"),
    Variable("TOP_K", "top_k", _integer(1, 50), "a whole number from 1 to 50"),
    Variable("RESPECT_GITIGNORE", "respect_gitignore", _boolean, "true or false"),
    Variable(
        "MAX_FILE_BYTES",
        "max_file_bytes",
        _integer(1_000, 1_000_000_000),
        "a whole number of bytes from 1000",
    ),
    Variable("SNAPSHOTS", "snapshots", _integer(0, 100), "a whole number from 0 to 100"),
    Variable("MAX_CONTENT_CHARS", "max_content_chars", _integer(500, 100_000), "a whole number from 500 to 100000"),
    Variable("SESSION_PLACES", "session_places", _places, "agent=folder, several separated by semicolons"),
    Variable("TIME_DECAY_DAYS", "time_decay_days", _number(1, 36_500), "a number of days from 1"),
    Variable("DECISION_DECAY_DAYS", "decision_decay_days", _number(1, 36_500), "a number of days from 1"),
    Variable(
        "MEMORY_MODE", "memory_mode", _one_of("local", "hybrid", "cloud"), "local, hybrid or cloud", alias="ROUTER_MODE"
    ),
    Variable("DEEPSEEK_API_KEY", "deepseek_api_key", _key, "a key without spaces", secret=True),
    Variable("DEEPSEEK_BASE_URL", "deepseek_base_url", _api_url, "http:// or https://, a host, a port, a path"),
    Variable("DEEPSEEK_MODEL_FAST", "deepseek_model_fast", _model_name, "a model that DeepSeek still serves"),
    Variable("DEEPSEEK_MODEL_PRO", "deepseek_model_pro", _model_name, "a model that DeepSeek still serves"),
    Variable("ENABLE_DEEPSEEK_PRO", "enable_deepseek_pro", _boolean, "true or false"),
    Variable("OLLAMA_HOST", "ollama_host", _ollama_url, "a host, a host and a port, or a URL"),
    Variable("OLLAMA_MODEL", "ollama_model", _model_name, "the name of an installed model"),
    Variable(
        "OPENAI_COMPAT_BASE_URL", "openai_compat_base_url", _api_url, "http:// or https://, a host, a port, a path"
    ),
    Variable("OPENAI_COMPAT_MODEL", "openai_compat_model", _model_name, "the name of a model of that server"),
    Variable("OPENAI_COMPAT_API_KEY", "openai_compat_api_key", _key, "a key without spaces", secret=True),
    Variable(
        "CLOUD_ESCALATION_WORD_COUNT",
        "cloud_escalation_word_count",
        _integer(1, 10_000),
        "a whole number from 1 to 10000",
    ),
    Variable("CLOUD_ESCALATION_KEYWORDS", "cloud_escalation_keywords", _words, "words between commas, or none"),
    Variable("ENABLE_TOKEN_TRACKING", "enable_token_tracking", _boolean, "true or false"),
    Variable("BUDGET_WARN_PERCENT", "budget_warn_percent", _number(1, 100), "a number from 1 to 100"),
    Variable("BUDGET_STOP_PERCENT", "budget_stop_percent", _number(1, 100), "a number from 1 to 100"),
)
