"""Whether a question is about the project as a whole: this project, it, the code base, or the project's own name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from zerikai_memory.retrieve.foreign import fold
from zerikai_memory.store.words import STOP_WORDS

# Nobody asks for a project as a whole in more; what is longer tells of something in it.
MAX_CHARS = 200
# What stands in a plain question for every way to name the project.
PROJECT = "this_project"

_NOUN = (
    "(?:project|code ?base|repo(?:sitory)?|app(?:lication)?|package|library|tool|software|system|program|framework|"
    "(?:source ?)?code)"
)
_NAMED = re.compile(
    rf"\b(?:(?:this|the|our|your|my|that|whole|entire) )+(?:whole |entire )?{_NOUN}\b(?! of\b)|"
    # A project and a new project are what a framework makes.
    rf"(?<!\ba )(?<!\ban )(?<!\bnew )(?<!\bone )(?<!\bany )(?<!\bevery )(?<!\beach )(?<!\banother )"
    rf"\b(?:project|code ?base|repo|repository)\b|\b{PROJECT}\b"
)
_SHORT = re.compile(r"\b(what|who|where|how|it|that|there|here)'s\b")
_SIGNS = re.compile(r"(?<!\S)[¿¡\"“”«‘(*_]+|[?!.,;:…\"“”»’*_]+(?!\S)|[？！。，、；：「」]+")
_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])")
_VERSION = r"(?:[ -]?v?\d[\d.]*(?:[a-z]+\d*)?)?"


def plain_question(question: str, names: Iterable[str] = ()) -> str:
    """A question in lower case without accents and signs, the project in it as PROJECT; empty for a long one.

    `names` are those of the project; what is written as code (`next()`) stays so.
    """
    if len(question) > MAX_CHARS:
        return ""
    text = _SHORT.sub(r"\1 is", fold(question).replace("’", "'"))
    text = _HYPHEN.sub(" ", _SIGNS.sub(" ", text).replace("'", " "))
    for pattern in name_patterns(names):
        text = pattern.sub(f" {PROJECT} ", text)
    return _NAMED.sub(PROJECT, " ".join(text.split()))


def name_patterns(names: Iterable[str]) -> list[re.Pattern[str]]:
    """What a project may be called, by its names: `@trpc/server` also trpc, `reveal.js` reveal, `click-8.1` click."""
    forms: dict[str, None] = {}
    for name in names:
        plain = re.sub(r"[-_. ]v?\d[\w.]*$", "", fold(name).strip().removeprefix("@"))
        scope, _, own = plain.partition("/")
        for form in (plain, scope if own else "", re.sub(r"[-_. ](?:js|py)$", "", plain)):
            if len(form) > 1 and form not in STOP_WORDS:
                forms[form] = None
    return [_name_pattern(form) for form in sorted(forms, key=len, reverse=True)]


def _name_pattern(form: str) -> re.Pattern[str]:
    words = [re.escape(word) for word in re.split(r"[\W_]+", form) if word]
    # `c++` is not every c.
    joined = r"[\s._/-]*".join(words) if len("".join(words)) > 1 else re.escape(form)
    return re.compile(rf"(?<![a-z0-9_.@/])@?{joined}(?:[ .]?(?:js|py))?{_VERSION}(?![a-z0-9_(./])")
