"""What is added to a session after it was forgotten: left out, and marked so that no fork tells it either."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import dataclass, field

from zerikai_memory.store.forgotten import Forgotten, response_mark
from zerikai_memory.store.tape_origins import family_of
from zerikai_memory.store.tape_usage import LeftOutResponses

# Key of a figure, and whether it is of a running counter.
Figure = tuple[bytes, bool]


@dataclass(slots=True)
class Added:
    """Marks of what was said, none of it before `since`, and the figures."""

    marks: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    since: float = math.inf


class LeftOut:
    """The lines of forgotten sessions in one transaction; `marks` and `since` are of those that were added."""

    def __init__(self, connection: sqlite3.Connection, forgotten: Forgotten) -> None:
        self._connection = connection
        self._forgotten = forgotten
        self.marks: list[str] = []
        self.since = math.inf

    def responses(self) -> LeftOutResponses:
        """A table for figures, which keeps only their keys."""
        return LeftOutResponses(self._connection)

    def knows(self, agent: str, session: str, key: bytes, role: str, at: float | None, text: str, entry: str) -> bool:
        """Whether a session had told this message when it was forgotten, its own one or another's."""
        return self._forgotten.message(agent, key, role, at, text, entry) or self._forgotten.copied(agent, session, key)

    def knows_figure(self, agent: str, session: str, row: int, figure: Figure) -> bool:
        """The same of a figure."""
        return self.knows_response(agent, row, figure) or self._forgotten.copied(agent, session, figure[0])

    def knows_response(self, agent: str, session: int, figure: Figure) -> bool:
        """Whether a figure that a session tells was one of a forgotten session."""
        key, running = figure
        return bool(self._forgotten) and self._forgotten.response(agent, key, self._family(agent, session, running))

    def add(self, agent: str, row: int, added: Added) -> None:
        """Mark what was added; figures that a fork told before are removed, its words by the sweep that follows."""
        self.marks += added.marks
        self.since = min(self.since, added.since)
        for key, running in added.figures:
            family = self._family(agent, row, running)
            self.marks.append(response_mark(agent, key, family))
            for (other,) in self._connection.execute("SELECT session FROM responses WHERE key = ?", (key,)).fetchall():
                if self._family(agent, other, running) == family:
                    self._connection.execute("DELETE FROM responses WHERE key = ? AND session = ?", (key, other))

    def _family(self, agent: str, session: int, running: bool) -> str:
        """Whose running counters are the same ones; other figures are known by their keys alone."""
        return family_of(self._connection, session, agent) if running else ""
