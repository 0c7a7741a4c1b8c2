"""What nothing in the project uses: functions, methods and classes without a caller, as far as that can be known."""

from __future__ import annotations

import re
from collections.abc import Sequence

from zerikai_memory.codemap.views.entrypoints import entry_ids
from zerikai_memory.codemap.views.scope import scope_of
from zerikai_memory.codemap.views.table import CALLABLES, CLASSES, MapTable
from zerikai_memory.model import CodeEntity, EntityType
from zerikai_memory.model_map import EdgeKind, Evidence
from zerikai_memory.model_views import MapPart, MapRow, ProjectTexts, ViewRequest

CAVEAT = (
    "nothing in the project calls, imports or names them; calls by a computed name, from other projects or from "
    "templates are not seen. Entry points, exported names, overrides, decorated and special methods are left out"
)
_SPECIAL = re.compile(r"^__\w+__$")
# Bases that call no method by themselves and register nothing.
_PLAIN_BASES = frozenset({"object", "ABC", "Generic", "Protocol"})
_TOLD = CALLABLES | CLASSES


def unused(table: MapTable, request: ViewRequest, texts: ProjectTexts) -> list[MapPart]:
    """Functions, methods and classes that nothing uses, private ones apart from those that others may use."""
    scope = scope_of(table, request.target)
    entered = entry_ids(table, texts.declared())
    found = [
        entity
        for entity in table.entities.values()
        if entity.entity_type in _TOLD
        and scope.holds(entity.file_path)
        and table.is_own(entity.file_path)
        and entity.id not in entered
        and _may_be_unused(table, entity)
    ]
    found = [entity for entity in found if not _used(table, entity) and not _dictated(table, entity)]
    counts = texts.mentions([entity.name for entity in found])
    # Its own text names it once; what names it elsewhere may hand it over as a value.
    silent = [entity for entity, count in zip(found, counts, strict=True) if count <= 1]
    private = [entity for entity in silent if _private(entity)]
    public = [entity for entity in silent if not _private(entity)]
    return [
        MapPart("unused, private to their file", _rows(table, private), scope.row, note=CAVEAT),
        MapPart(
            "unused in this project", _rows(table, public), scope.row, note="public names: other projects may use them"
        ),
    ]


def _may_be_unused(table: MapTable, entity: CodeEntity) -> bool:
    """Leaves out what is called without being named: decorated, special, exported, local definitions."""
    if entity.decorators or entity.exported or _SPECIAL.match(entity.name) or "abstract" in entity.modifiers:
        return False
    if entity.entity_type is EntityType.METHOD and entity.name in ("constructor", "toString", "toJSON", "render"):
        return False
    return bool(entity.name)


def _used(table: MapTable, entity: CodeEntity) -> bool:
    """Whether anything but itself uses it or one of its members; a guess may be a use."""
    inside = {member.id for member in table.members(entity)}
    members = inside if entity.entity_type in CLASSES else {entity.id}
    return any(edge.source not in inside for id in members for edge in table.graph.to_entity(id))


def _dictated(table: MapTable, entity: CodeEntity) -> bool:
    """Whether a base class may call it: an override, or a method of a class with a base that is not known."""
    owner = table.owner(entity)
    if owner is None:
        return _has_unknown_base(table, entity) if entity.entity_type in CLASSES else False
    if table.overridden(entity):
        return True
    return any(_has_unknown_base(table, cls) for cls in (owner, *table.bases(owner)))


def _has_unknown_base(table: MapTable, cls: CodeEntity) -> bool:
    """Whether it inherits from outside the project, where it may be registered or its methods called."""
    return any(
        edge.kind is EdgeKind.INHERIT
        and edge.evidence in (Evidence.EXTERNAL, Evidence.SAME_NAME)
        and edge.target_name.rpartition(".")[2] not in _PLAIN_BASES
        for edge in table.graph.from_entity(cls.id)
    )


def _private(entity: CodeEntity) -> bool:
    """Whether other projects cannot mean to use it: a leading underscore, or a script's name that is not exported."""
    return entity.name.startswith(("_", "#")) or (
        entity.language != "python" and entity.entity_type is EntityType.FUNCTION
    )


def _rows(table: MapTable, found: Sequence[CodeEntity]) -> tuple[MapRow, ...]:
    ordered = sorted(found, key=lambda entity: (entity.file_path, entity.start_line))
    return tuple(table.row(entity, detail=f"{entity.end_line - entity.start_line + 1} lines") for entity in ordered)
