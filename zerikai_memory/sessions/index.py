"""Bring sessions.db up to the transcripts on disk: only new bytes are read, and each message is stored once."""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from zerikai_memory.model_sessions import SessionsIndexed
from zerikai_memory.sessions.cleaning import clean, clean_label
from zerikai_memory.sessions.formats.base import Format, Line, Said
from zerikai_memory.sessions.formats.registry import Place
from zerikai_memory.sessions.lines import RawLine, head, known_head, raw_lines
from zerikai_memory.sessions.survey import Survey, Transcript, stored_path, survey
from zerikai_memory.sessions.usage import UsageReader, UsageState
from zerikai_memory.store.tape import SourceState, TapeBatch, TapeStore

# Lines of one transaction: enough that commits cost nothing, little enough for memory and for other writers.
GROUP_LINES, GROUP_BYTES = 1_000, 8_000_000
# Both copies of a text stand within a few lines of each other.
MAX_PAIRS = 64
_DAMAGE = (ValueError, TypeError, KeyError, AttributeError, RecursionError, AssertionError)


@dataclass(frozen=True, slots=True)
class IndexParts:
    """What an index run works with; `thinking` keeps hidden thinking, `max_chars` clamps each message."""

    store: TapeStore
    places: Sequence[Place]
    max_chars: int
    thinking: bool = False


@dataclass(slots=True)
class _ReaderState:
    """What must be known to go on in the middle of a file."""

    session: str = ""
    named: bool = False
    forked_from: str | None = None
    replaying: bool = False
    leaf: str = ""
    pairs: dict[str, int] = field(default_factory=dict)
    usage: UsageState = field(default_factory=UsageState)


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
    total, counts, skipped = seen.behind_bytes, Counter[str](), {}
    for transcript in pending:
        if cancelled():
            break
        try:
            _FileReader(parts, transcript, counts).run()
        except (OSError, *_DAMAGE) as error:
            skipped[stored_path(transcript.path)] = f"{type(error).__name__}: {error}"[:200]
        counts["behind"] += transcript.behind_bytes
        progress(counts["behind"], total)
    _mark_gone(parts.store, seen)
    return SessionsIndexed(
        files=len(seen.transcripts),
        changed_files=len(pending),
        read_bytes=counts["read"],
        messages=counts["added"],
        duplicates=counts["duplicate"],
        bad_lines=counts["bad"],
        unknown_events=counts["unknown"],
        behind_bytes=total - counts["behind"],
        seconds=round(time.monotonic() - started, 3),
        skipped=skipped,
    )


def _mark_gone(store: TapeStore, seen: Survey) -> None:
    back = [t.known.path for t in seen.transcripts if t.known and t.known.gone]
    if seen.vanished:
        store.set_gone(seen.vanished, True)
    if back:
        store.set_gone(back, False)


class _FileReader:
    """One file of one run."""

    def __init__(self, parts: IndexParts, transcript: Transcript, counts: Counter[str]) -> None:
        self._parts = parts
        self._file = transcript
        self._format: Format = transcript.place.format
        self._counts = counts
        self._path = stored_path(transcript.path)
        self._state = _ReaderState(session=self._format.session_id(Path(transcript.path)))
        self._rows: dict[str, int | None] = {}
        self._told: tuple[int, str, str, str | None] | None = None

    def run(self) -> None:
        """Read the new bytes; a file that is another one than it was is read from its beginning."""
        known, path = self._file.known, Path(self._file.path)
        if self._format.read_whole is not None:
            self._run_whole(path)
            return
        same = known is not None and bool(known.head) and self._file.size >= known.offset
        if known is not None and same and known_head(path, known.head):
            self._state = _restored(known.state)
            self._run_lines(path, known.offset, known.head)
        else:
            self._run_lines(path, 0, head(path))

    def _run_lines(self, path: Path, offset: int, fingerprint: str) -> None:
        done = offset
        for group in _groups(raw_lines(path, offset)):
            with self._batch() as (batch, source):
                if done == 0 and self._format.tree:
                    batch.clear_links(source)
                for raw in group:
                    self._take_raw(batch, source, raw)
                done = group[-1].end
                batch.save_source(self._saved(done, fingerprint, finished=False))
        self._counts["read"] += done - offset
        with self._batch() as (batch, source):
            self._mark(batch, source)
            batch.save_source(self._saved(done, fingerprint, finished=True))

    def _run_whole(self, path: Path) -> None:
        assert self._format.read_whole is not None
        self._counts["read"] += self._file.size
        try:
            lines = list(self._format.read_whole(path))
        except _DAMAGE:
            with self._batch() as (batch, _):  # not again before it has changed
                batch.save_source(self._saved(self._file.size, "", finished=True))
            raise
        with self._batch() as (batch, source):
            for number, line in enumerate(lines):
                self._take(batch, source, line, number)
            batch.save_source(self._saved(self._file.size, "", finished=True))

    @contextmanager
    def _batch(self) -> Iterator[tuple[TapeBatch, int]]:
        self._rows = {}  # another process may have forgotten a session since
        with self._parts.store.batch() as batch:
            yield batch, batch.source(self._path, self._format.name)

    def _take_raw(self, batch: TapeBatch, source: int, raw: RawLine) -> None:
        if raw.record is None:
            self._counts["bad"] += not raw.blank
            return
        try:
            line = self._format.read(raw.record)
        except _DAMAGE:
            self._counts["bad"] += 1
            return
        self._take(batch, source, line, raw.offset)

    def _take(self, batch: TapeBatch, source: int, line: Line, place: int) -> None:
        self._counts["unknown"] += not line.known
        self._note_session(line)
        if line.entry:
            self._state.leaf = line.entry
            batch.link(source, line.entry, line.parent)
        self._state.usage.model = line.model or self._state.usage.model
        if not (line.said or line.cwd or line.title or line.session_id or line.spent):
            return
        session = self._row(batch)
        if session is None:
            return
        facts = (session, line.cwd or "", line.title or "", self._state.forked_from)
        if facts != self._told:  # most lines repeat them
            self._told = facts
            batch.describe(
                session, project=clean_label(facts[1], 1_000), title=clean_label(facts[2]), forked_from=facts[3]
            )
        for said in line.said:
            self._store(batch, source, session, said, place)
        if line.spent:
            self._usage_reader().take(batch.responses, session, place, line.spent)

    def _usage_reader(self) -> UsageReader:
        scope = self._state.session if self._format.local_identity else ""
        forked = self._state.forked_from is not None
        return UsageReader(self._format.name, self._state.usage, forked=forked, scope=scope)

    def _note_session(self, line: Line) -> None:
        state = self._state
        origin = line.forked_from
        if line.session_id and (self._format.session_per_line or not state.named):
            state.session, state.named = line.session_id, True
        elif line.session_id and line.session_id != state.session:
            origin = origin or line.session_id  # a fork begins with what it was forked from
        if origin and state.forked_from is None:
            state.forked_from, state.replaying = origin, True

    def _store(self, batch: TapeBatch, source: int, session: int, said: Said, place: int) -> None:
        kept = clean(said, self._parts.max_chars, thinking=self._parts.thinking)
        if kept is None:
            return
        if self._is_pair(kept) or self._is_replay(batch, session, kept):
            self._counts["duplicate"] += 1
            return
        key = _key(self._format, self._state.session, kept, place)
        added = batch.add(session, source, key, role=kept.role, at=kept.at, entry=kept.entry, text=kept.text)
        self._counts["added" if added else "duplicate"] += 1

    def _is_pair(self, said: Said) -> bool:
        """Whether the same text was just written into the other channel; each occurrence has one partner."""
        if not said.channel:
            return False
        slot, pairs = _digest(said.role, said.text).hex(), self._state.pairs
        before = pairs.pop(slot, 0)
        now = before + (1 if said.channel == "item" else -1)
        if now:
            pairs[slot] = now
        if len(pairs) > MAX_PAIRS:
            del pairs[next(iter(pairs))]
        return abs(now) < abs(before)

    def _is_replay(self, batch: TapeBatch, session: int, said: Said) -> bool:
        if self._state.replaying:
            self._state.replaying = batch.said_before_fork(session, said.role, said.text)
        return self._state.replaying

    def _row(self, batch: TapeBatch) -> int | None:
        name = self._state.session
        if name not in self._rows:
            self._rows[name] = batch.session(self._format.name, name)
        return self._rows[name]

    def _mark(self, batch: TapeBatch, source: int) -> None:
        if self._format.tree and self._state.leaf:
            batch.mark_branches(source, self._state.leaf)

    def _saved(self, offset: int, fingerprint: str, *, finished: bool) -> SourceState:
        size = self._file.size if finished else -1
        state = json.dumps(asdict(self._state))
        return SourceState(self._path, self._format.name, size, self._file.mtime_ns, offset, fingerprint, state)


def _restored(saved: str) -> _ReaderState:
    values = json.loads(saved)
    return _ReaderState(**(values | {"usage": UsageState(**values.get("usage", {}))}))


def _groups(lines: Iterable[RawLine]) -> Iterator[list[RawLine]]:
    group: list[RawLine] = []
    for line in lines:
        group.append(line)
        if len(group) >= GROUP_LINES or line.end - group[0].offset >= GROUP_BYTES:
            yield group
            group = []
    if group:
        yield group


def _key(format: Format, session: str, said: Said, place: int) -> bytes:
    """What copies of a message share, in whatever file they stand."""
    if said.identity:
        return _digest(format.name, session if format.local_identity else "", said.role, said.identity)
    if said.at is not None:
        return _digest(format.name, repr(said.at), said.role, said.text)
    return _digest(format.name, session, str(place), said.role, said.text)


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).digest()
