"""Registrations: what a decorator or a call says that a function is for (route, command, event, fixture, hook).

Pure rules on names and texts, the same for all languages: a parser cannot know what `app` is, so a rule asks for the
verb, the shape of the first argument and, where verbs are common words, the name of the object.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from zerikai_memory.model import EntityType

REGISTERED = (EntityType.ROUTE, EntityType.COMMAND, EntityType.HANDLER)
HTTP = frozenset({"get", "post", "put", "delete", "patch", "head", "options", "trace", "all"})
_ROUTERS = re.compile(r"(?i)(?:^|[\w.])(?:app|router|server|routes?|fastify|blueprint|bp)$")
_CLIENTS = re.compile(r"(?i)^(?:\$|jquery|axios|https?|request|agent|client|nock|scope|fetch\w*|mock\w*|cy)$")
_DECORATOR = re.compile(r"([\w.]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_STRING = re.compile(r"""\s*[rbuf]{0,2}(["'`])(.*?)\1""", re.DOTALL)
_METHODS = re.compile(r"\bmethods\s*=\s*[\[({](.*?)[\])}]", re.DOTALL)
_NAME = re.compile(r"\bname\s*=\s*[\"']([^\"']+)[\"']")
_WORD = re.compile(r"[\w$.]+")

# Decorators by their last word.
_HOOKS = frozenset(
    "before_request after_request teardown_request before_first_request context_processor teardown_appcontext "
    "errorhandler app_errorhandler exception_handler on_exception hookimpl hookspec validator field_validator "
    "model_validator root_validator".split()
)
_EVENTS = frozenset(
    "on on_event event listener listen listens_for receiver subscribe on_message handler onevent subscribemessage "
    "eventpattern messagepattern hostlistener".split()
)
_TASKS = frozenset("task shared_task periodic_task actor job cron scheduled_job interval timeout".split())
_TOOLS = frozenset({"tool", "resource", "prompt"})
_PLUGINS = frozenset({"register", "simple_tag", "inclusion_tag", "filter", "register_filter"})
_NEST = frozenset("get post put delete patch head options all controller sse".split())

# Calls by their last word.
_ADD_ROUTE = frozenset("add_url_rule add_api_route add_route add_api_websocket_route add_websocket_route".split())
_ROUTE_CLASSES = frozenset({"Route", "WebSocketRoute", "APIRoute", "Mount"})
_MOUNTS = frozenset({"include_router", "register_blueprint", "mount"})
_COMMANDS = frozenset(
    {"command", "add_parser", "add_command", "add_typer", "registerCommand", "registerTextEditorCommand"}
)
_LISTENERS = frozenset(
    "on once addListener prependListener addEventListener add_event_handler add_listener subscribe bind "
    "add_signal_handler".split()
)
_SIGNALS = re.compile(r"(?:^|\.)(?:(?:pre|post)_\w+|\w*signal\w*|\w+_(?:started|finished|changed|received|exception))$")
_URLS = frozenset({"path", "re_path", "url"})
CALLS = (
    HTTP
    | {f"add_{verb}" for verb in HTTP}
    | _ADD_ROUTE
    | _ROUTE_CLASSES
    | _MOUNTS
    | _COMMANDS
    | _LISTENERS
    | _URLS
    | {"use", "register", "connect", "signal", "add_middleware"}
)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call: a plain string's value, or else its source text; `keyword` is its name if given by it.

    `function` says that it is written as one here.
    """

    text: str
    string: bool = False
    function: bool = False
    keyword: str = ""


@dataclass(frozen=True, slots=True)
class Registration:
    """`kind` of entity, its `name`, the `role` in words (`route GET /users`), and the handler's name if it has one."""

    kind: EntityType
    name: str
    role: str
    handler: str = ""

    @property
    def target(self) -> str:
        """Text of the REGISTER reference."""
        return f"{self.role} -> {self.handler}" if self.handler else self.role


def role_of(decorator: str, name: str) -> str | None:
    """What a decorator registers the function `name` as: `route GET /users`, `fixture db`; None when it does not."""
    found = _DECORATOR.fullmatch(decorator)
    if found is None:
        return None
    owner, _, word = found[1].rpartition(".")
    arguments = found[2]
    string = _STRING.match(arguments or "")
    first = string[2] if string else None
    if (role := _route_role(owner, word, arguments, first)) is not None:
        return role
    lower = word.lower()
    renamed = _NAME.search(arguments or "")
    if word in ("command", "group") and (owner or arguments is not None):
        return f"command {first or (renamed[1] if renamed else name.replace('_', '-'))}"
    if word == "fixture":
        return f"fixture {renamed[1] if renamed else name}"
    if lower == "middleware" and owner:
        return f"middleware {first or name}"
    if word in _HOOKS:
        return " ".join(
            ("hook", word, _first_words(arguments)) if arguments and "\n" not in arguments else ("hook", word)
        ).strip()
    if lower in _EVENTS and (owner or arguments):
        strings = [value for _, value in _STRING.findall(arguments or "")]
        return f"event {strings[-1] if strings else _first_words(arguments) or name}"
    if lower in _TASKS and (owner or word in ("shared_task", "periodic_task", "actor", "Cron")):
        return f"task {name}"
    if word in _TOOLS and owner and arguments is not None:
        return f"tool {first or name}"
    if word in _PLUGINS and (owner or arguments is not None):
        return f"plugin {first or _first_words(arguments) or name}"
    return None


def _route_role(owner: str, word: str, arguments: str | None, first: str | None) -> str | None:
    if arguments is None:
        return None
    lower = word.lower()
    if word in ("route", "api_route", "websocket", "websocket_route") and first is not None:
        methods = _METHODS.search(arguments)
        verbs = ",".join(re.findall(r"\w+", methods[1].upper())) if methods else ""
        return " ".join(filter(None, ("route", verbs, first)))
    if owner and word in HTTP and first is not None and (not first or first[0] in "/^{*"):
        return f"route {word.upper()} {first}"
    # The decorators of NestJS and the like: capitalised, without an object.
    if not owner and lower in _NEST and word[:1].isupper() and (first is not None or not arguments.strip()):
        verb = "" if lower == "controller" else word.upper()
        return " ".join(filter(None, ("route", verb, first or "/")))
    return None


def registration(owner: str, word: str, arguments: Sequence[Argument], route: str = "") -> Registration | None:
    """What the call `owner.word(arguments)` registers, or None.

    `route` is the path of an enclosing `.route("/path")` of the same chain.
    """
    plain = [a for a in arguments if not a.keyword]
    first = plain[0] if plain else None
    path = first.text if first is not None and first.string else None
    handler = _handler(arguments[1:] if path is not None else arguments)
    if word in HTTP and route:
        return _route(f"{word.upper()} {route}", handler)
    if word in HTTP and path is not None:
        return _http(owner, word, path, plain, handler)
    if word == "use" and _ROUTERS.search(owner):
        if path is not None:
            return _route(f"use {path}", handler)
        name = _callee(first.text) if first is not None and not first.function else ""
        return Registration(EntityType.HANDLER, f"use {name}".strip(), f"middleware {name}".strip())
    if word in _COMMANDS and owner:
        return _command(word, path, arguments, handler)
    if word in _LISTENERS and path is not None and len(plain) > 1 and (handler or plain[1].function):
        return _event(path, handler)
    return _python(owner, word, path, plain, arguments, handler)


def _http(owner: str, word: str, path: str, plain: Sequence[Argument], handler: str) -> Registration | None:
    """`app.get("/users", list_users)`; a client's `axios.post("/users", data)` is none."""
    if len(plain) < 2 or path[:1] not in ("/", "*", "^", "") or _CLIENTS.match(owner.rpartition(".")[2]):
        return None
    inline = any(argument.function for argument in plain[1:])
    if not inline and not (_ROUTERS.search(owner) and handler):
        return None
    return _route(f"{word.upper()} {path}", handler)


def _python(
    owner: str, word: str, path: str | None, plain: Sequence[Argument], arguments: Sequence[Argument], handler: str
) -> Registration | None:
    if word in _URLS and not owner and path is not None and len(plain) > 1 and handler:
        return _route(path or "/", handler)
    if path is not None and (word in _ADD_ROUTE or (word in _ROUTE_CLASSES and path.startswith("/"))):
        return _route(path, handler)
    if path is not None and word.startswith("add_") and word[4:] in HTTP and path.startswith("/"):
        return _route(f"{word[4:].upper()} {path}", handler)
    if path is not None and word == "register" and _ROUTERS.search(owner):
        return _route(path, handler)
    if word in _MOUNTS and owner:
        prefix = next((a.text for a in arguments if a.keyword in ("prefix", "url_prefix") and a.string), path)
        # `mount(path, app)` with a path that only the running program knows is none.
        return _route(f"use {prefix or '/'}", handler) if handler and (prefix or word != "mount") else None
    if word == "add_middleware" and plain:
        name = _callee(plain[0].text)
        return Registration(EntityType.HANDLER, f"use {name}", f"middleware {name}")
    if word == "connect" and handler and path is None and _SIGNALS.search(owner):
        return _event(owner.rpartition(".")[2], handler)
    if word == "register" and owner == "atexit" and handler:
        return _event("exit", handler)
    if word == "signal" and owner == "signal" and len(plain) > 1 and path is None:
        return _event(_callee(plain[0].text), _handler(plain[1:]))
    return None


def _command(word: str, path: str | None, arguments: Sequence[Argument], handler: str) -> Registration | None:
    name = path or next((a.text for a in arguments if a.keyword == "name" and a.string), "")
    if word in ("add_command", "add_typer"):  # click takes the name from the function
        name = name or handler
    return Registration(EntityType.COMMAND, name, f"command {name}", handler) if name.strip() else None


def _route(name: str, handler: str) -> Registration:
    return Registration(EntityType.ROUTE, name, f"route {name}", handler)


def _event(name: str, handler: str) -> Registration:
    return Registration(EntityType.HANDLER, f"on {name}", f"event {name}", handler)


def _handler(arguments: Sequence[Argument]) -> str:
    """The function that is named as the handler: by a usual keyword, else the last plain name."""
    for argument in arguments:
        if argument.keyword in ("view_func", "endpoint", "handler", "func", "view", "callback", "app"):
            return _callee(argument.text)
    for argument in reversed(arguments):
        if argument.keyword or argument.string:
            continue
        if argument.function:
            return ""
        if argument.text[:1].isalpha() or argument.text[:1] in "_$":
            return _callee(argument.text)
    return ""


def _callee(text: str) -> str:
    """`views.list` of `views.list`, `View` of `View.as_view()`, `include app.urls` of `include("app.urls")`."""
    found = _WORD.match(text)
    if found is None:
        return ""
    if found[0] == "include" and (string := _STRING.match(text[len("include(") :])):
        return f"include {string[2]}"
    return found[0].removesuffix(".as_view")


def _first_words(arguments: str | None) -> str:
    return (arguments or "").strip().partition(",")[0].strip("\"'")[:60]
