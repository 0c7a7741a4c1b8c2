"""Which tests use which pytest fixture: by a parameter of its name, in its file or below the folder of its conftest."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from zerikai_memory.lang.registrations import role_of
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_map import Edge, EdgeKind, Evidence

_FUNCTIONS = frozenset({EntityType.FUNCTION, EntityType.METHOD})
_AUTOUSE = re.compile(r"\bautouse\s*=\s*True\b")
_USED = re.compile(r"usefixtures\((.*)\)", re.DOTALL)
_TEST_NAME = re.compile(r"test|Test")


def fixture_edges(entities: Iterable[CodeEntity]) -> Iterator[Edge]:
    """Edges from tests and fixtures to the fixtures that pytest gives them.

    A fixture of a conftest serves its folder and below; one of another file serves that file. `autouse` serves all
    tests there.
    """
    fixtures: dict[str, list[CodeEntity]] = defaultdict(list)
    functions: list[CodeEntity] = []
    always: list[CodeEntity] = []
    for entity in entities:
        if entity.language != "python" or entity.entity_type not in _FUNCTIONS:
            continue
        functions.append(entity)
        for decorator in entity.decorators:
            role = role_of(decorator, entity.name) or ""
            if role.startswith("fixture "):
                fixtures[role.removeprefix("fixture ")].append(entity)
                if _AUTOUSE.search(decorator):
                    always.append(entity)
    if not fixtures:
        return
    for function in functions:
        for name in _asked(function):
            nearest = _nearest(function, fixtures.get(name, ()))
            if nearest is not None:
                yield _edge(function, nearest)
        if _TEST_NAME.match(function.name):
            for fixture in always:
                if _serves(fixture, function):
                    yield _edge(function, fixture)


def _asked(function: CodeEntity) -> Iterator[str]:
    """Names of fixtures that a function may ask for."""
    yield from function.params
    for decorator in function.decorators:
        if used := _USED.search(decorator):
            yield from re.findall(r"[\"'](\w+)[\"']", used[1])


def _nearest(function: CodeEntity, named: Iterable[CodeEntity]) -> CodeEntity | None:
    """The fixture that pytest would take: of the same file, else of the deepest conftest above."""
    fitting = [fixture for fixture in named if fixture.id != function.id and _serves(fixture, function)]
    own = [fixture for fixture in fitting if fixture.file_path == function.file_path]
    return max(own or fitting, key=lambda fixture: (fixture.file_path.count("/"), fixture.start_line), default=None)


def _serves(fixture: CodeEntity, function: CodeEntity) -> bool:
    if fixture.file_path == function.file_path:
        return fixture.id != function.id
    folder, _, name = fixture.file_path.rpartition("/")
    return name == "conftest.py" and function.file_path.startswith(f"{folder}/" if folder else "")


def _edge(function: CodeEntity, fixture: CodeEntity) -> Edge:
    return Edge(
        EdgeKind.REGISTER,
        Evidence.RESOLVED,
        function.id,
        fixture.id,
        fixture.name,
        function.file_path,
        function.start_line,
    )
