"""An answer from the code map: who uses what, each cited at the line of use as the file has it now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from zerikai_memory.answer.narrowing import narrowed
from zerikai_memory.answer.uses import UseQuestion, use_question
from zerikai_memory.errors import InputError
from zerikai_memory.model import CitationState, CodeEntity, Extraction, Hit, QueryAnswer, Route
from zerikai_memory.model_views import OFFERED, MapAnswers, MapPart, MapReply, MapRow
from zerikai_memory.redact import mask_source
from zerikai_memory.retrieve.cite import WorkingFile, verify
from zerikai_memory.store.index import WorkspaceIndex

# Guesses are a hint where facts are few.
MOST_GUESSES = 5
_SAID = {
    "callers": "calls",
    "dependents": "uses",
    "callees": "is called by it",
    "dependencies": "is used by it",
    "impact": "would be touched by a change",
    "tests to run": "is to be run after a change",
    "subclasses": "inherits from it",
    "raised": "raises it",
    "caught": "catches it",
    "tests": "tests it",
    "tested code": "is tested by it",
    "outside the project": "is used from outside the project",
}


@dataclass(frozen=True, slots=True)
class RelatedParts:
    """What such an answer is made with: the map, the index for the entities, today's files.

    `said` gives the lines of (a text, its path) in whose code a name stands.
    """

    map: MapAnswers
    index: WorkspaceIndex
    read: Callable[[str], WorkingFile]
    extract: Callable[[bytes, str], Extraction]
    said: Callable[[str, str, str], Sequence[int]]


def answer_from_map(parts: RelatedParts, workspace: str, question: str, limit: int) -> QueryAnswer | None:
    """The answer to a question for a relation of a named thing; None for other questions, names and empty results.

    A name written as code of which nothing is known is answered so, a plain word is left to the search.
    """
    asked = use_question(question)
    if asked is None:
        return None
    try:
        reply = parts.map.relation(asked.view, asked.name)
    except InputError as error:  # a line that no file has
        return _refused(workspace, question, asked, str(error))
    if reply is None or not (
        asked.as_code
        or _is_constant(asked.name, reply)
        or reply.notes
        or any(part.rows or part.omitted for part in reply.parts)
    ):
        return None
    reply = narrowed(reply, asked.only, parts.read, parts.index.entities, parts.said)
    return _answer(parts, workspace, question, asked, reply, limit)


def unknown_name(parts: RelatedParts, question: str) -> tuple[str, ...]:
    """A warning for a question for a relation of something written as code that nothing in the project is called."""
    asked = use_question(question)
    if asked is None or not (asked.as_code or asked.name.isupper()):
        return ()
    if parts.map.relation(asked.view, asked.name) is not None:
        return ()
    return (f"{asked.name!r} names nothing in the code map, so its words are searched for",)


def _is_constant(name: str, reply: MapReply) -> bool:
    """Whether a word in capitals is what a thing of the project is called, in capitals too."""
    return name.isupper() and any(part.subject and part.subject.name.rpartition(".")[2] == name for part in reply.parts)


def _refused(workspace: str, question: str, asked: UseQuestion, why: str) -> QueryAnswer:
    route = Route("map", None, f"asked of the code map (view {asked.view}), without a model")
    return QueryAnswer(workspace, question, why, results=(), notes=(), route=route, nothing_relevant=True, omitted=0)


def _answer(
    parts: RelatedParts, workspace: str, question: str, asked: UseQuestion, reply: MapReply, most: int
) -> QueryAnswer:
    shown = _shown(reply.parts, most)
    stored = parts.index.entities_by_id(list({row.entity_id for _, row in shown if row.entity_id}))
    today: dict[str, WorkingFile] = {}
    hits: dict[int, Hit] = {}
    for i, (_, row) in enumerate(shown):
        path = row.site_path or row.file_path
        file = today.get(path) or today.setdefault(path, parts.read(path))
        hits[i] = _hit(row, stored.get(row.entity_id), file, parts.extract)
    lines: list[str] = []
    guessed = {part.subject for part in reply.parts if part.guesses}
    for part in reply.parts:
        told = [_line(row, hits[i]) for i, (of, row) in enumerate(shown) if of is part]
        if told or not (part.rows or part.guesses) or (part.guesses and part.omitted):
            lines += [_heading(part, guessed=part.subject in guessed), *told]
    count = sum(len(part.rows) + part.omitted for part in reply.parts)
    left = count - len(shown)
    if left:
        lines.append(f"{left} more: code_map view={asked.view} target={asked.name}")
    freshness = reply.freshness
    warnings = list(reply.notes)
    if freshness.changed_count:
        files = "file" if freshness.changed_count == 1 else "files"
        warnings.append(f"the map is older than {freshness.changed_count} changed {files}; scan to bring it up to date")
    return QueryAnswer(
        workspace=workspace,
        question=question,
        answer="\n".join(lines),
        results=tuple(hits.values()),
        notes=(),
        route=Route("map", None, f"answered from the code map (view {asked.view}), without a model"),
        nothing_relevant=False,
        omitted=left,
        warnings=tuple(warnings),
    )


def _shown(parts: Sequence[MapPart], most: int) -> list[tuple[MapPart, MapRow]]:
    """The rows that are cited: each part has a share (code and tests both break), guesses have what facts leave."""
    told = {id(part): 0 for part in parts}
    for group in ([part for part in parts if not part.guesses], [part for part in parts if part.guesses]):
        while sum(told.values()) < most:
            open_parts = [part for part in group if told[id(part)] < min(len(part.rows), _most(part, most))]
            if not open_parts:
                break
            for part in open_parts[: most - sum(told.values())]:
                told[id(part)] += 1
    return [(part, row) for part in parts for row in part.rows[: told[id(part)]]]


def _most(part: MapPart, most: int) -> int:
    return MOST_GUESSES if part.guesses else most


def _heading(part: MapPart, *, guessed: bool) -> str:
    subject = part.subject
    named = ""
    if subject is not None:
        whole = subject.entity_type in ("module", "folder")
        named = subject.name if whole else f"{subject.name} #{subject.file_path}:{subject.start_line}"
    if part.title == OFFERED:
        return part.note
    if part.guesses and not part.rows:
        return f"Not followed: {part.note}."
    if part.guesses:
        count = len(part.rows) + part.omitted
        return f"By name only, perhaps another thing is meant ({count}):"
    if not part.rows and guessed:
        return f"{named}: {part.title}: none is certain."
    if not part.rows:
        return f"{named}: nothing in the project {_SAID.get(part.title, part.title)}, as far as is known."
    return f"{named}: {part.title} ({len(part.rows)}):"


def _line(row: MapRow, hit: Hit) -> str:
    told = [row.kind] if row.kind not in ("call", "") else []
    if row.evidence not in ("resolved", "external", ""):
        told.append(row.evidence)
    if row.depth > 1:
        told.append(f"step {row.depth}")
    mark = f" ({', '.join(told)})" if told else ""
    first = hit.text.strip().split("\n", 1)[0].strip()
    state = "" if hit.state == "fresh" else f" [{hit.state}]"
    code = f"  {first[:120]}" if first else ""
    return f"- {row.name} #{hit.file_path}:{hit.start_line}{mark}{state}{code}"


def _hit(row: MapRow, entity: CodeEntity | None, file: WorkingFile, extract: Callable[[bytes, str], Extraction]) -> Hit:
    """The line of use as a citation; in a changed file it is looked for again where its entity stands now."""
    lines = row.lines or (row.start_line,)
    state: CitationState = "fresh"
    if file.content is None:
        state, lines = ("gone" if file.missing else "stale"), ()
    elif row.changed:
        state, lines = _again(row, entity, file, extract)
    text = "\n".join(_source_line(file.content, line) for line in lines[:3]) if file.content is not None else ""
    first = lines[0] if lines else (row.lines or (row.start_line,))[0]
    return Hit(
        name=row.name.rpartition(".")[2] if row.entity_type not in ("module", "folder") else row.name,
        qualified_name=row.name,
        entity_type=row.entity_type,
        file_path=file.path,
        start_line=first,
        end_line=first,
        distance=None,
        score=0.0,
        state=state,
        text=text,
        entity_id=row.entity_id,
    )


def _again(
    row: MapRow, entity: CodeEntity | None, file: WorkingFile, extract: Callable[[bytes, str], Extraction]
) -> tuple[CitationState, tuple[int, ...]]:
    """(state, lines) in a changed file: the same lines as far into the entity as they were, while its text is."""
    if entity is None or entity.file_path != file.path:
        return "stale", ()
    cited = verify(entity, "", file, extract)
    if cited.state in ("gone", "stale"):
        return cited.state, ()
    moved = cited.entity.start_line - entity.start_line
    if cited.state == "changed":
        return "changed", (cited.entity.start_line,)
    return cited.state, tuple(line + moved for line in row.lines or (row.start_line,))


def _source_line(content: bytes, line: int) -> str:
    lines = content.split(b"\n")
    if not 1 <= line <= len(lines):
        return ""
    return mask_source(lines[line - 1]).decode("utf-8", "replace").strip()
