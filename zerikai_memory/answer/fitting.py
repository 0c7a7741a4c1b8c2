"""Hold a reply to the token budget that was asked for, whatever it holds: the serialised reply is never larger.

Texts are fitted before; this is for what cannot be estimated, and for budgets that hardly hold one citation. Left out
are, until it fits: texts and results from the last on, warnings, sections, notes, the rest of the answer, and the
question beyond its beginning. Left-out results, notes and sections are counted in `omitted`, and a warning says that
something was cut.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace

from zerikai_memory.model import QueryAnswer
from zerikai_memory.retrieve.pack import CHARS_PER_TOKEN

# A question that is longer than this is told by its beginning when there is no room.
QUESTION_CHARS = 80
# As little of an answer is worth reading.
LEAST_ANSWER_CHARS = 60
# Where hardly anything has room the warning must have some.
CUT = "cut to fit budget_tokens"


def within_budget(
    reply: QueryAnswer, budget_tokens: int | None, quoted: Callable[[int], str] | None = None
) -> QueryAnswer:
    """The reply, or as much of it as the budget holds; `quoted` gives the answer for so many results by rule."""
    if budget_tokens is None:
        return reply
    most = budget_tokens * CHARS_PER_TOKEN
    smallest = reply
    for smaller in _smaller(reply, most, quoted):
        smallest = smaller
        if serialised_chars(smallest) <= most:
            break
    return smallest


def serialised_chars(reply: QueryAnswer) -> int:
    """Characters of the reply as JSON."""
    return len(json.dumps(asdict(reply), ensure_ascii=False))


def _smaller(reply: QueryAnswer, most: int, quoted: Callable[[int], str] | None) -> Iterator[QueryAnswer]:
    yield reply
    reply = replace(reply, warnings=(*reply.warnings, CUT))
    results = list(reply.results)
    while results:
        if results[-1].text:
            results[-1] = replace(results[-1], text="")
        elif len(results) > 1:
            results.pop()
            reply = replace(reply, omitted=reply.omitted + 1, answer=quoted(len(results)) if quoted else reply.answer)
        else:
            break
        reply = replace(reply, results=tuple(results))
        yield reply
    reply = replace(reply, warnings=(CUT,))
    yield reply
    while reply.sections or reply.notes:
        if reply.notes:
            reply = replace(reply, notes=reply.notes[:-1], omitted=reply.omitted + 1)
        else:
            reply = replace(reply, sections=reply.sections[:-1], omitted=reply.omitted + 1)
        yield reply
    yield from _shorter(reply, most)


def _shorter(reply: QueryAnswer, most: int) -> Iterator[QueryAnswer]:
    """The same with less of question and answer; in the end without the last result, which the answer still names."""
    if len(reply.question) > QUESTION_CHARS:
        reply = replace(reply, question=f"{reply.question[: QUESTION_CHARS - 4]} ...")
        yield reply
    for results in dict.fromkeys((reply.results, ())):
        reply = replace(reply, results=results, omitted=reply.omitted + len(reply.results) - len(results))
        room = len(reply.answer) - (serialised_chars(reply) - most)
        yield replace(reply, answer=_cut(reply.answer, max(room, LEAST_ANSWER_CHARS)))
    reply = replace(reply, answer=_cut(reply.answer, LEAST_ANSWER_CHARS), route=replace(reply.route, reason=""))
    yield reply
    yield replace(reply, warnings=())


def _cut(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[: chars - 4]} ..."
