"""Questions about the project as a whole: what the brief says, what it does not, and what may stand beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from zerikai_memory.answer.facts_asked import fact_asked
from zerikai_memory.answer.sections import sections_asked
from zerikai_memory.lang.registry import language_of
from zerikai_memory.model import BriefSection
from zerikai_memory.retrieve.foreign import fold
from zerikai_memory.retrieve.query import Query
from zerikai_memory.retrieve.search import Candidate, Ranking
from zerikai_memory.store.index import IndexCounts
from zerikai_memory.store.words import split_words

# A README tells in full how to run the tests, and who maintains the project.
_TOLD_IN_DOCUMENTS = "Development & Testing"
ANY = "any"


@dataclass(frozen=True, slots=True)
class AboutProject:
    """What answers a question about the project: `sections` of its brief, or `unsaid`, a sentence that they do not.

    `size` is set when the index must tell it; `headings` are words of the documents' headings that may say it, `any`
    for all that are found.
    """

    sections: tuple[BriefSection, ...]
    unsaid: str = ""
    size: bool = False
    headings: str = ""

    def beside(self, ranking: Ranking, query: Query) -> Ranking:
        """Of what was found only what bears the question as its name, and documents where these may say more.

        For a class `Architecture` the word asks too; other code would be padding.
        """
        wanted = {_letters(name) for name in (query.plain, *query.identifiers)}
        kept = tuple(
            found for found in ranking.candidates if _letters(found.name) in wanted or self._told_under(found, ranking)
        )
        return replace(ranking, candidates=kept, nothing_relevant=not kept, more=0)

    def _told_under(self, found: Candidate, ranking: Ranking) -> bool:
        """Whether it is a document's section that may say it: a heading with the words does, however far it is."""
        if not self.headings or language_of(found.file_path) != "markdown":
            return False
        if self.headings == ANY:
            return not ranking.nothing_relevant
        return bool({*self.headings.split()} & {*split_words(found.name)})


def _letters(name: str) -> str:
    """A name in any casing, with or without accents."""
    return "".join(split_words(fold(name)))


def about_project(query: Query, brief: str, sections: Mapping[str, str], workspace: str) -> AboutProject | None:
    """What a question about the project as a whole is answered with; None for any other question.

    `brief` is the live one, `sections` its texts by name; `workspace` and the brief's title name the project.
    """
    if query.frames or query.filters or query.phrases or query.code or not sections:
        return None
    names = [workspace, brief.partition("\n")[0].removeprefix("# ")]
    if fact := fact_asked(query.plain, sections, names):
        size = fact.is_size and not fact.sections
        unsaid = "" if fact.sections or size else f"the project's brief does not say {fact.asked}"
        return AboutProject(fact.sections, unsaid, size, fact.headings if unsaid else "")
    found = sections_asked(query.plain, sections, names)
    told = any(section.name == _TOLD_IN_DOCUMENTS for section in found)
    return AboutProject(found, headings=ANY if told else "") if found else None


def size_answer(counts: IndexCounts) -> str:
    """How big the project is, as far as the index knows."""
    return f"The index holds {counts.entities:,} entities (functions, classes, sections ...) in {counts.files:,} files."
