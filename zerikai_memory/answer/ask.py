"""Answer a question about one workspace: search, verify, pack, recall notes, compose."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from zerikai_memory.answer.extractive import extractive_answer, no_note_answer, nothing_relevant_answer
from zerikai_memory.answer.finding import find
from zerikai_memory.answer.fitting import within_budget
from zerikai_memory.answer.project import AboutProject, about_project, size_answer
from zerikai_memory.answer.related import RelatedParts, answer_from_map, unknown_name
from zerikai_memory.answer.synthesis import Evidence, Synthesis, SynthesisParts, synthesise
from zerikai_memory.answer.vague import WHAT_TO_ASK, names_nothing
from zerikai_memory.errors import InputError
from zerikai_memory.model import BriefSection, CodeEntity, Extraction, Hit, Note, QueryAnswer, Route, Workspace
from zerikai_memory.retrieve.cite import Cited, WorkingFile, hit_of, verify
from zerikai_memory.retrieve.digest import CHARS_PER_RESULT, LEAST_CHARS, MAX_SHORT_CHARS, Wanted, digest
from zerikai_memory.retrieve.filters import category_meant
from zerikai_memory.retrieve.pack import CHARS_PER_TOKEN, pack
from zerikai_memory.retrieve.query import MAX_QUESTION_CHARS, Query, understand
from zerikai_memory.retrieve.search import Candidate, Ranking, Searcher, SearchOptions
from zerikai_memory.store.index import WorkspaceIndex

# A default reply stays under 8 kB, text and structured content each.
DEFAULT_BUDGET_TOKENS = 1_500
# Above five results the default budget grows, so that each still shows something.
TOKENS_PER_EXTRA_RESULT = 160
# What a result costs beside its text and its names: the field names and numbers of its record, its line of the answer.
RESULT_CHARS = 420
# The signs, line numbers, distance and kind of a citation and a header.
CITATION_CHARS = 50
# The frame of a reply: question, route and flags.
FRAME_CHARS = 400
# Notes that ride along with code; asking by category gives as many as the limit.
NOTES_BESIDE_CODE = 3
# So many of the latest records tell which categories are in use.
CATEGORIES_FROM = 200
# More of them are about the entities that were found, whatever their words.
NOTES_ABOUT_CODE = 2


class Records(Protocol):
    """The workspace's records: those that answer a question, the latest, those about entities (path, name)."""

    def recall(self, query: Query, category: str | None, limit: int) -> tuple[Note, ...]:
        """Live records that answer the question, best first; of one category or of all."""

    def nearest(self, query: Query, category: str | None) -> tuple[Note, ...]:
        """The one or two live records that come nearest to a question that none answers."""

    def latest(self, category: str | None, limit: int) -> tuple[Note, ...]:
        """The newest live records."""

    def about(self, places: Sequence[tuple[str, str]], limit: int) -> tuple[Note, ...]:
        """Live records anchored to any of the places."""


@dataclass(frozen=True, slots=True)
class AskParts:
    """What answering works with: `read` gives the working file of a path, `brief` the live brief's sections by name."""

    workspace: Workspace
    index: WorkspaceIndex
    searcher: Searcher
    notes: Records
    read: Callable[[str], WorkingFile]
    extract: Callable[[bytes, str], Extraction]
    brief: Callable[[], Mapping[str, str]]
    synthesis: SynthesisParts
    related: RelatedParts | None = None


@dataclass(frozen=True, slots=True)
class AskOptions:
    """What the caller wants: search options, a category of notes, a token budget, and whether a cloud was asked for.

    `list_limit` is the limit of answers that are a list of the map's, such as callers.
    """

    search: SearchOptions
    limit: int
    list_limit: int
    category: str | None = None
    budget_tokens: int | None = None
    use_cloud: bool | None = None


def ask(parts: AskParts, question: str, options: AskOptions) -> QueryAnswer:
    """Answer a question; raises InputError when there is neither a question nor a category."""
    query = understand(question)
    if (category := options.category or _category(parts, query)) is not None:
        return within_budget(_notes_only(parts, query, category, options.limit), options.budget_tokens)
    if not query.text:
        raise InputError("The question is empty; ask something, or give a category to see its latest notes.")
    unknown: tuple[str, ...] = ()
    if parts.related is not None and not (options.use_cloud or query.frames or query.filters.of_code):
        told = answer_from_map(parts.related, parts.workspace.name, query.text, options.list_limit)
        if told is not None:
            return within_budget(told, options.budget_tokens)
        unknown = unknown_name(parts.related, query.text)
    return _searched(parts, query, options, unknown)


def _searched(parts: AskParts, query: Query, options: AskOptions, unknown: tuple[str, ...]) -> QueryAnswer:
    """The answer by search, with what the brief and the records say; `unknown` are warnings of before."""
    about = about_project(query, parts.synthesis.brief(), parts.brief(), parts.workspace.name)
    if about is not None and about.size:
        return within_budget(_size(parts, query), options.budget_tokens)
    ranking = find(parts.searcher, query, options.search, about)
    vague = about is None and names_nothing(query)
    # Who filters for code is not served by records, unless they are about what was found.
    notes = () if query.filters.of_code else parts.notes.recall(query, None, NOTES_BESIDE_CODE)
    sections = () if about is None else about.sections
    if about is not None or vague:
        ranking = (about or AboutProject(())).beside(ranking, query)
    unsaid = about.unsaid if about is not None else ""
    warnings = (*unknown, *([unsaid] if unsaid else []), *_warnings(query, ranking))
    if ranking.nothing_relevant and not (notes or sections):
        told = _nothing_relevant(parts, query, ranking, WHAT_TO_ASK if vague else "", warnings)
        return within_budget(told, options.budget_tokens)
    return _composed(parts, query, options, ranking, notes, sections, warnings)


def _composed(
    parts: AskParts,
    query: Query,
    options: AskOptions,
    ranking: Ranking,
    notes: tuple[Note, ...],
    sections: tuple[BriefSection, ...],
    warnings: tuple[str, ...],
) -> QueryAnswer:
    """The reply made of what was found, in a model's words or quoted, within its budget."""
    shown = () if ranking.nothing_relevant else ranking.candidates
    places = [(candidate.file_path, candidate.qualified_name) for candidate in shown]
    notes = _with_anchored(notes, parts.notes.about(places, len(notes) + NOTES_ABOUT_CODE))
    kept, budget = _keep(parts, shown, _budget_chars(options, notes, sections))
    texts = _Texts(query.terms, options.budget_tokens, sum(len(section.text) for section in sections))
    cited = _cited(kept, texts, budget)
    items = [item for _, item in kept]
    written = _written(
        parts, query, options, Evidence(tuple(zip((hit for hit, _ in cited), items, strict=True)), notes)
    )
    if written.answer:  # it takes its room from the texts
        cited = _cited(kept, texts, budget - len(written.answer))
    hits = tuple(hit for hit, _ in cited)
    reply = _reply(
        parts,
        query,
        answer=written.answer or extractive_answer(cited, notes, sections),
        route=written.route,
        results=hits,
        notes=notes,
        sections=sections,
        omitted=len(shown) - len(kept) + ranking.more,
        warnings=(*warnings, *written.warnings),
    )
    quoted = None if written.answer else lambda count: extractive_answer(cited[:count], notes, sections)
    return within_budget(reply, options.budget_tokens, quoted)


def _written(parts: AskParts, query: Query, options: AskOptions, evidence: Evidence) -> Synthesis:
    """A model's answer; a name alone is looked up, which is quicker and says all unless a cloud was asked for."""
    # Chinese and Japanese questions have no blanks either, but no letter of ASCII to name a thing.
    if len(query.text.split()) == 1 and query.text.isascii() and not options.use_cloud:
        return Synthesis(None, Route("none", None, "a name alone is looked up: quoted from the index"))
    return synthesise(parts.synthesis, query.text, options.use_cloud, evidence)


def _size(parts: AskParts, query: Query) -> QueryAnswer:
    route = Route("none", None, "counted in the index, without a model")
    return _reply(parts, query, answer=size_answer(parts.index.counts()), route=route)


def _nothing_relevant(
    parts: AskParts, query: Query, ranking: Ranking, instead: str, warnings: tuple[str, ...]
) -> QueryAnswer:
    """An honest no; `instead` says what to ask where the question names nothing that could be near."""
    nearest = tuple(_bare_hit(candidate) for candidate in ranking.candidates)
    records = () if query.filters.of_code or instead else parts.notes.nearest(query, None)
    answer = " ".join(filter(None, (nothing_relevant_answer(nearest, records), instead)))
    route = Route("none", None, "nothing relevant was found, so no model is asked")
    return _reply(parts, query, answer=answer, route=route, nothing_relevant=True, warnings=warnings)


def _category(parts: AskParts, query: Query) -> str | None:
    def used(category: str | None) -> tuple[str, ...]:
        return tuple(note.category for note in parts.notes.latest(category, 1 if category else CATEGORIES_FROM))

    return category_meant(query.filters.category, used)


def _notes_only(parts: AskParts, query: Query, category: str, limit: int) -> QueryAnswer:
    notes = parts.notes.recall(query, category, limit) if query.plain else parts.notes.latest(category, limit)
    nearest = parts.notes.nearest(query, category) if query.plain and not notes else ()
    answer = extractive_answer((), notes) or no_note_answer(category, nearest)
    route = Route("none", None, "notes are quoted as they are")
    return _reply(parts, query, answer=answer, route=route, notes=notes, nothing_relevant=not notes)


def _with_anchored(notes: tuple[Note, ...], anchored: tuple[Note, ...]) -> tuple[Note, ...]:
    """Records that answer the question, then those about the entities that answer it, each once."""
    told = {note.id for note in notes}
    return (*notes, *[note for note in anchored if note.id not in told][:NOTES_ABOUT_CODE])


def _keep(parts: AskParts, candidates: Sequence[Candidate], budget: int) -> tuple[list[tuple[Candidate, Cited]], int]:
    """Verified candidates, as many as the budget holds but at least the best, and what is left for their texts.

    Candidates that a scan has removed meanwhile fall out.
    """
    stored = parts.index.entities_by_id([candidate.entity_id for candidate in candidates])
    files = {path: parts.read(path) for path in dict.fromkeys(candidate.file_path for candidate in candidates)}
    kept: list[tuple[Candidate, Cited]] = []
    for candidate in candidates:
        entity = stored.get(candidate.entity_id)
        cost = _result_chars(candidate)
        if entity is None or (kept and cost > budget):
            continue
        budget -= cost
        kept.append((candidate, verify(entity, candidate.sha256, files[candidate.file_path], parts.extract)))
    return kept, budget


@dataclass(frozen=True, slots=True)
class _Texts:
    """How much of the code is shown: as much as a budget beyond the default allows, else what helps the question."""

    words: tuple[str, ...]
    budget_tokens: int | None
    beside: int

    def of(self, kept: Sequence[tuple[Candidate, Cited]], budget: int) -> list[str]:
        """A text per entity, together within `budget` characters."""
        if self.budget_tokens is not None and self.budget_tokens > DEFAULT_BUDGET_TOKENS:
            return pack([item for _, item in kept], budget)
        room = max(CHARS_PER_RESULT * len(kept), LEAST_CHARS) - self.beside
        room -= sum(_shown_chars(candidate) for candidate, _ in kept)
        items = [Wanted(item, candidate.line) for candidate, item in kept]
        return digest(items, self.words, min(budget, max(room, MAX_SHORT_CHARS * len(kept))))


def _cited(kept: Sequence[tuple[Candidate, Cited]], texts: _Texts, budget: int) -> list[tuple[Hit, CodeEntity]]:
    """Hits with texts that fit together into the budget."""
    # Each text stands once in the result and, shortened, in the answer.
    shown = texts.of(kept, max(budget, 0))
    return [
        (hit_of(item, candidate.entity_id, text, distance=candidate.distance, score=candidate.score), item.entity)
        for (candidate, item), text in zip(kept, shown, strict=True)
    ]


def _result_chars(candidate: Candidate) -> int:
    """Characters of one result without its text: names and path stand in its record and in the answer."""
    return RESULT_CHARS + 2 * (len(candidate.file_path) + len(candidate.qualified_name) + len(candidate.name))


def _shown_chars(candidate: Candidate) -> int:
    """Characters of a result's citation and of the header above its text."""
    return 2 * len(candidate.file_path) + len(candidate.qualified_name or candidate.name) + CITATION_CHARS


def _bare_hit(candidate: Candidate) -> Hit:
    return Hit(
        name=candidate.name,
        qualified_name=candidate.qualified_name,
        entity_type="",
        file_path=candidate.file_path,
        start_line=0,
        end_line=0,
        distance=candidate.distance,
        score=candidate.score,
        state="fresh",
        text="",
        entity_id=candidate.entity_id,
    )


def _budget_chars(options: AskOptions, notes: Sequence[Note], sections: Sequence[BriefSection]) -> int:
    default = DEFAULT_BUDGET_TOKENS + TOKENS_PER_EXTRA_RESULT * max(options.limit - 5, 0)
    tokens = default if options.budget_tokens is None else options.budget_tokens
    spent = sum(len(note.content) for note in notes) + sum(len(section.text) for section in sections)
    return max(0, tokens * CHARS_PER_TOKEN - spent - FRAME_CHARS)


def _warnings(query: Query, ranking: Ranking) -> tuple[str, ...]:
    found = list(query.remarks)
    if query.cut:
        found.append(f"the question was cut to its first {MAX_QUESTION_CHARS} characters")
    if ranking.incomplete:
        found.append("the index is incomplete: a scan is running or was interrupted; scan again to finish it")
    found += ranking.warnings
    if ranking.store_warning:
        found.append(ranking.store_warning)
    if ranking.embedding_warning:
        found.append(ranking.embedding_warning)
    elif ranking.text_only:
        found.append(
            "the embedding model differs from the one the index was made with, so only words were compared; "
            "the next scan embeds again"
        )
    return tuple(found)


def _reply(
    parts: AskParts,
    query: Query,
    *,
    answer: str,
    route: Route,
    results: tuple[Hit, ...] = (),
    notes: tuple[Note, ...] = (),
    sections: tuple[BriefSection, ...] = (),
    nothing_relevant: bool = False,
    omitted: int = 0,
    warnings: tuple[str, ...] = (),
) -> QueryAnswer:
    return QueryAnswer(
        workspace=parts.workspace.name,
        question=query.text,
        answer=answer,
        results=results,
        notes=notes,
        route=route,
        nothing_relevant=nothing_relevant,
        omitted=omitted,
        sections=sections,
        warnings=warnings,
    )
