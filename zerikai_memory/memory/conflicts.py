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
from collections import Counter
from collections.abc import Mapping, Sequence

from zerikai_memory.memory import claim_words as parts
from zerikai_memory.memory.alternatives import ALIASES, OPPOSITES
from zerikai_memory.memory.claims import Claim, claims
from zerikai_memory.memory.negating import LIMITED, UNLIMITED, negates
from zerikai_memory.memory.values import (
    MOST_VALUE_WORDS,
    Difference,
    classes_of,
    difference,
    is_value,
    measures,
    name_of,
    only_names,
    word_before,
)
from zerikai_memory.model_notes import Note

# Words that one claim may hold beyond another's: those of a value, and a quantity that is the same in other units.
APART = MOST_VALUE_WORDS + 1
# At least one of so many words of the shorter claim is shared.
LEAST_SHARED = 3
# With one shared word only, a longer rest is seldom about the same.
MOST_WORDS_OF_ONE_SUBJECT = 3
# Words that one of two may say beyond the other's when one denies the other.
MOST_EXTRA_WORDS = 2
# "limited to 100 entries"
MOST_LIMIT_WORDS = 3
# Later sentences lean on the first: they need this many shared words to speak of one subject by themselves.
SHARED_BY_LATER_SENTENCES = 3

_SIDES: Mapping[str, tuple[int, int]] = {
    word: (row, side) for row, sides in enumerate(OPPOSITES) for side, words in enumerate(sides) for word in words
}
_AFFIRMED = frozenset("always immer toujours siempre".split())


def disagreement(newer: Note, older: Note) -> str | None:
    """Why two live records disagree, in a few words, or None."""
    if newer.outcome and older.outcome:
        return None  # attempts are told apart by their outcomes, and both are worth knowing
    mine, theirs = _places(newer), _places(older)
    anchored, apart = bool(mine & theirs), bool(mine and theirs and not mine & theirs)
    for i, one in enumerate(claims(newer.content)):
        for j, two in enumerate(claims(older.content)):
            shared = len(one.keys & two.keys)
            if _far_apart(shared, len(one.keys), len(two.keys)) and not (one.rejected or two.rejected):
                continue
            if (i or j) and shared < SHARED_BY_LATER_SENTENCES:
                continue
            if apart and shared < 2:
                continue  # "it retries 5 times", said of two functions
            if why := _why(one, two, anchored=anchored):
                return why
    return None


def _far_apart(shared: int, one: int, two: int) -> bool:
    """Whether two claims of so many words share too few of them to be about the same; none shared is looked at."""
    return max(one, two) - shared > APART or 0 < LEAST_SHARED * shared < min(one, two)


def _why(one: Claim, two: Claim, *, anchored: bool) -> str | None:
    if (one.pronoun or two.pronoun) and not anchored:
        return None  # nobody knows what "it" is
    if one.past or two.past:
        return None  # what was, or was measured, once
    if not one.denies and not two.denies and (reason := _rejects(one, two) or _rejects(two, one)):
        return reason
    shared = one.keys & two.keys
    if not shared:
        return _same_words(one, two)
    mine, theirs = _told_apart(one, two), _told_apart(two, one)
    told_apart = ((one, mine), (two, theirs))
    if _only_some(one, two, mine, theirs) or _only_some(two, one, theirs, mine):
        return "only some or everyone"
    if one.denies != two.denies:
        return _denial(one, two, mine, theirs, len(shared))
    orders = _order(one), _order(two)
    if orders[0] and orders[1] and not one.denies and all(_is_order_word(c, i) for c, at in told_apart for i in at):
        return _turned_round(orders[0], orders[1])
    first, second = difference(one, mine), difference(two, theirs)
    if first is None or second is None or _same_meaning(first, second) or _tells_a_step(one) or _tells_a_step(two):
        return None
    if one.denies:
        # Two things that are both not so; only "no more than 3" and "no more than 5" cannot be at once.
        return _quantities(first, second) if first.bounded and second.bounded else None
    told = _quantities(first, second) or _opposites(first, second) or _only_one(first, second)
    told = told or _unlimited(first, second) or _unlimited(second, first)
    if told or (not anchored and len(shared) == 1 and shared & parts.GENERIC):
        return told
    return _values(first, second)


def _rejects(one: Claim, two: Claim) -> str | None:
    """One says to use X instead of Y, the other to use Y for that."""
    if not one.rejected or two.several or two.possible:
        return None
    for i, token in enumerate(two.tokens[:-1]):
        chosen = next((t for t in two.tokens[i + 1 :] if t.told), None)
        if token.part == "choice" and chosen is not None and chosen.key in one.rejected:
            only_one = one.keys - two.keys - _chosen(one)
            only_two = two.keys - one.keys - one.rejected
            return None if only_one and only_two else f"{chosen.word} or not"
    return None


def _chosen(claim: Claim) -> set[str]:
    """The key of what a claim says to use."""
    for i, token in enumerate(claim.tokens):
        if token.part == "choice":
            rest = itertools.takewhile(lambda t: t.part != "preposition", claim.tokens[i + 1 :])
            return {t.key for t in rest if t.told}
    return set()


def _same_words(one: Claim, two: Claim) -> str | None:
    """`keep for 30 days`, `keep for a week`: nothing is told but a quantity, in the same words."""
    around = [[t.word for t in c.tokens if t.part not in ("quantity", "determiner")] for c in (one, two)]
    quantities = [[t.quantity for t in c.tokens if t.quantity] for c in (one, two)]
    if around[0] != around[1] or len(around[0]) < 2 or [len(found) for found in quantities] != [1, 1]:
        return None
    first, second = quantities[0][0], quantities[1][0]
    if first.dimension and first.dimension == second.dimension and not first.same(second):
        return f"{first.dimension}: {first.spelling} or {second.spelling}"
    return None


def _only_some(one: Claim, two: Claim, mine: list[int], theirs: list[int]) -> bool:
    """`only admins may` against `anyone may`."""
    only = [i for i, token in enumerate(one.tokens) if token.word in parts.ONLY_THESE]
    if not only or one.denies or two.denies or two.limited or set(mine) - set(only) != {only[0] + 1}:
        return False
    return any(t.word in parts.EVERYONE for t in two.tokens) and all(
        two.tokens[i].word in parts.EVERYONE for i in theirs
    )


def _told_apart(one: Claim, two: Claim) -> list[int]:
    """Positions of what one says and two does not; quantities that are equal in other units are said by both."""
    quantities = [token.quantity for token in two.tokens if token.quantity]
    left = Counter(token.key for token in two.tokens if token.told)
    apart = []
    for i, token in enumerate(one.tokens):
        if not token.told or (token.quantity and any(token.quantity.same(other) for other in quantities)):
            continue
        left[token.key] -= 1
        # Said once more than there: "secrets live in AWS Secrets Manager".
        if left[token.key] < 0:
            apart.append(i)
    return apart


def _denial(one: Claim, two: Claim, mine: list[int], theirs: list[int], shared: int) -> str | None:
    """Of one subject, when neither says more that limits it."""
    if (mine and theirs) or one.limited != two.limited:
        return None
    if (one.tokens[0].word == "to") != (two.tokens[0].word == "to"):
        return None  # "to run the tests": nothing is said yet
    if any(_denies_more(claim, extra) for claim, extra in ((one, mine), (two, theirs))):
        return None
    claim, extra = (one, mine) if mine else (two, theirs)
    if extra and shared > 1 and claim.denies is False and _some_time_later(claim, extra):
        return f"never or after {claim.tokens[extra[-1]].word}"
    if extra and (shared < 2 or len(extra) > MOST_EXTRA_WORDS or any(_limits(claim, i) for i in extra)):
        return None
    return _denied(one, two)


def _some_time_later(claim: Claim, extra: Sequence[int]) -> bool:
    """`after 30 days`, and nothing else: what is so then is not never so."""
    tokens = [claim.tokens[i] for i in extra]
    return (
        len(tokens) == 2
        and tokens[0].key == "after"
        and tokens[1].quantity is not None
        and tokens[1].quantity.dimension == "time"
    )


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
    before = word_before(claim, at)
    token = claim.tokens[at]
    return (
        token.scope
        or token.part == "quantity"
        or token.key.startswith("name ")
        or (before is not None and before.part in ("preposition", "not"))
        or token.word in parts.ENVIRONMENTS
        or token.key == "not"
    )


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
    if any(name_of(token) in _SIDES for token in (*first.tokens, *second.tokens)) or _negates(first, second):
        return False  # "asynchronous" holds "synchronous"
    return one in two or two in one


def _only_one(first: Difference, second: Difference) -> str | None:
    """`accepts only XML` against `accepts only JSON`: what stands behind `only` leaves no room for another."""
    for found in (first, second):
        before = found.claim.tokens[found.at[0] - 1] if found.at[0] else None
        if before is None or before.word not in parts.ONLY_THESE or len(found.at) > 1:
            return None
        if found.claim.several or any(token.quantity for token in found.tokens):
            return None
    return f"only {first.text} or only {second.text}"


def _unlimited(first: Difference, second: Difference) -> str | None:
    """`is unbounded` against `is limited to 100 entries`."""
    if len(first.at) != 1 or first.tokens[0].word not in UNLIMITED or second.tokens[0].word not in LIMITED:
        return None
    if any(found.claim.several or only_names(found) for found in (first, second)):
        return None
    counted = [i for i, token in enumerate(second.tokens) if token.quantity]
    # "100 entries" is one thing, "100 entries of a tenant" another one.
    return f"{first.text} or {second.text}" if counted == [1] and len(second.at) <= MOST_LIMIT_WORDS else None


def _quantities(first: Difference, second: Difference) -> str | None:
    """Another number of the same dimension in the same place."""
    if len(first.at) != 1 or len(second.at) != 1:
        return None
    one, two = first.tokens[0].quantity, second.tokens[0].quantity
    if one is None or two is None:
        return None
    if _family(one.dimension) != _family(two.dimension) or not (measures(first) and measures(second)):
        return None
    return f"{one.dimension.split()[0] if one.dimension else 'number'}: {one.spelling} or {two.spelling}"


def _family(dimension: str) -> str:
    """Rates of one thing are of one family, whatever the period."""
    return dimension.partition(" per ")[0]


def _opposites(first: Difference, second: Difference) -> str | None:
    """Words of which one excludes the other, with nothing else told apart."""
    if len(first.at) != 1 or len(second.at) != 1:
        return None
    if first.claim.several or second.claim.several:
        return None
    one, two = _SIDES.get(name_of(first.tokens[0])), _SIDES.get(name_of(second.tokens[0]))
    if not _negates(first, second) and (one is None or two is None or one[0] != two[0] or one[1] == two[1]):
        return None
    if any(only_names(found) for found in (first, second)):
        return None
    return f"{first.text} or {second.text}"


def _negates(first: Difference, second: Difference) -> bool:
    """`is protected` against `is unprotected`; "unsigned builds are slow" tells which ones are meant."""
    if any(_tells_which(found) for found in (first, second)):
        return False
    return len(first.at) == len(second.at) == 1 and negates(first.tokens[0].word, second.tokens[0].word)


def _tells_which(found: Difference) -> bool:
    before, behind = found.claim.tokens[: found.at[0]], found.claim.tokens[found.at[-1] + 1 :][:1]
    verb = any(token.part in ("link", "choice", "placing") for token in before)
    return not verb and any(token.told for token in behind)


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
    common = sorted(classes_of(first) & classes_of(second))
    alike = bool(common)
    if any(claim.listing for claim in claimed) and not (alike and not any(_polar_list(claim) for claim in claimed)):
        return None
    if all(is_value(found, alike=alike) for found in (first, second)):
        return (f"{common[0]}: " if common else "") + f"{first.text} or {second.text}"
    return None


def _polar_list(claim: Claim) -> bool:
    return any(token.part == "polar" for token in claim.tokens)


def _places(note: Note) -> frozenset[tuple[str, str]]:
    return frozenset((anchor.path, anchor.qualified_name) for anchor in note.anchors)
