"""The front of the extraction layer: bytes of one file to entities and references."""

from __future__ import annotations

import logging
from collections.abc import Callable

from zerikai_memory.errors import Cancelled
from zerikai_memory.lang.deadline import Deadline, Late
from zerikai_memory.lang.engine import Reading
from zerikai_memory.lang.outline import outline
from zerikai_memory.lang.recover import read_recovering
from zerikai_memory.lang.registry import spec_for
from zerikai_memory.lang.screen import machine_made
from zerikai_memory.lang.spec import Region
from zerikai_memory.lang.text import Source, decode_source
from zerikai_memory.model import CodeEntity, Extraction
from zerikai_memory.redact import mask_source

_LOG = logging.getLogger(__name__)

DEADLINE_S = 10.0  # of CPU; a 50,000-line file takes 1 s, what takes longer on a slow machine too is not source
OUTLINE_S = 1.0  # what was read in time is not lost for the last step, which takes a tenth of the time


def extract_entities(source: bytes | str, file_path: str) -> list[CodeEntity]:
    """Extract code entities (functions, classes, methods, constants ...) by parsing one source file.

    `file_path` decides the language and is part of the ids. Never raises for any content; a file that is skipped
    (unknown extension, binary, minified, generated) gives an empty list.
    """
    raw = source.encode("utf-8", "replace") if isinstance(source, str) else source
    return list(extract(raw, file_path).entities)


def extract(
    source: bytes, file_path: str, deadline_s: float = DEADLINE_S, cancelled: Callable[[], bool] | None = None
) -> Extraction:
    """Parse one file into entities, references and bodies; content never makes it raise.

    The module entity comes first, with an empty qualified name. `skip_reason` is unsupported, binary, minified,
    generated, fault (of ours, in the log) or timeout (after about `deadline_s` seconds), and then there are no
    entities. Raises Cancelled soon after `cancelled()` turns true.
    """
    deadline = Deadline(deadline_s, cancelled)
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
    try:
        reading = read_recovering(spec, text, deadline)
        for region in reading.regions:
            if (inner := _read_region(region, data, deadline)) is not None:
                reading.drafts += inner.drafts
                reading.mentions += inner.mentions
        return outline(
            spec,
            text,
            file_path,
            reading.drafts,
            reading.mentions,
            reading.module_doc,
            reading.broken,
            deadline=deadline.later(OUTLINE_S),
        )
    except Late:
        return Extraction(spec.name, skip_reason="timeout")
    except (Cancelled, MemoryError):
        raise
    except Exception:  # noqa: BLE001 -- the front of the layer: one file, not the scan
        _LOG.exception("%s could not be read", file_path)
        return Extraction(spec.name, skip_reason="fault")


def _read_region(region: Region, data: bytes, deadline: Deadline) -> Reading | None:
    """What a part of a file in another language gives, with offsets in the whole file."""
    spec = spec_for("region" + region.extension)
    code = data[region.start : region.end]
    if spec is None or (spec.machine_made and machine_made(code, spec.minifiable)):
        return None
    reading = read_recovering(spec, Source(code), deadline)
    reading.shift(region.start)
    return reading
