"""The front of the extraction layer: bytes of one file to entities and references."""

from __future__ import annotations

import re
import time

from zerikai_memory.lang.engine import ParseTimeout
from zerikai_memory.lang.outline import outline
from zerikai_memory.lang.recover import read_recovering
from zerikai_memory.lang.registry import spec_for
from zerikai_memory.lang.screen import machine_made
from zerikai_memory.lang.spec import Draft, Mention, Region
from zerikai_memory.lang.text import Source, decode_source
from zerikai_memory.model import CodeEntity, Extraction
from zerikai_memory.redact import mask_source

DEADLINE_S = 5.0  # a 50,000-line file takes 1 s; what takes longer is not source
_NOT_NEWLINE = re.compile(rb"[^\n]+")


def extract_entities(source: bytes | str, file_path: str) -> list[CodeEntity]:
    """Extract code entities (functions, classes, methods, constants ...) by parsing one source file.

    `file_path` decides the language and is part of the ids. Never raises for any content; a file that is skipped
    (unknown extension, binary, minified, generated) gives an empty list.
    """
    raw = source.encode("utf-8", "replace") if isinstance(source, str) else source
    return list(extract(raw, file_path).entities)


def extract(source: bytes, file_path: str, deadline_s: float = DEADLINE_S) -> Extraction:
    """Parse one file into entities, references and bodies; content never makes it raise.

    The module entity comes first, with an empty qualified name. `skip_reason` is unsupported, binary, minified,
    generated or timeout (after `deadline_s` seconds), and then there are no entities.
    """
    spec = spec_for(file_path)
    if spec is None:
        return Extraction("", skip_reason="unsupported")
    data = decode_source(source)
    if data is None:
        return Extraction(spec.name, skip_reason="binary")
    if spec.machine_made and (reason := machine_made(data, spec.minifiable)):
        return Extraction(spec.name, skip_reason=reason)
    # Before anything is read from it: no record, whatever its field, can hold a secret that the source holds.
    data = mask_source(data)
    text = Source(data)
    deadline = time.monotonic() + deadline_s
    try:
        reading = read_recovering(spec, text, deadline)
        drafts, mentions, broken = reading.drafts, reading.mentions, reading.broken
        for region in reading.regions:
            inner = _read_region(region, data, deadline)
            drafts, mentions = drafts + inner[0], mentions + inner[1]
    except ParseTimeout:
        return Extraction(spec.name, skip_reason="timeout")
    return outline(spec, text, file_path, drafts, mentions, reading.module_doc, broken)


def _read_region(region: Region, data: bytes, deadline: float) -> tuple[list[Draft], list[Mention]]:
    """Drafts and mentions of a part of a file in another language, with offsets in the whole file."""
    spec = spec_for("region" + region.extension)
    code = data[region.start : region.end]
    if spec is None or (spec.machine_made and machine_made(code, spec.minifiable)):
        return [], []
    # Blanks instead of what is before: all offsets and lines are those of the whole file.
    blank = _NOT_NEWLINE.sub(lambda match: b" " * len(match.group()), data[: region.start])
    reading = read_recovering(spec, Source(blank + code), deadline)
    return reading.drafts, reading.mentions
