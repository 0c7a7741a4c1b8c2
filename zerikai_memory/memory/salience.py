"""How much a record is worth remembering, by rules: its importance by category and words, and whether it is tentative.

A tentative remark (a question, an idea, an intention, a guess, a wish, what holds today alone) weighs at most
TENTATIVE_MOST and is never confirmed by being said again. The words are data (`salience.toml`); a remark is judged
by its sentences, and hedging words that are quoted, code or names do not count. Importance given by the caller wins.
"""

from __future__ import annotations

import re

from zerikai_memory.memory.salience_rules import WeightRule, salience_rules

# A tentative remark is worth at most this, whatever else it holds.
TENTATIVE_MOST = 0.2
LEAST, MOST = 0.05, 0.95
# Fewer words than this rarely stand alone.
SHORT_WORDS, SHORT_CHANGE = 4, -0.15
# What is said first is what a remark is about; a long paste is not read to its end.
JUDGED_CHARS = 2_000
QUESTION = "question"
# Shorter clauses behind a comma are a tag ("I guess"), shorter turns ("but fine") say nothing.
CLAUSE_WORDS, TURNING_WORDS = 4, 4

_QUOTED = re.compile(
    r"```.*?```|`[^`\n]*`|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»|「[^」\n]{1,200}」"
    r"|(?<!\w)'[^'\n]{1,80}'(?!\w)|\b[a-z]+://\S+|(?<!\S)/\S*\?\S+",
    re.DOTALL,
)
# Names: with an underscore, an inner capital, a hyphen, dots or brackets of a call.
_NAMES = re.compile(
    r"\b(?!peut-être|faut-il|faudrait-il|devrait-on|to-do\b|stop-gap|half-way|spit-balling|когда-нибудь)"
    r"(?:\w+[-_])+\w+\b|\b[a-z]+[A-Z]\w*|\b\w+\(\)|\b\w+(?:\.\w+)+\b"
)
# A capital inside of a sentence is a name, unless everything is shouted.
_CAPITAL = re.compile(r"(?<=[a-zà-ÿ0-9,)] )(?!I\b|I'|TBD\b|TBC\b|WIP\b|CI\b|CD\b)[A-ZÀ-Þ][\w]*")
_SENTENCE = re.compile(r"(?<=[.!?;…])\s+|(?<=[。！？；])|\s[-–—]\s|\n+")
_ASKED = re.compile(r"[?？؟]\W*$")


def importance(category: str, text: str, outcome: str | None = None) -> float:
    """Importance from 0.05 to 0.95 of a record without one given."""
    base = salience_rules().base
    value = base.get(category, base["other"]) + sum(rule.change for rule in matched_rules(text))
    if len(text.split()) < SHORT_WORDS:
        value += SHORT_CHANGE
    if tentative(text, outcome):
        value = min(value, TENTATIVE_MOST)
    return round(min(MOST, max(LEAST, value)), 2)


def matched_rules(text: str) -> tuple[WeightRule, ...]:
    """The rules that change the weight of a text, in their order."""
    return tuple(rule for rule in salience_rules().weights if rule.pattern.search(text))


def tentative(text: str, outcome: str | None = None) -> str | None:
    """Why a remark is no firm statement (the name of the cue), or None; an attempt that worked or failed is firm."""
    sentences = _sentences(text)
    if not sentences or outcome in ("worked", "failed") or any(_decided(sentence) for sentence in sentences):
        return None
    first, *rest = sentences
    why = _why(first)
    if why is None:
        # "Staging. Maybe DNS." says nothing; "No ORM. Maybe later." does.
        return _why(rest[0]) if rest and len(first.split()) < 2 else None
    firm = [sentence for sentence in rest if _why(sentence) is None]
    return None if firm and _settles(first, why, firm) else why


def _settles(first: str, why: str, firm: list[str]) -> bool:
    """Whether what is said firmly behind a tentative sentence answers it or turns it round."""
    flow = salience_rules().flow
    if why == QUESTION and (flow.answer.match(firm[0]) or flow.asks_for_facts.match(first)):
        return not flow.proposes.match(first)
    return any(flow.turn.match(sentence) and len(sentence.split()) > TURNING_WORDS for sentence in firm)


def _sentences(text: str) -> list[str]:
    flow = salience_rules().flow
    plain = _NAMES.sub("x", _QUOTED.sub("x", text[:JUDGED_CHARS].replace("’", "'")))
    found: list[str] = []
    for part in _SENTENCE.split(_CAPITAL.sub("X", plain)):
        sentence = " ".join(part.lower().split()).lstrip("-*•>#¿¡ ")
        clauses = flow.afterthought.split(sentence)
        if len(clauses) > 1 and all(len(clause.split()) >= CLAUSE_WORDS for clause in clauses):
            found += clauses
        elif sentence.strip("x.,:; "):
            found.append(sentence)
    return [flow.as_a_name.sub("x", sentence) for sentence in found]


def _why(sentence: str) -> str | None:
    rules = salience_rules()
    if _ASKED.search(sentence):
        return QUESTION
    # What a reason guesses at is no guess of the statement.
    claimed = rules.flow.reason.split(sentence, maxsplit=1)[0].strip() or sentence
    bare = claimed.rstrip(" .!,;:…。！；")
    return next((cue.name for cue in rules.tentative if cue.fits(bare)), None)


def _decided(sentence: str) -> bool:
    return not _ASKED.search(sentence) and any(cue.fits(sentence) for cue in salience_rules().decided)
