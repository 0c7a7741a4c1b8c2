"""What a person had forgotten of past sessions, as hashes in a file of its own: it must not come back from a copy.

The file lies beside sessions.db, because that may be deleted at any time. It is recorded data: only appended to, and
one that cannot be read is an error. It holds no text: hashes of session ids, of the identities of messages, of what
was said when, of what a fork would say again, and of titles.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.errors import StoreError

# What was said without a time is known by its words alone; shorter ones ("yes") are anybody's.
LEAST_UNDATED = 16
# Of a text its beginning counts: another bound on its length, or more that is masked in it, must not make it another.
DATED_CHARS, UNDATED_CHARS = 48, 160
# Ids of lines as agents make them; shorter ones are numbers within a session.
LEAST_ENTRY = 8


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Marks of what was forgotten; falsy when nothing was."""

    marks: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.marks)

    def session(self, agent: str, session: str) -> bool:
        """Whether a whole session was forgotten."""
        return session_mark(agent, session) in self.marks

    def message(self, agent: str, key: bytes, role: str, at: float | None, text: str, entry: str = "") -> bool:
        """Whether a message is one of a forgotten session or a copy of one; `entry`: the id of its line, if it has one.

        A copy may tell another time: the same text in a line of the same id is the same message.
        """
        return key.hex() in self.marks or bool(self.marks.intersection(_said_marks(agent, role, at, text, entry)))

    def replay(self, agent: str, origins: Sequence[str], role: str, text: str) -> bool:
        """Whether this is what a session that was forgotten said, told anew by one with these origins.

        Either an origin was forgotten, or a fork whose own origins were not read yet, so that nobody knows whose it is.
        """
        said = (role, text[:UNDATED_CHARS])
        return _mark("origin", agent, *said) in self.marks or any(
            _mark("replay", agent, name, *said) in self.marks for name in origins
        )

    def response(self, agent: str, key: bytes, family: str) -> bool:
        """Whether a forgotten session told this figure; `family`: the first origin, where only its forks share it."""
        return response_mark(agent, key, family) in self.marks

    def copied(self, agent: str, session: str, key: bytes) -> bool:
        """Whether a session had told this message or figure of another one when it was forgotten."""
        return copied_mark(agent, session, key) in self.marks

    def title(self, agent: str, title: str) -> bool:
        """Whether a forgotten session had this title."""
        return bool(title) and _mark("title", agent, title) in self.marks


class ForgottenFile:
    """The marks on disk; read again when the file has changed, because other processes add to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: tuple[tuple[int, int], Forgotten] | None = None

    def size(self) -> int:
        """Bytes of the file, 0 when nothing was ever forgotten: it only grows, so another size is another content."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise self._unreadable(error) from error

    def load(self) -> Forgotten:
        """All marks. Raises StoreError when they cannot be read: unknown is not empty."""
        try:
            status = self.path.stat()
            stamp = (status.st_size, status.st_mtime_ns)
            if self._read is None or self._read[0] != stamp:
                self._read = stamp, Forgotten(frozenset(self.path.read_text("ascii").split()))
            return self._read[1]
        except FileNotFoundError:
            return Forgotten()
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from error

    def append(self, marks: Iterable[str]) -> None:
        """Add marks for good. A line feed comes first: the end of the file may be torn."""
        try:
            with open(self.path, "a", encoding="ascii", opener=_private) as file:
                file.write("".join(f"\n{mark}" for mark in marks) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written, so nothing was forgotten: {error}") from error

    def _unreadable(self, error: Exception) -> StoreError:
        return StoreError(f"{self.path} cannot be read: {error}; it says what must not come back, so make it readable")


def session_mark(agent: str, session: str) -> str:
    """The mark of a whole session."""
    return hashlib.blake2b(f"{agent}\0{session}".encode("utf-8", "replace"), digest_size=16).hexdigest()


def title_mark(agent: str, title: str) -> str:
    """The mark of a session's title."""
    return _mark("title", agent, title)


def response_mark(agent: str, key: bytes, family: str) -> str:
    """The mark of a response's figures."""
    return _mark("response", agent, key.hex(), family)


def opening_marks(agent: str, said: Sequence[tuple[str, str]]) -> list[str]:
    """Marks of roles and texts in their order, each of all up to there."""
    marks = [""]
    for role, text in said:
        marks.append(_mark("opening", agent, marks[-1], role, text[:UNDATED_CHARS]))
    return marks[1:]


def copied_mark(agent: str, session: str, key: bytes) -> str:
    """The mark of what is another session's: it tells only how far this one had been read."""
    return _mark("copied", agent, session, key.hex())


def origin_mark(agent: str, role: str, text: str) -> str:
    """The mark of a message of a fork whose origins were not read yet: it may be theirs."""
    return _mark("origin", agent, role, text[:UNDATED_CHARS])


def message_marks(
    agent: str, session: str, key: bytes, role: str, at: float | None, text: str, entry: str = ""
) -> list[str]:
    """The marks of a message: by its identity, by what was said when or in which line, and for forks to come."""
    said = _said_marks(agent, role, at, text, entry)
    return [key.hex(), *said, _mark("replay", agent, session, role, text[:UNDATED_CHARS])]


def _said_marks(agent: str, role: str, at: float | None, text: str, entry: str) -> list[str]:
    marks = [_mark("entry", agent, entry, role, text[:DATED_CHARS])] if len(entry) >= LEAST_ENTRY else []
    if at is None and len(text) < LEAST_UNDATED:
        return marks
    return [*marks, _mark("said", agent, role, repr(at), text[: UNDATED_CHARS if at is None else DATED_CHARS])]


def _mark(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=12).hexdigest()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
