"""Look through past sessions for what is worth a record, and keep it as proposals that wait for a person's word."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator

from zerikai_memory.errors import InputError
from zerikai_memory.model_asking import Asker
from zerikai_memory.model_sessions import Proposal, Proposed, Turn
from zerikai_memory.sessions.archive import Archive
from zerikai_memory.sessions.asking import ask_for_proposals, worth_asking
from zerikai_memory.sessions.extracting import Found, examine
from zerikai_memory.store.proposals import ProposalStore
from zerikai_memory.store.session_filter import SessionFilter

EVERYTHING = 10**9
LEAST_PREFIX = 4


def gather(
    archive: Archive, workspace: str | None, since: str | None, hire: Callable[[], Asker | None] | None = None
) -> Proposed:
    """Find proposals by rules in all messages that are meant; with `hire` a model is asked about some of the others."""
    behind, warnings = archive.catch_up()
    if not archive.store.exists():
        return Proposed(0, 0, 0, behind, warnings=warnings)
    wanted, store = archive.messages_of(workspace, since), archive.store.proposals
    read = _Counted(store.said(wanted))
    looked = list(examine(read))
    found = [as_proposal(one) for one in looked if not one.withdrawn]
    if since is None:  # else what was said before it is not known, and may be what makes a proposal one
        store.withdraw(wanted, {one.id for one in found})
    added = store.add(found)
    asker = hire() if hire else None
    asked = 0
    if asker:
        more, asked = _ask(store, wanted, asker, looked)
        added += more
    elif hire:
        warnings = (*warnings, "no model can be asked: found by rules alone")
    waiting = len(store.waiting(wanted, EVERYTHING))
    return Proposed(read.count, added, waiting, behind, asker.model if asker else None, asked, warnings)


def waiting(archive: Archive, workspace: str | None, since: str | None, limit: int) -> tuple[Proposal, ...]:
    """Proposals that nobody has decided on, the latest said first."""
    if not archive.store.exists():
        return ()
    return tuple(archive.store.proposals.waiting(archive.messages_of(workspace, since), limit))


def find_proposal(archive: Archive, text: str) -> Proposal:
    """The proposal of an id or the beginning of one; raises InputError for none or several."""
    wanted = text.strip()
    found = archive.store.proposals.matching(wanted) if wanted and archive.store.exists() else []
    exact = [one for one in found if one.id == wanted] or (found if len(wanted) >= LEAST_PREFIX else [])
    if len(exact) != 1:
        why = f"fits several: {', '.join(one.id for one in exact)}" if exact else "is none that waits"
        raise InputError(f"proposal: {text[:80]!r} {why}; `zerikai-memory sessions proposals` lists them")
    return exact[0]


def as_proposal(found: Found) -> Proposal:
    """The proposal of a statement; the same statement of the same project has the same id, wherever it is said."""
    turn = found.turn
    plain = " ".join(found.content.casefold().split()).rstrip(".! ")
    parts = (turn.project, found.category, found.outcome or "", plain)
    id = hashlib.blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()
    return Proposal(
        id, found.category, found.content, found.outcome, turn.session, turn.agent, turn.project, turn.step, turn.at,
        found.found_by,
    )  # fmt: skip


def _ask(store: ProposalStore, wanted: SessionFilter, asker: Asker, found: list[Found]) -> tuple[int, int]:
    """How many proposals a model added, and about how many messages it was asked; each message is asked about once."""
    added = asked = 0
    known = store.asked(asker.model)
    fresh = (turn for turn in store.said(wanted) if not known(turn))
    for batch, more in ask_for_proposals(asker, worth_asking(fresh, found)):
        added += store.add([as_proposal(one) for one in more])
        store.set_asked(asker.model, batch)
        asked += len(batch)
    return added, asked


class _Counted(Iterable[Turn]):
    """Turns that are counted as they pass."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        self._turns = turns
        self.count = 0

    def __iter__(self) -> Iterator[Turn]:
        for turn in self._turns:
            self.count += 1
            yield turn
