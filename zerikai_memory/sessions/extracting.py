"""Proposals of records from what was said: decisions, fixes with their outcome, procedures, facts. Pure rules.

Precision before recall: a sentence counts when a cue is in it and nothing takes it out again. A proposal that is
wrongly made costs a person's look; one that is missed can still be found by searching.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from zerikai_memory.model_sessions import Turn
from zerikai_memory.sessions.cues import Cue, Cues, load_cues
from zerikai_memory.sessions.options import picked_option, without_pointing
from zerikai_memory.sessions.retracting import retraction, same_topic
from zerikai_memory.sessions.sentences import GIVES_REASON, prose_sentences, without_filler, without_reason
from zerikai_memory.store.words import STOP_WORDS

MOST_CONTENT_CHARS = 500
# A longer message of a person is a pasted text, of an agent a report; what it decides stands elsewhere too.
MOST_MESSAGE_CHARS = 6_000
# So much of a message may be proposals: more is a list of changes or a document.
MOST_PER_MESSAGE = 3
LEAST_WORDS, MOST_WORDS, LEAST_CONTENT_WORDS, LEAST_CJK = 5, 60, 3, 8
# A person's verdict on an attempt is short; a longer message only begins like one.
MOST_VERDICT_WORDS, MOST_WORDS_BEFORE_VERDICT = 30, 3
# What takes back the message before it begins with that.
FIRST_SENTENCES = 3

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"\w[\w'’-]*")
_ACTION = re.compile(
    r"^(?:i|we)(?:'ve|’ve|\s+have)?\s+(?:now\s+|also\s+|just\s+)*(?:added|changed|set|replaced|bumped|raised|increased"
    r"|lowered|reduced|pinned|upgraded|downgraded|moved|removed|switched|disabled|enabled|wrapped|rewrote|rewritten|patched"
    r"|updated|cleared|deleted|renamed|installed|restarted|made|turned|put|used|reordered|excluded|included|escaped)\b"
    r"\s+(?!it\b|that\b|this\b)\S.{8,}",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(r"[,;.]\s|\s[—–-]\s")
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
    """A statement that may be worth a record, the turn it was said in, and the cue that told it.

    `withdrawn`: it was taken back later, or shown to be wrong.
    """

    turn: Turn
    category: str
    content: str
    outcome: str | None
    found_by: str
    withdrawn: bool = False


def propose(turns: Iterable[Turn], cues: Cues | None = None) -> Iterator[Found]:
    """Statements worth a record, in the order of the turns; these are the messages of sessions, each in its order."""
    return (found for found in examine(turns, cues) if not found.withdrawn)


def examine(turns: Iterable[Turn], cues: Cues | None = None) -> Iterator[Found]:
    """As `propose`, with what was withdrawn, so that nobody else takes it for a record."""
    for _, said in groupby(turns, key=lambda turn: (turn.session, turn.agent)):
        talk = _Talk(cues or load_cues())
        for turn in said:
            talk.take(turn)
        yield from (found for _, found in talk.found)


class _Talk:
    """One session as it is read: what was asked and answered last, and what was found, with its exchange's number."""

    def __init__(self, cues: Cues) -> None:
        self.found: list[tuple[int, Found]] = []
        self._cues = cues
        self._exchange = 0
        self._asked = ""
        self._answers: list[str] = []
        self._before: Turn | None = None

    def take(self, turn: Turn) -> None:
        """Look at the next message."""
        if turn.role not in ("user", "assistant"):
            return
        if turn.role == "user":
            self._asked = turn.text
            self._exchange += 1
        if len(turn.text) <= MOST_MESSAGE_CHARS:
            self._look_at(turn)
        if turn.role == "assistant":
            self._answers.append(turn.text)
        else:
            self._answers = []
        self._before = turn

    def _look_at(self, turn: Turn) -> None:
        hinted = self._cues.hint.search(turn.text.lower()) is not None
        if not hinted and not self.found:
            return
        sentences = list(prose_sentences(turn.text, self._cues.leads_to_others))
        if self.found:
            self._take_back(turn, sentences)
        if hinted and not _ASKS_FOR_TEXT.match(self._asked) and not self._cues.is_joke(turn.text):
            mine = [found for number in range(len(sentences)) for found in self._at(turn, sentences, number)]
            self.found += [(self._exchange, one) for one in mine if len(mine) <= MOST_PER_MESSAGE]

    def _take_back(self, turn: Turn, sentences: Sequence[str]) -> None:
        """Withdraw what the sentences take back: what was said last, or what shares words with them."""
        for number, sentence in enumerate(sentences):
            mark = retraction(sentence, self._cues)
            if mark is not None and mark.topical:
                self._withdraw(partial(_speaks_of, sentence))
            elif mark is not None and mark.near and number < FIRST_SENTENCES:
                self._withdraw(lambda one: one.turn == self._before)
            elif mark is not None and number < FIRST_SENTENCES:
                self._withdraw_latest()

    def _withdraw_latest(self) -> None:
        near = [one.turn for exchange, one in self.found if exchange >= self._exchange - 1]
        if near:
            self._withdraw(lambda one: one.turn == near[-1])

    def _withdraw(self, meant: Callable[[Found], bool]) -> None:
        self.found = [(n, replace(one, withdrawn=True) if meant(one) else one) for n, one in self.found]

    def _at(self, turn: Turn, sentences: Sequence[str], number: int) -> list[Found]:
        """What one sentence of a message tells."""
        sentence, following = sentences[number], sentences[number + 1 : number + 2]
        cue = _cue_of(turn, sentence, "".join(following), self._cues)
        if cue is None:
            return []
        if cue.pairs:
            first = number == 0 or (number == 1 and len(sentences[0].split()) <= MOST_WORDS_BEFORE_VERDICT)
            short = first and len(turn.text.split()) <= MOST_VERDICT_WORDS
            return self._verdict(turn, cue, sentence) if short else []
        if any(mark and not mark.topical for mark in (retraction(one, self._cues) for one in following)):
            return []
        content = _content(sentences, number, cue)
        if cue.category == "decision":
            option = picked_option(sentence, self._answers[-1] if self._answers else "")
            if cue.option and not option:
                return []
            if option:
                content = f"{content.rstrip('.!')} (that is: {option})"
                if cue.option and following and tells_enough(following[0]):
                    content = f"{content}. {following[0]}"  # why
            elif _LAYS_OUT.search(turn.text):
                return []
        elif not tells_enough(sentence):
            return []
        if not tells_enough(content):
            return []
        return [Found(turn, cue.category, content[:MOST_CONTENT_CHARS].rstrip(), cue.outcome, f"rule: {cue.name}")]

    def _verdict(self, turn: Turn, cue: Cue, sentence: str) -> list[Found]:
        """What was done last since the person's message before, with the person's word on whether it helped."""
        claimed = [one for exchange, one in self.found if exchange == self._exchange - 1 and one.outcome == "worked"]
        if claimed and cue.outcome == "worked":
            return []  # the agent said so itself
        told = [without_filler(one) for answer in self._answers for one in prose_sentences(answer)]
        done = [one for one in told if _ACTION.match(one) and tells_enough(one)]
        if claimed:
            self._withdraw(lambda one: one == claimed[-1])
        if not claimed and not done:
            return []
        tried = claimed[-1].content if claimed else done[-1]
        said = without_filler(sentence).rstrip(".!")
        outcome = "It worked" if cue.outcome == "worked" else "It did not help"
        content = f"{tried.rstrip('.')}. {outcome}: {said}."
        return [Found(turn, cue.category, content[:MOST_CONTENT_CHARS], cue.outcome, f"rule: {cue.name}")]


def _speaks_of(sentence: str, one: Found) -> bool:
    return same_topic(one.content, sentence)


def _cue_of(turn: Turn, sentence: str, following: str, cues: Cues) -> Cue | None:
    """The first cue of a sentence that nothing takes out."""
    plain = without_filler(sentence).replace("’", "'")
    lower = plain.lower()
    for cue in cues.cues:
        if cue.role not in ("", turn.role) or not any(word in lower for word in cue.words):
            continue
        if cue.then and not cue.then.search(following):
            continue
        if match := cue.pattern.search(sentence.replace("’", "'") if cue.pairs else plain):
            frame = plain[: match.start()] if not cue.pairs else ""
            plain = without_pointing(plain) if cue.option else plain
            claim = _CLAUSE_END.split(plain, 1)[0] if cue.clause else without_reason(plain)
            return None if cues.blocked(cue.category, claim if cue.clause else plain, claim, frame) else cue
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


def _content(sentences: Sequence[str], number: int, cue: Cue) -> str:
    """The sentence without filler, and the one after it where that gives its reason or what came of it."""
    text = without_filler(sentences[number])
    following = sentences[number + 1] if number + 1 < len(sentences) else ""
    return f"{text} {following}" if cue.then or GIVES_REASON.match(following) else text
