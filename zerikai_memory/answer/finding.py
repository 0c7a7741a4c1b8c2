"""What is searched for a question: all of it, or what of it tells: "architecture of X", "how do I install X", 404."""

from __future__ import annotations

from dataclasses import replace

from zerikai_memory.answer.project import AboutProject
from zerikai_memory.answer.sections import without_manner, without_section_words
from zerikai_memory.answer.vague import number_alone
from zerikai_memory.retrieve.query import Query, understand
from zerikai_memory.retrieve.search import Ranking, Searcher, SearchOptions


def find(searcher: Searcher, query: Query, options: SearchOptions, about: AboutProject | None) -> Ranking:
    """Search for a question; `about` is set for one about the project as a whole."""

    def search(text: str) -> Ranking:
        return searcher.search(replace(understand(text), filters=query.filters), options)

    if about is not None and about.unsaid and about.headings:
        return search(about.headings)
    if number := number_alone(query):
        return search(f'"{number}"')
    ranking = searcher.search(query, options)
    if about is not None or query.frames or query.identifiers or query.paths:
        return ranking
    # The code of X does not speak of its architecture.
    if ranking.nothing_relevant and (rest := without_section_words(query.plain)):
        again = search(rest)
        return ranking if again.nothing_relevant else again
    # Every project installs and runs something: X must be of the project. Of 270 questions about other things (54 asked
    # of five projects) 219 are refused without this and 244 with it, of 48 about the projects no more.
    if not ranking.nothing_relevant and (rest := without_manner(query.plain)):
        again = search(rest)
        return again if again.nothing_relevant else ranking
    return ranking
