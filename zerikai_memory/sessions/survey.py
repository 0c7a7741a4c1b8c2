"""Which transcript files have changed since they were read, and how many bytes of them are new."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from zerikai_memory.sessions.formats.registry import Place
from zerikai_memory.store.tape import SourceState


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
        if not self.changed or not os.access(self.path, os.R_OK):
            return 0  # what cannot be read is named by an index run, and must not keep searches from indexing the rest
        grown = self.known is not None and self.place.format.read_whole is None and self.size >= self.known.offset
        return self.size - self.known.offset if grown and self.known else self.size


@dataclass(frozen=True, slots=True)
class Survey:
    """All transcripts that are there, and known files that are not."""

    transcripts: tuple[Transcript, ...]
    vanished: tuple[str, ...]

    @property
    def behind_bytes(self) -> int:
        """Bytes that are not in the index."""
        return sum(transcript.behind_bytes for transcript in self.transcripts)


def survey(places: Sequence[Place], known: Mapping[str, SourceState]) -> Survey:
    """Look at every place; a file that two places list counts once, in the order of places and paths."""
    found: dict[str, Transcript] = {}
    for place in places:
        for path in place.format.find(place.folder):
            text = stored_path(path)
            try:
                status = os.stat(path)  # noqa: PTH116 -- as in `files_below`
            except OSError:
                continue  # it vanished between the listing and now
            if text not in found and stat.S_ISREG(status.st_mode):
                found[text] = Transcript(place, path, status.st_size, status.st_mtime_ns, known.get(text))
    folders = tuple(stored_path(place.folder) + os.sep for place in places)
    # A file outside the places of this run is not looked for.
    vanished = [path for path, state in known.items() if path not in found and path.startswith(folders)]
    return Survey(tuple(found.values()), tuple(path for path in vanished if not known[path].gone))


def stored_path(path: Path | str) -> str:
    """The path as text that SQLite takes, names that are no UTF-8 escaped."""
    if isinstance(path, str) and path.isascii():
        return path
    return os.fsencode(path).decode("utf-8", "backslashreplace")
