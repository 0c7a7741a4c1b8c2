"""Values of the notes and the ledger: a record, what it is anchored to, what happened to it, how it is listed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Outcome = Literal["worked", "failed", "unknown"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
# supersede: `other_id` takes the place of the record; confirm: somebody vouches for it; reaffirm: the same was saved
# again; conflict: it disagrees with `other_id`; agree: somebody or a model has compared it with `other_id` and found
# that both can hold, which settles a conflict that was claimed before.
EventKind = Literal["supersede", "confirm", "reaffirm", "conflict", "agree"]
# `by` of an event that a model has caused begins so.
MODEL = "model "
# `by` of a confirmation that an agent gave begins so; it weighs less than a person's.
AGENT = "agent "
AnchorState = Literal["fresh", "moved", "changed", "gone", "unknown"]


@dataclass(frozen=True, slots=True)
class Anchor:
    """The entity a record is about, by what it was when the record was written.

    `state` is against today's files: moved means the same text in another place (`now_path`), unknown that it could
    not be told.
    """

    path: str
    kind: str
    qualified_name: str
    signature: str
    body_hash: str
    state: AnchorState = "fresh"
    now_path: str | None = None

    @property
    def label(self) -> str:
        """`qualified name (path)`, or the path alone for a file."""
        return self.path if self.kind == "module" else f"{self.qualified_name} ({self.path})"


@dataclass(frozen=True, slots=True)
class Note:
    """A saved record: `id` is shown as `note:ID`; `created_at` is when it was written.

    `confirmed_by` says who or what confirmed it, a person before an agent, None: nobody. `superseded_by` None: it is
    live. `conflicts` are ids of live records that disagree with it, `model_conflicts` those of them of which only a
    model says so. `warnings` are about the act of saving: a secret was masked, the same note was there already, it
    disagrees with another one.
    """

    id: str
    category: str
    content: str
    created_at: float
    workspace_id: str
    warnings: tuple[str, ...] = ()
    outcome: str | None = None
    detail: str = ""
    importance: float = 0.5
    confirmed_by: str | None = None
    tags: tuple[str, ...] = ()
    session: str | None = None
    agent: str | None = None
    run_id: str | None = None
    anchors: tuple[Anchor, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    conflicts: tuple[str, ...] = ()
    model_conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NoteEvent:
    """One thing that happened to a record, itself never changed."""

    note_id: str
    kind: EventKind
    created_at: float
    other_id: str | None = None
    by: str | None = None
    reason: str = ""
    session: str | None = None
    agent: str | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class NoteHistory:
    """The chain of records that took each other's place, oldest first, and every event about them."""

    notes: tuple[Note, ...]
    events: tuple[NoteEvent, ...]


@dataclass(frozen=True, slots=True)
class RollProposal:
    """Live records on one subject that one summary could take the place of; `summary` is a draft for it.

    `drafted_by` is None for the rules, else the model.
    """

    subject: str
    note_ids: tuple[str, ...]
    summary: str
    drafted_by: str | None = None


@dataclass(frozen=True, slots=True)
class NoteReview:
    """What a person should look at: anchored code that changed, records that disagree, records that could be one.

    `conflicts` are (newer, older, reason). `model` has now compared `compared` pairs of records, None: no model has.
    """

    stale: tuple[Note, ...]
    conflicts: tuple[tuple[Note, Note, str], ...]
    proposals: tuple[RollProposal, ...]
    compared: int = 0
    model: str | None = None


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import of records did; `known` were there already.

    `differing` are ids that are here with another text, which stayed; `conflicts` are disagreements found with the new
    records; `left_out` events spoke of records that are not here.
    """

    added: int
    known: int
    events: int
    differing: tuple[str, ...] = ()
    conflicts: int = 0
    left_out: int = 0
