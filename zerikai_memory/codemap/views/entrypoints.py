"""Where a project is entered: commands, servers, events, configuration, tests; each with the line that says so."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from zerikai_memory.codemap.views.groups import COMMAND, CONFIG, EVENT, MAIN, ORDER, SERVER, TEST
from zerikai_memory.codemap.views.scope import scope_of
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.lang.registrations import REGISTERED, role_of
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_map import EdgeKind
from zerikai_memory.model_views import EntryPointFact, MapPart, MapRow, ProjectTexts, ViewRequest

# The first word of what something is registered as -> its group; fixtures and validators are no entries.
_GROUPS = {
    "command": COMMAND,
    "route": SERVER,
    "middleware": SERVER,
    "tool": SERVER,
    "event": EVENT,
    "task": EVENT,
    "plugin": EVENT,
}
_KINDS = {EntityType.ROUTE: SERVER, EntityType.COMMAND: COMMAND, EntityType.HANDLER: EVENT}
_MAIN_FILE = re.compile(r"(^|/)(__main__\.py|manage\.py)$")
_PAGE = re.compile(r"^[^/]+\.html?$|^(src|public|app|www|site|static|docs?)/index\.html?$")
_SERVER_FILE = re.compile(r"(^|/)(wsgi|asgi)\.py$|^(src/)?(server|app)\.([cm]?[jt]s|py)$")
_CONFIG_FILE = re.compile(
    r"(^|/)(settings|config|conf)(/__init__|/base)?\.(py|[cm]?[jt]s)$|\.config\.[cm]?[jt]s$", re.I
)
# What a path in package.json stands for when no file has it.
_AS_SCRIPT = tuple(
    base + suffix for base in ("", "/index") for suffix in (".js", ".cjs", ".mjs", ".ts", ".tsx", ".jsx")
)
_TEST_ROOT = re.compile(r"((?:[^/]+/)*?(?:tests?|__tests__|specs?|e2e|js_tests)/)", re.IGNORECASE)


def entrypoints(table: MapTable, request: ViewRequest, texts: ProjectTexts) -> list[MapPart]:
    """The entry points of the project, or of a folder or file of it, by group."""
    scope = scope_of(table, request.target)
    groups: dict[str, dict[tuple[str, str, int], MapRow]] = defaultdict(dict)
    for group, row in (*_files(table), *_declared(table, texts.declared()), *_registered(table), *_tests(table)):
        if scope.holds(row.file_path) or (row.site_path and scope.holds(row.site_path)):
            groups[group].setdefault((row.name, row.site_path or row.file_path, row.start_line), row)
    return [MapPart(group, tuple(groups[group].values()), scope.row) for group in ORDER if group in groups]


def entry_ids(table: MapTable, declared: Iterable[EntryPointFact]) -> frozenset[str]:
    """Ids of entities that are entered from outside the code: declared, registered, or in a file that is run."""
    rows = [row for _, row in (*_declared(table, declared), *_registered(table))]
    return frozenset(row.entity_id for row in rows if row.entity_id) | frozenset(row.via for row in rows if row.via)


def _declared(table: MapTable, facts: Iterable[EntryPointFact]) -> Iterator[tuple[str, MapRow]]:
    for fact in facts:
        entity = _target(table, fact)
        name = fact.name or fact.target
        runs = fact.target
        if entity is not None and entity.file_path != fact.file_path:
            runs = table.row(entity).name
        detail = ": ".join(filter(None, (fact.why, f"runs {runs}" if runs and runs != name else "")))
        row = MapRow(name, "entry", "", 0, site_path=fact.file_path, lines=(fact.line,), detail=detail)
        if entity is not None:
            row = replace(row, file_path=entity.file_path, start_line=entity.start_line, entity_id=entity.id)
        yield fact.group, row


def _target(table: MapTable, fact: EntryPointFact) -> CodeEntity | None:
    """The entity that a declaration names: `package.module:function`, a path, or a file that is run itself."""
    if fact.target in table.by_file or fact.target.removeprefix("./") in table.by_file:
        return table.module(fact.target.removeprefix("./"))
    folder = fact.file_path.rpartition("/")[0]
    beside = f"{folder}/{fact.target.removeprefix('./')}".lstrip("/")
    beside = posixpath.normpath(beside)
    for path in (beside, *(beside + suffix for suffix in _AS_SCRIPT)):
        if path in table.by_file:
            return table.module(path)
    module, _, name = fact.target.partition(":")
    if not re.fullmatch(r"[\w.]+", module):
        return None
    path = module.replace(".", "/")
    for file in table.files_by_name.get(path.rpartition("/")[2].lower(), ()):
        if ("/" + file.rpartition(".")[0]).endswith("/" + path):
            return _in_module(table, file, name)
    for file in table.files_by_name.get("__init__", ()):
        if ("/" + file.rpartition("/")[0]).endswith("/" + path):
            return _in_module(table, file, name)
    return None


def _in_module(table: MapTable, file: str, name: str) -> CodeEntity | None:
    named = [entity for entity in table.by_file[file] if name and entity.qualified_name == name]
    if named or not name:
        return named[0] if named else table.module(file)
    module = table.module(file)
    for edge in table.graph.from_entity(module.id) if module is not None else ():
        if edge.kind is EdgeKind.IMPORT and edge.target_name.rpartition(".")[2] == name and edge.target:
            return table.entities.get(edge.target)
    return module


def _registered(table: MapTable) -> Iterator[tuple[str, MapRow]]:
    """What decorators and calls of the product register."""
    for entity in table.entities.values():
        if not table.is_own(entity.file_path):
            continue
        if entity.entity_type in REGISTERED and (group := _KINDS.get(entity.entity_type)):
            handler = next((e for e in table.graph.from_entity(entity.id) if e.kind is EdgeKind.REGISTER), None)
            detail = f"calls {handler.target_name}" if handler is not None else ""
            if handler is not None and (known := table.entities.get(handler.target or "")) is not None:
                detail = f"calls {known.qualified_name or known.name}"
            group = SERVER if entity.name.startswith("use ") else group
            via = handler.target or "" if handler is not None else ""
            yield group, table.row(entity, detail=detail, via=via, kind="register")
        for decorator in entity.decorators:
            role = role_of(decorator, entity.name) or ""
            if group := _GROUPS.get(role.partition(" ")[0], ""):
                line = entity.decorator_start_line or entity.start_line
                yield group, table.row(entity, detail=role, site_path=entity.file_path, lines=(line,), kind="register")


def _files(table: MapTable) -> Iterator[tuple[str, MapRow]]:
    """Files that are entered by their name."""
    for path in sorted(table.by_file):
        module = table.module(path)
        if module is None or not table.is_product(path):
            continue
        if _MAIN_FILE.search(path):
            folder = path.rpartition("/")[0].removeprefix("src/").replace("/", ".")
            run = f"python -m {folder}" if path.endswith("__main__.py") and folder else f"python {path}"
            yield MAIN, table.row(module, detail=run)
        elif _PAGE.search(path):
            yield MAIN, table.row(module, detail="a page, by its name")
        elif _SERVER_FILE.search(path):
            yield SERVER, table.row(module, detail="a server is started from it, by its name")
        elif _CONFIG_FILE.search(path):
            yield CONFIG, table.row(module, detail="configuration, by its name")


def _tests(table: MapTable) -> Iterator[tuple[str, MapRow]]:
    """Folders of tests with their number of files, and what prepares them."""
    counts: dict[str, int] = defaultdict(int)
    for path in sorted(table.by_file):
        if not table.is_test(path):
            continue
        if path.rpartition("/")[2] == "conftest.py" and (module := table.module(path)) is not None:
            yield TEST, table.row(module, detail="pytest loads it before the tests of its folder")
            continue
        match = _TEST_ROOT.match(path)
        counts[match[1] if match else path] += 1
    for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        files = f"{count} test file{'s' if count > 1 else ''}"
        module = table.module(name)
        yield TEST, table.row(module, detail="tests") if module else MapRow(name, "folder", name, 0, detail=files)
