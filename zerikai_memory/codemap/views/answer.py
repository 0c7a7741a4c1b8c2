"""One view by its name: what the tool and the command line call."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from zerikai_memory.codemap.views.between import between
from zerikai_memory.codemap.views.entrypoints import entrypoints
from zerikai_memory.codemap.views.impact import impact
from zerikai_memory.codemap.views.overview import overview
from zerikai_memory.codemap.views.relations import callees, callers, dependencies, dependents
from zerikai_memory.codemap.views.table import MapTable
from zerikai_memory.codemap.views.tests_of import tests
from zerikai_memory.codemap.views.unused import unused
from zerikai_memory.errors import InputError
from zerikai_memory.model_views import VIEWS, MapPart, ProjectTexts, ViewRequest

MAX_DEPTH = 20

_OF_TARGET: Mapping[str, Callable[[MapTable, ViewRequest], list[MapPart]]] = {
    "dependents": dependents,
    "dependencies": dependencies,
    "callers": callers,
    "callees": callees,
    "impact": impact,
    "tests": tests,
    "path": between,
}
OF_PROJECT: Mapping[str, Callable[[MapTable, ViewRequest, ProjectTexts], list[MapPart]]] = {
    "profile": overview,
    "overview": overview,
    "entrypoints": entrypoints,
    "unused": unused,
}


def check_request(view: str, request: ViewRequest) -> None:
    """Raise InputError for a view that does not exist, a missing target or a depth out of range."""
    if view not in VIEWS:
        raise InputError(f"view: {view!r} is none of {', '.join(VIEWS)}")
    if view in _OF_TARGET and not (request.target or "").strip():
        wanted = '"A -> B"' if view == "path" else "a name, qualified name, path, path:line or entity id"
        raise InputError(f"target: the view {view!r} needs one: {wanted}")
    if view == "profile" and (request.target or "").strip():
        raise InputError(
            f"target: the view 'profile' is about the whole project; for {request.target!r} ask for callers, callees, "
            "dependents, dependencies, impact or tests, for a folder also for overview, entrypoints or unused"
        )
    if request.depth is not None and not 1 <= request.depth <= MAX_DEPTH:
        raise InputError(f"depth: {request.depth!r} is not a number from 1 to {MAX_DEPTH}")


def view_parts(table: MapTable, view: str, request: ViewRequest, texts: ProjectTexts) -> list[MapPart]:
    """The parts of a view; raises InputError for a wrong request or a target that is not there."""
    check_request(view, request)
    if view in _OF_TARGET:
        return _OF_TARGET[view](table, request)
    return OF_PROJECT[view](table, request, texts)
