"""Which sections of the project brief a question asks for: those are answered from the brief, model or not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from zerikai_memory.model import BriefSection
from zerikai_memory.store.words import STOP_WORDS, split_words

# Two sections answer any such question; more would be the brief itself.
MAX_SECTIONS = 2
# A section is about 130 tokens; one that a person has written longer is cut.
MAX_SECTION_CHARS = 2_000

_PROJECT = r"(this|the|our) (project|code ?base|repo(sitory)?|app(lication)?|package|library|tool)"
_ASKED: Mapping[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "Overview": rf"\boverview\b|\bwhat (is|does) {_PROJECT}( do)?\b|\bdescribe {_PROJECT}",
        "Technical Stack": r"\btech(nical|nology)? stack\b|\bwhich (languages?|frameworks?|libraries|dependencies)\b|"
        r"\bwhat dependencies\b",
        "Core Architecture": rf"\barchitecture\b|\b(structure|layout) of {_PROJECT}|"
        r"\b(project|code|folder) (structure|layout)\b|\bmain (modules|components|parts)\b",
        "Primary Conventions": r"\bconventions?\b|\bcod(e|ing) style\b|\bstyle guide\b|\bnaming (rules?|style)\b",
        "Purpose": rf"\bpurpose of {_PROJECT}|\bwhat is {_PROJECT} for\b|\bwhy does {_PROJECT} exist\b",
        "Key Files": r"\b(key|important|central|main) files\b|\bentry ?points?\b|\bwhere (to|do i|should i) start\b",
        "Data Flow": r"\bdata ?flow\b|\bflow of data\b",
        "Development & Testing": r"\bhow (do (i|you|we)|can i|to) (run|install|build|test|set ?up|start|develop)\b|"
        r"\brun(ning)? the tests\b|\bset ?up (a|the) development\b",
        "Future Roadmap": r"\broad ?map\b|\bplanned\b|\bwhat is (next|missing)\b",
    }.items()
}


# Words around the name of a section that ask for nothing else.
_AROUND = frozenset(
    "project code codebase base repo repository app application package library tool software system program here used "
    "use uses using follow follows followed explain describe tell show give list name summarise summarize summary "
    "overall general high level whole entire main key current please about work works exist exists there apply applies "
    "build built made structured organised organized design look looks like know need".split()
)


def sections_asked(question: str, sections: Mapping[str, str]) -> tuple[BriefSection, ...]:
    """Those of the brief's `sections` (name to text) that the question asks for, at most MAX_SECTIONS."""
    found = []
    for name, pattern in _ASKED.items():
        text = sections.get(name, "")
        if text and pattern.search(question):
            found.append(BriefSection(name, text[:MAX_SECTION_CHARS]))
    return tuple(found[:MAX_SECTIONS])


def only_sections_asked(question: str, sections: Sequence[BriefSection]) -> bool:
    """Whether a question asks for these sections and for nothing else: then code beside them is padding."""
    rest = question
    for section in sections:
        rest = _ASKED[section.name].sub(" ", rest)
    return bool(sections) and all(word in STOP_WORDS or word in _AROUND for word in split_words(rest))
