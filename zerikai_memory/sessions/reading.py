"""Read one transcript file into sessions.db: from where it was left, or anew where it is not what it was."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from zerikai_memory.redact import mask_secrets
from zerikai_memory.sessions.cleaning import clean, clean_label
from zerikai_memory.sessions.formats.base import Format, Json, Line, Said, plain_id
from zerikai_memory.sessions.formats.spent import Spent
from zerikai_memory.sessions.lines import WHOLE_BYTES, Kinship, RawLine, fingerprint, kinship, packed, raw_lines
from zerikai_memory.sessions.survey import Transcript, stored_path
from zerikai_memory.sessions.usage import UsageReader, UsageState
from zerikai_memory.store.forgotten import message_marks
from zerikai_memory.store.tape import TapeStore
from zerikai_memory.store.tape_batch import SourceState, TapeBatch, Told
from zerikai_memory.store.tape_left_out import Added

# Lines of one transaction: enough that commits cost nothing, little enough for memory and for other writers.
GROUP_LINES, GROUP_BYTES = 1_000, 8_000_000
# Both copies of a text stand within a few lines of each other.
MAX_PAIRS = 64
# Messages of one line, which share its place in the file.
LINE_PLACES = 1_000
DAMAGE = (ValueError, TypeError, KeyError, AttributeError, RecursionError, AssertionError, OverflowError)


@dataclass(slots=True)
class ReaderState:
    """What must be known to go on in the middle of a file. `moment`: the latest time told in it so far.

    `own`: something was told that is no copy of another session's.
    """

    session: str = ""
    named: bool = False
    forked_from: str | None = None
    leaf: str = ""
    moment: float = 0.0
    own: bool = False
    good: bool = False
    bad: int = 0
    pairs: dict[str, int] = field(default_factory=dict)
    usage: UsageState = field(default_factory=UsageState)


class FileReader:
    """One file of one index run; `counts` gets what was read, added, damaged and so on."""

    def __init__(
        self, store: TapeStore, transcript: Transcript, counts: Counter[str], max_chars: int, *, thinking: bool = False
    ) -> None:
        self._store = store
        self._file = transcript
        self._format: Format = transcript.place.format
        self._counts = counts
        self._max_chars = max_chars
        self._thinking = thinking
        self._path = stored_path(transcript.path)
        self._state = ReaderState(session=plain_id(self._format.session_id(Path(transcript.path))) or "unnamed")
        self._anew = True
        self._replaced = False
        self._rows: dict[str, int | None] = {}
        self._told: tuple[int, str, str] | None = None
        self._added: dict[str, Added] = {}

    def run(self) -> str:
        """Read the new bytes; why nothing of the file could be read, empty where something was."""
        path = Path(self._file.path)
        if kind := packed(path):
            trouble = f"compressed ({kind}); unpack it to have it read"
            self._save_trouble(trouble)
            return trouble
        if self._format.read_whole is not None:
            return self._run_whole(path)
        known = self._file.known
        if known is not None and known.offset:
            kin = kinship(path, known.head, known.offset)
            self._replaced = kin is Kinship.OTHER
            # Of a large file parts are compared: where it was written to without growing, any other part may differ.
            doubtful = self._file.size == known.size and known.offset > WHOLE_BYTES
            if kin is Kinship.GROWN and not doubtful:
                self._state, self._anew = _restored(self._store.reader_state(self._path)), False
                return self._run_lines(path, known.offset)
        return self._run_lines(path, 0)

    def _run_lines(self, path: Path, offset: int) -> str:
        done = offset
        for group in _groups(raw_lines(path, offset)):
            with self._batch() as (batch, source):
                for raw in group:
                    self._take_raw(batch, source, raw)
                if offset:  # all of it is new, and a later group may never come
                    self._mark_added(batch)
                done = group[-1].end
                batch.save_source(self._saved(done, fingerprint(path, done), finished=False))
        self._counts["read"] += done - offset
        state = self._state
        trouble = f"none of its {state.bad} lines could be read" if state.bad and not state.good else ""
        with self._batch() as (batch, source):
            self._end(batch, source)
            batch.save_source(self._saved(done, fingerprint(path, done), trouble, finished=True))
        return trouble

    def _run_whole(self, path: Path) -> str:
        assert self._format.read_whole is not None
        self._counts["read"] += self._file.size
        try:
            lines = list(self._format.read_whole(path))
        except DAMAGE as error:
            trouble = mask_secrets(f"{type(error).__name__}: {error}")[:200]
            self._save_trouble(trouble)
            return trouble
        with self._batch() as (batch, source):
            for number, line in enumerate(lines):
                self._take(batch, source, line, number)
            self._end(batch, source)
            batch.save_source(self._saved(self._file.size, "", finished=True))
        return ""

    def _save_trouble(self, trouble: str) -> None:
        """Not again before the file has changed; what it told before stays."""
        with self._store.batch() as batch:
            batch.source(self._path, self._format.name)
            batch.save_source(self._saved(0, "", trouble, finished=True))

    @contextmanager
    def _batch(self) -> Iterator[tuple[TapeBatch, int]]:
        self._rows = {}  # another process may have forgotten a session since
        self._told = None
        with self._store.batch() as batch:
            if self._replaced:
                batch.set_source_aside(self._path)
            yield batch, batch.source(self._path, self._format.name, anew=self._anew)
        self._anew = self._replaced = False

    def _take_raw(self, batch: TapeBatch, source: int, raw: RawLine) -> None:
        if raw.torn or not (raw.records or raw.blank):
            self._note_damage()
        for record in raw.records:
            line = self._read(record)
            if line is None:
                self._note_damage()
            else:
                self._take(batch, source, line, raw.offset)

    def _read(self, record: Json) -> Line | None:
        try:
            return self._format.read(record)
        except DAMAGE:
            return None

    def _note_damage(self) -> None:
        self._counts["bad"] += 1
        self._state.bad += 1

    def _take(self, batch: TapeBatch, source: int, line: Line, place: int) -> None:
        if line.bad:
            self._note_damage()
            return
        self._state.good = True
        self._counts["unknown"] += not line.known
        self._state.usage.turns += line.asked
        origin = self._note_session(line)
        if line.entry:
            self._state.leaf = plain_id(line.entry)
            batch.link(source, self._state.leaf, plain_id(line.parent))
        self._state.usage.model = plain_id(line.model) or self._state.usage.model
        if not (line.said or line.cwd or line.title or line.session_id or line.spent):
            return
        own = plain_id(line.session_id or "") == self._state.session  # a fork also holds the head of its origin
        session = self._row(batch, origin, line.born if own else None)
        if session is not None:
            self._store_line(batch, source, session, line, place)
        else:
            self._leave_out(batch, line, place)

    def _leave_out(self, batch: TapeBatch, line: Line, place: int) -> None:
        """A line of a forgotten session: what was added since it was forgotten must not come back from a fork either.

        That is what stands behind all that is marked. What a fork copied of its origin stands before it, and a file
        without anything marked may be such a copy, unless it was read before.
        """
        agent, state = self._format.name, self._state
        for said in line.said:
            state.moment = max(state.moment, said.at or 0.0)
            if kept := clean(said, self._max_chars, thinking=self._thinking):
                key, entry = _key(self._format, state.session, kept, place), plain_id(kept.entry)
                told = (key, kept.role, kept.at, kept.text, entry)
                if batch.left_out.knows(agent, state.session, *told):
                    self._begin_added()
                elif state.own:
                    self._added_now().marks += message_marks(agent, state.session, *told)
                    self._added_now().since = min(self._added_now().since, state.moment)
        if line.spent:
            table = batch.left_out.responses()
            self._usage_reader().take(table, 0, place, _named(line.spent))
            row = batch.session_row(state.session)
            if any(batch.left_out.knows_figure(agent, state.session, row, figure) for figure in table.keys):
                self._begin_added()
            elif state.own:
                self._added_now().figures += table.keys

    def _begin_added(self) -> None:
        self._state.own = True
        self._added.pop(self._state.session, None)

    def _added_now(self) -> Added:
        return self._added.setdefault(self._state.session, Added())

    def _end(self, batch: TapeBatch, source: int) -> None:
        batch.end_reading(source)
        self._mark_added(batch)

    def _mark_added(self, batch: TapeBatch) -> None:
        for session, added in self._added.items():
            batch.left_out.add(self._format.name, batch.session_row(session), added)
        self._added.clear()

    def _store_line(self, batch: TapeBatch, source: int, session: int, line: Line, place: int) -> None:
        facts = (session, line.cwd or "", line.title or "")
        if facts != self._told:  # most lines repeat them
            self._told = facts
            key = f"{self._state.moment:020.6f} {self._path} {place:015d}"
            title = clean_label(facts[2])
            batch.describe(session, key, project=clean_label(facts[1], 1_000), title=title, chosen=line.chosen)
        for number, said in enumerate(line.said):
            self._state.moment = max(self._state.moment, said.at or 0.0)
            self._store_said(batch, source, session, said, place, min(number, LINE_PLACES - 1))
        if line.spent:
            self._state.own = True
            self._usage_reader().take(batch.responses, session, place, _named(line.spent))

    def _usage_reader(self) -> UsageReader:
        scope = self._state.session if self._format.local_identity else ""
        forked = self._state.forked_from is not None
        return UsageReader(self._format.name, self._state.usage, forked=forked, scope=scope)

    def _note_session(self, line: Line) -> str | None:
        """Which session the line is of; the session that it was forked from, where this line tells it."""
        state, named = self._state, plain_id(line.session_id or "")
        origin = plain_id(line.forked_from or "")
        if named and (self._format.session_per_line or not state.named):
            state.session, state.named = named, True
        elif named and named != state.session:
            origin = origin or named  # a fork begins with what it was forked from
        if not origin or origin == state.session:
            return None
        if not self._format.session_per_line:
            if state.forked_from is not None:
                return None
            state.forked_from = origin
        return origin

    def _store_said(self, batch: TapeBatch, source: int, session: int, said: Said, place: int, number: int) -> None:
        kept = clean(said, self._max_chars, thinking=self._thinking)
        if kept is None:
            return
        if self._is_pair(kept):
            self._counts["duplicate"] += 1
            return
        self._state.own = True
        told = self._as_told(kept, place, number)
        added = batch.add(session, source, _key(self._format, self._state.session, kept, place), told)
        self._counts["added" if added else "duplicate"] += 1

    def _as_told(self, kept: Said, place: int, number: int) -> Told:
        return Told(
            role=kept.role,
            at=kept.at,
            entry=plain_id(kept.entry),
            text=kept.text,
            moment=self._state.moment,
            place=place * LINE_PLACES + number,
            loose=self._format.local_identity and kept.at is None,
        )

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

    def _row(self, batch: TapeBatch, origin: str | None, born: float | None) -> int | None:
        name = self._state.session
        if origin is not None or born is not None or name not in self._rows:
            self._rows[name] = batch.session(self._format.name, name, origin, born, retells=self._format.retells)
        return self._rows[name]

    def _saved(self, offset: int, mark: str, trouble: str = "", *, finished: bool) -> SourceState:
        size = self._file.size if finished else -1
        state, mtime_ns = json.dumps(asdict(self._state)), self._file.mtime_ns
        leaf = self._state.leaf if self._format.tree else ""
        return SourceState(
            self._path, self._format.name, size, mtime_ns, offset, mark, state, leaf=leaf, trouble=trouble
        )


def _named(spent: Iterable[Spent]) -> list[Spent]:
    return [replace(one, identity=plain_id(one.identity), model=plain_id(one.model)) for one in spent]


def _restored(saved: str) -> ReaderState:
    values = json.loads(saved)
    return ReaderState(**({"own": True} | values | {"usage": UsageState(**values.get("usage", {}))}))


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
