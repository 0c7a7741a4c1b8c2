"""Single facts about the project that people ask for: its version, licence, size, who maintains it, what it runs on.

The brief says some of them in a section; what it does not say stays unknown and is told as that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from zerikai_memory.answer.about import PROJECT, plain_question
from zerikai_memory.answer.sections import MAX_SECTION_CHARS, names_project_alone
from zerikai_memory.model import BriefSection

_IT = rf"(?:{PROJECT}|it|this|we)"
_RUN_TIMES = r"(?:python|node(?: ?\.?js)?|typescript|deno|bun|java ?script|ecma ?script)"
_SIZE = "how big it is"
# (what is asked, the plain question, the line of the brief that says it, words for the headings of documents that may);
# `{thing}` is what the project is to run on.
_FACTS: tuple[tuple[str, str, str, str], ...] = (
    (
        "which version of {thing} it needs",
        rf"(?:which|what|minimum|minimal|least|lowest|supported|required)(?: (?:is|are))?(?: the)?"
        rf"(?: (?:minimum|minimal|supported|required))* {_RUN_TIMES} versions?|{_RUN_TIMES} versions?|"
        rf"versions? of {_RUN_TIMES}|(?:does|do|will|can) {_IT} (?:support|need|require|run on|work (?:on|with)) "
        rf"{_RUN_TIMES}(?: ?v?[\d.]+)?|is {_RUN_TIMES} ?v?[\d.]+ supported",
        r"\b{thing}\b(?: versions?)?:?[^\w\n]{0,6}v?\d",
        "requirements prerequisites compatibility {thing}",
    ),
    (
        "which version it is",
        rf"(?:which|what)(?: is the)?(?: current| latest)? (?:version|release)(?: (?:of|is|are|do)(?: {_IT})?)?|"
        rf"{PROJECT} version|(?:current )?version of {_IT}|version number",
        r"\bversion:? ?\W?v?\d",
        "",
    ),
    (
        "under which licence it stands",
        rf"(?:(?:which|what|under)(?: is the| the)? )+licen[cs]e|licen[cs]e of {_IT}|how is {_IT} licen[cs]ed|"
        rf"is {_IT} open source|{PROJECT} licen[cs]e",
        r"\blicen[cs]ed?\b",
        "license licence",
    ),
    (
        "who wrote or maintains it",
        rf"who (?:maintains?|wrote|writes|made|makes|develops?|developed|owns?|created|built|is behind|"
        rf"is responsible for) {_IT}|who (?:is|are) the (?:maintainers?|authors?|owners?|developers?|contributors?)|"
        rf"(?:maintainers?|authors?|owners?|contributors) of {_IT}",
        r"\b(?:maintain(?:er|ed)|authors?\b|written by|developed by|created by|owner)",
        "maintainers authors contributors credits team members owners",
    ),
    (
        "how old it is",
        rf"how old is {_IT}|when was {_IT} (?:created|started|written|made|(?:first )?released)|age of {_IT}",
        r"\b(?:since|started|created|released)\b[^.\n]{0,20}\b(?:19|20)\d\d\b",
        "",
    ),
    (
        _SIZE,
        rf"how (?:big|large|long|small) is {_IT}|how many (?:files|classes|functions|modules|lines(?: of code)?)"
        rf"(?: (?:are (?:there )?in|does|are there|has|of)(?: {_IT})?)?(?: have)?$|size of {_IT}|{PROJECT} size|"
        rf"how much code",
        r"\d[\d,]* (?:files|lines)",
        "",
    ),
)
_PATTERNS = tuple((re.compile(rf"\b(?:{fact[1]})\b"), fact) for fact in _FACTS)


@dataclass(frozen=True, slots=True)
class FactAsked:
    """A fact that a question asks for: `sections` of the brief that say it, none where the brief does not.

    `headings` are words of what a document may say it under.
    """

    asked: str
    sections: tuple[BriefSection, ...]
    headings: str

    @property
    def is_size(self) -> bool:
        """Whether the size of the project is asked for, which the index tells."""
        return self.asked == _SIZE


def fact_asked(question: str, sections: Mapping[str, str], names: Iterable[str] = ()) -> FactAsked | None:
    """The fact about the project as a whole that a question asks for; None for any other question."""
    text = plain_question(question, names)
    for pattern, (asked, _, line, headings) in _PATTERNS:
        match = pattern.search(text)
        if match and names_project_alone(_without_manner(pattern.sub(" ", text)), question):
            runtime = re.search(_RUN_TIMES, match[0])
            asked, line, headings = (
                told.replace("{thing}", runtime[0] if runtime else "") for told in (asked, line, headings)
            )
            return FactAsked(asked, _saying(line, sections), headings)
    return None


def _without_manner(rest: str) -> str:
    return re.sub(
        r"\b(?:supported|supports?|under|released|work with|works with|run(?:s|ning)? on|on|compatible|least|with)\b",
        " ",
        rest,
    )


def _saying(line: str, sections: Mapping[str, str]) -> tuple[BriefSection, ...]:
    """The first section with such a line."""
    says = re.compile(line, re.IGNORECASE)
    found = (BriefSection(name, text[:MAX_SECTION_CHARS]) for name, text in sections.items() if says.search(text))
    return tuple(found)[:1]
