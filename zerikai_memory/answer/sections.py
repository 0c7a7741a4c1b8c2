"""Which sections of the project brief a question asks for: those are answered from the brief, model or not.

Only a question about the project as a whole is: when what is left of it after the words that ask for a section is
nothing or names the project. "Architecture of the router" asks for code, "of a cathedral" for something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from zerikai_memory.answer.about import PROJECT, plain_question
from zerikai_memory.answer.sections_abroad import AROUND_ABROAD, ASKED_ABROAD, section_unspaced
from zerikai_memory.model import BriefSection
from zerikai_memory.retrieve.foreign import function_words, language_of_question
from zerikai_memory.store.words import STOP_WORDS

# Two sections answer any such question; more would be the brief itself.
MAX_SECTIONS = 2
# A section is about 130 tokens; one that a person has written longer is cut.
MAX_SECTION_CHARS = 2_000

_IT = rf"(?:{PROJECT}|it|this)"
_HOW = r"(?:how (?:do|can|should|would|could) (?:i|you|we|one)|how to|steps to|commands? to)"
_MAKE = (
    rf"(?:run|install|build|test|set ?(?:{_IT} )?up|start|develop|execute|compile|launch|deploy|contribute(?: to)?|"
    r"work on|get started|begin)"
)
_TESTS = r"(?:(?:all )?(?:the |its |our )?(?:unit |automated )?tests?(?: ?suite)?)"
_ENVIRONMENT = r"(?:(?:a|the|my) (?:local )?dev(?:elopment)? (?:environment|set ?up))"
_PARTS = "(?:modules|components|parts|pieces|packages|layers|classes|building blocks)"
_LIBRARIES = "(?:dependenc(?:y|ies)|libraries|frameworks?|packages|requirements)"
_OUTSIDE = "(?:external|third party|main|runtime|direct)"
_WRITTEN = "(?:written|made|built|programmed|implemented|coded)"
_BUILT = "(?:organi[sz]ed|structured|laid out|designed|architected|split(?: up)?|built(?: up)?|set ?up|put together)"

# In a plain question; the words of a section ask for it wherever they stand, what is around them decides.
_ENGLISH: Mapping[str, tuple[str, ...]] = {
    "Overview": (
        r"\boverview\b",
        rf"^(?:what (?:is|does)|describe|explain|summari[sz]e|introduce|tell me about) {PROJECT}(?: do| about)?$",
        r"^what (?:is|does) this(?: do)?$",
        r"^what does it do$",
        rf"^(?:explain )?how does {PROJECT} work$",
        rf"^what (?:kind|sort|type) of (?:{PROJECT}|app|application|library|package|tool|software|system) is {_IT}$",
        rf"\b(?:what can {PROJECT} do|features of {PROJECT}|(?:which|what) features does {_IT} (?:have|offer))\b",
    ),
    "Technical Stack": (
        r"\b(?:tech|technical|technology) stack\b",
        r"\b(?:which|what) (?:programming )?(?:languages?|technolog(?:y|ies))\b",
        rf"\b(?:which|what|list|show|{_OUTSIDE})(?: me)?(?: are| is| all)?(?: the| its| our| of|"
        rf" {_OUTSIDE})* {_LIBRARIES}\b",
        rf"\b{_LIBRARIES} (?:of|in|does|used by) {_IT}",
        rf"\bdoes {_IT} have (?:any )?(?:{_OUTSIDE} )*dependencies\b",
        rf"\bwhat does {_IT} depend on\b",
        rf"\bwhat is {_IT} {_WRITTEN} (?:in|with|on)\b",
        rf"^is {_IT} {_WRITTEN} (?:in|with|on) [\w+#.]+$",
    ),
    "Core Architecture": (
        r"\b(?:(?:software|system|app|application|code) )?architecture\b",
        rf"\b(?:structure|layout|design|organi[sz]ation) of {_IT}",
        rf"\b(?:project|{PROJECT}|code|folder|directory|module|overall) (?:structure|layout|organi[sz]ation)\b",
        rf"\bmain {_PARTS}\b",
        rf"\b(?:which|what) {_PARTS} (?:does {_IT} (?:have|consist of)|are there in {_IT}|make up {_IT})",
        r"\b(?:overall|general|high level|basic|software|system|architectural) design\b",
        rf"\bhow (?:is|are) {_IT} {_BUILT}",
        rf"\bhow (?:is|does) {PROJECT} (?:work|fit) (?:inside|internally|together)\b",
        rf"^how does {PROJECT} work$",
    ),
    "Primary Conventions": (
        r"\b(?:(?:coding|code|naming|style) )*conventions?\b",
        r"\bcod(?:e|ing) (?:style|standards?|guidelines?|rules)\b",
        r"\bstyle guide\b",
        r"\bnaming (?:rules?|style|scheme)\b",
        rf"\b(?:which|what) style does {_IT}",
    ),
    "Purpose": (
        rf"\bpurpose\b(?= of {_IT})",
        r"\bwhat is the (?:purpose|goal|aim)\b",
        rf"\b(?:goals?|aims?|point) of {_IT}",
        rf"\bwhat is {_IT} (?:for|good for|meant for|used for)\b",
        rf"\bwhy does {_IT} exist\b",
        rf"\b(?:what|which) problem does {_IT} solve\b",
    ),
    "Key Files": (
        r"\b(?:key|important|central|main|core) files?\b",
        r"\b(?:important|central) modules\b",
        r"\b(?:which|what) (?:files|modules) are (?:the )?(?:most )?(?:key|important|central)(?: ones)?\b",
        r"\bentry ?points?\b",
        r"\bwhere (?:to|do i|should i|can i) (?:start|begin)(?: reading)?\b",
    ),
    "Data Flow": (
        rf"\bdata ?flows?\b(?: (?:in|through) {_IT})?",
        r"\bflow of data\b",
        rf"\bhow does (?:the )?data (?:flow|move)\b(?: (?:in|through) {_IT})?",
    ),
    "Development & Testing": (
        rf"\b{_HOW} {_MAKE}(?: (?:{_TESTS}|{_ENVIRONMENT})\b)?",
        rf"\b(?:run(?:ning)?|execut(?:e|ing)) {_TESTS}\b",
        rf"\bhow (?:is|are) (?:{_IT}|{_TESTS}) (?:tested|run|installed|executed)\b",
        rf"\bset ?up {_ENVIRONMENT}",
        r"\b(?:build|dev(?:elopment)?|test|run|install) (?:commands|instructions|steps)\b",
        r"\b(?:which|what) (?:unit )?test(?:ing|s)? (?:framework|runner|library|tool)\b",
        rf"\b(?:install(?:ing|ation of)?|build(?:ing)?) {PROJECT}",
    ),
    "Future Roadmap": (
        r"\broad ?map\b",
        rf"\bwhat is (?:next|missing|planned)(?= (?:for|in|of) {_IT})",
        r"\bwhat is (?:(?:left|still|there) to do|planned)\b",
        r"\b(?:future|open|any) (?:plans|todos)\b",
        r"\bplanned features\b",
        rf"\bfuture of {_IT}",
    ),
}
_PATTERNS = {
    name: re.compile("|".join([*forms, *([ASKED_ABROAD[name]] if name in ASKED_ABROAD else [])]))
    for name, forms in _ENGLISH.items()
}
_ABROAD = re.compile("|".join(ASKED_ABROAD.values()))
_HOW_TO = re.compile(rf"{_HOW} {_MAKE}\b")
# Parts of a project have these too, and their code does not say so.
_OF_PARTS = re.compile("|".join(_PATTERNS[name].pattern for name in ("Core Architecture", "Overview", "Data Flow")))

# Words around those that ask for a section, and that ask for nothing else.
_AROUND = frozenset(
    "code codebase here used use uses using follow follows followed explain describe tell show give list name "
    "summarise summarize summary overall general high level whole entire main key current please about exist "
    "exists apply applies build built made structured organised organized look looks like know need needed "
    "require requires required quick short brief quickly briefly basic shortly technical available all most "
    "important locally everything myself scratch hello hi hey thanks got get see learn understand again written "
    "walk through help want good".split()
)


def sections_asked(question: str, sections: Mapping[str, str], names: Iterable[str] = ()) -> tuple[BriefSection, ...]:
    """Those of the brief's `sections` (name to text) that a question about the project as a whole asks for.

    At most MAX_SECTIONS; none for a question about something in the project, which has `names`, or elsewhere.
    """
    wanted = _wanted(question, names)
    found = [BriefSection(name, sections[name][:MAX_SECTION_CHARS]) for name in wanted if sections.get(name)]
    return tuple(found[:MAX_SECTIONS])


def names_project_alone(rest: str, question: str) -> bool:
    """Whether the words left of a plain question are nothing or name the project; `question` tells its language."""
    known = [STOP_WORDS, _AROUND, AROUND_ABROAD, {PROJECT}]
    if language_of_question(question) or _ABROAD.search(plain_question(question)):
        known.append(function_words())  # of all: what two languages share may be told for the wrong one
    return all(any(word in words for words in known) for word in rest.split())


def without_section_words(question: str) -> str:
    """A question about a part of the project without the words for its architecture: "of the routing" asks for code.

    Empty where none of them stands in it.
    """
    text = plain_question(question)
    rest = " ".join(_OF_PARTS.sub(" ", text).replace(PROJECT, " ").split())
    return rest if rest and rest != text else ""


def without_manner(question: str) -> str:
    """What "how do I install X" and its like ask about: X, which must be of the project; empty for other questions."""
    text = plain_question(question)
    match = _HOW_TO.match(text)
    return text[match.end() :].strip() if match else ""


def _wanted(question: str, names: Iterable[str]) -> list[str]:
    text = plain_question(question, names)
    if not text.isascii() and (section := section_unspaced(text)):
        return [section]
    found = {name: rest for name, pattern in _PATTERNS.items() if (rest := pattern.sub(" ", text)) != text}
    left = text
    for name in found:
        left = _PATTERNS[name].sub(" ", left)
    return list(found) if found and names_project_alone(left, question) else []
