"""Texts about past sessions: hits, dialogues, lists, sources, index runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from zerikai_memory.model_sessions import (
    Proposal,
    Proposed,
    Recall,
    SessionHit,
    SessionInfo,
    SessionPlace,
    SessionsForgotten,
    SessionsIndexed,
    SessionStep,
)
from zerikai_memory.render import columns, one_line, safe_text

# Enough of a folder to know the project; the data holds it whole.
PROJECT_CHARS = 40
# With more a hit would cost over 150 tokens; the data holds them.
MENTIONS_CHARS = 90


def recall(found: Recall) -> str:
    """Hits, a dialogue or a list, whichever was asked for, then what the reader must know about its limits."""
    parts = []
    if found.hits:
        parts.append("\n".join(_hit(hit) for hit in found.hits))
        parts.append("A step opens with its neighbours: session and step.")
    elif found.steps:
        parts.append(session_table(found.sessions))
        parts.append(dialogue(found.steps))
    elif found.sessions:
        parts.append(session_table(found.sessions))
    else:
        parts.append("Nothing found in past sessions.")
    if found.omitted:
        parts.append(f"({found.omitted} more messages of this session: give a step to see others)")
    parts += [f"Warning: {warning}" for warning in found.warnings]
    return "\n".join(parts)


def dialogue(steps: Sequence[SessionStep]) -> str:
    """The messages with who said them and when."""
    return "\n".join(_step(step) for step in steps) or "The session holds no messages."


def session_table(sessions: Sequence[SessionInfo]) -> str:
    """One line per session: when, agent, messages, id, project, title."""
    if not sessions:
        return "No sessions: `zerikai-memory sessions sources` shows where they are looked for."
    rows = [
        (
            _when(info.started_at),
            info.agent,
            f"{info.steps} steps",
            one_line(info.session),
            _short(info.project),
            one_line(info.title) + (" [file gone]" if info.gone else ""),
        )
        for info in sessions
    ]
    return columns(rows)


def place_table(places: Sequence[SessionPlace]) -> str:
    """One line per place: agent, files, size, how much is not in the index, folder; then what cannot be read."""
    rows = [("AGENT", "FILES", "SIZE", "NOT INDEXED", "FOLDER")]
    for place in places:
        numbers = (str(place.files), _size(place.size_bytes), _size(place.behind_bytes))
        rows.append((place.agent, *(numbers if place.exists else ("-", "-", "-")), one_line(place.folder)))
    return "\n".join([columns(rows), *(line for place in places for line in _unread(place.unread))])


def indexed(report: SessionsIndexed) -> str:
    """What an index run did."""
    lines = [
        f"{report.messages} new messages from {report.changed_files} changed of {report.files} files "
        f"({_size(report.read_bytes)} read in {report.seconds:.1f} s); {report.duplicates} copies left out, "
        f"{report.bad_lines} damaged lines, {report.unknown_events} events of unknown kinds."
    ]
    if report.behind_bytes:
        lines.append(f"{_size(report.behind_bytes)} are still to be read.")
    lines += [f"Warning: {warning}" for warning in report.warnings]
    return "\n".join([*lines, *_unread(report.skipped)])


def forgotten(report: SessionsForgotten) -> str:
    """What was forgotten, and what was not."""
    return (
        f"Forgot {', '.join(one_line(name) for name in report.sessions)}: {report.messages} messages removed. Later "
        "index runs leave it out; the agent's own file stays where it is."
    )


def proposed(report: Proposed) -> str:
    """What a look for proposals found, and what to do with it."""
    lines = [f"{report.added} new proposals from {report.messages} messages; {report.waiting} wait for your word."]
    if report.model:
        lines.append(
            f"{one_line(report.model)} was asked about {report.asked} messages in which no rule found anything."
        )
    lines += [f"Warning: {warning}" for warning in report.warnings]
    if report.waiting:
        lines.append("`sessions proposals` lists them; `sessions accept ID` saves one, `sessions reject ID` drops it.")
    return "\n".join(lines)


def proposal_list(found: Sequence[Proposal]) -> str:
    """Each proposal with where it was said, and what found it."""
    return "\n".join(_proposal(one) for one in found) or "No proposals wait: `sessions propose` looks for some."


def rejected(found: Sequence[Proposal]) -> str:
    """What was taken off the list."""
    return "\n".join(f"Rejected {one.id}: {one_line(one.content)}" for one in found)


def _unread(reasons: Mapping[str, str]) -> list[str]:
    return [f"not read: {one_line(path)} ({one_line(reason)})" for path, reason in reasons.items()]


def _proposal(one: Proposal) -> str:
    kind = f"{one.category} {one.outcome}" if one.outcome else one.category
    where = f"session:{one_line(one.session)} step {one.step}"
    facts = ", ".join(fact for fact in (_short(one.project), _when(one.at), one_line(one.found_by)) if fact)
    return f"{one.id}  {kind}: {one_line(one.content)}\n  {where} ({facts})"


def _hit(hit: SessionHit) -> str:
    mark = " [left branch]" if hit.off_branch else ""
    where = f"{one_line(hit.session)} step {hit.step}"
    facts = (hit.role + mark, hit.agent, _short(hit.project), _when(hit.at))
    lines = [f"{where} ({', '.join(fact for fact in facts if fact)})", f"  {one_line(hit.snippet)}"]
    named = _fitting(hit.mentions)
    return "\n".join([*lines, f"  names {named}"] if named else lines)


def _fitting(mentions: Sequence[str]) -> str:
    """The mentions that there is room for; the data holds all."""
    kept: list[str] = []
    for one in map(one_line, mentions):
        if len(", ".join([*kept, one])) <= MENTIONS_CHARS:
            kept.append(one)
    return ", ".join(kept)


def _step(step: SessionStep) -> str:
    mark = " [left branch]" if step.off_branch else ""
    return f"--- {step.step} {step.role}{mark} {_when(step.at)}\n{safe_text(step.text)}"


def _short(project: str) -> str:
    shown = one_line(project)
    return shown if len(shown) <= PROJECT_CHARS else "..." + shown[-PROJECT_CHARS:]


def _when(at: float | None) -> str:
    return "" if at is None else datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def _size(size_bytes: int) -> str:
    return f"{size_bytes / 1e6:.1f} MB" if size_bytes >= 100_000 else f"{size_bytes / 1e3:.1f} kB"
