"""Guesses: what in the project has the name of a call that could not be followed."""

from __future__ import annotations

from collections.abc import Iterator

from zerikai_memory.codemap.project import Project
from zerikai_memory.model import EntityType, Reference
from zerikai_memory.model_map import Edge, EdgeKind, Evidence

# More than so many candidates say nothing; the nearest are kept, and the edge says how many there were.
MAX_GUESSES = 5


def guesses(
    project: Project,
    kind: EdgeKind,
    reference: Reference,
    module: str,
    text: str,
    languages: frozenset[str],
    types: frozenset[EntityType],
) -> Iterator[Edge]:
    """SAME_NAME edges to the nearest entities of the name; an EXTERNAL one when nothing has it."""
    path, source = reference.file_path, reference.from_entity or module
    found = [one for one in project.named(reference.name) if one.language in languages and one.entity_type in types]
    if not found:
        yield Edge(kind, Evidence.EXTERNAL, source, None, text, path, reference.line)
        return
    found.sort(key=lambda one: (-_shared(path, one.file_path), one.file_path, one.qualified_name, one.id))
    for one in found[:MAX_GUESSES]:
        yield Edge(kind, Evidence.SAME_NAME, source, one.id, text, path, reference.line, len(found))


def _shared(one: str, other: str) -> int:
    """How many leading folders two paths have in common, one more when they are the same file."""
    count = 0
    for a, b in zip(one.split("/"), other.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count
