"""What code registers: routes, middleware, commands, events, fixtures and plugins, each on its line."""

from __future__ import annotations

import pytest

from zerikai_memory.lang.extract import extract
from zerikai_memory.model import EntityType, ReferenceKind

KINDS = (EntityType.ROUTE, EntityType.COMMAND, EntityType.HANDLER)


def roles(source: str, path: str) -> list[str]:
    references = extract(source.encode(), path).references
    return [reference.target_text for reference in references if reference.kind is ReferenceKind.REGISTER]


@pytest.mark.parametrize(
    ("decorator", "role"),
    [
        ('app.route("/users", methods=["GET", "POST"])', "route GET,POST /users"),  # Flask
        ("bp.route('/')", "route /"),
        ('router.get("/users/{id}", response_model=User)', "route GET /users/{id}"),  # FastAPI
        ('app.websocket("/ws")', "route /ws"),
        ('click.command("build")', "command build"),
        ("cli.command()", "command run-it"),  # the name that click makes of run_it
        ("cli.group(name='x')", "command x"),
        ("pytest.fixture", "fixture run_it"),
        ('pytest.fixture(scope="module", name="db")', "fixture db"),
        ("receiver(post_save, sender=User)", "event post_save"),
        ('app.on_event("startup")', "event startup"),
        ("event.listens_for(Engine, 'connect')", "event connect"),
        ("app.errorhandler(404)", "hook errorhandler 404"),
        ("app.before_request", "hook before_request"),
        ('app.middleware("http")', "middleware http"),
        ("shared_task(bind=True)", "task run_it"),
        ("celery.task", "task run_it"),
        ("admin.register(User)", "plugin User"),
        ("mcp.tool()", "tool run_it"),
        ("hookimpl", "hook hookimpl"),
    ],
)
def test_a_decorator_says_what_the_function_is_for(decorator: str, role: str) -> None:
    source = f"@first\n@{decorator}\ndef run_it(): ...\n"
    extraction = extract(source.encode(), "a.py")
    (found,) = [r for r in extraction.references if r.kind is ReferenceKind.REGISTER]
    assert (found.target_text, found.name, found.line) == (f"{role} -> run_it", "run_it", 2)
    assert found.from_entity == extraction.entities[1].id
    assert [e.name for e in extraction.entities[1:]] == ["run_it"]


@pytest.mark.parametrize(
    "decorator",
    [
        'mock.patch("pkg.thing")',
        "property",
        "functools.cache",
        "x.setter",
        "dataclass(frozen=True)",
        "cache.get('key')",
        "pytest.mark.parametrize('a', [1])",
        "register",
        "resource",
        "overload",
    ],
)
def test_a_decorator_that_registers_nothing_gives_no_role(decorator: str) -> None:
    assert roles(f"@{decorator}\ndef run_it(): ...\n", "a.py") == []


@pytest.mark.parametrize(
    ("source", "kind", "name", "role"),
    [
        ('urlpatterns = [path("users/", views.users)]', "route", "users/", "route users/ -> views.users"),  # Django
        ('u = [path("api/", include("api.urls"))]', "route", "api/", "route api/ -> include api.urls"),
        ('u = [re_path(r"^a/$", A.as_view())]', "route", "^a/$", "route ^a/$ -> A"),
        ('app.add_url_rule("/h", view_func=hello)', "route", "/h", "route /h -> hello"),
        ('app.router.add_get("/x", handle)', "route", "GET /x", "route GET /x -> handle"),  # aiohttp
        ('routes = [Route("/x", endpoint=home)]', "route", "/x", "route /x -> home"),  # Starlette
        ('app.include_router(users, prefix="/u")', "route", "use /u", "route use /u -> users"),
        ('router.register("things", Things)', "route", "things", "route things -> Things"),  # REST framework
        ('sub.add_parser("build", help="x")', "command", "build", "command build"),
        ("cli.add_command(build)", "command", "build", "command build -> build"),
        ("post_save.connect(on_save)", "handler", "on post_save", "event post_save -> on_save"),
        ("atexit.register(close)", "handler", "on exit", "event exit -> close"),
        ("signal.signal(signal.SIGTERM, stop)", "handler", "on signal.SIGTERM", "event signal.SIGTERM -> stop"),
        ("app.add_middleware(Cors)", "handler", "use Cors", "middleware Cors"),
    ],
)
def test_a_python_call_that_registers_is_an_entity(source: str, kind: str, name: str, role: str) -> None:
    extraction = extract(f"import x\n\n{source}\n".encode(), "a.py")
    (entity,) = [e for e in extraction.entities if e.entity_type in KINDS]
    assert (entity.entity_type, entity.name, entity.start_line) == (kind, name, 3)
    assert roles(source, "a.py") == [role]


def test_entry_points_of_a_setup_script_have_their_lines() -> None:
    source = (
        'setup(\n  entry_points={\n    "console_scripts": ["zm = a.b:main"],\n    "pytest11": ["p = a.c"],\n  }\n)\n'
    )
    extraction = extract(source.encode(), "setup.py")
    found = [(e.entity_type.value, e.name, e.start_line, e.signature) for e in extraction.entities[1:]]
    assert found == [
        ("command", "zm", 3, "console_scripts: zm = a.b:main"),
        ("handler", "p", 4, "pytest11: p = a.c"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        'd.get("x", y)',
        'requests.post("/x", data)',
        'p = path("a", b)',
        "socket.connect(address)",
        "sub.add_parser(name)",  # only the running program knows the name
        "router.mount(path, app)",
        "command(name, cls)",
        'names.register("x")',
        "functools.singledispatch(f).register(int)",
    ],
)
def test_python_calls_of_the_same_name_register_nothing(source: str) -> None:
    assert roles(source, "a.py") == []


@pytest.mark.parametrize(
    ("source", "kind", "name", "role"),
    [
        ("app.get('/users', listUsers)", "route", "GET /users", "route GET /users -> listUsers"),
        ("router.post(`/users`, auth, (req, res) => 1)", "route", "POST /users", "route POST /users"),
        ("app.all('*', h.fail)", "route", "ALL *", "route ALL * -> h.fail"),
        ("app.get(/^\\/a/, f)", "route", "GET /^\\/a/", "route GET /^\\/a/ -> f"),
        ("api.get('/x', async function (c) {})", "route", "GET /x", "route GET /x"),
        ("router.route('/b').get(list)", "route", "GET /b", "route GET /b -> list"),
        ("app.use('/api', router)", "route", "use /api", "route use /api -> router"),
        ("app.use(express.json())", "handler", "use express.json", "middleware express.json"),
        ("program.command('serve [port]').action(run)", "command", "serve [port]", "command serve [port]"),
        ("program.name('x').command('serve')", "command", "serve", "command serve"),
        ("vscode.commands.registerCommand('a.b', f)", "command", "a.b", "command a.b -> f"),
        ("process.on('exit', () => {})", "handler", "on exit", "event exit"),
        ("el.addEventListener('click', onClick)", "handler", "on click", "event click -> onClick"),
    ],
)
def test_a_javascript_call_that_registers_is_an_entity(source: str, kind: str, name: str, role: str) -> None:
    (entity,) = [e for e in extract(f"// c\n\n{source};\n".encode(), "a.js").entities if e.entity_type in KINDS]
    assert (entity.entity_type, entity.name, entity.start_line, entity.parent) == (kind, name, 3, None)
    assert roles(source, "a.js") == [role]


INLINE = """\
/** All users. */
router.get('/users', auth, async (req, res) => {
  const LIMIT = 10;
  function page() { return load(LIMIT); }
});

router.route('/books')
  .get(list)
  .post((req, res) => save());
"""


def test_a_handler_written_in_the_call_is_the_body_of_its_route() -> None:
    extraction = extract(INLINE.encode(), "a.js")
    found = [(e.entity_type.value, e.qualified_name, e.start_line, e.end_line) for e in extraction.entities[1:]]
    assert found == [
        ("route", "GET /users", 2, 5),
        ("function", "page", 4, 4),  # a route lends its members no name
        ("route", "GET /books", 8, 8),
        ("route", "POST /books", 9, 9),
    ]
    route = extraction.entities[1]
    assert route.docstring == "All users."
    assert route.signature == "router.get('/users', auth, async (req, res)"
    assert "load(LIMIT)" in extraction.bodies[route.id]
    homes = {r.name: r.from_entity for r in extraction.references if r.kind is ReferenceKind.CALL}
    assert homes["save"] == extraction.entities[4].id


def test_decorators_of_typescript_controllers_are_routes() -> None:
    source = "@Controller('cats')\nclass A {\n  @Cached(5)\n  @Get(':id')\n  find() {}\n  @OnEvent('x')\n  on() {}\n}\n"
    found = [(r.kind.value, r.target_text, r.line) for r in extract(source.encode(), "a.ts").references]
    assert [record for record in found if record[0] != "call"] == [
        ("decorate", "Controller", 1),
        ("register", "route cats -> A", 1),
        ("decorate", "Cached", 3),
        ("decorate", "Get", 4),
        ("register", "route GET :id -> find", 4),
        ("decorate", "OnEvent", 6),
        ("register", "event x -> on", 6),
    ]


@pytest.mark.parametrize(
    ("source", "path", "aliases"),
    [
        ("import a.b as c", "a.py", [("c", "a.b")]),
        ("from ..m import x as y, z", "a.py", [("y", "..m:x")]),
        ("import d, { e as f, g } from './h'", "a.js", [("d", "./h:default"), ("f", "./h:e")]),
        ("import * as n from 'm'", "a.ts", [("n", "m")]),
        ("const m = require('n')", "a.js", [("m", "n")]),
        ("const { a: b, c } = require('n')", "a.js", [("b", "n:a")]),
        ("export { k as z } from './l'", "a.js", []),  # no name of this file
    ],
)
def test_names_that_an_import_gives_are_aliases(source: str, path: str, aliases: list[tuple[str, str]]) -> None:
    references = extract(source.encode(), path).references
    assert [(r.name, r.target_text) for r in references if r.kind is ReferenceKind.ALIAS] == aliases


@pytest.mark.parametrize(
    ("path", "source", "notes"),
    [
        ("a.py", "# TODO: one\nx = 1  # FIXME two\n# see XXX in prose\n# and HACK(ana): four\n",
         [("TODO: one", 1), ("FIXME two", 2), ("HACK(ana): four", 4)]),
        ("a.py", 's = "TODO: no note"\nTODO = 1\n', []),
        ("a.js", "/* TODO one */\n/**\n * @todo two\n */\nf(); // XXX three\n",
         [("TODO one", 1), ("@todo two", 3), ("XXX three", 5)]),
        ("a.html", "<!-- TODO: a -->\n<script>\n// FIXME b\n</script>\n", [("TODO: a", 1), ("FIXME b", 3)]),
        ("a.css", "/* HACK: c */ a { b: c }\n", [("HACK: c", 1)]),
        ("a.md", "# T\n\n<!-- TODO: d -->\n\nTODO: prose\n", [("TODO: d", 3)]),
    ],
)  # fmt: skip
def test_notes_of_work_to_do_are_entities_with_their_line(path: str, source: str, notes: list[tuple[str, int]]) -> None:
    entities = extract(source.encode(), path).entities
    assert [(e.signature, e.start_line) for e in entities if e.entity_type is EntityType.TODO] == notes
    assert {e.qualified_name for e in entities if e.entity_type is EntityType.TODO} <= {"TODO", "FIXME", "XXX", "HACK"}
