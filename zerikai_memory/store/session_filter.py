"""Which messages of which sessions a question is about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SessionFilter:
    """Which messages count; an empty value or None: all. `project` is a folder, with all below it."""

    session: str | None = None
    agent: str | None = None
    project: str | None = None
    role: str | None = None
    since: float | None = None
    until: float | None = None

    def where(self) -> tuple[str, list[object]]:
        """SQL conditions over `s` (sessions) and `m` (messages), with their values."""
        conditions: list[str] = ["1"]
        values: list[object] = []
        for condition, value in (
            ("s.session = ?", self.session),
            ("s.agent = ?", self.agent),
            ("m.role = ?", self.role),
            ("m.at >= ?", self.since),
            ("m.at <= ?", self.until),
        ):
            if value is not None:
                conditions.append(condition)
                values.append(value)
        if self.project is not None:
            # A range over the text instead of LIKE, whose wildcards a folder may contain.
            folder = self.project.rstrip("/")
            conditions.append("(s.project = ? OR (s.project > ? AND s.project < ?))")
            values += [folder, folder + "/", folder + "0"]
        return " AND ".join(conditions), values
