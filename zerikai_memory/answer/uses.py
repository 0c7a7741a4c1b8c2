"""Which questions the code map answers: who uses, calls, imports or tests a named thing, what a change of it breaks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zerikai_memory.answer.uses_abroad import FORMS as FORMS_ABROAD

_X = r"[`'\"]?(?P<x>[^\s`'\"?]+(?:\(\))?)[`'\"]?"
_KIND = r"(?:the |a |an |our |my )?(?:(?:function|method|class|file|module|component|type|constant|hook) )?"
_THING = rf"{_KIND}{_X}(?: (?:function|method|class|file|module|component|type|constant|hook))?"
_END = r"(?: (?:in (?:this|the) (?:project|code|codebase|repo|repository)|anywhere|here|now))*\s*[?.!]*"
_CHANGE = r"(?:chang|modif|edit|refactor|renam|remov|delet|mov|touch|break)\w*"
_LIST = r"(?:list |show |find |give |get |where are )?(?:me )?(?:all |any )?(?:the )?"
_WE = r"(?:do (?:we|you|i)|does \w+)"
_WOULD = r"(?:would |will |could |might |can |does )?"
_IF = r"(?:if|when|by) (?:i |we |you |someone |one )?"
_USES = r"(?:uses?|imports?|references?|depends? on|needs?|requires?)"
_USED = r"(?:used?|imported|referenced|needed|required)"
_USAGES = r"(?:usages?|uses|references|dependents|users|importers)"
_EVER = r"(?:(?:still|ever|actually|really|even) )?"
_ANYTHING = r"(?:any(?:thing|one|body)|some(?:thing|one)|any \w+)(?: else)?"
_WHO = rf"(?:who|what|which (?:other )?\w+|(?:does|do) {_ANYTHING}|is there {_ANYTHING} (?:that|which)) {_EVER}"
_INHERITS = r"(?:directly )?(?:inherits?(?: from)?|extends?|subclass(?:es)?|derives? from|implements?|are derived from)"
_TESTED = r"(?:unit )?(?:tested|covered(?: by (?:any |a |the )?(?:unit )?tests?)?)"
_COVERS = r"(?:covers?|tests?|runs?|exercises?|checks?|uses?|are for|calls?)"
# The first that fits the whole question is taken.
_FORMS: tuple[tuple[str, str], ...] = (
    ("callers", rf"{_WHO}(?:calls?|invokes?|instantiates?) {_THING}"),
    ("callers", rf"where (?:is|are|{_WE}) {_THING} (?:being )?(?:called|invoked|instantiated)(?: from)?"),
    ("callers", rf"(?:is|are) {_THING} {_EVER}(?:being )?(?:called|invoked|instantiated)(?: from)?"),
    ("callers", rf"where {_WE} (?:call|invoke|instantiate) {_THING}"),
    ("callers", rf"{_LIST}(?:callers|call sites|calls) (?:of|to) {_THING}"),
    ("callees", rf"what (?:does|do) {_THING} (?:call|invoke)"),
    ("callees", rf"{_LIST}callees of {_THING}"),
    ("dependencies", rf"what (?:does|do) {_THING} (?:use|import|depend on|need|require)"),
    ("dependencies", rf"{_LIST}dependencies of {_THING}"),
    ("tests", rf"(?:which|what) tests? (?:\w+ )?{_COVERS} {_THING}"),
    ("tests", rf"(?:which|what) (?:tests?|specs?) (?:are there |exist )?(?:for|of) {_THING}"),
    ("tests", rf"(?:are there )?{_LIST}tests? (?:for|of) {_THING}"),
    ("tests", rf"(?:what|who) tests {_THING}"),
    ("tests", rf"(?:(?:how|where) )?(?:is|are) {_THING} {_EVER}(?:being )?{_TESTED}"),
    ("tests", rf"(?:does|do) {_THING} have (?:any |a )?(?:unit )?(?:tests?|test coverage)"),
    ("impact", rf"what {_WOULD}(?:breaks?|be (?:affected|broken|impacted)|happens?) {_IF}{_CHANGE} {_THING}"),
    ("impact", rf"what (?:is|gets) (?:affected|broken|impacted) {_IF}{_CHANGE} {_THING}"),
    ("impact", rf"what {_WOULD}(?:a change|{_CHANGE}) (?:of |to |in )?{_THING} (?:break|affect|touch|impact)s?"),
    ("impact", rf"(?:what is |what's )?{_LIST}(?:impact|blast radius) (?:of|on) (?:{_CHANGE} )?{_THING}"),
    ("impact", rf"(?:what is |what's )?{_LIST}(?:impact|blast radius) of a change (?:of|to|in) {_THING}"),
    ("subclasses", rf"{_WHO}{_INHERITS} {_THING}"),
    ("subclasses", rf"(?:what are |which are )?{_LIST}(?:subclasses|child classes|derived classes) of {_THING}"),
    ("subclasses", rf"(?:where )?(?:is|are) {_THING} {_EVER}(?:being )?(?:extended|subclassed|inherited(?: from)?)"),
    ("raised", rf"{_WHO}(?:raises?|throws?) {_THING}"),
    ("raised", rf"(?:where )?(?:is|are) {_THING} {_EVER}(?:being )?(?:raised|thrown)"),
    ("raised", rf"where {_WE} (?:raise|throw) {_THING}"),
    ("caught", rf"{_WHO}catch(?:es)? {_THING}"),
    ("caught", rf"(?:where )?(?:is|are) {_THING} {_EVER}(?:being )?caught"),
    ("caught", rf"where {_WE} catch {_THING}"),
    ("dependents", rf"{_WHO}{_USES} {_THING}"),
    ("dependents", rf"where (?:is|are|{_WE}) {_THING} (?:being )?{_USED}"),
    ("dependents", rf"(?:is|are) {_THING} {_EVER}(?:being )?{_USED}"),
    ("dependents", rf"where {_WE} (?:use|import|reference|need) {_THING}"),
    ("dependents", rf"{_LIST}{_USAGES} (?:of|to) {_THING}"),
)
_COMPILED = (
    *((view, re.compile(form + _END, re.IGNORECASE)) for view, form in _FORMS),
    *((view, re.compile(rf"¿?(?:{form})\s*[?？.。!]*", re.IGNORECASE)) for view, form in FORMS_ABROAD),
)
# Of the uses of a thing only these are asked for.
_PART_OF_DEPENDENTS = ("subclasses", "raised", "caught")
# A longer question says more than the name of a thing.
_MOST_CHARS = 200


@dataclass(frozen=True, slots=True)
class UseQuestion:
    """A question for a view of the map about `name`; `as_code` says that the name is written as code writes names.

    `only` (subclasses, raised, caught) says which uses are asked for; empty: all of the view.
    """

    view: str
    name: str
    as_code: bool
    only: str = ""


def use_question(text: str) -> UseQuestion | None:
    """The view and the name that a question asks for; None for any other question."""
    plain = " ".join(text.split())
    if len(plain) > _MOST_CHARS:
        return None
    for view, form in _COMPILED:
        if found := form.fullmatch(plain):
            name = found["x"].rstrip(",.;:!?")
            only = view if view in _PART_OF_DEPENDENTS else ""
            return UseQuestion("dependents" if only else view, name, _as_code(name, plain), only) if name else None
    return None


def _as_code(name: str, question: str) -> bool:
    """Whether a name cannot be a plain word: it has an inner capital, a sign, or stands in quotes."""
    return bool(re.search(r"[a-z][A-Z]|[A-Z][a-z]|[_./:#()$\d]", name)) or f"`{name}" in question
