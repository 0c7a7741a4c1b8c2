"""Open a stored entity by id or name, as its file says it today."""

from __future__ import annotations

from collections.abc import Callable

from zerikai_memory.errors import InputError
from zerikai_memory.model import CodeEntity, Extraction, Hit
from zerikai_memory.retrieve.cite import Cited, WorkingFile, hit_of, verify
from zerikai_memory.retrieve.overloads import speaking_first
from zerikai_memory.store.index import WorkspaceIndex

# More entities of one name than this are a word, not a name.
MAX_EQUALS = 5
# What is longer is better read in the file itself.
MAX_LINES, MAX_CHARS = 300, 16_000


def open_entity(
    index: WorkspaceIndex,
    read: Callable[[str], WorkingFile],
    extract: Callable[[bytes, str], Extraction],
    wanted: str,
) -> tuple[Hit, ...]:
    """The entity with the id `wanted`, else those of that qualified name, else of that name; InputError for none."""
    stored = index.entities()
    steps: tuple[Callable[[CodeEntity], str], ...] = (lambda e: e.id, lambda e: e.qualified_name, lambda e: e.name)
    for key in steps:
        if wanted and (found := [entity for entity in stored if key(entity) == wanted]):
            break
    else:
        raise InputError(f"entity: {wanted!r} is no id or name of a stored entity; ask query_memory for it")
    found = speaking_first(found)
    states = index.file_states()
    files = {path: read(path) for path in dict.fromkeys(entity.file_path for entity in found[:MAX_EQUALS])}
    cited = (
        (verify(entity, states[entity.file_path].sha256, files[entity.file_path], extract), entity.id)
        for entity in found[:MAX_EQUALS]
        if entity.file_path in states  # a scan may have replaced it meanwhile
    )
    return tuple(hit_of(item, entity_id, _shown(item)) for item, entity_id in cited)


def _shown(cited: Cited) -> str:
    text = "\n".join(cited.lines[:MAX_LINES])[:MAX_CHARS]
    if rest := len(cited.lines) - text.count("\n") - 1 if text else 0:
        text += f"\n... ({rest} more lines)"
    return text or cited.entity.signature
