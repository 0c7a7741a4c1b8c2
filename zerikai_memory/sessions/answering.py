"""A question to past sessions as `query_memory` asks it: hits cited as `session:ID step N`, within a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from zerikai_memory.model import QueryAnswer, Route
from zerikai_memory.model_sessions import Recall, SessionHit, SessionInfo
from zerikai_memory.redact import mask_secrets
from zerikai_memory.sessions.archive import Archive

# The category of `query_memory` that asks the sessions instead of the records.
SESSIONS = "sessions"
DEFAULT_BUDGET_TOKENS, CHARS_PER_TOKEN = 1_500, 4
# A hit stands once as data and once in the text, each with its line of facts.
HIT_CHARS = 400
# With more a hit would cost over 150 tokens in the text; the data holds them.
MENTIONS_CHARS = 90


def answer_from_sessions(
    archive: Archive, question: str, workspace: str | None, limit: int, budget_tokens: int | None = None
) -> QueryAnswer:
    """The messages that fit a question, or without one the latest sessions; of all projects unless one is named."""
    found = archive.recall(question, workspace=workspace, limit=limit)
    hits = found.hits or tuple(_listed(info) for info in found.sessions)
    kept = _fitting(hits, budget_tokens or DEFAULT_BUDGET_TOKENS)
    return QueryAnswer(
        workspace=workspace or "all projects",
        question=mask_secrets(question),
        answer=_text(kept, found),
        results=(),
        notes=(),
        route=Route("none", None, "past sessions are quoted as they are"),
        nothing_relevant=not kept,
        omitted=len(hits) - len(kept),
        sessions=tuple(kept),
        warnings=found.warnings,
    )


def _listed(info: SessionInfo) -> SessionHit:
    """A session as a hit on its first step, with its title."""
    return SessionHit(info.session, info.agent, info.project, 1, "session", info.ended_at, info.title, 0.0)


def _fitting(hits: Sequence[SessionHit], budget_tokens: int) -> list[SessionHit]:
    """As many as the budget holds, at least the best."""
    room, kept = budget_tokens * CHARS_PER_TOKEN, list[SessionHit]()
    for hit in hits:
        room -= len(hit.snippet) + HIT_CHARS
        if room < 0 and kept:
            break
        kept.append(hit)
    return kept


def _text(hits: Sequence[SessionHit], found: Recall) -> str:
    if not hits:
        return (
            "Nothing in past sessions answers this." if found.behind_bytes == 0 else "Nothing found in what is indexed."
        )
    return "\n".join(f"{_head(hit)}: {hit.snippet}" for hit in hits)


def _head(hit: SessionHit) -> str:
    day = "" if hit.at is None else datetime.fromtimestamp(hit.at, UTC).strftime("%Y-%m-%d")
    named = next((hit.mentions[:n] for n in (3, 2, 1) if len(", ".join(hit.mentions[:n])) <= MENTIONS_CHARS), ())
    facts = (hit.role, hit.agent, day, "left branch" if hit.off_branch else "", *named)
    return f"session:{hit.session} step {hit.step} ({', '.join(fact for fact in facts if fact)})"
