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
_WE = r"(?:do|can|should|would|could) (?:i|you|we|one)"
_MAKE = (
    f"(?:run|install|build|test|set ?(?:{_IT} )?up|start|develop|execute|compile|launch|deploy|contribute to|work on)"
)
_SUITE = r"(?:(?:all )?(?:the |its |our )?(?:unit |automated )?(?:tests?(?: ?suite)?))"
_LIBRARIES = "(?:dependenc(?:y|ies)|libraries|frameworks?|packages|requirements)"
_BUILT = "(?:organi[sz]ed|structured|laid out|designed|architected|split(?: up)?|built(?: up)?|set ?up|put together)"

# In a plain question; the words of a section ask for it wherever they stand, what is around them decides.
_ASKED: Mapping[str, str] = {
    "Overview": rf"\boverview\b|^(?:what (?:is|does)|describe|explain|summari[sz]e|introduce|tell me about) {PROJECT}"
    rf"(?: do| about)?$|^what (?:is|does) this(?: do)?$|^what does it do$|^(?:explain )?how does {PROJECT} work$",
    "Technical Stack": rf"\b(?:tech|technical|technology) stack\b|\b(?:which|what) (?:programming )?(?:languages?|"
    rf"technolog(?:y|ies))\b|\b(?:which|what|list|show|external|third party|runtime|direct)(?: me)?(?: are| is| all)?"
    rf"(?: the| its| our| of)*(?: external| third party| main| runtime| direct)* {_LIBRARIES}\b|"
    rf"\b{_LIBRARIES} (?:of|in|does|used by) {_IT}|\bwhat does {_IT} depend on\b|"
    rf"\b(?:what|which (?:language|framework)) is {_IT} (?:written|made|built|programmed|implemented) (?:in|with|"
    rf"on)\b",
    "Core Architecture": rf"\b(?:(?:software|system|app|application|code) )?architecture\b|"
    rf"\b(?:structure|layout|design|organi[sz]ation) of {_IT}|\b(?:project|{PROJECT}|code|folder|directory|module|"
    rf"overall)"
    r" (?:structure|layout|organi[sz]ation)\b|\bmain (?:modules|components|parts|pieces|building blocks)\b|"
    r"\b(?:overall|general|high level|basic|software|system|architectural) design\b|"
    rf"\bhow (?:is|are) {_IT} {_BUILT}|\bhow (?:is|does) {PROJECT} (?:work|fit) (?:inside|internally|together)\b|"
    rf"^how does {PROJECT} work$",
    "Primary Conventions": r"\bconventions?\b|\bcod(?:e|ing) (?:style|standards?|guidelines?|rules)\b|"
    r"\bstyle guide\b|"
    r"\bnaming (?:rules?|style|scheme)\b",
    "Purpose": rf"\bpurpose\b(?= of {_IT})|\bwhat is the (?:purpose|goal|aim)\b|\b(?:goals?|aims?|point) of {_IT}|"
    rf"\bwhat is {_IT} (?:for|good for|meant for|used for)\b|\bwhy does {_IT} exist\b|"
    rf"\b(?:what|which) problem does {_IT} solve\b",
    "Key Files": r"\b(?:key|important|central|main|core) files\b|\b(?:important|central) modules\b|"
    r"\bentry ?points?\b|"
    r"\bwhere (?:to|do i|should i|can i) (?:start|begin)(?: reading)?\b",
    "Data Flow": rf"\bdata ?flows?\b(?: through {_IT})?|\bflow of data\b|\bhow does (?:the )?data (?:flow|move)\b",
    "Development & Testing": rf"\b(?:how (?:{_WE}|to)|steps to|commands? to) {_MAKE}(?: {_SUITE}\b)?|"
    rf"\b(?:run(?:ning)?|execut(?:e|ing)) {_SUITE}\b|\bhow (?:is|are) (?:{_IT}|{_SUITE}) (?:tested|run|installed|"
    rf"executed)\b|"
    r"\bset ?up (?:a|the) development(?: environment)?\b|\b(?:build|dev(?:elopment)?|test|run|install) (?:commands|"
    rf"instructions|steps)\b|\binstall(?:ing|ation of)? {PROJECT}|\bbuild(?:ing)? {PROJECT}",
    "Future Roadmap": rf"\broad ?map\b|\bwhat is (?:next|missing|planned|left to do|still to do)(?= (?:for|in|"
    rf"of) {_IT})|"
    rf"\bplanned features\b|\bwhat is planned\b|\b(?:future|open) (?:plans|todos)\b|\bfuture of {_IT}",
}  # fmt: skip
_PATTERNS = {
    name: re.compile(f"{pattern}|{ASKED_ABROAD[name]}" if name in ASKED_ABROAD else pattern)
    for name, pattern in _ASKED.items()
}
_ABROAD = re.compile("|".join(ASKED_ABROAD.values()))
_HOW_TO = re.compile(rf"(?:how (?:{_WE}|to)|steps to|commands? to) {_MAKE}\b")
# Parts of a project have these too, and their code does not say so.
_OF_PARTS = re.compile("|".join(_PATTERNS[name].pattern for name in ("Core Architecture", "Overview", "Data Flow")))

# Words around those that ask for a section, and that ask for nothing else.
_AROUND = frozenset(
    "code codebase here used use uses using follow follows followed explain describe tell show give list name "
    "summarise "
    "summarize summary overall general high level whole entire main key current please about exist exists apply "
    "applies "
    "build built made structured organised organized design look looks like know need needed require requires "
    "required "
    "quick short brief quickly briefly basic shortly technical available all most important locally "
    "everything "
    "myself scratch other hello hi hey thanks got get see find learn understand again written".split()
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
