"""Ranking as pure array functions: fused evidence, definition boost, what the file as a whole says.

Arrays are aligned with an IndexView: `[n]` one value per entity, `[m]` one per file. Scores are large when good.
The figures beside the constants are NDCG@10 on the development questions of a file-level benchmark, measured in a
lab; bench/ measures them on this code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Half words, half vectors: flat from .4 to .7, and neither side alone comes near (.807 lexical, .750 vectors, .853).
LEXICAL_SHARE = 0.5
# The best five entities of a file vote for it: top 3 .858, 5 .865, 8 .870.
FILE_TOP = 5
FILE_SUM_WEIGHT = 0.5
# One vector for the file as a whole: +.020 [+.007, +.036].
FILE_VECTOR_WEIGHT = 0.5
# `__init__` and `constructor` say little of what a class does and share its words.
CONSTRUCTOR_FACTOR = 0.8
# A function inside a function shares the words of the one around it, which is the one to cite.
LOCAL_FACTOR = 0.8
# Of two that fit alike the public one is meant; more than this costs the right function (recall@5 .661 -> .648 at .8).
PRIVATE_FACTOR = 0.95
# A constant or a custom property shares the words of what uses it, and is rarely what a question means
# (entity recall@1 .383 -> .389, @5 .661 -> .667).
CONSTANT_FACTOR = 0.85
# Inside its own file a module stands behind what it holds: recall@1 .389 -> .398; less than this costs line targets.
MODULE_MEMBER_FACTOR = 0.8
# A class whose card is as near to the question as its member's, within this cosine, takes the member's place: members
# carry the name of their class and so inherit its words (recall@1 .377 -> .387, @5 .660 -> .674; 0 to .1 alike).
CLASS_COSINE_SLACK = 0.03
# A private member speaks for its class, which is what others use: there the class may be this much farther (on public
# targets recall@1 .405 -> .408; on all it is neutral).
PRIVATE_COSINE_SLACK = 0.2
# An identifier in the question that is the entity's name: +.014, symbol questions .889 -> .958.
EXACT_NAME = 1.0
SAME_NAME_OTHER_CASE = 0.7
MODULE_NAME_FACTOR = 0.5
MEMBER_NAME_FACTOR = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What a question found: `lexical` [n] is BM25 or 0, `keyword` [n] is added to the fused evidence, `name_boost` [n]
    is for entities that are named; cosines and factors are [n] per entity and [m] per file. `class_of` [n] is the
    position of the class that an entity is a direct member of, or -1; `class_slack` [n] how much farther it may be."""

    lexical: Floats
    keyword: Floats
    cosines: Floats
    file_cosines: Floats
    name_boost: Floats
    entity_factor: Floats
    member_factor: Floats
    file_factor: Floats
    name_factor: Floats
    file_of: Ints
    class_of: Ints
    class_slack: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """`entity` [n] orders files by their best entity; `member` [n] orders entities inside a file."""

    entity: Floats
    member: Floats


def score(evidence: Evidence) -> Scores:
    """Score every entity; a pure reorder, nothing is dropped."""
    fused = fuse(evidence.lexical, evidence.cosines) + evidence.keyword
    file_factor = evidence.file_factor[evidence.file_of]
    direct = fused * evidence.entity_factor * file_factor
    boost = evidence.name_boost * evidence.name_factor[evidence.file_of]
    files = FILE_SUM_WEIGHT * file_sums(direct, evidence.file_of, len(evidence.file_factor))
    files += FILE_VECTOR_WEIGHT * rescale(evidence.file_cosines) * evidence.file_factor
    own = fused * evidence.entity_factor
    raise_classes(own, evidence.cosines, evidence.class_of, evidence.class_slack)
    member = (own + evidence.name_boost) * evidence.member_factor
    return Scores(entity=direct + boost + files[evidence.file_of], member=member)


def raise_classes(scores: Floats, cosines: Floats, class_of: Ints, slack: Floats) -> None:
    """Give a class the score of its best member, in place, where its own card is as near to the question."""
    members = np.flatnonzero(class_of >= 0)
    owners = class_of[members]
    near = cosines[owners] >= cosines[members] - slack[members]
    # A hair above the member, so that the class comes first.
    np.maximum.at(scores, owners[near], scores[members[near]] + 1e-9)


def fuse(lexical: Floats, cosines: Floats) -> Floats:
    """Weighted sum of BM25 over its maximum and rescaled cosine: X(e)."""
    best = lexical.max(initial=0.0)
    words = lexical / best if best > 0 else lexical
    return LEXICAL_SHARE * words + (1 - LEXICAL_SHARE) * rescale(cosines)


def rescale(cosines: Floats) -> Floats:
    """Median and below to 0, the maximum to 1: what stands out counts, whatever the question's base similarity."""
    if not len(cosines):
        return cosines
    middle, top = float(np.median(cosines)), float(cosines.max())
    if top <= middle:
        return np.zeros_like(cosines)
    return np.maximum((cosines - middle) / (top - middle), 0.0)


def file_sums(values: Floats, file_of: Ints, files: int) -> Floats:
    """[m] sum of the FILE_TOP largest squared values above 0 of each file, divided by the largest such sum."""
    some = np.flatnonzero(values > 0)
    some = some[np.argsort(-values[some], kind="stable")]
    # Sixteen bits are sorted by radix, which takes a tenth of the time.
    keys = file_of[some].astype(np.uint16) if files <= 2**16 else file_of[some]
    order = some[np.argsort(keys, kind="stable")]
    sorted_files = file_of[order]
    starts = np.searchsorted(sorted_files, np.arange(files))
    place = np.arange(len(order)) - starts[sorted_files] if len(order) else order
    top = order[place < FILE_TOP]
    sums = np.bincount(file_of[top], weights=values[top] ** 2, minlength=files).astype(np.float64)
    best = sums.max(initial=0.0)
    return sums / best if best > 0 else sums


def smallest(values: NDArray[np.floating[Any]], count: int) -> Ints:
    """Positions of the `count` smallest values, smallest first; ties in order."""
    if count >= len(values):
        return np.argsort(values, kind="stable")
    places = np.flatnonzero(values <= np.partition(values, count - 1)[count - 1])
    return places[np.argsort(values[places], kind="stable")][:count]


def classic(distances: Floats, keyword_hits: Floats, weight: float, pool: int, threshold: float) -> tuple[Ints, Floats]:
    """(positions, scores) of the nearest `pool` entities within `threshold`, by 1/distance + keyword hits x weight.

    The documented formula of the card's lexical rerank; a distance of zero is an exact match of the text.
    """
    nearest = np.argsort(distances, kind="stable")[:pool]
    nearest = nearest[distances[nearest] <= threshold]
    scores = 1.0 / np.maximum(distances[nearest], 1e-6) + keyword_hits[nearest] * weight
    order = np.argsort(-scores, kind="stable")
    return nearest[order], scores[order]


def group_by_file(scores: Scores, file_of: Ints, candidates: Ints, files: int, entities: int) -> list[int]:
    """Positions to show: the best `files` files in order, each with its best member, then the best of the rest.

    One place for each file's best member, the remaining places for the best remaining members of these files; they
    stand beneath their file, best first.
    """
    order = candidates[np.argsort(-scores.entity[candidates], kind="stable")]
    found, first = np.unique(file_of[order], return_index=True)
    chosen = found[np.argsort(first)][: min(files, entities)].tolist()
    members = {f: order[file_of[order] == f] for f in chosen}
    ranked = {f: m[np.argsort(-scores.member[m], kind="stable")].tolist() for f, m in members.items()}
    rest = sorted((i for m in ranked.values() for i in m[1:]), key=lambda i: -scores.member[i])
    extra = set(rest[: max(entities - len(chosen), 0)])
    return [i for f in chosen for i in ranked[f] if i == ranked[f][0] or i in extra]
