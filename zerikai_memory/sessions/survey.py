"""Which transcript files have changed since they were read, and how many bytes of them are new."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from zerikai_memory.redact import mask_name
from zerikai_memory.sessions.formats.base import PACKED
from zerikai_memory.sessions.formats.registry import Place
from zerikai_memory.store.tape_batch import SourceState


@dataclass(frozen=True, slots=True)
class Transcript:
    """A file on disk; `known` is how far it was read, None when it is new."""

    place: Place
    path: str
    size: int
    mtime_ns: int
    known: SourceState | None

    @property
    def changed(self) -> bool:
        """Whether size or time differ from when it was last read to its end."""
        known = self.known
        return known is None or (self.size, self.mtime_ns) != (known.size, known.mtime_ns)

    @property
    def behind_bytes(self) -> int:
        """Bytes that an index run would read."""
        if not self.changed:
            return 0
        grown = self.known is not None and self.place.format.read_whole is None and self.size >= self.known.offset
        return self.size - self.known.offset if grown and self.known else self.size


@dataclass(frozen=True, slots=True)
class Survey:
    """All transcripts that are there, known files that are not, and what cannot be read: its path, why, its place."""

    transcripts: tuple[Transcript, ...]
    vanished: tuple[str, ...]
    unread: Mapping[str, tuple[str, Path]] = field(default_factory=dict)

    @property
    def behind_bytes(self) -> int:
        """Bytes that are not in the index."""
        return sum(transcript.behind_bytes for transcript in self.transcripts)


def survey(places: Sequence[Place], known: Mapping[str, SourceState]) -> Survey:
    """Look at every place; a file that two places list counts once, in the order of places and paths."""
    found: dict[str, Transcript] = {}
    files: set[tuple[int, int]] = set()  # a file may be met under several names, by links
    unread: dict[str, tuple[str, Path]] = {}
    for place in places:

        def trouble(error: OSError, place: Place = place) -> None:
            if not isinstance(error, FileNotFoundError) or os.path.islink(error.filename):  # noqa: PTH114
                unread[stored_path(error.filename)] = (error.strerror or str(error), place.folder)

        for path in place.format.find(place.folder, trouble):
            text = stored_path(path)
            if text in found:
                continue
            try:
                status = os.stat(path)  # noqa: PTH116 -- as in `files_below`
            except NotADirectoryError:
                continue
            except OSError as error:  # gone between the listing and now, or a link in a circle
                trouble(error)
                continue
            one = Transcript(place, path, status.st_size, status.st_mtime_ns, known.get(text))
            if reason := _unreadable(one, status):
                unread[text] = (reason, place.folder)
            elif not status.st_ino or (status.st_dev, status.st_ino) not in files:
                files.add((status.st_dev, status.st_ino))
                found[text] = one
    folders = tuple(stored_path(place.folder) + os.sep for place in places)
    # A file outside the places of this run is not looked for.
    vanished = [path for path, state in known.items() if path not in found and path.startswith(folders)]
    lost = tuple(path for path in vanished if not known[path].gone and path not in unread)
    return Survey(tuple(found.values()), lost, unread)


def _unreadable(one: Transcript, status: os.stat_result) -> str | None:
    if not stat.S_ISREG(status.st_mode):
        return "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
    if one.path.endswith(PACKED):
        return "compressed; unpack it to have it read"
    if one.changed and not os.access(one.path, os.R_OK):  # only what is to be read: every search comes by here
        return "no permission to read it"
    return None


@lru_cache(maxsize=100_000)  # every search asks for every file
def stored_path(path: Path | str) -> str:
    """The path as text that SQLite takes, names that are no UTF-8 escaped, secrets in it masked."""
    if isinstance(path, str) and path.isascii():
        return mask_name(path)
    return mask_name(os.fsencode(path).decode("utf-8", "backslashreplace"))
