"""Values about past agent sessions: transcript files, messages, search hits, what an index run did.

A `step` is the number of a message within its session, from 1, in the order in which they were read. Times are
seconds since the epoch, UTC, None where the transcript tells none. `role` is user, assistant, tool (`name: target`) or
thinking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["user", "assistant", "tool", "thinking"]
ROLES: tuple[Role, ...] = ("user", "assistant", "tool", "thinking")


@dataclass(frozen=True, slots=True)
class SessionPlace:
    """A folder in which an agent keeps transcripts: what lies there and how much of it is in the index.

    `unread` names what cannot be read, with the reason.
    """

    agent: str
    folder: str
    exists: bool
    files: int
    size_bytes: int
    behind_bytes: int
    unread: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One session; `project` is the working folder it ran in, `gone` says that its files are no longer there."""

    session: str
    agent: str
    project: str
    title: str
    started_at: float | None
    ended_at: float | None
    steps: int
    gone: bool = False


@dataclass(frozen=True, slots=True)
class SessionStep:
    """A message as it is stored; `off_branch` marks what was said on a branch that was left."""

    step: int
    role: str
    at: float | None
    text: str
    off_branch: bool = False


@dataclass(frozen=True, slots=True)
class SessionHit:
    """A message that fits a question; matches in the snippet stand between `**`.

    `mentions` are files it names, and of a known workspace `name #file:line` of entities.
    """

    session: str
    agent: str
    project: str
    step: int
    role: str
    at: float | None
    snippet: str
    score: float
    off_branch: bool = False
    mentions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """A reply about past sessions: hits of a question, steps of one session, or a list of sessions.

    `behind_bytes` is how much of the transcripts is not in the index yet; `omitted` counts what did not fit.
    """

    hits: tuple[SessionHit, ...] = ()
    steps: tuple[SessionStep, ...] = ()
    sessions: tuple[SessionInfo, ...] = ()
    omitted: int = 0
    behind_bytes: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionsIndexed:
    """What an index run did; lines that could not be read are `bad_lines`, kinds we do not know `unknown_events`."""

    files: int = 0
    changed_files: int = 0
    read_bytes: int = 0
    messages: int = 0
    duplicates: int = 0
    bad_lines: int = 0
    unknown_events: int = 0
    behind_bytes: int = 0
    seconds: float = 0.0
    skipped: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionsForgotten:
    """The sessions whose text was removed and that later runs leave out."""

    sessions: tuple[str, ...]
    messages: int


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of a person or an agent as it is stored, with where it was said."""

    session: str
    agent: str
    project: str
    step: int
    role: str
    at: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """A record that may be worth saving, found in a past session; it waits for a person's word.

    `found_by` names the rule, or the model that said so. `at` is when it was said.
    """

    id: str
    category: str
    content: str
    outcome: str | None
    session: str
    agent: str
    project: str
    step: int
    at: float | None
    found_by: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """What a look for proposals did: messages looked at, proposals that are new, and how many wait.

    `model` was asked about `asked` messages, None: none was.
    """

    messages: int
    added: int
    waiting: int
    behind_bytes: int = 0
    model: str | None = None
    asked: int = 0
    warnings: tuple[str, ...] = ()
