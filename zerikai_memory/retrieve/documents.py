"""When a document answers: the words of a question can fit a section better than anything in the code.

Documents stand behind the code, because on whole checkouts they push it out of the answer. But authors explain in
sections what no line of code says. A section that fits a question's words best of all has a place in the reply, and one
that fits them much better than all code is not put behind.
"""

from __future__ import annotations

import numpy as np

from zerikai_memory.retrieve.rank import Flags, Floats, Ints

# One or two words fit a heading and a name alike.
MIN_TERMS = 3
# BM25 of the best section over that of the best entity elsewhere. None of 96 questions about code on whole checkouts
# reaches 1.6; a third of the questions about a document in a mixed project do.
DECISIVE = 1.6
# A smaller lead is chance of wording. Recall@5 of sections .222 -> .489, .467, .422 at 1, 1.1 and 1.2; on whole
# checkouts the right file among three .887 -> .877, .877, .882.
AHEAD = 1.1


def decisive_documents(lexical: Floats, file_of: Ints, documents: Flags, terms: int) -> Flags:
    """[m] whether each file is a document whose best section fits the words DECISIVE times better than all else."""
    found = np.zeros(len(documents), bool)
    if terms < MIN_TERMS or not documents.any():
        return found
    written = documents[file_of]
    elsewhere = float(lexical[~written].max(initial=0.0))
    leading = np.flatnonzero(written & (lexical > 0) & (lexical >= DECISIVE * elsewhere))
    found[file_of[leading]] = True
    return found


def with_best_section(
    order: list[int], lexical: Floats, file_of: Ints, documents: Flags, candidates: Ints
) -> list[int]:
    """`order` (positions grouped by file) with the section that fits the words best of all candidates, if one does.

    It takes the last place of its file, or the place of the last file; the first file stays.
    """
    best = int(candidates[np.argmax(lexical[candidates])]) if len(candidates) else -1
    if best < 0 or best in order or not lexical[best] > 0 or not documents[file_of[best]]:
        return order
    elsewhere = candidates[~documents[file_of[candidates]]]
    if lexical[best] < AHEAD * lexical[elsewhere].max(initial=0.0):
        return order
    own = [place for place, i in enumerate(order) if file_of[i] == file_of[best]]
    if own:
        return [*order[: own[-1]], best, *order[own[-1] + 1 :]]
    shown = list(dict.fromkeys(int(f) for f in file_of[order]))
    if len(shown) < 2:
        return order
    return [*(i for i in order if file_of[i] != shown[-1]), best]
