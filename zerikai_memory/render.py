"""Formatting of answers as text for people and models, and as JSON for programs; shared by the CLI and MCP.

Text is compact, because every line costs the reader tokens. Names and paths are shown on one line whatever
characters they hold; JSON is valid UTF-8 whatever was indexed.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from itertools import groupby
from typing import Any

from zerikai_memory.model import Brief, CodeEntity, Hit, Note, QueryAnswer, ScanReport, SkippedPath, WorkspaceInfo
from zerikai_memory.model_notes import AGENT, Anchor
from zerikai_memory.model_upkeep import DropReport, Finding

# A scan of a large project skips thousands of paths; a reader needs to see what kind they are.
PATHS_SHOWN = 5
# Controls, line and direction marks, lone surrogates: they break a line, a terminal or UTF-8.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class ScanSummary(ScanReport):
    """A scan report as JSON: its lists may be cut, `counts` always holds their true lengths."""

    counts: Mapping[str, int] = field(default_factory=dict)


def as_json(value: Any) -> Any:
    """Dataclasses, enums, tuples and mappings as plain JSON values; lone surrogates become visible escapes."""
    if type(value) is str:
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if value is None or type(value) is int:
        return value
    if isinstance(value, Enum):
        return as_json(value.value)
    if isinstance(value, str):
        return as_json(str(value))
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no NaN and no infinity
    if is_dataclass(value) and not isinstance(value, type):
        return {name: as_json(getattr(value, name)) for name in _field_names(type(value))}
    if isinstance(value, Mapping):
        return {as_json(str(key)): as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [as_json(item) for item in value]
    return value


@functools.cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def json_line(value: Any) -> str:
    """JSON on one line; any text in it survives UTF-8."""
    return json.dumps(as_json(value), ensure_ascii=False, separators=(",", ":"))


def one_line(text: str) -> str:
    """A name or path on one line: line breaks, tabs, controls and lone surrogates as escapes."""
    return safe_text(text).replace("\t", "\\t").replace("\n", "\\n")


def safe_text(text: str) -> str:
    """Text without control or direction marks and lone surrogates (shown as escapes); line breaks and tabs stay."""
    return _UNSAFE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def scan_summary(report: ScanReport, most: int | None = None) -> ScanSummary:
    """The report with at most `most` paths per list (all when None) and the true counts."""
    lists = ("added", "changed", "removed", "skipped", "partial", "failed")
    values = {f.name: getattr(report, f.name) for f in fields(ScanReport)}
    counts = {name: len(values[name]) for name in lists} | {"kept": report.kept, "embedded": report.embedded}
    cut = {name: values[name][:most] for name in lists}
    return ScanSummary(**(values | cut), counts=counts)


def scan_report(report: ScanReport) -> str:
    """What a scan did and did not do, in a few lines."""
    where = f"{one_line(report.workspace)} ({one_line(report.root)})"
    if report.status == "running":
        progress = f"{report.done} of {report.total} files" if report.total else "looking for files"
        lines = [f"Scan of {where} is still running: {progress}."]
        return "\n".join([*lines, *(f"Warning: {safe_text(text)}" for text in report.warnings)])
    plan = report.status == "dry_run"
    lines = [
        f"Dry run of {where}: nothing was written."
        if plan
        else f"Scan of {where} {report.status} in {report.seconds:.1f} s: "
        f"{report.files} files, {report.entities} entities."
    ]
    lines.append(
        f"{'Would add' if plan else 'Added'} {len(report.added)}, {'change' if plan else 'changed'} "
        f"{len(report.changed)}, {'remove' if plan else 'removed'} {len(report.removed)}, "
        f"{'keep' if plan else 'kept'} {report.kept} files"
        + (f"; {report.embedded} entities embedded." if report.embedded else ".")
    )
    if plan:
        changes = (("+", report.added), ("~", report.changed), ("-", report.removed))
        lines += [f"{sign} {one_line(path)}" for sign, paths in changes for path in paths]
    if report.entities_by_type:
        lines.append("Entities: " + _tally(report.entities_by_type))
    if report.entities_by_language:
        lines.append("Languages: " + _tally(report.entities_by_language))
    if report.skipped:
        lines.append(f"Skipped {len(report.skipped)}: {_skipped(report.skipped)}")
    if report.excluded:
        lines.append(f"Left out by rules: {_some(f'{rule} ({count})' for rule, count in report.excluded.items())}")
    if report.partial:
        lines.append(f"Partly read, because of syntax errors {len(report.partial)}: {_some(report.partial)}")
    if report.failed:
        failed = (f"{path.path} ({path.detail or path.reason})" for path in report.failed)
        lines.append(f"Failed {len(report.failed)}: {_some(failed, len(report.failed))}")
    lines += [f"Warning: {safe_text(text)}" for text in report.warnings]
    return "\n".join(lines)


def query_answer(answer: QueryAnswer, *, show_sources: bool = True) -> str:
    """The `Sources:` block of citations, then the answer: a model's, or where there is none the quoted code itself."""
    parts = []
    cited = [f"brief:{section.name}" for section in answer.sections]
    cited += [one_line(hit.citation) for hit in answer.results] + [note_citation(note) for note in answer.notes]
    cited += [one_line(f"session:{hit.session} step {hit.step}") for hit in answer.sessions]
    if show_sources and cited:
        parts.append("\n".join(["Nearest:" if answer.nothing_relevant else "Sources:", *cited]))
    if answer.route.backend == "none" and answer.results:
        # No model has read the code, so the reader sees it; the answer's one line a hit would only repeat it.
        parts += [f"{section.name} (brief):\n{safe_text(section.text)}" for section in answer.sections]
        parts += [quoted_file(hits) for hits in _by_file(answer.results)]
        parts += [note_line(note) for note in answer.notes]
    else:
        parts.append(safe_text(answer.answer).strip("\n"))
    if answer.omitted:
        parts.append(f"({answer.omitted} more left out; narrow the question, or ask for a higher limit or budget.)")
    parts += [f"Warning: {safe_text(text)}" for text in answer.warnings]
    return "\n\n".join(part for part in parts if part)


def quoted_file(hits: Sequence[Hit]) -> str:
    """Hits of one file: the first with its text; others whose text is one line are that line."""
    blocks = [quoted_hit(hits[0])]
    for hit in hits[1:]:
        line = f"{hit.start_line}-{hit.end_line}: {safe_text(hit.text)}"
        blocks.append(quoted_hit(hit) if "\n" in hit.text else line)
    return "\n".join(blocks)


def _by_file(hits: Sequence[Hit]) -> list[list[Hit]]:
    """Hits that follow one another in the same file, together."""
    return [list(group) for _, group in groupby(hits, key=lambda hit: hit.file_path)]


def quoted_hit(hit: Hit) -> str:
    """The text of a hit under what it is and the lines it stands on."""
    where = f"{one_line(hit.file_path)}:{hit.start_line}-{hit.end_line}"
    return f"--- {hit.entity_type} {where}\n{safe_text(hit.text)}".rstrip()


def entity_page(hits: Sequence[Hit]) -> str:
    """Markdown of opened entities: what each is, where it stands now, and its code."""
    pages = []
    for hit in hits:
        where = f"{one_line(hit.file_path)}:{hit.start_line}-{hit.end_line}"
        head = f"# {one_line(hit.qualified_name or hit.name)}\n\n{hit.entity_type}, {where}, {hit.state}"
        text = safe_text(hit.text)
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
        pages.append(f"{head}\n\n{fence}\n{text}\n{fence}")
    return "\n\n".join(pages)


def note_citation(note: Note) -> str:
    """`note:ID (category, date)`, the form every answer cites a note in."""
    return f"note:{one_line(note.id)} ({one_line(note.category)}, {_date(note.created_at)})"


def note_line(note: Note) -> str:
    """A record in full: outcome first, then the text, what it is about, and what is to be known about it."""
    text = f"note:{one_line(note.id)}: {f'[{note.outcome}] ' if note.outcome else ''}{safe_text(note.content)}"
    return "\n".join([text, *(f"  {mark}" for mark in note_marks(note))])


def note_marks(note: Note) -> list[str]:
    """What is to be known about a record beyond its text: place and state of its code, conflicts, confirmation."""
    marks = [f"{safe_text(note.detail)}"] if note.detail else []
    if note.anchors:
        marks.append(f"decided here: {'; '.join(_anchor(anchor) for anchor in note.anchors)}")
    if note.conflicts:
        marks.append(f"disagrees with {', '.join(_conflict(note, id) for id in note.conflicts)}: both are live")
    if note.superseded_by:
        marks.append(f"superseded by note:{one_line(note.superseded_by)}")
    if note.confirmed_by:
        alone = ", not by a person" if note.confirmed_by.startswith(AGENT) else ""
        marks.append(f"confirmed by {one_line(note.confirmed_by)}{alone}")
    return marks


def _conflict(note: Note, id: str) -> str:
    return f"note:{one_line(id)}{' (a model says so)' if id in note.model_conflicts else ''}"


def _anchor(anchor: Anchor) -> str:
    words = {
        "fresh": "",
        "moved": f" [moved to {anchor.now_path}]",
        "changed": " [changed since this was written]",
        "gone": " [no longer in the files]",
        "unknown": " [could not be checked]",
    }
    return one_line(anchor.label + words[anchor.state])


def saved_note(note: Note) -> str:
    """Confirmation of a saved note, and what is to be known about it."""
    return "\n".join([f"Saved {note_citation(note)}.", *(f"Warning: {text}" for text in note.warnings)])


def entity_table(entities: Sequence[CodeEntity]) -> str:
    """One line per entity: `file:line  kind  qualified name`."""
    if not entities:
        return "No entities."
    rows = [
        (f"{one_line(e.file_path)}:{e.start_line}", str(e.entity_type), one_line(e.qualified_name or e.name))
        for e in entities
    ]
    return columns(rows)


def brief_text(brief: Brief) -> str:
    """The brief as it is, under one line that says which version it is."""
    warnings = "".join(f"\n\nWarning: {text}" for text in brief.warnings)
    return f"{brief_line(brief)}\n\n{safe_text(brief.text).strip()}{warnings}"


def replaced_brief(brief: Brief) -> str:
    """Confirmation of a new version, and what it lacks."""
    return "\n".join([f"{brief_line(brief)} is in place.", *(f"Warning: {safe_text(text)}" for text in brief.warnings)])


def brief_line(brief: Brief) -> str:
    """Which brief this is: workspace, version, where it came from, when, and its size."""
    return (
        f"Brief of {one_line(brief.workspace)}, version {brief.version} ({one_line(brief.source)}, "
        f"{_date(brief.created_at)}, about {len(brief.text) // 4} tokens)"
    )


def brief_versions(briefs: Sequence[Brief]) -> str:
    """One line per version of a brief: number, where it came from, when, size."""
    if not briefs:
        return "No brief yet. Scan the project first."
    rows = [(str(b.version), one_line(b.source), _date(b.created_at), str(len(b.text) // 4)) for b in briefs]
    return columns([("VERSION", "SOURCE", "MADE", "TOKENS"), *rows])


def workspace_table(workspaces: Sequence[WorkspaceInfo]) -> str:
    """One line per registered workspace: name, short id, files, entities, notes, last scan, path."""
    if not workspaces:
        return "No workspaces yet. Scan a project first: zerikai-memory scan PATH"
    return columns([("NAME", "ID", "FILES", "ENTITIES", "NOTES", "LAST SCAN", "PATH"), *workspace_rows(workspaces)])


def workspace_rows(workspaces: Sequence[WorkspaceInfo]) -> list[tuple[str, ...]]:
    """The cells of a workspace table; a path that is gone or not wholly indexed says so."""
    rows: list[tuple[str, ...]] = []
    for info in workspaces:
        scanned = "never" if info.last_scan_at is None else _date(info.last_scan_at)
        marks = (" (incomplete)" if info.incomplete else "") + ("" if info.exists else " (folder is gone)")
        files, entities = _known(info.files), _known(info.entities)
        path = one_line(info.path) + marks
        rows.append((one_line(info.name), info.id[:8], files, entities, str(info.notes), scanned, path))
    return rows


def drop_report(report: DropReport) -> str:
    """What a drop removed and what it left."""
    removed = ", ".join(one_line(item) for item in report.removed) or "nothing"
    lines = [f"Dropped {one_line(report.workspace)} ({one_line(report.path)}). Removed: {removed}."]
    if report.kept_notes or report.kept_usage:
        lines.append(
            f"Kept as recorded data: {_counted(report.kept_notes, 'note')}, "
            f"{_counted(report.kept_usage, 'usage row')} (--all removes them)."
        )
    return "\n".join(lines)


def drop_question(info: WorkspaceInfo, *, everything: bool) -> str:
    """What a drop of this workspace will remove and what it will leave."""
    stored = f"index ({_known(info.files)} files, {_known(info.entities)} entities), vectors, brief, snapshots"
    notes = f"{_counted(info.notes, 'note')} and the usage rows"
    left = "It keeps the project's own files" + ("" if everything else f", {notes}")
    removed = f"{stored}, registry entry" + (f", {notes}" if everything else "")
    return f"This removes of {one_line(info.name)} ({one_line(info.path)}): {removed}. {left}."


def finding_lines(findings: Iterable[Finding]) -> str:
    """One line per finding, with the fix below what is not well."""
    lines = []
    for finding in findings:
        lines.append(f"{finding.level:<7} {one_line(finding.check)}: {one_line(finding.message)}")
        if finding.fix:
            lines.append(f"        fix: {one_line(finding.fix)}")
    return "\n".join(lines)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _known(count: int | None) -> str:
    return "?" if count is None else str(count)


def _tally(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{one_line(name)} {count}" for name, count in ordered)


def _skipped(skipped: Sequence[SkippedPath]) -> str:
    by_reason = Counter(path.reason for path in skipped)
    groups = []
    for reason, count in by_reason.most_common():
        paths = [path.path for path in skipped if path.reason == reason]
        groups.append(f"{one_line(reason)} {count} ({_some(paths)})")
    return "; ".join(groups)


def _some(paths: Iterable[str], total: int | None = None) -> str:
    listed = list(paths)
    more = (total or len(listed)) - PATHS_SHOWN
    return ", ".join(one_line(path) for path in listed[:PATHS_SHOWN]) + (f", and {more} more" if more > 0 else "")


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines, every cell but the last padded to its column."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in rows
    )


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
