"""Which questions the code map answers: who uses, calls, imports or tests a named thing, what a change of it breaks."""

from __future__ import annotations

import re
from dataclasses import dataclass

_X = r"[`'\"]?(?P<x>[^\s`'\"?]+(?:\(\))?)[`'\"]?"
_KIND = r"(?:the |a |an |our |my )?(?:(?:function|method|class|file|module|component|type|constant|hook) )?"
_THING = rf"{_KIND}{_X}(?: (?:function|method|class|file|module|component|type|constant|hook))?"
_END = r"(?: (?:in (?:this|the) (?:project|code|codebase|repo|repository)|anywhere|here|now))*\s*[?.!]*"
_CHANGE = r"(?:chang|modif|edit|refactor|renam|remov|delet|mov|touch|break)\w*"
_LIST = r"(?:list |show |find |give |get |where are )?(?:me )?(?:all |any )?(?:the )?"
_WE = r"(?:do (?:we|you|i)|does \w+)"
_WOULD = r"(?:would |will |could |might |can |does )?"
_IF = r"(?:if|when|by) (?:i |we |you |someone |one )?"
_USES = r"(?:uses?|imports?|references?|depends? on|needs?|requires?|inherits from|extends|subclasses|implements)"
_USED = r"(?:used?|imported|referenced|needed|required|instantiated|extended)"
_USAGES = r"(?:usages?|uses|references|dependents|users|importers|subclasses)"
_EVER = r"(?:(?:still|ever|actually|really|even) )?"
_COVERS = r"(?:covers?|tests?|runs?|exercises?|checks?|uses?|are for|calls?)"
# The first that fits the whole question is taken.
_FORMS: tuple[tuple[str, str], ...] = (
    ("callers", rf"(?:who|what|which \w+) (?:calls?|invokes?) {_THING}"),
    ("callers", rf"where (?:is|are|{_WE}) {_THING} (?:being )?(?:called|invoked)(?: from)?"),
    ("callers", rf"(?:is|are) {_THING} {_EVER}(?:being )?(?:called|invoked)(?: from)?"),
    ("callers", rf"where {_WE} (?:call|invoke) {_THING}"),
    ("callers", rf"{_LIST}(?:callers|call sites|calls) (?:of|to) {_THING}"),
    ("callees", rf"what (?:does|do) {_THING} (?:call|invoke)"),
    ("callees", rf"{_LIST}callees of {_THING}"),
    ("dependencies", rf"what (?:does|do) {_THING} (?:use|import|depend on|need|require)"),
    ("dependencies", rf"{_LIST}dependencies of {_THING}"),
    ("tests", rf"(?:which|what) tests? (?:\w+ )?{_COVERS} {_THING}"),
    ("tests", rf"(?:which|what) (?:tests?|specs?) (?:are there |exist )?(?:for|of) {_THING}"),
    ("tests", rf"(?:are there )?{_LIST}tests? (?:for|of) {_THING}"),
    ("tests", rf"(?:what|who) tests {_THING}"),
    ("tests", rf"(?:how|where) (?:is|are) {_THING} tested"),
    ("impact", rf"what {_WOULD}(?:breaks?|be (?:affected|broken|impacted)|happens?) {_IF}{_CHANGE} {_THING}"),
    ("impact", rf"what (?:is|gets) (?:affected|broken|impacted) {_IF}{_CHANGE} {_THING}"),
    ("impact", rf"what {_WOULD}(?:a change|{_CHANGE}) (?:of |to |in )?{_THING} (?:break|affect|touch|impact)s?"),
    ("impact", rf"(?:what is |what's )?{_LIST}(?:impact|blast radius) (?:of|on) (?:{_CHANGE} )?{_THING}"),
    ("impact", rf"(?:what is |what's )?{_LIST}(?:impact|blast radius) of a change (?:of|to|in) {_THING}"),
    ("dependents", rf"(?:who|what|which \w+) {_USES} {_THING}"),
    ("dependents", rf"where (?:is|are|{_WE}) {_THING} (?:being )?{_USED}"),
    ("dependents", rf"(?:is|are) {_THING} {_EVER}(?:being )?{_USED}"),
    ("dependents", rf"where {_WE} (?:use|import|reference|need|instantiate) {_THING}"),
    ("dependents", rf"{_LIST}{_USAGES} (?:of|to) {_THING}"),
)
_COMPILED = tuple((view, re.compile(form + _END, re.IGNORECASE)) for view, form in _FORMS)
# A longer question says more than the name of a thing.
_MOST_CHARS = 200


@dataclass(frozen=True, slots=True)
class UseQuestion:
    """A question for a view of the map about `name`; `as_code` says that the name is written as code writes names."""

    view: str
    name: str
    as_code: bool


def use_question(text: str) -> UseQuestion | None:
    """The view and the name that a question asks for; None for any other question."""
    plain = " ".join(text.split())
    if len(plain) > _MOST_CHARS:
        return None
    for view, form in _COMPILED:
        if found := form.fullmatch(plain):
            name = found["x"].rstrip(",.;:!?")
            return UseQuestion(view, name, _as_code(name, plain)) if name else None
    return None


def _as_code(name: str, question: str) -> bool:
    """Whether a name cannot be a plain word: it has an inner capital, a sign, or stands in quotes."""
    return bool(re.search(r"[a-z][A-Z]|[A-Z][a-z]|[_./:#()$\d]", name)) or f"`{name}" in question
