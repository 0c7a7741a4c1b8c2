"""Overloads of a function: declarations without a body before the one that has it, which speaks for all of them.

TypeScript writes them as signatures, Python decorates them. Of a declaration file, where nothing has a body, the first
that is described speaks for the others.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from zerikai_memory.model import CodeEntity
from zerikai_memory.retrieve.rank import Floats, Ints, Scores
from zerikai_memory.store.index import WorkspaceIndex
from zerikai_memory.store.view import IndexView

_TYPED = frozenset({"typescript", "tsx", "vue", "svelte"})
_FUNCTIONS = frozenset({"function", "method"})
# A shorter signature is not broken over lines: what is longer than one line has a body.
LONG_SIGNATURE = 70
# So many entities are read by one statement.
AT_ONCE = 500

_DECLARATIONS = re.compile(r"\.d\.[cm]?ts$")


def without_body(entity: CodeEntity) -> bool:
    """Whether one of several functions of a name is but a signature, by its decorator or by its number of lines."""
    if entity.language == "python":
        return any(decorator.rpartition(".")[2] == "overload" for decorator in entity.decorators)
    if entity.language not in _TYPED or "=" in entity.signature.split("(", 1)[0]:
        return False
    if {"getter", "setter", "get", "set"} & {*entity.modifiers, *entity.signature.split("(", 1)[0].split()[:-1]}:
        return False
    lines = entity.end_line - entity.start_line + 1
    signature = entity.signature
    most = 2 + signature.count(",") + 2 * sum(map(signature.count, "({<")) if len(signature) > LONG_SIGNATURE else 1
    return lines <= most


def speaking_first(entities: Sequence[CodeEntity]) -> list[CodeEntity]:
    """Entities in order, but of the overloads of a function what speaks for them before the others."""
    groups: dict[tuple[str, str], list[CodeEntity]] = defaultdict(list)
    for entity in entities:
        groups[entity.file_path, entity.qualified_name].append(entity)
    ordered: list[CodeEntity] = []
    for group in groups.values():
        group.sort(key=lambda entity: entity.start_line)
        if len(group) > 1 and all(map(without_body, group[:-1])):
            group.insert(0, group.pop(_speaks(group)))
        ordered += group
    return ordered


def overloads(view: IndexView, index: WorkspaceIndex) -> Ints:
    """[n] position of what speaks for each overload; its own position for everything else."""
    speaker = np.arange(len(view))
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for i, (f, name, kind) in enumerate(zip(view.file_of.tolist(), view.qualified_names, view.types, strict=True)):
        language = view.files[f].language
        if kind in _FUNCTIONS and (language in _TYPED or language == "python"):
            groups[f, name].append(i)
    several = [sorted(group, key=lambda i: view.start_lines[i]) for group in groups.values() if len(group) > 1]
    several = [group for group in several if _apart(view, group)]
    ids = [view.ids[i] for group in several for i in group]
    stored: dict[str, CodeEntity] = {}
    for start in range(0, len(ids), AT_ONCE):
        stored |= index.entities_by_id(ids[start : start + AT_ONCE])
    for group in several:
        found = [stored.get(view.ids[i]) for i in group]
        entities = [entity for entity in found if entity is not None]
        if len(entities) == len(group) and all(map(without_body, entities[:-1])):
            speaker[group] = group[_speaks(entities)]
    return speaker


def _apart(view: IndexView, group: Sequence[int]) -> bool:
    return all(view.end_lines[one] < view.first_lines[other] for one, other in pairwise(group))


def _speaks(entities: Sequence[CodeEntity]) -> int:
    last = entities[-1]
    declared = _DECLARATIONS.search(last.file_path) or last.start_line == last.end_line
    if not (declared and without_body(last)):
        return len(entities) - 1
    return next((i for i, entity in enumerate(entities) if entity.docstring), 0)


def folded(scores: Scores, candidates: Ints, speaker: Ints) -> tuple[Scores, Ints]:
    """Scores and candidates where what speaks for overloads stands for them."""
    others = candidates[speaker[candidates] != candidates]
    if not len(others):
        return scores, candidates
    entity, member = (_raised(values, others, speaker) for values in (scores.entity, scores.member))
    return Scores(entity=entity, member=member), np.union1d(np.setdiff1d(candidates, others), speaker[others])


def _raised(values: Floats, others: Ints, speaker: Ints) -> Floats:
    raised = values.copy()
    np.maximum.at(raised, speaker[others], values[others])
    return raised
