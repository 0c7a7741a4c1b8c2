"""Proposals of records from what was said: decisions, fixes with their outcome, procedures, facts. Pure rules.

Precision before recall: a sentence counts when a cue is in it and nothing takes it out again. A proposal that is
wrongly made costs a person's look; one that is missed can still be found by searching.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from zerikai_memory.model_sessions import Turn
from zerikai_memory.sessions.cues import Cue, Cues, load_cues
from zerikai_memory.sessions.sentences import GIVES_REASON, prose_sentences, without_filler, without_reason
from zerikai_memory.store.words import STOP_WORDS

MOST_CONTENT_CHARS = 500
# A longer message of a person is a pasted text, of an agent a report; what it decides stands elsewhere too.
MOST_MESSAGE_CHARS = 6_000
# So much of a message may be proposals: more is a list of changes or a document.
MOST_PER_MESSAGE = 3
LEAST_WORDS, MOST_WORDS, LEAST_CONTENT_WORDS, LEAST_CJK = 5, 60, 3, 8
# A person's verdict on an attempt is short; a longer message only begins like one.
MOST_VERDICT_WORDS = 30

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"\w[\w'’-]*")
_ACTION = re.compile(
    r"^(?:i|we)(?:'ve|’ve|\s+have)?\s+(?:now\s+|also\s+|just\s+)*(?:added|changed|set|replaced|bumped|raised|increased"
    r"|lowered|reduced|pinned|upgraded|downgraded|moved|removed|switched|disabled|enabled|wrapped|rewrote|rewritten|patched"
    r"|updated|cleared|deleted|renamed|installed|restarted|made|turned|put|used|reordered|excluded|included|escaped)\b"
    r"\s+(?!it\b|that\b|this\b)\S.{8,}",
    re.IGNORECASE,
)
# What a person asks to be written or shown is text, not talk.
_ASKS_FOR_TEXT = re.compile(
    r"(?i)^\W*(?:please\s+)?(?:write|draft|translate|rephrase|rewrite|proofread|summari[sz]e|make up|generate|quote"
    r"|add (?:a|the|this) (?:sentence|line|paragraph|entry|comment)|put (?:this|the following))\b"
)
# Choices that are laid out are not made.
_LAYS_OUT = re.compile(
    r"(?i)\b(?:two|three|four|five|several|following|possible|some|other|few|your|the)\s+(?:main\s+)?(?:options|ways"
    r"|approaches|possibilities|alternatives|variants)\b|\bwhich (?:one|option|of (?:these|them)|would|do) you\b"
)


@dataclass(frozen=True, slots=True)
class Found:
    """A statement that may be worth a record, the turn it was said in, and the cue that told it."""

    turn: Turn
    category: str
    content: str
    outcome: str | None
    found_by: str


def propose(turns: Iterable[Turn], cues: Cues | None = None) -> Iterator[Found]:
    """Statements worth a record, in the order of the turns; these are the messages of sessions, each in its order."""
    cues = cues or load_cues()
    session, asked, answers = "", "", list[str]()
    for turn in turns:
        if turn.session != session:
            session, asked, answers = turn.session, "", []
        if turn.role == "user":
            asked = turn.text
        if len(turn.text) <= MOST_MESSAGE_CHARS and not _ASKS_FOR_TEXT.match(asked):
            yield from _of_turn(turn, answers, cues)
        if turn.role == "assistant":
            answers.append(turn.text)
        elif turn.role == "user":
            answers = []


def _of_turn(turn: Turn, answers: Sequence[str], cues: Cues) -> list[Found]:
    if turn.role not in ("user", "assistant") or not cues.hint.search(turn.text.lower()):
        return []
    sentences = list(prose_sentences(turn.text))
    found = []
    for number, sentence in enumerate(sentences):
        cue = _cue_of(turn, sentence, cues)
        if cue is None or (cue.category == "decision" and _LAYS_OUT.search(turn.text)):
            continue
        if cue.pairs:
            if number == 0 and len(turn.text.split()) <= MOST_VERDICT_WORDS:
                found += _verdict(turn, answers, cue, sentences)
        elif tells_enough(sentence):
            found.append(Found(turn, cue.category, _content(sentences, number), cue.outcome, f"rule: {cue.name}"))
    return found if len(found) <= MOST_PER_MESSAGE else []


def _cue_of(turn: Turn, sentence: str, cues: Cues) -> Cue | None:
    """The first cue of a sentence that nothing takes out."""
    plain = without_filler(sentence).replace("’", "'")
    lower = plain.lower()
    for cue in cues.cues:
        if cue.role not in ("", turn.role) or not any(word in lower for word in cue.words):
            continue
        text = sentence.replace("’", "'") if cue.pairs else plain
        if cue.pattern.search(text):
            return None if cues.blocked(cue.category, plain, without_reason(plain)) else cue
    return None


def tells_enough(sentence: str) -> bool:
    """Whether a sentence stands for itself: long enough to name what it is about, short enough to be one thing."""
    if sentence.endswith((":", "：")):
        return False  # it only leads to what follows
    if len(_CJK.findall(sentence)) >= LEAST_CJK:
        return True
    words = _WORD.findall(sentence)
    content = {word.lower() for word in words if len(word) > 2 and word.lower() not in STOP_WORDS}
    return LEAST_WORDS <= len(words) <= MOST_WORDS and len(content) >= LEAST_CONTENT_WORDS


def _content(sentences: Sequence[str], number: int) -> str:
    """The sentence without filler, and the one after it where that gives its reason."""
    text = without_filler(sentences[number])
    following = sentences[number + 1] if number + 1 < len(sentences) else ""
    if GIVES_REASON.match(following):
        text = f"{text} {following}"
    return text[:MOST_CONTENT_CHARS].rstrip()


def _verdict(turn: Turn, answers: Sequence[str], cue: Cue, sentences: Sequence[str]) -> list[Found]:
    """What was done last since the person's message before, with the person's word on whether it helped."""
    told = [without_filler(one) for answer in answers for one in prose_sentences(answer)]
    done = [one for one in told if _ACTION.match(one)]
    if not done or not tells_enough(done[-1]):
        return []
    said = without_filler(sentences[0]).rstrip(".!")
    outcome = "It worked" if cue.outcome == "worked" else "It did not help"
    content = f"{done[-1].rstrip('.')}. {outcome}: {said}."
    return [Found(turn, cue.category, content[:MOST_CONTENT_CHARS], cue.outcome, f"rule: {cue.name}")]
