"""Recall: which records answer a question. Words, vector and age merged, weighted by importance and confirmation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from zerikai_memory.memory.evidence import BESIDE, FARTHEST, Rarity, Shared, enough, shared
from zerikai_memory.memory.kin import kin_of, kin_words
from zerikai_memory.memory.problems import Problem, problems, same_problem, without_log_prefix
from zerikai_memory.memory.salience import TENTATIVE_MOST
from zerikai_memory.model_notes import Note
from zerikai_memory.retrieve.names import stem
from zerikai_memory.retrieve.query import Query, understand
from zerikai_memory.store.note_table import OUTCOME_CODES, NoteArrays
from zerikai_memory.store.vectors import Vector, squared_distances
from zerikai_memory.store.words import split_words
from zerikai_memory.store.words import words as search_words

Floats = NDArray[np.float64]
SECONDS_PER_DAY = 86_400.0
# Candidates of each source; the best of a hundred thousand records stand far above the hundredth.
LEXICAL_CANDIDATES = 200
VECTOR_CANDIDATES = 100
# Shares of words and vector in the relevance; the recall set (tests/data/recall) is flat between 0.4 and 0.7.
LEXICAL_SHARE = 0.5
# Squared L2 at which a vector says nothing of relevance any more, and where it says all.
FAR, NEAR = 1.5, 0.3
# What age, importance and confirmation can take from or give to the relevance: they decide among records that answer
# the question about as well, never between one that answers it and one that does not.
DECAY_SHARE = 0.25
IMPORTANCE_SHARE = 0.1
CONFIRMED_FACTOR = 1.1
# A question or a guess stands behind the firm record of the same words.
TENTATIVE_FACTOR = 0.7
# Before a fix: what failed comes first, then what worked.
FAILED_FACTOR, WORKED_FACTOR = 1.6, 1.25
FIX_CATEGORIES = frozenset({"fix", "error", "workaround"})
# Two attempts this near each other (squared L2) are attempts at the same.
SAME_PROBLEM = 1.0
# A longer or broken text is pasted: what it says of the error is searched for, not its frames and code.
PASTED_WORDS = 30
# A record far above all others answers with a part of the words, though not with one that only means the same; above
# another that answers, less will do.
STANDS_OUT, ALONE_COVERAGE, ABOVE_COVERAGE = 1.5, 0.41, 0.33
# Words of questions that say little about what is meant; they count when there is nothing else.
LIGHT_WORDS = frozenset(
    "about after add also any anything cannot did done ever get gets give go got happen happens hold holds know "
    "let like new not long look make may might much must need needs now old one right say see set something "
    "still take tell there thing things up us use used uses using want way work works wrong kind sort number "
    "please long ok".split()
)
# Of a record that is found by its place.
NO_VECTOR = np.zeros(0, np.float32)
# A record is worth its tokens when it holds this share of the question's words, or is this near by vector, or half of
# both; off-topic questions of the recall set stay beyond 1.24. And it must not be far below the best.
COVERAGE = 0.5
NEAR_ENOUGH = 1.22
# Of a record whose vector is farther than evidence.FARTHEST: nearly all of the words, or so many of them.
WHOLE_COVERAGE, WORDS_ANYWHERE = 0.9, 2.5
# A word that means nearly the same as one of the question covers this much of it.
KIN_SHARE, KIN_WEIGHT, KIN_TERMS = 0.8, 0.6, 8
SOME_COVERAGE, SOMEWHAT_NEAR = 0.3, 1.4
BESIDE_THE_BEST = 0.35
_FIXING = re.compile(
    r"\b(fix(es|ed|ing)?|fail(s|ed|ing|ure)?|errors?|exceptions?|traceback|bugs?|broken|crash(es|ed|ing)?|tried"
    r"|attempts?|workarounds?|cannot|can't|unable|refused|timed? ?out)\b"
    r"|\b\w+(Error|Exception)\b|\b(not found|no module named)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DecayDays:
    """Half-lives in days: of what nobody confirmed, and of what was confirmed."""

    unconfirmed: float = 90.0
    confirmed: float = 365.0


@dataclass(frozen=True, slots=True)
class Recalled:
    """A position in the arrays with its score (large is good) and squared L2 distance."""

    position: int
    score: float
    distance: float


@dataclass(frozen=True, slots=True)
class Asked:
    """What records are searched for: the question, or the errors of a pasted trace or log; `fixing`: attempts first."""

    query: Query
    problems: tuple[Problem, ...]
    fixing: bool

    @property
    def kin(self) -> tuple[str, ...]:
        """Words that mean nearly the same as those of a short question; a long one has words enough."""
        return kin_words(self.query.terms) if len(self.query.terms) <= KIN_TERMS else ()

    @property
    def searched(self) -> tuple[str, ...]:
        """Words to search for: of a short question also two that stand side by side as one, `seat map` as `seatmap`."""
        terms = self.query.terms
        beside = joined(terms) if len(terms) <= KIN_TERMS else ()
        return tuple(dict.fromkeys((*self.query.words, *beside)))

    @property
    def by_evidence(self) -> bool:
        """Whether words in common may answer alone: not for an error, which another record of its kind resembles."""
        return not (self.problems or self.query.frames or len(self.query.terms) > PASTED_WORDS)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A live record with its score (large is good), its squared L2 distance and its vector."""

    note: Note
    score: float
    distance: float
    vector: Vector


def asked_for(query: Query, category: str | None) -> Asked:
    """What a question asks of the records of a category, or of all."""
    asked = _asked_for(query, category)
    return replace(
        asked, query=replace(asked.query, words=_telling(asked.query.words), terms=_telling(asked.query.terms))
    )


def _telling(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if word not in LIGHT_WORDS) or words


def _asked_for(query: Query, category: str | None) -> Asked:
    found = problems(query.text)
    fixing = before_a_fix(query, category)
    lines = query.text.strip().split("\n")
    if query.frames or len(lines) > 1 or len(query.text.split()) > PASTED_WORDS:
        return Asked(understand("\n".join(problem.line for problem in found)) if found else query, found, fixing)
    said = without_log_prefix(query.text) if found else query.text
    return Asked(query if said == query.text else understand(said), found, fixing)


def chosen(asked: Asked, candidates: Sequence[Candidate], anchored: Sequence[Note], limit: int) -> list[Note]:
    """The records that answer, best first: those of the same error, attempts on code of the trace, then the others.

    `anchored` are records about the code that a trace names. A failed attempt stands before what worked on the same.
    """
    told = {one.note.id: _tells(asked, one.note) for one in candidates}
    first = {one.note.id: one for one in candidates if told[one.note.id]}
    for note in anchored:
        if _is_attempt(note) and _tells(asked, note) is not False:
            first.setdefault(note.id, Candidate(note, 0.0, 0.0, NO_VECTOR))
    silent = [one for one in candidates if told[one.note.id] is None and one.note.id not in first]
    rest = {one.note.id: one for one in _answering(asked.query, silent)}
    # Who asks for no fix gets no attempt before an answer that there is room for.
    others = list(rest.values())[: None if asked.fixing else limit]
    return [*failed_first(list(first.values())), *failed_first(others)][:limit]


def rank_records(
    arrays: NoteArrays,
    lexical: Sequence[tuple[int, float]],
    kin: Sequence[tuple[int, float]],
    question: Vector,
    *,
    category: str | None,
    fixing: bool,
    now: float,
    decay: DecayDays,
) -> list[Recalled]:
    """Live records by falling score, of one category or of all.

    `lexical` are BM25 of the question's words, `kin` of those that mean nearly the same.
    """
    distances = squared_distances(arrays.vectors, question)
    allowed = arrays.live.copy()
    if category is not None:
        code = arrays.category_names.index(category) if category in arrays.category_names else -1
        allowed &= arrays.categories == code
    near = np.flatnonzero(allowed)
    if len(near) > VECTOR_CANDIDATES:
        near = near[np.argpartition(distances[near], VECTOR_CANDIDATES)[:VECTOR_CANDIDATES]]
    words = np.zeros(len(arrays))
    for position, score in lexical:
        words[position] += score
    for position, score in kin:
        words[position] += KIN_WEIGHT * score
    words *= allowed
    words /= max(words.max(initial=0.0), 1e-9)
    positions = np.union1d(near, np.flatnonzero(words)).astype(np.int64)
    meaning = np.clip((FAR - distances[positions]) / (FAR - NEAR), 0.0, 1.0)
    relevance = LEXICAL_SHARE * words[positions] + (1 - LEXICAL_SHARE) * meaning
    scores = relevance * weights(arrays, positions, fixing=fixing, now=now, decay=decay)
    order = np.lexsort((-positions, -scores))
    return [Recalled(int(positions[i]), float(scores[i]), float(distances[positions[i]])) for i in order]


def weights(arrays: NoteArrays, positions: NDArray[np.int64], *, fixing: bool, now: float, decay: DecayDays) -> Floats:
    """[positions] factor of age, importance, confirmation and, before a fix, outcome."""
    confirmed = arrays.confirmed[positions]
    half_life = np.where(confirmed, decay.confirmed, decay.unconfirmed)
    age_days = np.maximum(now - arrays.affirmed[positions], 0.0) / SECONDS_PER_DAY
    fresh = 0.5 ** (age_days / half_life)
    factor = (1 - DECAY_SHARE + DECAY_SHARE * fresh) * (1 + IMPORTANCE_SHARE * (2 * arrays.importance[positions] - 1))
    tentative = arrays.importance[positions] <= np.float32(TENTATIVE_MOST)
    factor = factor * np.where(confirmed, CONFIRMED_FACTOR, np.where(tentative, TENTATIVE_FACTOR, 1.0))
    if fixing:
        outcomes = arrays.outcomes[positions]
        factor = factor * np.where(outcomes == OUTCOME_CODES["failed"], FAILED_FACTOR, 1.0)
        factor = factor * np.where(outcomes == OUTCOME_CODES["worked"], WORKED_FACTOR, 1.0)
    result: Floats = factor
    return result


def before_a_fix(query: Query, category: str | None) -> bool:
    """Whether the question is asked on the way to a fix: by its category, or by an error in its words."""
    return category in FIX_CATEGORIES or (category is None and bool(_FIXING.search(query.text)))


def _answering(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those of the candidates, best first, that answer, and those above them that nearly do."""
    found: list[Candidate] = []
    nearly: list[Candidate] = []
    asked_words = len(query.terms)
    for i, one in enumerate(candidates):
        if found and not worth_showing(one.score, found[0].score):
            break
        above = i == 0 and (len(candidates) == 1 or one.score >= STANDS_OUT * candidates[1].score)
        covered = coverage(query, one.note)
        alone = above and covered >= ALONE_COVERAGE and not elsewhere(covered, one.distance, asked_words)
        if alone or answers(covered, one.distance, asked_words):
            found += [*nearly, one]
            nearly = []
        elif covered >= ABOVE_COVERAGE:
            nearly.append(one)
    return found


def in_common(asked: Asked, candidates: Sequence[Candidate]) -> list[tuple[Candidate, Shared]]:
    """The candidates that no other error keeps from answering, each with the words it shares with the question."""
    terms, pairs = asked.query.terms, joined(asked.query.terms)
    return [
        (one, shared(terms, list(search_words(_text(one.note))), split_words(one.note.content), pairs))
        for one in candidates
        if _tells(asked, one.note) is not False
    ]


def by_evidence(asked: Asked, found: Sequence[tuple[Candidate, Shared]], rarity: Rarity, limit: int) -> list[Note]:
    """The records that answer by rare words in common, best first, when none does by coverage or vector."""
    if not asked.by_evidence:
        return []
    masses = [(words.mass(rarity), one, words) for one, words in found]
    passed = [(mass, one) for mass, one, words in masses if enough(words, mass, one.distance, len(asked.query.terms))]
    best = max((mass for mass, _ in passed), default=0.0)
    kept = [(mass, one) for mass, one in passed if mass >= BESIDE * best]
    return failed_first([one for mass, one in sorted(kept, key=lambda pair: -pair[0] * pair[1].score)])[:limit]


def nearest(found: Sequence[tuple[Candidate, Shared]], rarity: Rarity, limit: int) -> list[Note]:
    """The records that something speaks for, a word in common or a vector that is not far, best first."""
    told = [(words.mass(rarity), one) for one, words in found]
    spoken = [(mass, one) for mass, one in told if mass > 0 or one.distance <= FAR]
    ordered = sorted(spoken, key=lambda pair: -(LEXICAL_SHARE * min(pair[0], 1.0) + _meaning(pair[1].distance)))
    return [one.note for _, one in ordered[:limit]]


def _meaning(distance: float) -> float:
    return (1 - LEXICAL_SHARE) * max(0.0, (FAR - distance) / (FAR - NEAR))


def joined(terms: Sequence[str]) -> tuple[str, ...]:
    """Words that stand side by side, as one."""
    return tuple(first + second for first, second in pairwise(terms) if first.isalpha() and second.isalpha())


def coverage(query: Query, note: Note) -> float:
    """The share of the question's words that stand in a record, or others that mean nearly the same."""
    asked = {stem(term) for term in query.terms}
    # Joined too: who asks for `graphql` means GraphQL, and who asks for a seat map `seatmap`.
    held = {stem(word) for word in search_words(_text(note))}
    held |= {stem(part) for pair in pairwise(query.terms) if stem("".join(pair)) in held for part in pair}
    kin = sum(1 for word in asked - held if kin_of(word) & held)
    return (len(asked & held) + KIN_SHARE * kin) / len(asked) if asked else 0.0


def answers(covered: float, distance: float, asked_words: int) -> bool:
    """Whether a record is near enough to the question to be shown, by words (see coverage) or by squared L2."""
    both = covered >= SOME_COVERAGE and distance <= SOMEWHAT_NEAR
    return (covered >= COVERAGE and not elsewhere(covered, distance, asked_words)) or distance <= NEAR_ENOUGH or both


def elsewhere(covered: float, distance: float, asked_words: int) -> bool:
    """Whether a record is about something else, that has one word of two by chance."""
    return distance > FARTHEST and covered < WHOLE_COVERAGE and covered * asked_words < WORDS_ANYWHERE


def failed_first(candidates: Sequence[Candidate]) -> list[Note]:
    """The records, each failed attempt moved before the first that worked on the same."""
    ordered: list[Candidate] = []
    for one in candidates:
        at = len(ordered)
        if one.note.outcome == "failed":
            same = [k for k, other in enumerate(ordered) if other.note.outcome != "failed" and _same(one, other)]
            at = same[0] if same else at
        ordered.insert(at, one)
    return [one.note for one in ordered]


def _same(one: Candidate, other: Candidate) -> bool:
    mine, theirs = ({(a.path, a.qualified_name) for a in candidate.note.anchors} for candidate in (one, other))
    known = len(one.vector) == len(other.vector) > 0
    near = known and 2.0 - 2.0 * float(one.vector @ other.vector) <= SAME_PROBLEM
    told = _heading(one.note) == _heading(other.note) != ""
    return (other.note.outcome is not None and (near or told)) or bool(mine & theirs)


def _heading(note: Note) -> str:
    """The error of a record that is written as "error: what was done", else an empty text."""
    head, colon, _ = note.content.partition(": ")
    return " ".join(head.casefold().split()) if colon and " " in head.strip() else ""


def _is_attempt(note: Note) -> bool:
    return note.outcome is not None or note.category in FIX_CATEGORIES


def _tells(asked: Asked, note: Note) -> bool | None:
    """Whether a record tells of the error that is asked for; False: of another one, None: that is not said."""
    if not asked.problems:
        return None
    held = problems(f"{note.content}\n{note.detail}")
    if any(same_problem(one, other) for one in asked.problems for other in held):
        return True
    kinds = {one.kind for one in asked.problems if one.kind}
    others = {other.kind for other in held if other.kind}
    return False if kinds and others and not kinds & others else None


def worth_showing(score: float, best: float) -> bool:
    """Whether a record is near enough to the best that was shown."""
    return score >= BESIDE_THE_BEST * best


def _text(note: Note) -> str:
    names = " ".join(f"{anchor.path} {anchor.qualified_name}" for anchor in note.anchors)
    return " ".join((note.category, note.content, note.detail, *note.tags, names))
