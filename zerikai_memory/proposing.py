"""Proposals of records from past sessions, from the look through the messages to the record that a person wants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from zerikai_memory.errors import InputError, WorkspaceError
from zerikai_memory.memory.ledger import Ledger
from zerikai_memory.memory.notes import Draft
from zerikai_memory.model import Note, Workspace
from zerikai_memory.model_asking import HireFunction
from zerikai_memory.model_sessions import Proposal, Proposed
from zerikai_memory.sessions.archive import Archive
from zerikai_memory.sessions.gathering import find_proposal, gather, waiting

# How the requests are booked.
OPERATION = "proposals"


@dataclass(frozen=True, slots=True)
class Proposals:
    """Proposals of all projects; `resolve` gives a workspace by name, `known` all that are registered."""

    archive: Archive
    ledger: Ledger
    known: Callable[[], Sequence[Workspace]]
    resolve: Callable[[str], Workspace]
    hire: HireFunction

    def propose(self, workspace: str | None = None, since: str | None = None, *, use_model: bool = False) -> Proposed:
        """Look through the messages of a project or of all; a model is asked only on request: messages are sent to it.

        Nothing becomes a record by this.
        """
        hire = (lambda: self.hire(OPERATION, self._booked_on(workspace))) if use_model else None
        return gather(self.archive, workspace, since, hire)

    def waiting(self, workspace: str | None = None, since: str | None = None, limit: int = 20) -> tuple[Proposal, ...]:
        """Proposals that nobody has decided on, the latest said first."""
        return waiting(self.archive, workspace, since, limit)

    def accept(
        self,
        wanted: str,
        workspace: str | None = None,
        *,
        text: str | None = None,
        supersedes: Sequence[str] = (),
        by: str = "user",
    ) -> Note:
        """Save a proposal as a confirmed record of its project, in its own words or in `text`.

        The record is of the time it was said, confirmed now; it tells the session it comes from and is anchored to the
        code it names, where that is known. Raises WorkspaceError when its project is no known workspace and none is
        given.
        """
        if text is not None and not text.strip():
            raise InputError("text: it is empty; give the words of the record, or leave it out to keep the proposal's")
        proposal = find_proposal(self.archive, wanted)
        target = self.resolve(workspace) if workspace else self._target(proposal)
        content = text or proposal.content
        note = self.ledger.save(
            target,
            Draft(
                content,
                proposal.category,
                proposal.outcome,
                supersedes,
                self.ledger.known_anchors(target, self.archive.mentions(content, target.path)),
                {"detail": _source(proposal), "confirmed": by},
                session=proposal.session,
                said_at=proposal.at,
                accepted=True,
            ),
            proposal.agent,
        )
        self.archive.store.proposals.decide([proposal.id])
        return note

    def reject(self, wanted: Sequence[str]) -> tuple[Proposal, ...]:
        """Take proposals off the list; they do not come back."""
        found = tuple(find_proposal(self.archive, text) for text in wanted)
        self.archive.store.proposals.decide([proposal.id for proposal in found])
        return found

    def _booked_on(self, workspace: str | None) -> str:
        """The id of the workspace whose budget pays; messages of all projects, or of a folder, are on nobody's."""
        try:
            return self.resolve(workspace).id if workspace else ""
        except WorkspaceError:
            return ""

    def _target(self, proposal: Proposal) -> Workspace:
        """The workspace of the folder in which the session ran, or of one above it."""
        folder = proposal.project.rstrip("/") + "/"
        above = [one for one in self.known() if folder.startswith(one.path.rstrip("/") + "/")]
        if not above:
            raise WorkspaceError(
                f"proposal {proposal.id}: {proposal.project or 'its folder'!r} is no known workspace; scan it, or "
                "name the workspace that the record belongs to with -w"
            )
        return max(above, key=lambda one: len(one.path))


def _source(proposal: Proposal) -> str:
    day = "" if proposal.at is None else datetime.fromtimestamp(proposal.at, UTC).strftime(" on %Y-%m-%d")
    return f"Said{day} in session:{proposal.session} step {proposal.step} ({proposal.agent})"
