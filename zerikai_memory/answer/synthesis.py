"""Let a model write the answer from what was retrieved; step down to the next one, and to none, when it fails."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from zerikai_memory.answer.citations import check_citations
from zerikai_memory.answer.routing import RouteChoice, RouteRules, choose_route
from zerikai_memory.errors import Cancelled
from zerikai_memory.llm.attempts import Purpose, ask_model
from zerikai_memory.llm.base import Backend, Call, FailureKind, ModelError, Prompt, Ready, cautious_tokens
from zerikai_memory.llm.choose import Backends
from zerikai_memory.llm.prompts import Excerpt, reads_like_instructions, system_text, user_text
from zerikai_memory.model import Hit, Note, Route
from zerikai_memory.retrieve.cite import Cited
from zerikai_memory.retrieve.pack import pack

_LOG = logging.getLogger(__name__)

MAX_ANSWER_TOKENS = 1_024
# More context costs money and time and answers no better: what is packed are the best few entities.
MAX_CONTEXT_TOKENS = 6_000
# With less room than this nothing worth an answer fits beside the brief.
MIN_CONTEXT_TOKENS = 200
BYTES_PER_TOKEN = 3
# The citation above an excerpt and its fences.
HEADING_CHARS = 160
# A fallback that would have less time is not begun.
MIN_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class SynthesisParts:
    """What a written answer needs: back ends, rules, the brief's text, how calls are booked and how long they run."""

    backends: Backends
    rules: RouteRules
    brief: Callable[[], str]
    purpose: Purpose
    call: Call


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was retrieved for a question."""

    cited: Sequence[tuple[Hit, Cited]]
    notes: Sequence[Note]


@dataclass(frozen=True, slots=True)
class Synthesis:
    """A model's answer with checked citations, or None when no model gave one; `route` says who and why."""

    answer: str | None
    route: Route
    warnings: tuple[str, ...] = ()


def synthesise(parts: SynthesisParts, question: str, use_cloud: bool | None, evidence: Evidence) -> Synthesis:
    """Ask the models that the route allows, best first; raises only Cancelled."""
    choice = choose_route(question, use_cloud, parts.rules)
    warnings = [choice.refused] if choice.refused else []
    skipped: list[str] = []
    here_only = False
    end = time.monotonic() + parts.call.deadline_s
    for backend in _candidates(parts.backends, choice):
        if here_only and backend.remote:
            continue
        ready = _ready(parts.backends, backend, skipped)
        call = replace(parts.call, deadline_s=end - time.monotonic())
        if ready is None or call.deadline_s < MIN_SECONDS:
            continue
        try:
            written = _ask(replace(parts, call=call), backend, ready, question, evidence)
        except ModelError as error:
            if error.kind == FailureKind.CANCELLED:
                raise Cancelled("The question was cancelled.") from error
            parts.backends.failed(backend, error)
            warnings.append(f"no answer from {backend.name} ({ready.model}): {error}")
            if error.instead == "nothing":
                break
            here_only = here_only or error.instead == "local"
            continue
        route = Route(backend.name, written.model, _reason(choice, backend, skipped))
        return _logged(Synthesis(written.text, route, (*warnings, *written.warnings)))
    reason = _without_model(choice, skipped, failed=len(warnings) > bool(choice.refused))
    return _logged(Synthesis(None, Route("none", None, reason), tuple(warnings)))


def _logged(synthesis: Synthesis) -> Synthesis:
    route = synthesis.route
    _LOG.info("answer by %s (%s): %s", route.backend, route.model, route.reason)
    for warning in synthesis.warnings:
        _LOG.warning("answer by %s: %s", route.backend, warning)
    return synthesis


def _candidates(backends: Backends, choice: RouteChoice) -> Iterator[Backend]:
    """Downwards from the chosen place; what leaves the machine only where the choice permits it."""
    if choice.place == "cloud":
        yield from backends.cloud(choice.tier)
    yield from (backend for backend in backends.local if choice.may_leave or not backend.remote)


def _ready(backends: Backends, backend: Backend, skipped: list[str]) -> Ready | None:
    """The back end's model, or None after noting why it cannot be asked."""
    try:
        if paused := backends.paused(backend):
            raise paused
        return backend.ready()
    except ModelError as error:
        skipped.append(str(error))
        return None


def _reason(choice: RouteChoice, backend: Backend, skipped: Sequence[str]) -> str:
    parts = [choice.reason]
    if choice.place == "cloud" and not backend.remote:
        why = f" ({'; '.join(skipped)})" if skipped else ""
        parts.append(f"no model beyond this machine could be asked{why}, so a local one was")
    return "; ".join(parts)


def _without_model(choice: RouteChoice, skipped: Sequence[str], *, failed: bool) -> str:
    if failed:
        return f"{choice.reason}; no model answered: quoted from the index"
    why = f" ({'; '.join(skipped)})" if skipped else ""
    return f"{choice.reason}; no model is configured or running{why}: quoted from the index"


def _ask(parts: SynthesisParts, backend: Backend, ready: Ready, question: str, evidence: Evidence) -> _Written:
    """A checked answer of one back end; a prompt that proves too long is packed once more for the window it has."""
    try:
        return _ask_once(parts, backend, ready, question, evidence)
    except ModelError as error:
        if error.kind != FailureKind.TOO_LONG or not error.window_tokens or error.window_tokens >= ready.window_tokens:
            raise
        smaller = replace(ready, window_tokens=error.window_tokens)
        return _ask_once(parts, backend, smaller, question, evidence)


def _ask_once(parts: SynthesisParts, backend: Backend, ready: Ready, question: str, evidence: Evidence) -> _Written:
    prompt, excerpts = build_prompt(parts.brief(), question, evidence, ready.window_tokens)
    reply = ask_model(backend, ready, prompt, parts.call, parts.purpose)
    given = {excerpt.citation for excerpt in excerpts}
    hits = [hit for hit, _ in evidence.cited if _citation(hit) in given]
    checked = check_citations(reply.text, hits, [note for note in evidence.notes if _note_citation(note) in given])
    if not checked.text:
        raise ModelError(FailureKind.BLANK, "the answer was nothing but invented citations")
    warnings = list(reply.warnings)
    if checked.removed:
        invented = ", ".join(checked.removed[:3])
        warnings.append(f"{len(checked.removed)} citation(s) of the model were invented and removed: {invented}")
    warnings += [f"{e.citation} holds text that reads like instructions" for e in excerpts if _suspicious(e)]
    return _Written(checked.text, reply.model, tuple(warnings))


@dataclass(frozen=True, slots=True)
class _Written:
    text: str
    model: str
    warnings: tuple[str, ...]


def build_prompt(
    brief: str, question: str, evidence: Evidence, window_tokens: int
) -> tuple[Prompt, tuple[Excerpt, ...]]:
    """The prompt that fits into a window with room for the answer, and the excerpts in it.

    Raises ModelError when role, brief and question leave no room for anything retrieved.
    """
    system = system_text(brief)
    answer = min(MAX_ANSWER_TOKENS, window_tokens // 4)
    room = window_tokens - answer - cautious_tokens(system) - cautious_tokens(user_text((), question))
    room = min(room, MAX_CONTEXT_TOKENS)
    if room < MIN_CONTEXT_TOKENS:
        raise ModelError(FailureKind.TOO_LONG, f"the brief and the question fill its window of {window_tokens} tokens")
    excerpts = _excerpts(evidence, room * BYTES_PER_TOKEN)
    # What is packed counts characters; other scripts have more bytes than that.
    while excerpts and cautious_tokens(user_text(excerpts, "")) > room:
        excerpts = excerpts[:-1]
    return Prompt(system, user_text(excerpts, question), answer), excerpts


def _excerpts(evidence: Evidence, chars: int) -> tuple[Excerpt, ...]:
    """Notes first: they are short, and say what the code does not; then the entities, best first."""
    notes = [Excerpt(_note_citation(note), note.content) for note in evidence.notes]
    left = chars - sum(len(note.text) + HEADING_CHARS for note in notes) - HEADING_CHARS * len(evidence.cited)
    texts = pack([cited for _, cited in evidence.cited], max(left, 0))
    code = [Excerpt(_citation(hit), text) for (hit, _), text in zip(evidence.cited, texts, strict=True) if text]
    return (*notes, *code)


def _citation(hit: Hit) -> str:
    state = "" if hit.state == "fresh" else f", {hit.state}"
    lines = f"{hit.start_line}-{hit.end_line}"
    return f"{hit.qualified_name or hit.name} #{hit.file_path}:{lines} ({hit.entity_type}{state})"


def _note_citation(note: Note) -> str:
    return f"note:{note.id} ({note.category})"


def _suspicious(excerpt: Excerpt) -> bool:
    return reads_like_instructions(excerpt.text)
