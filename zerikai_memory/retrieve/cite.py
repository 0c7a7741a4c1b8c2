"""Verify citations against the working file: a hit never shows another entity's lines.

An unchanged file gives `fresh`. In a changed file the entity is looked for again: found, its lines are today's, and it
is `moved` when its text is the same on other lines and `changed` when its text differs; not found, it is `gone` when
the file still parses without it, or `stale` when that cannot be told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zerikai_memory.model import CitationState, CodeEntity, EntityType, Extraction, Hit
from zerikai_memory.redact import mask_source

# More lines than a private key in text form has.
MASK_MARGIN_LINES = 80


@dataclass(frozen=True, slots=True)
class WorkingFile:
    """A file as it is on disk now; `content` None when it is no longer there or cannot be read."""

    path: str
    content: bytes | None
    sha256: str | None
    missing: bool


@dataclass(frozen=True, slots=True)
class Cited:
    """An entity with the lines it has now; `lines` is its text there, empty when the citation cannot show any."""

    entity: CodeEntity
    state: CitationState
    lines: tuple[str, ...]


def verify(
    entity: CodeEntity, indexed_sha256: str, file: WorkingFile, extract: Callable[[bytes, str], Extraction]
) -> Cited:
    """Hold one stored entity against its working file."""
    if file.content is None:
        return Cited(entity, "gone" if file.missing else "stale", ())
    if file.sha256 == indexed_sha256:
        return Cited(entity, "fresh", _lines(file.content, entity))
    extraction = extract(file.content, file.path)
    now = _same_entity(entity, extraction.entities)
    if now is None:
        # A file that no longer parses may still hold it.
        return Cited(entity, "stale" if extraction.partial or extraction.skip_reason else "gone", ())
    state: CitationState = "changed"
    if now.body_hash == entity.body_hash:
        state = "fresh" if now.start_line == entity.start_line else "moved"
    return Cited(now, state, _lines(file.content, now))


def hit_of(cited: Cited, entity_id: str, text: str, *, distance: float | None = None, score: float = 0.0) -> Hit:
    """A verified citation as it is given out, with today's lines and the id it is stored under."""
    entity = cited.entity
    return Hit(
        name=entity.name,
        qualified_name=entity.qualified_name,
        entity_type=entity.entity_type,
        file_path=entity.file_path,
        start_line=entity.start_line,
        end_line=entity.end_line,
        distance=distance,
        score=score,
        state=cited.state,
        text=text,
        entity_id=entity_id,
    )


def _same_entity(entity: CodeEntity, now: Sequence[CodeEntity]) -> CodeEntity | None:
    """Today's record of a stored entity: by body among equals, else by id, which counts equals in file order."""
    equals = [
        other
        for other in now
        if (other.qualified_name, other.entity_type) == (entity.qualified_name, entity.entity_type)
    ]
    for other in equals:
        if other.body_hash == entity.body_hash:
            return other
    return next((other for other in equals if other.id == entity.id), None)


def _lines(content: bytes, entity: CodeEntity) -> tuple[str, ...]:
    """The entity's lines, masked as the index is; a module shows none of its own."""
    if entity.entity_type == EntityType.MODULE:
        return ()
    # Masking all of a large file for a few lines would be most of a question's time; a key block that begins or ends
    # outside the entity is still met whole with the lines around it.
    lines = content.split(b"\n")
    first = max(entity.start_line - 1 - MASK_MARGIN_LINES, 0)
    around = mask_source(b"\n".join(lines[first : entity.end_line + MASK_MARGIN_LINES])).split(b"\n")
    shown = around[entity.start_line - 1 - first : entity.end_line - first]
    text = b"\n".join(shown).decode("utf-8", "replace")
    return tuple(line.rstrip("\r") for line in text.split("\n")) if shown else ()
