"""Do two records disagree? Rules over their words; both stay, and what the rules say is shown, never acted upon.

Both are taken apart (claims.py) and laid side by side. What both say is the subject; they disagree when all the rest is
- one place in each, and that place is a value: what stands after "is", a colon, "use ... for", "goes to", a quantity
  of the same dimension, an opposite ("before", "after"), or another member of a class of alternatives;
- a denial: one denies what the other says of the same subject.
A difference in the subject (worker A, sprint 12, 2024, for icons, in production), a second difference, one of several
that are told ("supports", "also", "can"), and what was once are no disagreement. When in doubt: none.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from zerikai_memory.memory import claim_words as parts
from zerikai_memory.memory.alternatives import ALIASES, ALTERNATIVES, OPPOSITES
from zerikai_memory.memory.claims import Claim, Token, claims
from zerikai_memory.model_notes import Note
from zerikai_memory.retrieve.names import stem

# A value is a name or a short phrase; what is longer is another statement.
MOST_VALUE_WORDS = 4
# With one shared word only, a longer rest is seldom about the same.
MOST_WORDS_OF_ONE_SUBJECT = 2
# Words that one of two may say beyond the other's when one denies the other.
MOST_EXTRA_WORDS = 2
# Later sentences lean on the first: they need this many shared words to speak of one subject by themselves.
SHARED_BY_LATER_SENTENCES = 3

_SIDES: Mapping[str, tuple[int, int]] = {
    word: (row, side) for row, sides in enumerate(OPPOSITES) for side, words in enumerate(sides) for word in words
}
_CLASSES: Mapping[str, frozenset[str]] = {
    word: frozenset(name for name, members in ALTERNATIVES.items() if word in members)
    for members in ALTERNATIVES.values()
    for word in members
}
_PLACING = parts.PLACING | {stem(word) for word in parts.PLACING}
_EQUATING = {stem(word) for word in parts.EQUATING}
_AFFIRMED = frozenset("always immer toujours siempre".split())


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


def disagreement(newer: Note, older: Note) -> str | None:
    """Why two live records disagree, in a few words, or None."""
    if newer.outcome and older.outcome:
        return None  # attempts are told apart by their outcomes, and both are worth knowing
    mine, theirs = _places(newer), _places(older)
    anchored, apart = bool(mine & theirs), bool(mine and theirs and not mine & theirs)
    for i, one in enumerate(claims(newer.content)):
        for j, two in enumerate(claims(older.content)):
            shared = len(one.keys & two.keys)
            if (i or j) and shared < SHARED_BY_LATER_SENTENCES:
                continue
            if apart and shared < 2:
                continue  # "it retries 5 times", said of two functions
            if why := _why(one, two, anchored=anchored):
                return why
    return None


def _why(one: Claim, two: Claim, *, anchored: bool) -> str | None:
    if (one.pronoun or two.pronoun) and not anchored:
        return None  # nobody knows what "it" is
    if one.past or two.past:
        return None  # what was, or was measured, once
    shared = one.keys & two.keys
    if not shared:
        return None
    mine, theirs = _told_apart(one, two), _told_apart(two, one)
    told_apart = ((one, mine), (two, theirs))
    if one.denies != two.denies:
        return _denial(one, two, mine, theirs, len(shared))
    orders = _order(one), _order(two)
    if orders[0] and orders[1] and not one.denies and all(_is_order_word(c, i) for c, at in told_apart for i in at):
        return _turned_round(orders[0], orders[1])
    first, second = _difference(one, mine), _difference(two, theirs)
    if first is None or second is None or _same_meaning(first, second) or _tells_a_step(one) or _tells_a_step(two):
        return None
    if one.denies:
        # Two things that are both not so; only "no more than 3" and "no more than 5" cannot be at once.
        return _quantities(first, second) if first.bounded and second.bounded else None
    told = _quantities(first, second) or _opposites(first, second)
    if told or (not anchored and len(shared) == 1 and shared & parts.GENERIC):
        return told
    return _values(first, second)


def _told_apart(one: Claim, two: Claim) -> list[int]:
    """Positions of what one says and two does not; quantities that are equal in other units are said by both."""
    quantities = [token.quantity for token in two.tokens if token.quantity]
    return [
        i
        for i, token in enumerate(one.tokens)
        if token.told
        and token.key not in two.keys
        and not (token.quantity and any(token.quantity.same(other) for other in quantities))
    ]


def _denial(one: Claim, two: Claim, mine: list[int], theirs: list[int], shared: int) -> str | None:
    """Of one subject, when neither says more that limits it."""
    if (mine and theirs) or one.limited != two.limited:
        return None
    if any(_denies_more(claim, extra) for claim, extra in ((one, mine), (two, theirs))):
        return None
    claim, extra = (one, mine) if mine else (two, theirs)
    if extra and (shared < 2 or len(extra) > MOST_EXTRA_WORDS or any(_limits(claim, i) for i in extra)):
        return None
    return _denied(one, two)


def _denied(one: Claim, two: Claim) -> str:
    """The words that stand against each other, where both have one."""
    words = [
        next((t.word for t in claim.tokens if t.part in ("polar", "not") or t.word in _AFFIRMED), None)
        for claim in (one, two)
    ]
    return f"{words[0]} or {words[1]}" if all(words) else "one denies what the other says"


def _denies_more(claim: Claim, extra: Sequence[int]) -> bool:
    """Whether what stands behind a negation is what the other claim does not speak of."""
    for i, token in enumerate(claim.tokens):
        if token.part == "not":
            told = [k for k in range(i + 1, len(claim.tokens)) if claim.tokens[k].told]
            if told and all(k in extra for k in told):
                return True
    return False


def _limits(claim: Claim, at: int) -> bool:
    """Whether a word narrows the statement: behind a preposition, since when, or which one of several."""
    before = _before(claim, at)
    token = claim.tokens[at]
    return (
        token.scope
        or token.part == "quantity"
        or token.key.startswith("name ")
        or (before is not None and before.part in ("preposition", "not"))
        or token.word in parts.ENVIRONMENTS
        or token.key == "not"
    )


def _difference(claim: Claim, positions: Sequence[int]) -> Difference | None:
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


def _order(claim: Claim) -> tuple[frozenset[str], frozenset[str]] | None:
    """What comes first and what then, where the claim tells it by before or after."""
    for i, token in enumerate(claim.tokens):
        if _is_order_word(claim, i):
            sides = [frozenset(t.key for t in part if t.told) for part in (claim.tokens[:i], claim.tokens[i + 1 :])]
            if all(sides):
                return (sides[0], sides[1]) if token.key == "before" else (sides[1], sides[0])
    return None


def _is_order_word(claim: Claim, at: int) -> bool:
    return claim.tokens[at].key in ("before", "after")


def _turned_round(one: tuple[frozenset[str], frozenset[str]], two: tuple[frozenset[str], frozenset[str]]) -> str | None:
    """`A before B` against `B before A` or `A after B`."""
    return "before or after" if one[0] & two[1] and one[1] & two[0] else None


def _tells_a_step(claim: Claim) -> bool:
    """`bump X to 2`, `raised from 5 to 10`: a later one follows, and contradicts nothing."""
    return any(token.word in parts.EVENTS for token in claim.tokens)


def _same_meaning(first: Difference, second: Difference) -> bool:
    """Whether one value is written within the other (`postgres`, `PostgreSQL`), or is the same in other words."""
    one, two = (
        "".join(ALIASES.get(token.word, token.word) for token in found.tokens if not token.quantity).replace("-", "")
        for found in (first, second)
    )
    if any(token.quantity for token in (*first.tokens, *second.tokens)):
        return False
    if any(_name(token) in _SIDES for token in (*first.tokens, *second.tokens)):
        return False  # "asynchronous" holds "synchronous"
    return one in two or two in one


def _quantities(first: Difference, second: Difference) -> str | None:
    """Another number of the same dimension in the same place."""
    if len(first.at) != 1 or len(second.at) != 1:
        return None
    one, two = first.tokens[0].quantity, second.tokens[0].quantity
    if one is None or two is None:
        return None
    if _family(one.dimension) != _family(two.dimension) or not (_measures(first) and _measures(second)):
        return None
    return f"{one.dimension.split()[0] if one.dimension else 'number'}: {one.spelling} or {two.spelling}"


def _family(dimension: str) -> str:
    """Rates of one thing are of one family, whatever the period."""
    return dimension.partition(" per ")[0]


def _measures(found: Difference) -> bool:
    """Whether a quantity says how much, not which one."""
    claim, at = found.claim, found.at[0]
    token, before = claim.tokens[at], _before(claim, at)
    assert token.quantity is not None
    if token.quantity.dimension:
        return True
    if token.scope or (before is not None and (before.word in parts.IDENTIFIED or before.key in parts.IDENTIFIED)):
        return False
    if token.scope or (before is not None and before.scope):
        return False
    counted = at + 1 < len(claim.tokens) and claim.tokens[at + 1].part == "content"
    named = before is not None and before.part == "content"
    if _in_subject(claim, at):
        spoken = {t.word for t in claim.tokens} | {t.key for t in claim.tokens}
        return (counted and not named) or bool(named and spoken & parts.REQUIRED)
    version = "." in token.quantity.spelling
    if counted and not version and not (before is not None and before.part == "preposition"):
        return True
    if named:
        # "batch size 64" ends with its value, "worker 3" with its name.
        earlier = {t.word for t in claim.tokens[:at]}
        return _verb_before(claim, at) or bool(earlier & (parts.MEASURED | parts.REQUIRED))
    return before is not None and (before.part in ("link", "choice") or before.word in ("to", "at", "than"))


def _in_subject(claim: Claim, at: int) -> bool:
    """Whether a position is in front of the first link, choice or verb that places something."""
    verbs = [i for i, token in enumerate(claim.tokens) if token.part in ("link", "choice", "placing")]
    return bool(verbs) and at < verbs[0]


def _verb_before(claim: Claim, at: int) -> bool:
    return any(token.part in ("link", "choice", "placing") for token in claim.tokens[:at])


def _opposites(first: Difference, second: Difference) -> str | None:
    """Words of which one excludes the other, with nothing else told apart."""
    if len(first.at) != 1 or len(second.at) != 1:
        return None
    if first.claim.several or second.claim.several or first.claim.listing or second.claim.listing:
        return None
    one, two = _SIDES.get(_name(first.tokens[0])), _SIDES.get(_name(second.tokens[0]))
    if one is None or two is None or one[0] != two[0] or one[1] == two[1]:
        return None
    if any(_only_names(found) for found in (first, second)):
        return None
    return f"{first.text} or {second.text}"


def _only_names(found: Difference) -> bool:
    """`Private endpoints are cached`: the word tells which ones are meant."""
    claim, at = found.claim, found.at[0]
    following = claim.tokens[at + 1] if at + 1 < len(claim.tokens) else None
    return _in_subject(claim, at) and following is not None and following.part in ("content", "quantity")


def _values(first: Difference, second: Difference) -> str | None:
    """Another value of what can have one alone."""
    claimed = (first.claim, second.claim)
    if any(claim.several or claim.possible for claim in claimed):
        return None
    if (
        len(first.claim.keys & second.claim.keys) == 1
        and max(len(first.at), len(second.at)) > MOST_WORDS_OF_ONE_SUBJECT
    ):
        return None
    common = sorted(_classes(first) & _classes(second))
    alike = bool(common)
    if any(claim.listing for claim in claimed) and not (alike and not any(_polar_list(claim) for claim in claimed)):
        return None
    if all(_is_value(found, alike=alike) for found in (first, second)):
        return (f"{common[0]}: " if common else "") + f"{first.text} or {second.text}"
    return None


def _polar_list(claim: Claim) -> bool:
    return any(token.part == "polar" for token in claim.tokens)


def _classes(found: Difference) -> frozenset[str]:
    return frozenset(name for token in found.tokens for name in _CLASSES.get(_name(token), frozenset()))


def _name(token: Token) -> str:
    return ALIASES.get(token.word, token.word)


def _is_value(found: Difference, *, alike: bool) -> bool:
    """Whether the place is one that holds a value; `alike`: both values are of one class."""
    claim, at = found.claim, found.at[0]
    before = _before(claim, at)
    if before is None or _in_subject(claim, at):
        return _defines(found)
    if before.part == "content" and _verb_before(claim, at):
        # "stored in the bucket X", "in Google style": the noun in front says what kind of thing X is.
        earlier = _position_before(claim, at)
        at = at if earlier is None else earlier
        before = _before(claim, at)
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
    return found.tokens[-1].word.endswith("ed") and not _classes(found)


def _begins_with_a_verb(found: Difference) -> bool:
    """`is obtained with X`: what differs holds a verb and what belongs to it."""
    within = found.claim.tokens[found.at[0] : found.at[-1]]
    return found.tokens[0].word.endswith("ed") and any(token.part == "preposition" for token in within)


def _defines(found: Difference) -> bool:
    """`X is the database`: a definite description of what there is one of."""
    claim, last = found.claim, found.at[-1]
    rest = claim.tokens[last + 1 :]
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
    verbs = [token for token in claim.tokens[:position] if token.part in ("link", "choice", "placing", "content")]
    words = {token.key for token in verbs} | {stem(token.word) for token in verbs}
    if words & parts.NEVER_PLACING:
        return False
    previous = _before(claim, position)
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


def _before(claim: Claim, at: int) -> Token | None:
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


def _places(note: Note) -> frozenset[tuple[str, str]]:
    return frozenset((anchor.path, anchor.qualified_name) for anchor in note.anchors)
