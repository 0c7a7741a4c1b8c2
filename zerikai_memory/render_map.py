"""Views of the code map as text, JSON, Mermaid and DOT."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from zerikai_memory.model_views import MapFreshness, MapPart, MapReply, MapRow
from zerikai_memory.render import as_json, one_line, safe_text

# Lines of one row that are listed; the data holds all.
LINES_SHOWN = 6
FILES_SHOWN = 5
COMMIT_CHARS = 10
# Views whose parts list files or entries with a word on each, and no relation to a subject.
_LISTS = ("overview", "entrypoints", "unused")
_PLAIN = re.compile(r"[\w ./:,()$-]", re.ASCII)


def map_text(reply: MapReply) -> str:
    """The view in short lines: `name #file:line`, the lines being those of the call, import or link."""
    parts = [safe_text(reply.text).strip()] if reply.text else []
    parts += [_part(reply, part) for part in reply.parts]
    if not parts:
        parts.append("Nothing of this kind was found.")
    told = [freshness_line(reply.freshness)] + [f"Warning: {safe_text(note)}" for note in reply.notes]
    return "\n\n".join([*parts, "\n".join(told)])


def freshness_line(freshness: MapFreshness) -> str:
    """What the map was built from and whether the work tree has moved on."""
    commit = freshness.repo_commit
    built = f"Map (schema {freshness.schema_version}"
    built += f", commit {commit[:COMMIT_CHARS]})" if commit else ")"
    head = freshness.head_commit
    moved = f"; the work tree is now at {head[:COMMIT_CHARS]}" if head and head != commit else ""
    count = freshness.changed_count
    if count is None:
        return f"{built}: the work tree could not be compared with it{moved}."
    if not count:
        return f"{built}: no file has changed since{moved}."
    shown = ", ".join(one_line(path) for path in freshness.changed_files[:FILES_SHOWN])
    more = f" and {count - FILES_SHOWN} more" if count > FILES_SHOWN else ""
    files = "1 file has" if count == 1 else f"{count} files have"
    return f"{built}: {files} changed since: {shown}{more}{moved}. scan_workspace brings it up to date."


def _part(reply: MapReply, part: MapPart) -> str:
    total = len(part.rows) + part.omitted
    head = one_line(part.title)
    if part.subject is not None and reply.view not in _LISTS:
        head = f"{head} {'from' if reply.view == 'path' else 'of'} {_cited(part.subject)}"
    lines = [f"{head}: {total if total else 'none known'}"]
    names = {row.entity_id: row.name for known in reply.parts for row in known.rows}
    lines += [f"  {_row(reply.view, part, row, names)}" for row in part.rows]
    if part.omitted and part.rows:
        lines.append(f"  ({part.omitted} more left out)")
    if part.note:
        lines.append(f"  ({safe_text(part.note)})")
    return "\n".join(lines)


def _row(view: str, part: MapPart, row: MapRow, names: Mapping[str, str]) -> str:
    mark = " [changed]" if row.changed else ""
    if view in _LISTS:
        where = f" #{row.file_path}:{row.start_line}" if row.start_line and row.name != row.file_path else ""
        if row.site_path and row.site_path != row.file_path:
            mark = f" ({one_line(row.site_path)}:{_lines(row.lines)}){mark}"
        detail = f": {row.detail}" if row.detail else ""
        return f"{one_line(row.name + where + detail)}{mark}"
    told = [] if row.kind in ("call", "") else [row.kind]
    if row.evidence not in ("resolved", "external", ""):
        told.append(row.evidence)
    if row.depth > 1 and view != "path":
        via = f" through {one_line(names[row.via])}" if row.via in names else ""
        told.append(f"step {row.depth}{via}")
    if row.detail:
        told.append(one_line(row.detail))
    said = f" ({', '.join(told)})" if told else ""
    if not part.uses:
        path, lines = (row.site_path, row.lines) if row.lines else (row.file_path, (row.start_line,))
        return f"{one_line(row.name)} #{one_line(path)}:{_lines(lines)}{said}{mark}"
    at = f" at {one_line(row.site_path)}:{_lines(row.lines)}" if row.lines else ""
    defined = f" #{one_line(row.file_path)}:{row.start_line}" if row.file_path else ""
    return f"{one_line(row.name)}{defined}{at}{said}{mark}"


def _cited(row: MapRow) -> str:
    mark = " [changed]" if row.changed else ""
    if row.entity_type in ("module", "folder"):
        return one_line(row.name) + mark
    return f"{one_line(row.name)} #{one_line(row.file_path)}:{row.start_line}{mark}"


def _lines(lines: Sequence[int]) -> str:
    shown = ",".join(str(line) for line in lines[:LINES_SHOWN])
    return f"{shown},... ({len(lines)} lines)" if len(lines) > LINES_SHOWN else shown


def map_data(reply: MapReply) -> dict[str, Any]:
    """The view as JSON values: rows without their empty fields, everything else whole."""
    data: dict[str, Any] = {
        "workspace": reply.workspace,
        "view": reply.view,
        "target": reply.target or "",
        "text": reply.text,
        "parts": [_part_data(part) for part in reply.parts],
        "omitted": reply.omitted,
        "notes": list(reply.notes),
    }
    for field in fields(reply.freshness):
        data[field.name] = getattr(reply.freshness, field.name)
    shaped: dict[str, Any] = as_json(data)
    return shaped


def _part_data(part: MapPart) -> dict[str, Any]:
    data: dict[str, Any] = {"title": part.title, "rows": [_row_data(row) for row in part.rows]}
    if part.subject is not None:
        data["subject"] = _row_data(part.subject)
    return data | {
        name: value
        for name, value in (("note", part.note), ("omitted", part.omitted), ("guesses", part.guesses))
        if value
    }


def _row_data(row: MapRow) -> dict[str, Any]:
    values = {field.name: getattr(row, field.name) for field in fields(row)}
    if row.site_path == row.file_path:
        values["site_path"] = ""
    return {name: value for name, value in values.items() if value or name == "name"}


@dataclass(frozen=True, slots=True)
class _Arrow:
    """From what uses to what is used, by the keys of both."""

    source: str
    target: str
    label: str
    guess: bool = False


def map_mermaid(reply: MapReply) -> str:
    """A Mermaid flow chart of the view's relations: an arrow points from what uses to what is used."""
    arrows = list(_arrows(reply))
    nodes, labels = _nodes(arrows), dict(_labels(reply))
    shown = [f'  {node}["{_mermaid(labels.get(key, key))}"]' for key, node in nodes.items()]
    lines = []
    for arrow in arrows:
        stroke = "-.->" if arrow.guess else "-->"
        label = f'|"{_mermaid(arrow.label)}"|' if arrow.label else ""
        lines.append(f"  {nodes[arrow.source]} {stroke}{label} {nodes[arrow.target]}")
    return "\n".join(["flowchart LR", *(shown or ['  n0["nothing was found"]']), *lines])


def map_dot(reply: MapReply) -> str:
    """The view's relations as a DOT graph: an arrow points from what uses to what is used."""
    arrows = list(_arrows(reply))
    nodes, labels = _nodes(arrows), dict(_labels(reply))
    shown = [f'  {node} [label="{_dot(labels.get(key, key))}"];' for key, node in nodes.items()]
    lines = []
    for arrow in arrows:
        style = ", style=dashed" if arrow.guess else ""
        lines.append(f'  {nodes[arrow.source]} -> {nodes[arrow.target]} [label="{_dot(arrow.label)}"{style}];')
    return "\n".join(["digraph map {", "  rankdir=LR;", "  node [shape=box];", *shown, *lines, "}"])


def _nodes(arrows: Iterable[_Arrow]) -> dict[str, str]:
    """{key: name of the node} in order of appearance."""
    keys = dict.fromkeys(key for arrow in arrows for key in (arrow.source, arrow.target))
    return {key: f"n{i}" for i, key in enumerate(keys)}


def _arrows(reply: MapReply) -> Iterator[_Arrow]:
    for part in reply.parts:
        for link in part.links:
            yield _Arrow(link.source, link.target, str(link.files))
        if part.subject is None or reply.view in _LISTS:
            continue
        for row in part.rows:
            here, there = _key(row), row.via or _key(part.subject)
            label = " ".join(filter(None, (row.kind, f":{_lines(row.lines)}" if row.lines else "")))
            source, target = (there, here) if part.uses else (here, there)
            yield _Arrow(source, target, label, row.evidence == "same-name")


def _labels(reply: MapReply) -> Iterator[tuple[str, str]]:
    for part in reply.parts:
        for row in (*([part.subject] if part.subject is not None else ()), *part.rows):
            place = "" if row.entity_type in ("module", "folder") or not row.file_path else f" {row.file_path}"
            yield _key(row), row.name + place


def _key(row: MapRow) -> str:
    return row.entity_id or row.name


def _mermaid(text: str) -> str:
    """A text inside quotes of Mermaid: every sign that may mean something there as its code."""
    return "".join(c if _PLAIN.match(c) else f"#{ord(c)};" for c in one_line(text))


def _dot(text: str) -> str:
    return one_line(text).replace("\\", "\\\\").replace('"', '\\"')
