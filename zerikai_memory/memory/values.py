"""What differs between two claims as one place, and whether that place holds a value or says what is spoken of.

"The queue is X", "logs go to X", "use X for uploads" and quantities are values; "worker X is slow", "for X" and
"supports X" are not.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zerikai_memory.memory import claim_words as parts
from zerikai_memory.memory.alternatives import ALIASES, ALTERNATIVES
from zerikai_memory.memory.claims import Claim, Token
from zerikai_memory.retrieve.names import stem

# A value is a name or a short phrase; what is longer is another statement.
MOST_VALUE_WORDS = 4

_CLASSES: Mapping[str, frozenset[str]] = {
    word: frozenset(name for name, members in ALTERNATIVES.items() if word in members)
    for members in ALTERNATIVES.values()
    for word in members
}
_PLACING = parts.PLACING | {stem(word) for word in parts.PLACING}
_EQUATING = {stem(word) for word in parts.EQUATING}


@dataclass(frozen=True, slots=True)
class Difference:
    """The one place in which a claim differs from another: positions of its first and last told word."""

    claim: Claim
    at: tuple[int, ...]

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The words that differ."""
        return tuple(self.claim.tokens[i] for i in self.at)

    @property
    def bounded(self) -> bool:
        """Whether it is a measure, or stands behind a bound such as `more than`."""
        quantity = self.tokens[0].quantity
        around = {token.word for token in self.claim.tokens[: self.at[0]][-2:]}
        return quantity is not None and bool(quantity.dimension or around & {"max", "min", "than"})

    @property
    def text(self) -> str:
        """The words as they stand."""
        return " ".join(token.quantity.spelling if token.quantity else token.word for token in self.tokens)


def difference(claim: Claim, positions: Sequence[int]) -> Difference | None:
    """The differing words as one place; None when there is none, or a second one, or a limit of the statement."""
    if not positions or len(positions) > MOST_VALUE_WORDS:
        return None
    for left, right in itertools.pairwise(positions):
        between = claim.tokens[left + 1 : right]
        if any(token.told or token.part in ("link", "choice", "not") or token.scope for token in between):
            return None
    tokens = [claim.tokens[i] for i in positions]
    if (
        any(token.scope for token in tokens[1:])
        or any(token.conditional for token in tokens)
        or any(token.word in parts.ENVIRONMENTS for token in tokens)
    ):
        return None
    return Difference(claim, tuple(positions))


def is_value(found: Difference, *, alike: bool) -> bool:
    """Whether the place is one that holds a value; `alike`: both values are of one class."""
    claim, at = found.claim, found.at[0]
    before = word_before(claim, at)
    if before is None or _in_subject(claim, at):
        return _defines(found)
    if before.part == "content" and _verb_before(claim, at):
        # "stored in the bucket X", "in Google style": the noun in front says what kind of thing X is.
        earlier = _position_before(claim, at)
        at = at if earlier is None else earlier
        before = word_before(claim, at)
        if before is None or before.part == "choice":
            return False
    if before.part == "link":
        return not (_is_done(found) or _is_participle(found)) and (
            not _begins_with_a_verb(found) or stem(found.tokens[0].word) in _PLACING
        )
    if before.part == "choice":
        return alike or _has_purpose(found)
    if before.part == "preposition":
        return _is_placed(claim, at, before, alike=alike)
    return before.part == "content" and before.key in _EQUATING


def _is_done(found: Difference) -> bool:
    """`is written in English`: what is done with the subject, no property of it."""
    rest = found.claim.tokens[found.at[-1] + 1 :]
    last = found.tokens[-1]
    done = last.word.endswith("ed") or stem(last.word) in _PLACING
    return done and bool(rest) and rest[0].part == "preposition" and any(token.told for token in rest)


def _is_participle(found: Difference) -> bool:
    """`is cached`: what is done with a thing excludes nothing else that is."""
    return found.tokens[-1].word.endswith("ed") and not classes_of(found)


def _begins_with_a_verb(found: Difference) -> bool:
    """`is obtained with X`: what differs holds a verb and what belongs to it."""
    within = found.claim.tokens[found.at[0] : found.at[-1]]
    return found.tokens[0].word.endswith("ed") and any(token.part == "preposition" for token in within)


def _defines(found: Difference) -> bool:
    """`X is the database`: a definite description of what there is one of."""
    claim, last = found.claim, found.at[-1]
    rest = claim.tokens[last + 1 :]
    if [token.part for token in rest[:3]] == ["link", "choice", "preposition"] and found.at[0] <= 1:
        return rest[2].word in parts.PURPOSES  # "X is used for the event bus"
    return (
        len(rest) > 2 and rest[0].key == "is" and rest[1].part == "determiner" and rest[1].word in parts.DEFINITE
        and found.at[0] <= 1
    )  # fmt: skip


def _has_purpose(found: Difference) -> bool:
    """`use X for uploads`, `uploads use X`: what it is chosen for is told, and is not a whole program."""
    claim = found.claim
    rest = claim.tokens[found.at[-1] + 1 :]
    purpose = any(
        token.part == "preposition"
        and token.word in parts.PURPOSES
        and token.word not in ("in", "im", "dans", "en", "on")
        for token in rest
    )
    return (purpose and any(token.told for token in rest)) or _is_activity(claim, found.at[0])


_ACTIVITIES = ("tion", "ment", "ing", "ance", "ence", "names", "style", "layout", "ung", "ción", "cation")


def _is_activity(claim: Claim, at: int) -> bool:
    """Whether the subject is something that is done, one way at a time, and not a program that uses many things."""
    subject = [token for token in claim.tokens[:at] if token.part == "content"]
    return bool(subject) and subject[-1].word.endswith(_ACTIVITIES)


def _is_placed(claim: Claim, at: int, before: Token, *, alike: bool) -> bool:
    """Whether what stands behind a preposition is where, how or by whom the subject is, rather than one case of it."""
    position = _position_of(claim, before, at)
    first = next((i for i, token in enumerate(claim.tokens) if token.part == "link"), 0)
    verbs = [token for token in claim.tokens[first:position] if token.part in ("link", "choice", "placing", "content")]
    words = {token.key for token in verbs} | {stem(token.word) for token in verbs}
    if words & parts.NEVER_PLACING:
        return False
    previous = word_before(claim, position)
    if before.word in parts.WITH and words & parts.ACCOMPANIED:
        return False
    if before.word in ("for", "für", "pour", "para"):
        return False
    passive = any(token.part == "link" for token in verbs)
    if previous is not None and previous.part == "choice" and not passive:
        return alike or _has_purpose(Difference(claim, (at,)))
    if before.word in parts.MEANS and (alike or any(token.part == "link" for token in verbs)):
        return True
    if (
        words & _PLACING
        or (previous is not None and previous.part == "choice")
        or any(token.part == "placing" for token in verbs)
    ):
        return before.word in parts.PLACES | parts.MEANS
    return previous is not None and previous.key == "is" and before.word in parts.PLACES


def word_before(claim: Claim, at: int) -> Token | None:
    """The word in front, past articles and words that say nothing."""
    position = _position_before(claim, at)
    return None if position is None else claim.tokens[position]


def _position_before(claim: Claim, at: int) -> int | None:
    """The position of the word in front, past articles and words that say nothing."""
    for i in range(at - 1, -1, -1):
        if claim.tokens[i].part not in ("determiner", "filler") and claim.tokens[i].key not in ("min", "max"):
            return i
    return None


def _position_of(claim: Claim, token: Token, at: int) -> int:
    for i in range(at - 1, -1, -1):
        if claim.tokens[i] is token:
            return i
    return 0


def measures(found: Difference) -> bool:
    """Whether a quantity says how much, not which one."""
    claim, at = found.claim, found.at[0]
    token, before = claim.tokens[at], word_before(claim, at)
    assert token.quantity is not None
    following = claim.tokens[at + 1] if at + 1 < len(claim.tokens) else None
    counted = following is not None and following.part == "content"
    if token.quantity.dimension:
        return not (counted and _in_subject(claim, at))  # "the weekly call", "the 5 GB disk": which one
    if token.scope or (before is not None and (before.word in parts.IDENTIFIED or before.key in parts.IDENTIFIED)):
        return False
    if before is not None and before.scope and not (counted and before.part == "preposition"):
        return False
    named = before is not None and before.part == "content"
    tool = before is not None and name_of(before) in _CLASSES and not (claim.several or counted)
    if _in_subject(claim, at):
        spoken = {t.word for t in claim.tokens} | {t.key for t in claim.tokens}
        chosen = tool and any(t.part == "choice" for t in claim.tokens)
        return (counted and not named) or chosen or bool(named and spoken & parts.REQUIRED)
    version = "." in token.quantity.spelling
    if counted and not version:
        return True
    if named:
        # "batch size 64" ends with its value, "worker 3" with its name.
        earlier = {t.word for t in claim.tokens[:at]}
        first = tool and not any(t.told for t in claim.tokens[: at - 1])
        return first or _verb_before(claim, at) or bool(earlier & (parts.MEASURED | parts.REQUIRED))
    return before is not None and (before.part in ("link", "choice") or before.word in ("to", "at", "than"))


def _in_subject(claim: Claim, at: int) -> bool:
    """Whether a position is in front of the first link, choice or verb that places something."""
    verbs = [i for i, token in enumerate(claim.tokens) if token.part in ("link", "choice", "placing")]
    return bool(verbs) and at < verbs[0]


def _verb_before(claim: Claim, at: int) -> bool:
    return any(token.part in ("link", "choice", "placing") for token in claim.tokens[:at])


def only_names(found: Difference) -> bool:
    """`Private endpoints are cached`: the word tells which ones are meant."""
    claim, at = found.claim, found.at[0]
    following = claim.tokens[at + 1] if at + 1 < len(claim.tokens) else None
    return _in_subject(claim, at) and following is not None and following.part in ("content", "quantity")


def classes_of(found: Difference) -> frozenset[str]:
    """Classes of alternatives that a word of the place belongs to."""
    return frozenset(name for token in found.tokens for name in _CLASSES.get(name_of(token), frozenset()))


def name_of(token: Token) -> str:
    """The word by its usual spelling."""
    return ALIASES.get(token.word, token.word)
