"""Bring sessions.db up to the transcripts on disk: only new bytes are read, and each message is stored once."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zerikai_memory.model_sessions import SessionsIndexed
from zerikai_memory.redact import mask_secrets
from zerikai_memory.sessions.formats.registry import Place
from zerikai_memory.sessions.reading import DAMAGE, FileReader
from zerikai_memory.sessions.survey import Survey, stored_path, survey
from zerikai_memory.store.tape import TapeStore


@dataclass(frozen=True, slots=True)
class IndexParts:
    """What an index run works with; `thinking` keeps hidden thinking, `max_chars` clamps each message."""

    store: TapeStore
    places: Sequence[Place]
    max_chars: int
    thinking: bool = False


def index_sessions(
    parts: IndexParts,
    seen: Survey | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> SessionsIndexed:
    """Read what is new; `progress` gets bytes done and in all. What was read before a stop or kill stays."""
    started = time.monotonic()
    seen = seen or survey(parts.places, parts.store.sources())
    pending = [transcript for transcript in seen.transcripts if transcript.changed]
    total, counts = seen.behind_bytes, Counter[str]()
    skipped = {path: reason for path, (reason, _) in seen.unread.items()}
    _mark_gone(parts.store, seen)
    for transcript in pending:
        if cancelled():
            break
        try:
            trouble = FileReader(parts.store, transcript, counts, parts.max_chars, thinking=parts.thinking).run()
        except (OSError, *DAMAGE) as error:
            trouble = mask_secrets(f"{type(error).__name__}: {error}")[:200]
        if trouble:
            skipped[stored_path(transcript.path)] = trouble
        counts["behind"] += transcript.behind_bytes
        progress(counts["behind"], total)
    replays = parts.store.settle()
    return SessionsIndexed(
        files=len(seen.transcripts),
        changed_files=len(pending),
        read_bytes=counts["read"],
        messages=counts["added"] - replays,
        duplicates=counts["duplicate"] + replays,
        bad_lines=counts["bad"],
        unknown_events=counts["unknown"],
        behind_bytes=total - counts["behind"],
        seconds=round(time.monotonic() - started, 3),
        skipped=skipped,
    )


def _mark_gone(store: TapeStore, seen: Survey) -> None:
    """Before anything is read: what a file that is there tells counts before what one told that is not."""
    back = [t.known.path for t in seen.transcripts if t.known and t.known.gone]
    if seen.vanished:
        store.set_gone(seen.vanished, True)
    if back:
        store.set_gone(back, False)
